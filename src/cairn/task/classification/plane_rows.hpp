// Rows that planes between classes are trained on, once per node. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// What is minimised: 1/2 ||w||² + sum of C times losses of y (w · x).
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
  Index passes = 0;        ///< of dual coordinate descent over the rows; 0: LIBLINEAR or LIBSVM, until they are near
  bool balanced = false;   ///< the C of positive rows is C times negative rows / positive rows
  std::uint64_t seed = 0;  ///< of the order of the rows in each pass
  KeyNames keys{};         ///< of a parameter `cost`, which messages advise
};

/// Rows of one plane: places in the rows, ascending, and for each 1 or 0; both occur.
struct PlaneMembers {
  std::vector<Index> rows{};
  std::vector<char> positive{};
  double cost_positive = 1.0, cost_negative = 1.0;  ///< C of rows
};

/// A plane between two classes.
struct SvmPlane {
  std::vector<double> weights;  ///< one a column
  double intercept = 0.0;
  /// False if LIBLINEAR stopped after its largest number of iterations, or a number of passes left a duality gap of
  /// more than a fifth of the objective.
  bool converged = true;
  double gap = 0.0;  ///< of a number of passes: between primal and dual objective, as a share of the former
};

/// Rows of a factor, those of all ranks once per node.
class PlaneRows {
 public:
  virtual ~PlaneRows() = default;

  /// Columns of the factor.
  [[nodiscard]] virtual Index columns() const = 0;
  /// Held on each node.
  [[nodiscard]] virtual Index node_bytes() const = 0;
  /// Positive members against the others. The same numbers wherever it runs. Local, and not on two threads at once.
  /// @throws Error(resource) without memory
  [[nodiscard]] virtual SvmPlane train(const PlaneMembers& members, const SvmOptions& options) const = 0;
};

}  // namespace cairn
