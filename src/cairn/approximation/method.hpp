// Definition of a method: its name, its parameters and their rules, its needs and costs, and how to run it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/base/cost.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/source_cost.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// P of an earlier result, and its name in messages.
template <class T>
struct KnownInterpolation {
  SparseRows<T> rows;
  std::string origin;                           ///< "a.h5"
  std::shared_ptr<const HangingTrees> trees{};  ///< as Approximation::trees
};

template <class T>
struct SampleBlock;

/// Input of a method. A method uses what it needs; the rest may be empty.
template <class T>
struct Problem {
  const Execution& execution;
  const Similarity<T>& similarity;  ///< evaluates any entries of K between `objects`
  const ObjectSet& objects;
  Landmarks<T> landmarks{};                              ///< S1, from any selection
  Index count = 0;                                       ///< landmarks.count, if the method uses no landmarks
  Values parameters;                                     ///< of the method
  const SourceSimilarity* rows = nullptr;                ///< row oracle: K from one object to all others
  std::function<BiharmonicOperator()> geometry{};        ///< makes the operator of the data. Collective
  std::optional<KnownInterpolation<T>> interpolation{};  ///< P of another result, with the landmarks above
  TileStorage storage{};                                 ///< where a core matrix in tiles is stored; empty: in memory
  Index memory = 0;                                      ///< bytes per rank that may be used; 0: the memory of the node
  std::shared_ptr<const HangingTrees> trees{};  ///< pendant trees; the 2-core of the graph has all landmarks; null:
                                                ///< none
  const ObjectSet* right = nullptr;             ///< objects of the columns of K; null: `objects`
  /// K among further objects, which a method that takes more of them adds to and keeps here; null: it keeps nothing.
  std::shared_ptr<SampleBlock<T>> sample{};
};

/// Known sizes of a problem when its parameters are checked.
struct ProblemShape {
  Index objects = 0;                     ///< 0: not yet known
  Index landmarks = 0;                   ///< s1; 0: not yet known
  std::vector<std::string> operators{};  ///< operators of the data, the default first; empty: none, or not yet known
  bool rectangular = false;              ///< the columns of K are other objects than its rows
  bool by_source = false;                ///< K comes by whole rows
};

/// Parts of K and of the data that a method needs.
struct MethodNeeds {
  bool rows = false;    ///< whole rows of K, from one object to all others, and the operator of the data; else entries
  bool entries = true;  ///< entries of K; false: the objects and the function that defines the similarity suffice
  bool landmarks = true;          ///< objects chosen by a selection
  bool order = false;             ///< only their numbers: Landmarks::objects stays empty
  bool random_documents = false;  ///< a similarity that compares documents with random ones
};

/// Sizes on which a cost depends.
struct CostInput {
  DataSize data{};
  Index landmarks = 0;
  int ranks = 1, threads = 1;
  Index value_bytes = 8;   ///< bytes of an entry of the factors
  bool definite = false;   ///< the similarity is positive definite: a Cholesky factor of a core matrix suffices
  bool by_source = false;  ///< K is a row oracle: whole columns only
  // For methods that use whole rows:
  SourceCost rows{};
  std::vector<std::string> operators{};  ///< as in ProblemShape
  Index compared_rows = 0;               ///< maximum number of rows of K that the error estimate compares
  Index compared_round = 0;              ///< number of these compared at once
  Index known_entries = 0;               ///< of a given P; 0: P is computed
  Index hanging = 0;                     ///< vertices of pendant trees, without which P is computed; 0 until known
  double deflated_share = 1.0;           ///< bytes of a compressed core matrix in the file over those in memory
  bool on_disk = false;                  ///< data that may be stored on disk during the run are on disk
};

