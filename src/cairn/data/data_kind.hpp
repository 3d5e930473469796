// A kind of data: its name, its parameters and their rules, and how its objects are read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/numbers_in_file.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/shared_graph.hpp"
#include "cairn/data/tokenization.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// One fact found while reading, for people and for programs.
struct DataFact {
  std::string label;  ///< label of a line for people; empty: for programs only
  std::string text;   ///< the rest of that line
  std::string key{};  ///< key of the value for programs; empty: for people only
  std::variant<Index, double, bool, std::string, std::vector<std::string>, std::map<std::string, Index>> value{};
};

/// Settings with which the new objects of a stored result are read.
struct KnownPoints {
  Scaling scaling;
  Index dimension = 0;
  std::optional<PointColumns> columns;
  std::string path;          ///< path of the result
  std::uint64_t digest = 0;  ///< digest of its points as read; 0: unknown
};

/// Known properties of the objects of a stored result, of any kind.
struct KnownObjects {
  KnownPoints points;
  std::optional<Tokenization> tokenization{};      ///< how its texts were split into words, if they were
  std::shared_ptr<const ObjectBlock> landmarks{};  ///< landmarks with which these objects are to be compared
  /// Words of the documents, by number; null: the documents have word vectors, or are texts.
  std::shared_ptr<const std::vector<std::string>> words{};
  bool new_objects = false;  ///< the objects are not those of the result
};

struct DataKind;

/// The objects of a run, scaled, and the facts found while reading them.
template <class T>
struct Data {
  std::unique_ptr<ObjectSet> objects;
  std::unique_ptr<ObjectSet> right{};              ///< objects of the columns of K; null: those of the rows
  const DataKind* kind = nullptr;                  ///< set by read_data(), as is `keys`
  KeyNames keys{};                                 ///< names of the data's parameters in messages
  std::shared_ptr<const PointSet<T>> positions{};  ///< positions of objects other than points, if any
  SharedGraph shared_graph{};                      ///< graphs: the whole graph, once per node
  NumbersInFile numbers{};                         ///< numbers of the objects in the file, if they are not their rows
  Scaling scaling{};
  std::uint64_t digest = 0;                    ///< digest of the objects as read, before scaling
  std::optional<PointColumns> columns{};       ///< columns of the file from which points were read
  std::optional<Tokenization> tokenization{};  ///< how texts were split into words, if they were
  std::vector<std::string> notes{};            ///< sentences on what reading changed or ignored
  std::vector<std::string> warnings{};         ///< sentences on what makes the result doubtful
  std::vector<DataFact> facts{};
  std::string facts_name = "data";  ///< name under which programs find the facts

  /// The objects as a `Set`; null if they are of another type. Local.
  template <class Set>
  [[nodiscard]] const Set* as() const {
    return dynamic_cast<const Set*>(objects.get());
  }
  /// The objects if they are points, else their positions; null if they have none. Local.
  [[nodiscard]] const PointSet<T>* points() const {
    const auto* own = as<PointSet<T>>();
    return own != nullptr ? own : positions.get();
  }
  /// This rank's labels of the column objects; none if these are the row objects. Local.
  [[nodiscard]] std::vector<std::string> right_labels() const {
    return right ? right->labels() : std::vector<std::string>();
  }
  /// Number of coordinates of a point, or 0. Local.
  [[nodiscard]] Index dimension() const { return points() != nullptr ? points()->dimension() : 0; }
};

/// Input for reading a kind of data.
struct DataInput {
  const Execution& execution;
  const Values& values;                 ///< values of the kind's parameters
  const KnownObjects* known = nullptr;  ///< known properties of the result whose data or new objects are read
  /// True if points may be sparse: everything computed from them accepts entries in place of all coordinates.
  bool sparse = false;
};

