// Training rows for planes between classes, stored once per node. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Loss in the objective 1/2 ||w||² + sum of C times losses of m = y (w · x).
enum class SvmLoss {
  squared_hinge,  ///< max(0, 1 - m)²
  hinge,          ///< max(0, 1 - m)
  logistic        ///< log(1 + exp(-m))
};

struct SvmOptions {
  SvmLoss loss = SvmLoss::squared_hinge;
  double bias = 1.0;       ///< value of an additional feature of every row; 0: none
  double tolerance = 0.1;  ///< LIBLINEAR's stopping tolerance; a tenth of it for the gradient of Newton's method
  bool pairs = false;      ///< one class against one other by LIBSVM: hinge, and an unpenalized intercept
  Index passes = 0;        ///< of dual coordinate descent over the rows; 0: LIBLINEAR or LIBSVM, until convergence
  bool balanced = false;   ///< the C of positive rows is C times negative rows / positive rows
  std::uint64_t seed = 0;  ///< for the order of the rows in each pass
  KeyNames keys{};         ///< names of a parameter `cost`, which messages recommend
};

/// Rows of one plane: positions in the rows, ascending, and 1 or 0 for each; both occur.
struct PlaneMembers {
  std::vector<Index> rows{};
  std::vector<char> positive{};
  double cost_positive = 1.0, cost_negative = 1.0;  ///< C of positive and of negative rows
};

/// A plane between two classes.
struct SvmPlane {
  std::vector<double> weights;  ///< one per column
  double intercept = 0.0;
  /// False if LIBLINEAR stopped at its maximal number of iterations, or if the duality gap after a fixed number of
  /// passes is more than a fifth of the objective.
  bool converged = true;
  double gap = 0.0;  ///< after a fixed number of passes: primal minus dual objective, as a share of the primal one
};

/// Rows of a factor; the rows of all ranks are stored once per node.
class PlaneRows {
 public:
  virtual ~PlaneRows() = default;

  /// Number of columns of the factor.
  [[nodiscard]] virtual Index columns() const = 0;
  /// Bytes on each node.
  [[nodiscard]] virtual Index node_bytes() const = 0;
  /// Trains positive members against the others. The result is the same on any rank. Local; not thread-safe.
  /// @throws Error(resource) if memory is insufficient
  [[nodiscard]] virtual SvmPlane train(const PlaneMembers& members, const SvmOptions& options) const = 0;
};

}  // namespace cairn
