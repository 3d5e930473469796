#include "cairn/task/classification/linear_svm.hpp"

#include <fmt/format.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/task/classification/libsvm_training.hpp"

namespace cairn {

namespace {

constexpr feature_node end_of_row{-1, 0.0};

// Entries of own rows and the begin of each row, relative to the first one.
struct OwnRows {
  std::vector<feature_node> entries;
  std::vector<Index> starts;
};

void add(OwnRows& own, Index column, double value) {
  if (value != 0.0) own.entries.push_back({static_cast<int>(column) + 1, value});
}

template <class T>
OwnRows own_rows(const Factor<T>& left, std::span<const Index> rows, double bias) {
  OwnRows own;
  if (!left.is_sparse()) own.entries.reserve(rows.size() * static_cast<std::size_t>(left.columns() + 2));
  for (const Index row : rows) {
    own.starts.push_back(static_cast<Index>(own.entries.size()));
    if (left.is_sparse()) {
      const SparseRow<T> entries = left.sparse().row(row);
      for (std::size_t e = 0; e < entries.columns.size(); ++e) {
        add(own, entries.columns[e], static_cast<double>(entries.values[e]));
      }
    } else {
      left.tall().visit([&](const auto& dense) {
        const auto values = dense.row(row);
        for (std::size_t k = 0; k < values.size(); ++k) add(own, static_cast<Index>(k), static_cast<double>(values[k]));
      });
    }
    if (bias > 0.0) add(own, left.columns(), bias);
    own.entries.push_back(end_of_row);
  }
  return own;
}

void require_countable(Index rows, Index columns) {
  constexpr Index most = std::numeric_limits<int>::max() - 2;
  if (rows <= most && columns <= most) return;
  throw Error(ErrorKind::resource,
              fmt::format("LIBLINEAR counts rows and columns in 32 bits, and here are {} and {}", rows, columns));
}

// State of LIBLINEAR's messages, which arrive through one global function. They show if it stopped before convergence:
// coordinate descent warns; Newton's method does not warn after its 1000 steps, but reports each step.
struct Heard {
  int steps = 0;
  bool warned = false;
} heard;

void hear(const char* text) {
  Watchdog::beat();
  if (std::strncmp(text, "iter", 4) == 0) ++heard.steps;
  // Warnings about steps too small to have an effect mean convergence, and a truncated direction does not end the
  // method.
  const auto says = [&](const char* what) { return std::strstr(text, what) != nullptr; };
  if (says("WARNING") && !says("too small") && !says("prered <= 0") && !says("number of CG steps") &&
      !says("inner iterations")) {
    heard.warned = true;
  }
}

bool stopped_early(int solver) {
  constexpr int newton_steps = 1000;
  const bool newton = solver == L2R_L2LOSS_SVC || solver == L2R_LR;
  return heard.warned || (newton && heard.steps >= newton_steps);
}

// With more rows than columns, Newton's method on the weights takes tens of passes over the rows, where coordinate
// descent for a large C stops after a thousand passes without convergence.
void choose_solver(SvmLoss loss, double tolerance, parameter& how, const problem& task) {
  const bool primal = task.l >= task.n && loss != SvmLoss::hinge;
  how.eps = primal ? tolerance / 10.0 : tolerance;  // same ratio as LIBLINEAR's defaults
  switch (loss) {
    case SvmLoss::squared_hinge:
      how.solver_type = primal ? L2R_L2LOSS_SVC : L2R_L2LOSS_SVC_DUAL;
      return;
    case SvmLoss::hinge:
      how.solver_type = L2R_L1LOSS_SVC_DUAL;
      return;
    case SvmLoss::logistic:
      how.solver_type = primal ? L2R_LR : L2R_LR_DUAL;
      return;
  }
  throw Error(ErrorKind::internal, "unknown loss");
}

struct FreeModel {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

void hear_support(const char* text) {
  Watchdog::beat();
  // At its end it reports its number of iterations; a stop at the maximum is only reported on stderr.
  if (const char* told = std::strstr(text, "#iter = ")) heard.steps = std::atoi(told + 8);
}

// Iteration limit, computed as in LIBSVM.
int most_iterations(int rows) {
  constexpr int least = 10'000'000, per_row = 100;
  return std::max(least,
                  rows > std::numeric_limits<int>::max() / per_row ? std::numeric_limits<int>::max() : per_row * rows);
}

// LIBSVM's rows have the same layout as LIBLINEAR's.
static_assert(sizeof(svm_node) == sizeof(feature_node) && offsetof(svm_node, index) == offsetof(feature_node, index) &&
              offsetof(svm_node, value) == offsetof(feature_node, value));

// w = sum of y a x over support vectors, for the first label against the second.
SvmPlane train_support_plane(const SvmRows& rows, std::vector<feature_node*>& x, std::vector<double>& y,
                             const PlaneMembers& members, const SvmOptions& options) {
  const svm_problem task{static_cast<int>(x.size()), y.data(), reinterpret_cast<svm_node**>(x.data())};
  svm_set_print_string_function(&hear_support);
  heard = {};
  const SupportModel trained =
      train_support_vectors(task, {.kernel = LINEAR, .cost = members.cost_negative, .tolerance = options.tolerance});
  SvmPlane plane;
  plane.weights.resize(rows.columns());
  const double sign = trained->label[0] == 1 ? 1.0 : -1.0;
  for (int v = 0; v < trained->l; ++v) {
    for (const svm_node* entry = trained->SV[v]; entry->index != -1; ++entry) {
      plane.weights[entry->index - 1] += sign * trained->sv_coef[0][v] * entry->value;
    }
  }
  plane.intercept = -sign * trained->rho[0];
  plane.converged = heard.steps < most_iterations(task.l);
  return plane;
}

}  // namespace

template <class T>
SvmRows::SvmRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias)
    : columns_(left.columns()), bias_(bias) {
  const Communicator& communicator = execution.communicator;
  require_countable(communicator.sum(static_cast<Index>(rows.size())), columns_);
  OwnRows own = collectively(communicator, [&] { return own_rows(left, rows, bias); });
  const std::vector<Index> sizes = communicator.all_gather_one(static_cast<Index>(own.entries.size()));
  Index before = 0;
  for (int r = 0; r < communicator.rank(); ++r) before += sizes[r];
  for (Index& start : own.starts) start += before;
  entries_ = replicate_on_nodes(communicator, std::span<const feature_node>(own.entries));
  starts_ = replicate_on_nodes(communicator, std::span<const Index>(own.starts));
}

template SvmRows::SvmRows(const Execution&, const Factor<float>&, std::span<const Index>, double);
template SvmRows::SvmRows(const Execution&, const Factor<double>&, std::span<const Index>, double);

Index SvmRows::bytes_of(Index rows, Index columns) {
  return rows * ((columns + 2) * static_cast<Index>(sizeof(feature_node)) + static_cast<Index>(sizeof(Index)));
}

SvmPlane SvmRows::train(const PlaneMembers& members, const SvmOptions& options) const {
  std::vector<feature_node*> x;
  std::vector<double> y;
  for (std::size_t m = 0; m < members.rows.size(); ++m) {
    x.push_back(row(members.rows[m]));
    y.push_back(members.positive[m] != 0 ? 1.0 : -1.0);
  }
  if (options.pairs) return train_support_plane(*this, x, y, members, options);
  const bool biased = bias() > 0.0;
  problem task{};
  task.l = static_cast<int>(x.size());
  task.n = static_cast<int>(columns()) + (biased ? 1 : 0);
  task.y = y.data();
  task.x = x.data();
  task.bias = biased ? bias() : -1.0;
  parameter how{};
  choose_solver(options.loss, options.tolerance, how, task);
  how.C = members.cost_negative;
  int positive_label = 1;
  double factor = members.cost_positive / members.cost_negative;
  if (factor != 1.0) {
    how.nr_weight = 1;
    how.weight_label = &positive_label;
    how.weight = &factor;
  }
#if LIBLINEAR_VERSION >= 240
  how.regularize_bias = 1;  // behavior of versions without this option
#endif
  if (const char* refused = check_parameter(&task, &how)) {
    throw Error(ErrorKind::internal, fmt::format("LIBLINEAR: {}", refused));
  }
  set_print_string_function(&hear);
  heard = {};
  std::srand(1);
  const std::unique_ptr<model, FreeModel> trained(::train(&task, &how));
  // With two classes there is one vector, for the label 1.
  SvmPlane plane;
  plane.weights.assign(trained->w, trained->w + columns());
  if (biased) plane.intercept = trained->w[columns()] * bias();
  plane.converged = !stopped_early(how.solver_type);
  return plane;
}

}  // namespace cairn