/// Evaluations, memory and work of a method that uses entries.
struct MethodCost {
  Index second = 0;                ///< s2
  Index left = 0;                  ///< columns of the left factor
  bool left_stored = true;         ///< its rows are held; false: they are evaluated when they are needed
  Index right = 0;                 ///< columns of the right factor; 0: it is the left one
  Index columns = 0;               ///< columns evaluated over all objects
  Index apart = 0;                 ///< of these, columns of a sample drawn independently of the landmarks
  Index block = 0;                 ///< number of objects between which K is also evaluated, all pairs
  Index block_sample = 0;          ///< size of the sample that they complete
  Index block_entries = 0;         ///< entries of the block, if symmetry saves some of all pairs
  Index others = 0;                ///< further entries: for the comparison of candidates, or of blocks of objects
  bool whole_columns = false;      ///< L and R are columns of K as they come
  bool random_objects = false;     ///< the columns are similarities with objects that are not in the data
  bool copies_columns = false;     ///< columns are held twice during the core step
  bool cholesky = false;           ///< a Cholesky factor is expected to suffice instead of an eigen-decomposition
  bool embedding = false;          ///< the columns are multiplied by a root of the core matrix
  Index core_matrix = 0;           ///< order of the largest matrix of the core step
  std::vector<DenseSize> dense{};  ///< matrices of the core step, whose entries 32-bit integers of libraries must count
  Index library_bytes = 0;         ///< per rank, of libraries that it loads
  Index core_bytes = 0;            ///< per rank, of the core step
  Index collected_bytes = 0;       ///< of matrices that the core step brings to every rank
  double cholesky_flops = 0;       ///< per rank, of the core step
  double eigen_flops = 0;
  double product_flops = 0;
};

/// The same for a method that uses whole rows, which defines its stages itself.
struct StagedCost {
  std::vector<CostItem> shared{};    ///< during the whole run, once per node
  std::vector<CostStage> stages{};   ///< until the core matrix is computed
  CostStage core_matrix{};           ///< while it is computed
  std::vector<CostItem> compared{};  ///< per rank while rows are compared, besides the rows themselves
  Index library_bytes = 0;           ///< per rank, of libraries that it loads
  Index left_bytes = 0;       ///< per rank, of the left factor; part of `core_matrix` and `compared`, as is the next
  Index tile_bytes = 0;       ///< per rank, of a core matrix in tiles
  Index evaluations = 0;      ///< of all ranks
  Index result_bytes = 0;     ///< of the file
  Index scratch_bytes = 0;    ///< on disk, during the run
  bool may_use_disk = false;  ///< on_disk would be chosen if memory did not suffice
};

template <class T>
using RunMethod = Approximation<T> (*)(Problem<T>);

/// A method. All that the program knows about a method is derived from this.
struct MethodDescriptor {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::string source;   ///< reference for the algorithm
  std::vector<Parameter> parameters{};
  std::vector<Parameter> output{};  ///< keys of [output] that only this method has
  MethodNeeds needs{};
  bool rectangular = false;   ///< accepts a K whose columns are other objects than its rows
  bool takes_factor = false;  ///< uses Landmarks::factor, which other methods do not get
  /// K~ = Z D Zᵀ, D diagonal, between any points (with `embedding` set, if it has this parameter): a transport can use
  /// it as its kernel.
  bool diagonal_core = false;
  std::vector<ObjectKind> default_for{};  ///< objects for which it is the default method
  std::string default_selection{};        ///< of landmarks among these objects; empty: the default of the selections
  std::string count_parameter{};          ///< may be given instead of landmarks.count
  /// Default number of landmarks; null: a number must be given. Local.
  Index (*default_count)(const Values&, Index objects) = nullptr;
  /// Rules about values and sizes beyond those in `parameters`: called before data are read, when their shape is known,
  /// and by approximate(). @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values&, const ProblemShape&) = nullptr;
  /// Given parameters that have no effect with the other ones. Local.
  std::vector<UnusedParameter> (*unused)(const Values&, const ProblemShape&) = nullptr;
  /// The cost: one of these two, for methods that use entries or whole rows. Local.
  MethodCost (*cost)(const Values&, const CostInput&) = nullptr;
  StagedCost (*staged_cost)(const Values&, const CostInput&) = nullptr;
  /// The method in single and in double precision. Collective.
  RunMethod<float> run_single = nullptr;
  RunMethod<double> run_double = nullptr;

  [[nodiscard]] bool has(const std::string& parameter) const;
};

}  // namespace cairn