/// Sizes on which rules and plans depend. Some of them are known before the data are read.
struct DataSize {
  Index objects = 0;
  Index right_objects = 0;         ///< number of objects of the columns of K; 0: those of the rows
  Index dimension = 0;             ///< coordinates of a point
  Index point_entries = -1;        ///< average entries of a sparse point; -1: points have all coordinates
  Index arcs = 0;                  ///< arcs of a graph, two per edge
  bool weighted = false;           ///< the edges of the graph have weights
  bool directed = false;           ///< the two arcs of an edge have lengths of their own
  bool surface = false;            ///< the objects are vertices of a mesh
  Index row_texts = 0;             ///< labels and other texts per object
  Index document_bytes = 0;        ///< average bytes of a document
  Index word_bytes = 0;            ///< bytes of all words and their vectors, once per node
  Index tokens = 0;                ///< tokens of a corpus whose co-occurrences are still to be counted
  Index texts = 0;                 ///< texts that contain these tokens
  Index text_tokens = 0;           ///< tokens of the longest text
  Index compared_places = 0;       ///< maximum number of preceding places with which a token is counted
  Index count_pairs = 0;           ///< upper bound on co-occurring word pairs, i <= j; 0: K is not sparse
  std::vector<Index> row_pairs{};  ///< these pairs in each of 100 equal parts of the rows

  [[nodiscard]] Index columns() const { return right_objects > 0 ? right_objects : objects; }  ///< columns of K
};

template <class T>
using ReadData = Data<T> (*)(const DataInput&);
/// Reads a block of objects that ObjectBlock::write() wrote. @throws Error(input) if it is invalid. Local.
using ReadBlock = std::unique_ptr<ObjectBlock> (*)(const StoredObjects&);

/// A kind of data. Everything that the program knows about it is derived from this.
struct DataKind {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::string subject;  ///< subject of sentences in messages: "points are", "graph is"
  ObjectKind objects{};
  std::vector<Parameter> parameters{};
  std::vector<std::string> operators{};  ///< operators of biharmonic interpolation, the default first
  /// Parameters without effect if the objects are generated (of_files) or read from a file (of_generators).
  std::vector<std::string> of_files{};
  std::vector<std::string> of_generators{};
  /// Parameters for new objects of a stored result; the others are taken from the result.
  std::vector<std::string> of_new_objects{};
  /// Parameters by which a command finds the data of a stored result at another place.
  std::vector<std::string> of_places{};
  bool extendable = false;  ///< similarities are defined for objects that were not in the data
  /// Another kind whose objects consist of these, as texts consist of words; their rows are means of factor rows.
  /// Empty: there is none.
  std::string extended_by{};
  /// True if, with these values, the columns of K stand for objects other than those of its rows; null: never. Local.
  bool (*rectangular)(const Values&) = nullptr;
  /// Rules of the kind beyond those of `parameters`; called before data are read, and by read_data().
  /// @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values&) = nullptr;
  /// Given parameters that have no effect in combination with the others. Local.
  std::vector<UnusedParameter> (*unused)(const Values&) = nullptr;
  /// Text parameters that are paths of files, with these values. Local.
  std::vector<std::string> (*paths)(const Values&) = nullptr;
  /// The sizes, if the parameters or the header of the file give them. Local.
  std::optional<DataSize> (*size)(const Values&) = nullptr;
  /// Reads or generates the objects in single and in double precision. Collective.
  ReadData<float> read_single = nullptr;
  ReadData<double> read_double = nullptr;
  /// Reads the landmarks of a result in single or double precision. Null: points if the result holds one array without
  /// a name, else objects identified by their numbers.
  ReadBlock stored_single = nullptr;
  ReadBlock stored_double = nullptr;
  /// Reads what these blocks share from the arrays of the whole file; null: nothing. @param dimension  that of the
  /// result
  /// @throws Error(input) if it is invalid. Collective.
  std::unique_ptr<CommonObjects> (*stored_common)(const Communicator&, const ArrayReader&, Index dimension) = nullptr;
  bool drawn_landmarks = false;  ///< landmarks may lie outside the data; their numbers are then -1, -2, ...
};

}  // namespace cairn
