#include "dense_solves.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cairn/base/error.hpp"

namespace cairn::bench {

DenseSolves::DenseSolves(const OperatorView& op, const std::vector<Index>& landmarks, bool supernodal)
    : op_(op), landmarks_(landmarks), position_(static_cast<std::size_t>(op.size), 0) {
  for (const Index v : landmarks) position_[v] = -1;
  for (std::size_t v = 0; v < position_.size(); ++v) {
    if (position_[v] < 0) continue;
    position_[v] = static_cast<std::int32_t>(vertices_.size());
    vertices_.push_back(static_cast<std::int32_t>(v));
  }
  auto matrix = principal_submatrix<std::int64_t>(op, vertices_, position_.data());
  cholmod_l_start(&common_);
  common_.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
  common_.nmethods = 2;
  common_.method[0].ordering = CHOLMOD_AMD;
  common_.method[1].ordering = CHOLMOD_METIS;
  cholmod_sparse view{};
  view.nrow = view.ncol = vertices_.size();
  view.nzmax = matrix.rows.size();
  view.p = matrix.starts.data(), view.i = matrix.rows.data(), view.x = matrix.values.data();
  view.stype = -1, view.itype = CHOLMOD_LONG, view.xtype = CHOLMOD_REAL, view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  factor_ = cholmod_l_analyze(&view, &common_);
  entries_ = common_.lnz;
  cholmod_l_factorize(&view, factor_, &common_);
  if (common_.status != CHOLMOD_OK) throw Error(ErrorKind::numeric, "CHOLMOD failed");
  right_ = cholmod_l_zeros(vertices_.size(), block, CHOLMOD_REAL, &common_);
}

DenseSolves::~DenseSolves() {
  for (cholmod_dense** dense : {&right_, &solution_, &work_, &extra_}) cholmod_l_free_dense(dense, &common_);
  cholmod_l_free_factor(&factor_, &common_);
  cholmod_l_finish(&common_);
}

std::vector<DenseSolves::Column> DenseSolves::solve(Index first, Index kept) {
  auto* const b = static_cast<double*>(right_->x);
  const auto rows = static_cast<Index>(vertices_.size());
  std::fill_n(b, rows * block, 0.0);
  for (Index k = 0; k < block; ++k) column_of_m(landmarks_[first + k], b + k * rows);
  cholmod_l_solve2(CHOLMOD_A, factor_, right_, nullptr, &solution_, nullptr, &work_, &extra_, &common_);
  std::vector<Column> columns;
  const auto* const x = static_cast<const double*>(solution_->x);
  for (Index k = 0; k < block; ++k) columns.push_back(largest(x + k * rows, kept));
  return columns;
}

DenseSolves::Column DenseSolves::largest(const double* x, Index kept) {
  magnitudes_.resize(vertices_.size());
  std::transform(x, x + vertices_.size(), magnitudes_.begin(), [](double value) { return std::abs(value); });
  const auto last = magnitudes_.begin() + (kept - 1);
  std::nth_element(magnitudes_.begin(), last, magnitudes_.end(), std::greater<>());
  Column column;
  column.reserve(kept);
  for (std::size_t row = 0; row < vertices_.size(); ++row) {
    if (std::abs(x[row]) >= *last) column.emplace_back(vertices_[row], x[row]);
  }
  return column;
}

// -M_ub e_k.
void DenseSolves::column_of_m(Index k, double* out) const {
  const auto add = [&](Index v, double value) {
    if (position_[v] >= 0) out[position_[v]] -= value;
  };
  const auto add_laplacian = [&](Index v, double value) {
    value *= op_.inverse_mass(v);
    add(v, value * op_.degrees[v]);
    for (Index a = op_.starts[v]; a < op_.starts[v + 1]; ++a) add(op_.neighbors[a], -value * op_.weight(a));
  };
  add_laplacian(k, op_.degrees[k]);
  for (Index a = op_.starts[k]; a < op_.starts[k + 1]; ++a) add_laplacian(op_.neighbors[a], -op_.weight(a));
}

}  // namespace cairn::bench
