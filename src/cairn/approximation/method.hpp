// What a method is: its name, its parameters and their rules, what it needs and costs, and how to run it.
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

/// P of an earlier result, and what messages call it.
template <class T>
struct KnownInterpolation {
  SparseRows<T> rows;
  std::string origin;                           ///< "a.h5"
  std::shared_ptr<const HangingTrees> trees{};  ///< as Approximation::trees
};

/// What a method works on. A method takes what it needs; the rest may be empty.
template <class T>
struct Problem {
  const Execution& execution;
  const Similarity<T>& similarity;  ///< any entries of K, between `objects`
  const ObjectSet& objects;
  Landmarks<T> landmarks{};                              ///< S1, of any selection
  Index count = 0;                                       ///< landmarks.count, if the method takes no landmarks
  Values parameters;                                     ///< of the method
  const SourceSimilarity* rows = nullptr;                ///< K from one object to all others
  std::function<BiharmonicOperator()> geometry{};        ///< makes the operator of the data. Collective
  std::optional<KnownInterpolation<T>> interpolation{};  ///< P of another result, whose landmarks are those above
  TileStorage storage{};                        ///< where a joining matrix in tiles is kept; nothing: in memory
  Index memory = 0;                             ///< bytes per rank to count on; 0: what the node has
  std::shared_ptr<const HangingTrees> trees{};  ///< off the core of the graph, which has all landmarks; null: none
  const ObjectSet* right = nullptr;             ///< that the columns of K stand for; null: `objects`
};

/// What is known of a problem when its parameters are checked.
struct ProblemShape {
  Index objects = 0;                     ///< 0: not yet known
  Index landmarks = 0;                   ///< s1; 0: not yet known
  std::vector<std::string> operators{};  ///< that the data have, the default first; empty: none, or not yet known
  bool rectangular = false;              ///< the columns of K stand for other objects than its rows
};

/// What a method takes K and its data by.
struct MethodNeeds {
  bool rows = false;    ///< whole rows of K, from one object to all others, and the operator of the data; else entries
  bool entries = true;  ///< of K; false: the objects and what the similarity is a function of are enough
  bool landmarks = true;          ///< objects that a selection chooses
  bool order = false;             ///< their numbers only: Landmarks::objects stays empty
  bool random_documents = false;  ///< a similarity that compares documents with random ones
};

/// Sizes that a cost depends on.
struct CostInput {
  DataSize data{};
  Index landmarks = 0;
  int ranks = 1, threads = 1;
  Index value_bytes = 8;   ///< of an entry of the factors
  bool definite = false;   ///< the similarity is positive definite: a Cholesky factor of a joining matrix will do
  bool by_source = false;  ///< K comes by whole columns
  // Of methods that take whole rows:
  SourceCost rows{};
  std::vector<std::string> operators{};  ///< as in ProblemShape
  Index compared_rows = 0;               ///< rows of K that the estimate of the error compares, at most
  Index compared_round = 0;              ///< of these, at once
  Index known_entries = 0;               ///< of a P that is read; 0: it is computed
  Index hanging = 0;                     ///< vertices in trees that P is made without; 0 before that is known
  double deflated_share = 1.0;           ///< bytes of a compressed joining matrix in the file over those in memory
  bool on_disk = false;                  ///< what may be kept on disk during the run is
};

/// What a method that takes entries evaluates, keeps and computes.
struct MethodCost {
  Index second = 0;                ///< s2
  Index left = 0;                  ///< columns of the left factor
  Index right = 0;                 ///< columns of the right factor; 0: it is the left one
  Index columns = 0;               ///< evaluated over all objects
  Index apart = 0;                 ///< of these, those of a sample that is drawn without regard to the landmarks
  Index block = 0;                 ///< objects among which K is evaluated once more, all with all
  Index block_sample = 0;          ///< the sample that they complete
  Index others = 0;                ///< entries beside these: by which candidates are compared, of blocks of objects
  bool random_objects = false;     ///< the columns are similarities with objects that are not in the data
  bool copies_columns = false;     ///< columns are held twice during the joining step
  bool cholesky = false;           ///< a Cholesky factor is expected to do instead of an eigen-decomposition
  bool embedding = false;          ///< the columns are multiplied by a root of the joining matrix
  Index joining = 0;               ///< order of the largest matrix of the joining step
  std::vector<DenseSize> dense{};  ///< matrices of the joining step that 32-bit integers of libraries must count
  Index library_bytes = 0;         ///< per rank, of libraries that it loads
  Index joining_bytes = 0;         ///< per rank, of the joining step
  double cholesky_flops = 0;       ///< per rank, of the joining step
  double eigen_flops = 0;
  double product_flops = 0;
};

/// The same of a method that takes whole rows, which states its stages itself.
struct StagedCost {
  std::vector<CostItem> shared{};    ///< throughout, once per node
  std::vector<CostStage> stages{};   ///< until the joining matrix is made
  CostStage joining{};               ///< while it is made
  std::vector<CostItem> compared{};  ///< of a rank while rows are compared, beside the rows themselves
  Index library_bytes = 0;           ///< of a rank, of libraries that it loads
  Index left_bytes = 0;              ///< of a rank, of the left factor; in `joining` and `compared`, as is the next
  Index tile_bytes = 0;              ///< of a rank, of a joining matrix in tiles
  Index evaluations = 0;             ///< of all ranks
  Index result_bytes = 0;            ///< of the file
  Index scratch_bytes = 0;           ///< of the disk, during the run
  bool may_use_disk = false;         ///< on_disk would be chosen if memory did not suffice
};

template <class T>
using RunMethod = Approximation<T> (*)(Problem<T>);

/// A method. Everything that the program knows about it is derived from this.
struct MethodDescriptor {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::string source;   ///< of the algorithm
  std::vector<Parameter> parameters{};
  std::vector<Parameter> output{};  ///< keys of [output] that it alone has
  MethodNeeds needs{};
  bool rectangular = false;  ///< takes a K whose columns stand for other objects than its rows
  /// K~ = Z D Zᵀ, D diagonal, between any points (if it has a parameter `embedding`, with that): a transport can take
  /// it for its kernel.
  bool diagonal_joining = false;
  std::vector<ObjectKind> default_for{};  ///< objects for which it is the default method
  std::string default_selection{};        ///< of landmarks among these objects; empty: as the selections say
  std::string count_parameter{};          ///< may be given in place of landmarks.count
  /// How many landmarks it takes unless a number is given; null: it has to be given. Local.
  Index (*default_count)(const Values&, Index objects) = nullptr;
  /// Its rules about values and sizes, beyond what `parameters` say: called before data are read, when their shape is
  /// known, and by approximate(). @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values&, const ProblemShape&) = nullptr;
  /// Which of the given parameters have no effect beside the others. Local.
  std::vector<UnusedParameter> (*unused)(const Values&, const ProblemShape&) = nullptr;
  /// What it takes: one of these, for methods that take entries or whole rows. Local.
  MethodCost (*cost)(const Values&, const CostInput&) = nullptr;
  StagedCost (*staged_cost)(const Values&, const CostInput&) = nullptr;
  /// The method in single and in double precision. Collective.
  RunMethod<float> run_single = nullptr;
  RunMethod<double> run_double = nullptr;

  [[nodiscard]] bool has(const std::string& parameter) const;
};

}  // namespace cairn
