// What a similarity is: its name, its parameters and their rules, what it compares, and how it is made.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_cost.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// What is known of a similarity before it is made.
struct SimilarityTraits {
  bool distance = false;       ///< a smaller value is nearer
  bool definite = false;       ///< positive definite by its nature
  bool single_source = false;  ///< comes from one object to all others
  bool whole_rows = false;     ///< a method that takes whole rows of K can have them: a function of coordinates alone
  bool part = false;           ///< may be a part of a sum or product
  bool composite = false;      ///< is made of parts
  bool word_vectors = false;   ///< documents must have them
  bool random_documents = false;  ///< compares documents with random ones
  bool stored = false;            ///< its values are those of a file or another program, not computed here
  bool runs_program = false;      ///< the values of another program: what they cost is not known
  bool counts = false;            ///< is a function of co-occurrences of words, which can be kept
  std::string base{};             ///< the distance that it is a function of, if that can be kept (EntryTraits::base)
  int evaluations_per_entry = 1;
};

struct SimilarityDescriptor;

/// A similarity by name, with the values of its parameters and its parts.
struct SimilarityChoice {
  /// Without parameters given. @throws Error(usage) for an unknown name
  explicit SimilarityChoice(const std::string& name);
  explicit SimilarityChoice(const SimilarityDescriptor& chosen);
  SimilarityChoice(const SimilarityDescriptor& chosen, Values with) : descriptor(&chosen), values(std::move(with)) {}

  /// Sets a parameter. @throws Error(usage) for an unknown name or a value of the wrong form
  SimilarityChoice& set(const std::string& name, const std::string& text);
  [[nodiscard]] const std::string& name() const;
  /// Those of the descriptor, and what values and parts change. Local.
  [[nodiscard]] SimilarityTraits traits() const;

  const SimilarityDescriptor* descriptor;
  Values values;
  std::vector<SimilarityChoice> parts{};  ///< of a composite
};

/// What a similarity is made from.
template <class T>
struct SimilarityInput {
  const Execution& execution;
  const SimilarityChoice& choice;
  const ObjectSet& objects;
};

/// The same for one that comes by source.
struct SourceInput {
  const Communicator& communicator;
  const Values& values;
  const SharedGraph* graph = nullptr;  ///< or
  const TriangleMesh* mesh = nullptr;
  bool nearest = false;  ///< it is asked for the vertices nearest to one source at a time (SourceSimilarity::lower)
};

template <class T>
using MakeSimilarity = std::unique_ptr<Similarity<T>> (*)(const SimilarityInput<T>&);

/// A similarity. Everything that the program knows about it is derived from this.
struct SimilarityDescriptor {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::vector<Parameter> parameters{};
  std::vector<Parameter> output{};        ///< keys of [output] that it alone has
  std::vector<ObjectKind> objects{};      ///< that it compares; empty: those that all its parts compare
  std::vector<ObjectKind> default_for{};  ///< objects for which it is the default
  SimilarityTraits traits{};
  /// What values change about the traits. Local.
  void (*refine)(const Values&, SimilarityTraits&) = nullptr;
  /// Its rules beyond what `parameters` say: called before data are read and by make_similarity().
  /// @throws Error(usage) that names the parameter. Local.
  void (*check)(const SimilarityChoice&) = nullptr;
  /// Evaluations that its parameters take. Local.
  Index (*preparation)(const Values&, Index objects) = nullptr;
  /// It, with words among the parameters resolved from the data. Collective.
  MakeSimilarity<float> make_single = nullptr;
  MakeSimilarity<double> make_double = nullptr;
  /// The same where it comes by source. Collective.
  std::unique_ptr<SourceSimilarity> (*make_source)(const SourceInput&) = nullptr;
  /// What its rows take then. Local.
  SourceCost (*source_cost)(const SourceCostInput&) = nullptr;
};

}  // namespace cairn
