#include "approximation/partial_solve.hpp"

#include <algorithm>
#include <cstddef>

namespace cairn {

namespace {

// One function for each level of the processor family, chosen when the program is loaded. Sanitizers run before that.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CAIRN_SANITIZED)
#define CAIRN_EACH_LEVEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAIRN_EACH_LEVEL
#endif

// The lanes of a node.
using Lanes = double __attribute__((vector_size(lanes * sizeof(double)), aligned(64), may_alias));

// L y = x on columns that hold every nonzero of x and all of their ancestors, ascending.
CAIRN_EACH_LEVEL void solve_forward(const std::int32_t* columns, std::size_t count, const std::int32_t* starts,
                                    const std::int32_t* rows, const double* values, const double* inverse_diagonal,
                                    double* vectors) {
  auto* const x = reinterpret_cast<Lanes*>(vectors);
  for (std::size_t c = 0; c < count; ++c) {
    const std::int32_t j = columns[c];
    const Lanes xj = x[j] * inverse_diagonal[j];
    x[j] = xj;
    for (std::int32_t e = starts[j]; e < starts[j + 1]; ++e) x[rows[e]] -= values[e] * xj;
  }
}

// Lᵀ x = y on columns that hold all of their ancestors, ascending.
CAIRN_EACH_LEVEL void solve_backward(const std::int32_t* columns, std::size_t count, const std::int32_t* starts,
                                     const std::int32_t* rows, const double* values, const double* inverse_diagonal,
                                     double* vectors) {
  auto* const x = reinterpret_cast<Lanes*>(vectors);
  for (std::size_t c = count; c-- > 0;) {
    const std::int32_t j = columns[c];
    // Two sums: additions wait for each other, and the parent, which is ready last, comes last.
    Lanes even = x[j], odd = {};
    std::int32_t e = starts[j + 1];
    for (; e - starts[j] >= 2; e -= 2) {
      even -= values[e - 1] * x[rows[e - 1]];
      odd -= values[e - 2] * x[rows[e - 2]];
    }
    if (e > starts[j]) even -= values[e - 1] * x[rows[e - 1]];
    x[j] = (even + odd) * inverse_diagonal[j];
  }
}

// Adds a node and its ancestors.
void follow(NodeSet& set, const std::vector<std::int32_t>& parents, std::int32_t node) {
  for (; node >= 0 && !set.contains(node); node = parents[static_cast<std::size_t>(node)]) set.insert(node);
}

}  // namespace

PartialSolver::PartialSolver(const Patch& patch)
    : patch_(patch), z_(Index{lanes} * patch.nodes()), y_(z_.size()), r_(z_.size()) {
  std::fill_n(z_.data() + std::int64_t{lanes} * patch.unknowns(), lanes * (patch.nodes() - patch.unknowns()), 0.0);
  for (NodeSet* set : {&in_closure_, &in_reach_, &is_valid_}) *set = NodeSet(patch.nodes());
}

bool PartialSolver::is_known(std::int32_t node) const {
  return node >= patch_.unknowns() || in_closure_.contains(node);
}

// (V-A)_uᵀ D⁻¹ (V-A)_b z_b, entry by entry.
void PartialSolver::scatter_ends(std::span<const Source> ends) {
  const auto weight = [&](std::int32_t arc) {
    return patch_.weights().empty() ? 1.0 : patch_.weights()[static_cast<std::size_t>(arc)];
  };
  const auto add = [&](std::int32_t node, int lane, double value) {
    if (node < patch_.unknowns()) entries_.push_back({node, lane, value});
  };
  const auto add_column = [&](std::int32_t node, int lane, double value) {  // of (V-A) D⁻¹
    const auto a = static_cast<std::size_t>(node);
    if (!patch_.inverse_mass().empty()) value *= patch_.inverse_mass()[a];
    add(node, lane, value * patch_.degrees()[a]);
    for (std::int32_t arc = patch_.starts()[a]; arc < patch_.starts()[a + 1]; ++arc) {
      add(patch_.neighbours()[static_cast<std::size_t>(arc)], lane, -value * weight(arc));
    }
  };
  for (const Source& end : ends) {
    const auto a = static_cast<std::size_t>(end.node);
    add_column(end.node, end.lane, end.value * patch_.degrees()[a]);
    for (std::int32_t arc = patch_.starts()[a]; arc < patch_.starts()[a + 1]; ++arc) {
      add_column(patch_.neighbours()[static_cast<std::size_t>(arc)], end.lane, -end.value * weight(arc));
    }
  }
}

void PartialSolver::close(std::span<const std::int32_t> wanted) {
  for (NodeSet* set : {&in_closure_, &in_reach_, &is_valid_}) set->clear();
  const auto& parents = patch_.factor().parents;
  for (const Entry& entry : entries_) follow(in_reach_, parents, entry.node);
  in_closure_ = in_reach_;
  for (const std::int32_t node : wanted) follow(in_closure_, parents, node);
  in_reach_.ascending(reach_);
  in_closure_.ascending(closure_);
}

void PartialSolver::add_entries(std::span<const Entry> entries) {
  for (const Entry& entry : entries) r_[std::int64_t{lanes} * entry.node + entry.lane] += entry.value;
}

// y = D⁻¹ (V-A) z at a node, where all of its neighbours are known.
void PartialSolver::form_laplacian(std::int32_t node) {
  if (!patch_.complete(node)) return;
  const auto a = static_cast<std::size_t>(node);
  const auto begin = patch_.starts()[a], end = patch_.starts()[a + 1];
  for (std::int32_t arc = begin; arc < end; ++arc) {
    if (!is_known(patch_.neighbours()[static_cast<std::size_t>(arc)])) return;
  }
  is_valid_.insert(node);
  const auto* const z = reinterpret_cast<const Lanes*>(z_.data());
  Lanes sum = {};  // of differences: constants cancel before they are multiplied
  for (std::int32_t arc = begin; arc < end; ++arc) {
    const Lanes difference = z[node] - z[patch_.neighbours()[static_cast<std::size_t>(arc)]];
    sum += patch_.weights().empty() ? difference : difference * patch_.weights()[static_cast<std::size_t>(arc)];
  }
  if (!patch_.inverse_mass().empty()) sum *= patch_.inverse_mass()[a];
  reinterpret_cast<Lanes*>(y_.data())[node] = sum;
}

// r = (V-A)ᵀ y on the closure, 0 where something that it takes is not known.
void PartialSolver::form_residual() {
  for (const std::int32_t node : closure_) form_laplacian(node);
  for (std::int32_t node = patch_.unknowns(); node < patch_.nodes(); ++node) form_laplacian(node);
  const auto* const y = reinterpret_cast<const Lanes*>(y_.data());
  auto* const r = reinterpret_cast<Lanes*>(r_.data());
  for (const std::int32_t node : closure_) {
    const auto a = static_cast<std::size_t>(node);
    Lanes sum = {};
    bool valid = is_valid_.contains(node);
    for (std::int32_t arc = patch_.starts()[a]; valid && arc < patch_.starts()[a + 1]; ++arc) {
      const std::int32_t other = patch_.neighbours()[static_cast<std::size_t>(arc)];
      valid = is_valid_.contains(other);
      if (!valid) break;
      const Lanes difference = y[node] - y[other];
      sum += patch_.weights().empty() ? difference : difference * patch_.weights()[static_cast<std::size_t>(arc)];
    }
    r[node] = valid ? sum : Lanes{};
  }
}

void PartialSolver::solve(std::span<const Source> ends, std::span<const Source> loads,
                          std::span<const std::int32_t> wanted) {
  const PatchFactor& l = patch_.factor();
  const auto forward = [&](const std::vector<std::int32_t>& columns) {
    solve_forward(columns.data(), columns.size(), l.starts.data(), l.rows.data(), l.values.data(),
                  l.inverse_diagonal.data(), r_.data());
  };
  const auto backward = [&] {
    solve_backward(closure_.data(), closure_.size(), l.starts.data(), l.rows.data(), l.values.data(),
                   l.inverse_diagonal.data(), r_.data());
  };
  entries_.clear();
  for (const Source& load : loads) entries_.push_back({load.node, load.lane, -load.value});
  const std::size_t load_entries = entries_.size();
  scatter_ends(ends);
  close(wanted);

  auto* const z = reinterpret_cast<Lanes*>(z_.data());
  auto* const r = reinterpret_cast<Lanes*>(r_.data());
  for (const std::int32_t node : closure_) r[node] = Lanes{};
  add_entries(entries_);
  forward(reach_);
  backward();
  for (const std::int32_t node : closure_) z[node] = -r[node];

  for (const Source& end : ends) z_[std::int64_t{lanes} * end.node + end.lane] = end.value;
  form_residual();
  for (const Source& end : ends) z_[std::int64_t{lanes} * end.node + end.lane] = 0.0;
  add_entries(std::span(entries_).first(load_entries));
  forward(closure_);
  backward();
  for (const std::int32_t node : closure_) z[node] -= r[node];
}

}  // namespace cairn
