// Descriptor of a similarity: its name, its parameters and their rules, the objects it compares, and how it is made.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_cost.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Properties of a similarity before it is made.
struct SimilarityTraits {
  bool distance = false;          ///< a smaller value is nearer
  bool definite = false;          ///< positive definite by construction
  bool semidefinite = false;      ///< positive semidefinite by construction, but perhaps of low rank
  bool negative_type = false;     ///< a distance of negative type: Euclidean
  bool single_source = false;     ///< single-source: computed from one object to all others
  bool one_sided = false;         ///< single-source: the two ends of a pair give different values, which K averages
  bool whole_rows = false;        ///< methods can take whole rows of K: a function of coordinates alone
  bool part = false;              ///< may be a part of a sum or product
  bool composite = false;         ///< consists of parts
  bool word_vectors = false;      ///< documents must have word vectors
  bool random_documents = false;  ///< compares documents with random ones
  bool stored = false;            ///< values come from a file or another program, not computed here
  bool runs_program = false;      ///< values come from another program; their cost is unknown
  bool counts = false;            ///< function of the co-occurrences of words, which can be kept
  std::string base{};             ///< base distance if it can be kept (EntryTraits::base)
  int evaluations_per_entry = 1;
};

struct SimilarityDescriptor;

/// A similarity by name, with the values of its parameters and its parts.
struct SimilarityChoice {
  /// Without given parameters. @throws Error(usage) for an unknown name
  explicit SimilarityChoice(const std::string& name);
  explicit SimilarityChoice(const SimilarityDescriptor& chosen);
  SimilarityChoice(const SimilarityDescriptor& chosen, Values with) : descriptor(&chosen), values(std::move(with)) {}

  /// Sets a parameter. @throws Error(usage) for an unknown name or a value of the wrong form
  SimilarityChoice& set(const std::string& name, const std::string& text);
  [[nodiscard]] const std::string& name() const;
  /// Traits of the descriptor, as modified by values and parts. Local.
  [[nodiscard]] SimilarityTraits traits() const;

  const SimilarityDescriptor* descriptor;
  Values values;
  std::vector<SimilarityChoice> parts{};  ///< parts of a composite
};

/// Input for making a similarity.
template <class T>
struct SimilarityInput {
  const Execution& execution;
  const SimilarityChoice& choice;
  const ObjectSet& objects;
};

/// Input for making a single-source similarity.
struct SourceInput {
  const Communicator& communicator;
  const Values& values;
  const SharedGraph* graph = nullptr;  ///< either this or the mesh is given
  const TriangleMesh* mesh = nullptr;
  bool nearest = false;  ///< only the vertices nearest to one source at a time are requested (SourceSimilarity::lower)
};

template <class T>
using MakeSimilarity = std::unique_ptr<Similarity<T>> (*)(const SimilarityInput<T>&);

/// Descriptor of a similarity. Everything that the program knows about it is derived from this.
struct SimilarityDescriptor {
  std::string name;
  std::string summary;  ///< sentence for --help
  std::vector<Parameter> parameters{};
  std::vector<Parameter> output{};        ///< keys of [output] that only this similarity has
  std::vector<ObjectKind> objects{};      ///< objects that it compares; empty: those that all its parts compare
  std::vector<ObjectKind> default_for{};  ///< objects for which it is the default
  SimilarityTraits traits{};
  /// Applies values to the traits. Local.
  void (*refine)(const Values&, SimilarityTraits&) = nullptr;
  /// Checks rules beyond those in `parameters`; called before data are read and by make_similarity().
  /// @throws Error(usage) that names the parameter. Local.
  void (*check)(const SimilarityChoice&) = nullptr;
  /// Evaluations that resolving its parameters takes. Local.
  Index (*preparation)(const Values&, Index objects) = nullptr;
  /// Makes the similarity; words among the parameters are resolved from the data. Collective.
  MakeSimilarity<float> make_single = nullptr;
  MakeSimilarity<double> make_double = nullptr;
  /// Makes a single-source similarity. Collective.
  std::unique_ptr<SourceSimilarity> (*make_source)(const SourceInput&) = nullptr;
  /// Cost of the rows of a single-source similarity. Local.
  SourceCost (*source_cost)(const SourceCostInput&) = nullptr;
};

}  // namespace cairn
