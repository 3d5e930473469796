// What a kind of data is: its name, its parameters and their rules, and how its objects are read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/documents/document_reader.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/matrix/numbers_in_file.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// One thing that reading found, for people and for programs.
struct DataFact {
  std::string label;  ///< of a line for people; empty: it is for programs only
  std::string text;   ///< the rest of that line
  std::string key{};  ///< of the value for programs; empty: it is for people only
  std::variant<Index, double, bool, std::string, std::vector<std::string>, std::map<std::string, Index>> value{};
};

/// What the new objects of a stored result are read with.
struct KnownPoints {
  Scaling scaling;
  Index dimension = 0;
  std::optional<PointColumns> columns;
  std::string path;          ///< of the result
  std::uint64_t digest = 0;  ///< of its points as read; 0: not known
};

/// What is known of the objects of a stored result, whatever they are.
struct KnownObjects {
  KnownPoints points;
  std::optional<Tokenization> tokenization{};      ///< how its texts became words, if they did
  std::shared_ptr<const ObjectBlock> landmarks{};  ///< that these objects are to be compared with
  /// Words that documents are made of, by number; null: documents have vectors of words, or are texts.
  std::shared_ptr<const std::vector<std::string>> words{};
  bool new_objects = false;  ///< others than those of the result
};

struct DataKind;

/// The objects of a run, scaled, and what reading them found.
template <class T>
struct Data {
  std::unique_ptr<ObjectSet> objects;
  std::unique_ptr<ObjectSet> right{};              ///< that the columns of K stand for; null: the same as its rows
  const DataKind* kind = nullptr;                  ///< set by read_data(), as is the next
  KeyNames keys{};                                 ///< what messages call the parameters of the data
  std::shared_ptr<const PointSet<T>> positions{};  ///< of objects that have some and are not points themselves
  SharedGraph shared_graph{};                      ///< of a graph: the whole of it, once per node
  NumbersInFile numbers{};                         ///< of the objects, if they are not their rows
  Scaling scaling{};
  std::uint64_t digest = 0;                    ///< of the objects as read, before scaling
  std::optional<PointColumns> columns{};       ///< of the file that points were read from
  std::optional<Tokenization> tokenization{};  ///< how texts became words, if they did
  std::vector<std::string> notes{};            ///< what reading changed or ignored, in sentences
  std::vector<std::string> warnings{};         ///< what makes the result doubtful, in sentences
  std::vector<DataFact> facts{};
  std::string facts_name = "data";  ///< what programs find the facts under

  /// The objects as what they are, or null. Local.
  template <class Set>
  [[nodiscard]] const Set* as() const {
    return dynamic_cast<const Set*>(objects.get());
  }
  /// The objects as points: themselves, or their positions; null if they have none. Local.
  [[nodiscard]] const PointSet<T>* points() const {
    const auto* own = as<PointSet<T>>();
    return own != nullptr ? own : positions.get();
  }
  /// This rank's, of the objects that columns stand for, if these are others; or none. Local.
  [[nodiscard]] std::vector<std::string> right_labels() const {
    return right ? right->labels() : std::vector<std::string>();
  }
  /// Coordinates of a point, or 0. Local.
  [[nodiscard]] Index dimension() const { return points() != nullptr ? points()->dimension() : 0; }
};

/// What a kind of data is read from.
struct DataInput {
  const Execution& execution;
  const Values& values;                 ///< of the kind's parameters
  const KnownObjects* known = nullptr;  ///< of a result, whose data or new objects these are
  /// Whether points may be sparse: all that is computed from them takes entries in place of all coordinates.
  bool sparse = false;
};

/// Sizes that rules and plans depend on. Before data are read some of them are known.
struct DataSize {
  Index objects = 0;
  Index right_objects = 0;         ///< that the columns of K stand for; 0: the same
  Index dimension = 0;             ///< of points
  Index point_entries = -1;        ///< of a sparse point, on average; -1: points have all coordinates
  Index arcs = 0;                  ///< of a graph, two per edge
  bool weighted = false;           ///< its edges have lengths
  bool surface = false;            ///< the objects are vertices of a mesh
  Index row_texts = 0;             ///< labels and other texts that each has
  Index document_bytes = 0;        ///< of a document, on average
  Index word_bytes = 0;            ///< of all words and their vectors, once per node
  Index tokens = 0;                ///< of a corpus whose co-occurrences are still to be counted
  Index texts = 0;                 ///< that these are in
  Index text_tokens = 0;           ///< of the longest text
  Index compared_places = 0;       ///< before each token, that it is counted with, at most
  Index count_pairs = 0;           ///< of words that occur together, i <= j, at most; 0: K is not sparse
  std::vector<Index> row_pairs{};  ///< of these, those of each of 100 equal parts of the rows

  [[nodiscard]] Index columns() const { return right_objects > 0 ? right_objects : objects; }  ///< of K
};

template <class T>
using ReadData = Data<T> (*)(const DataInput&);
/// Reads a block of objects that ObjectBlock::write() wrote. @throws Error(input) if it is not sound. Local.
using ReadBlock = std::unique_ptr<ObjectBlock> (*)(const StoredObjects&);

/// A kind of data. Everything that the program knows about it is derived from this.
struct DataKind {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::string subject;  ///< in messages: "points are", "graph is"
  ObjectKind objects{};
  std::vector<Parameter> parameters{};
  std::vector<std::string> operators{};  ///< of biharmonic interpolation, the default first
  /// Parameters that have no effect if the objects are generated, and if they are read from a file.
  std::vector<std::string> of_files{};
  std::vector<std::string> of_generators{};
  /// Parameters that new objects of a stored result take; the others are those of the result.
  std::vector<std::string> of_new_objects{};
  /// Those by which a command finds the data of a stored result elsewhere.
  std::vector<std::string> of_places{};
  bool extendable = false;  ///< similarities are defined for objects that were not in the data
  /// Another kind whose objects are made of these, as texts are of words; their rows are means of factor rows. Empty:
  /// there is none.
  std::string extended_by{};
  /// Whether the columns of K stand for other objects than its rows, with these values; null: never. Local.
  bool (*rectangular)(const Values&) = nullptr;
  /// Its rules beyond what `parameters` say: called before data are read, and by read_data().
  /// @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values&) = nullptr;
  /// Which of the given parameters have no effect beside the others. Local.
  std::vector<UnusedParameter> (*unused)(const Values&) = nullptr;
  /// Which of its texts are paths of files, with these values. Local.
  std::vector<std::string> (*paths)(const Values&) = nullptr;
  /// The sizes, if parameters or the header of the file state them. Local.
  std::optional<DataSize> (*size)(const Values&) = nullptr;
  /// Reads or generates the objects in single and in double precision. Collective.
  ReadData<float> read_single = nullptr;
  ReadData<double> read_double = nullptr;
  /// Landmarks in a result of single and of double precision. Null: points if it holds one array without a name, else
  /// objects that are known by their numbers.
  ReadBlock stored_single = nullptr;
  ReadBlock stored_double = nullptr;
  /// What these have in common, from the arrays of the whole file; null: nothing. @param dimension  as the result says
  /// @throws Error(input) if it is not sound. Collective.
  std::unique_ptr<CommonObjects> (*stored_common)(const Communicator&, const ArrayReader&, Index dimension) = nullptr;
  bool drawn_landmarks = false;  ///< landmarks may be no objects of the data: their numbers are then -1, -2, ...
};

}  // namespace cairn
