// Linear support vector machines on rows that LIBLINEAR reads.
#pragma once

#include <linear.h>

#include <span>
#include <vector>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// What is minimised: 1/2 ||w||² + C sum of losses of y (w · x); by a trust-region Newton method where there are at
/// least as many rows as columns, else, and for the hinge, by dual coordinate descent.
enum class SvmLoss {
  squared_hinge,  ///< max(0, 1 - m)²
  hinge,          ///< max(0, 1 - m)
  logistic        ///< log(1 + exp(-m))
};

struct SvmOptions {
  SvmLoss loss = SvmLoss::squared_hinge;
  double bias = 1.0;       ///< value of a feature that every row has beside its own; 0: none
  double tolerance = 0.1;  ///< LIBLINEAR's own measure of how far the solution is from the optimum; of the gradient of
                           ///< Newton's method a tenth of it is asked for
  bool pairs = false;      ///< one class against one other by LIBSVM: hinge, and an intercept that costs nothing
  KeyNames keys{};         ///< of a parameter `cost`, which messages advise
};

/// Rows of a factor as LIBLINEAR takes them, those of all ranks once per node: 16 bytes an entry that is not 0, and 8 a
/// row.
class SvmRows {
 public:
  /// @param rows  global numbers of own rows, ascending: the rows of all ranks then stand in their order
  /// @param bias  as in SvmOptions
  /// @throws Error(resource) if a node has no room, or there are more rows or columns than LIBLINEAR can count.
  /// Memory: this rank's rows once more while they are copied. Collective.
  template <class T>
  SvmRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias);

  [[nodiscard]] Index size() const { return starts_.size(); }
  /// Columns of the factor.
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] double bias() const { return bias_; }
  /// Row i of all, ended as LIBLINEAR expects it. Nobody writes there: the type is LIBLINEAR's.
  [[nodiscard]] feature_node* row(Index i) const { return const_cast<feature_node*>(&entries_[starts_[i]]); }
  /// Held on each node.
  [[nodiscard]] Index node_bytes() const {
    return entries_.size() * static_cast<Index>(sizeof(feature_node)) +
           starts_.size() * static_cast<Index>(sizeof(Index));
  }
  /// node_bytes() of `rows` rows with `columns` entries each, before they are there.
  [[nodiscard]] static Index bytes_of(Index rows, Index columns);

 private:
  NodeArray<feature_node> entries_;
  NodeArray<Index> starts_;
  Index columns_ = 0;
  double bias_ = 0.0;
};

/// A plane between two classes.
struct SvmPlane {
  std::vector<double> weights;  ///< one a column
  double intercept = 0.0;
  bool converged = true;  ///< false if LIBLINEAR stopped after its largest number of iterations
};

/// Trains on some of the rows, by LIBLINEAR or, of pairs, LIBSVM: `positive` against the others. The same numbers
/// wherever it runs: LIBLINEAR draws its order from rand(), which starts anew here. Local, and not on two threads at
/// once.
/// @param members  places in `rows`, ascending @param positive  one a member: 1 or 0; both occur
/// @throws Error(resource) without memory, Error(internal) if LIBLINEAR refuses a parameter
[[nodiscard]] SvmPlane train_plane(const SvmRows& rows, std::span<const Index> members, std::span<const char> positive,
                                   double cost, const SvmOptions& options);

}  // namespace cairn
