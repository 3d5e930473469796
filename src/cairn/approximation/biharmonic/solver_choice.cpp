#include "cairn/approximation/biharmonic/solver_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cairn/approximation/biharmonic/local/patch_reach.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "cairn/operator/operator_view.hpp"

namespace cairn {

namespace {

ChosenSolver named_solver(const Execution& execution, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
                          const InterpolationParameters& parameters, const std::string& name) {
  if (name == "local") return {make_local_solver(execution, op, landmarks, parameters), nullptr};
  return {nullptr, make_harmonic_solver(execution, op, landmarks, parameters, name == "direct")};
}

// A share as text: whole percents, except for small shares.
std::string percent(double share) {
  return share < 0.01 ? fmt::format("{:.2g} %", 100.0 * share) : fmt::format("{:.0f} %", 100.0 * share);
}

// If few vertices have very many neighbors, M is nearly dense, and so are its factors, which `local` takes.
// @return empty if M is sparse, else why not
std::string why_dense(const BiharmonicOperator& op) {
  constexpr double most_in_row = 5000.0, most = 1e8;
  const OperatorView view(op);
  double entries = 0.0;
  Index largest = 0;
  for (Index v = 0; v < view.size; ++v) {
    const Index degree = view.starts[v + 1] - view.starts[v];
    entries += static_cast<double>(degree) * static_cast<double>(degree);
    largest = std::max(largest, degree);
  }
  const auto n = static_cast<double>(view.size);
  if (entries <= most || entries <= most_in_row * n) return "";
  return fmt::format("vertices have up to {} neighbors, so that M would have about {:.2g} entries in each of {} rows",
                     largest, std::min(n, entries / n), view.size);
}

// The solver to use if the factor of the whole operator does not fit.
std::string without_factor(const BiharmonicOperator& op, Index landmarks, const InterpolationParameters& parameters,
                           std::string& reason) {
  const double share = patch_share(op.size(), landmarks, parameters);
  if (parameters.soft_landmarks == 0.0 && share <= largest_local_share && why_dense(op).empty()) {
    reason += fmt::format("; patches have {} of the vertices", percent(share));
    return "local";
  }
  reason += parameters.soft_landmarks > 0.0 ? "; with soft landmarks only PETSc remains"
                                            : "; patches would be most of the graph or dense, so only PETSc remains";
  return "petsc";
}

}  // namespace

ChosenSolver make_solver(const Execution& execution, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
                         const InterpolationParameters& parameters, InterpolationReport& report) {
  auto phase = execution.phases.enter("interpolation solver");
  report.solver = parameters.solver;
  if (parameters.solver != "auto") return named_solver(execution, op, landmarks, parameters, parameters.solver);
  // A search for a column starts with about 2 p_row n / l vertices.
  const double share =
      parameters.p_row == 0
          ? 1.0
          : std::min(1.0, 2.0 * static_cast<double>(parameters.p_row) / static_cast<double>(landmarks.size()));
  const bool soft = parameters.soft_landmarks > 0.0, small = !soft && share <= largest_local_share;
  const std::string dense = small ? why_dense(op) : "";
  if (small && dense.empty()) {
    report.solver = "local";
    report.reason = fmt::format("a landmark's neighborhood has {} of the vertices", percent(share));
    return named_solver(execution, op, landmarks, parameters, report.solver);
  }
  report.solver = "direct";
  report.reason = soft             ? "soft landmarks have no neighborhoods, and the factor fits into memory"
                  : !dense.empty() ? dense + "; the factor of V - A fits into memory"
                                   : fmt::format(
                                         "a landmark's neighborhood has {} of the vertices, so that whole columns "
                                         "cost no more, and the factor fits into memory",
                                         percent(share));
  try {
    return named_solver(execution, op, landmarks, parameters, report.solver);
  } catch (const Error& error) {  // the same on every rank
    if (error.kind() != ErrorKind::resource) throw;
    const std::string why = error.what();
    report.reason = why.substr(0, why.find(';'));  // the rest is advice
  }
  const std::string too_large = report.reason;
  report.solver = without_factor(op, std::ssize(landmarks), parameters, report.reason);
  if (report.solver == "petsc" && !has_petsc()) {
    throw Error(ErrorKind::resource, fmt::format("{}; PETSc's solver needs less memory, and this build of Cairn has no "
                                                 "PETSc (CAIRN_PETSC = OFF)",
                                                 too_large));
  }
  return named_solver(execution, op, landmarks, parameters, report.solver);
}

}  // namespace cairn
