#include "cairn/approximation/biharmonic/local/partial_solve.hpp"

#include <algorithm>
#include <cstddef>

#include "cairn/base/each_level.hpp"
#include "cairn/base/octet.hpp"

namespace cairn {

namespace {

// The lanes of a node.
using Lanes = Octet<double>;
static_assert(lanes == 8);

[[gnu::always_inline]] inline Lanes lanes_of(const double* vectors, std::int32_t node) {
  return Lanes::load(vectors + std::int64_t{lanes} * node);
}
[[gnu::always_inline]] inline void put(const Lanes& values, double* vectors, std::int32_t node) {
  values.store(vectors + std::int64_t{lanes} * node);
}

// Solves L y = x on columns (ascending) that include every nonzero of x and all ancestors of these.
CAIRN_EACH_LEVEL void solve_forward(const std::int32_t* columns, std::size_t count, const std::int32_t* starts,
                                    const std::int32_t* rows, const double* values, const double* inverse_diagonal,
                                    double* vectors) {
  for (std::size_t c = 0; c < count; ++c) {
    const std::int32_t j = columns[c];
    const Lanes x = inverse_diagonal[j] * lanes_of(vectors, j);
    put(x, vectors, j);
    for (std::int32_t e = starts[j] + 1; e < starts[j + 1]; ++e) {
      put(lanes_of(vectors, rows[e]) - values[e] * x, vectors, rows[e]);
    }
  }
}

// Solves Lᵀ x = y on columns (ascending) that include all of their ancestors.
CAIRN_EACH_LEVEL void solve_backward(const std::int32_t* columns, std::size_t count, const std::int32_t* starts,
                                     const std::int32_t* rows, const double* values, const double* inverse_diagonal,
                                     double* vectors) {
  for (std::size_t c = count; c-- > 0;) {
    const std::int32_t j = columns[c];
    // Two sums shorten the chain of dependent additions; the parent, which is ready last, comes last.
    Lanes even = lanes_of(vectors, j), odd;
    std::int32_t e = starts[j + 1];
    for (; e - starts[j] >= 3; e -= 2) {
      even -= values[e - 1] * lanes_of(vectors, rows[e - 1]);
      odd -= values[e - 2] * lanes_of(vectors, rows[e - 2]);
    }
    if (e > starts[j] + 1) even -= values[e - 1] * lanes_of(vectors, rows[e - 1]);
    put(inverse_diagonal[j] * (even + odd), vectors, j);
  }
}

// The graph of a patch in plain pointers.
struct Links {
  const std::int32_t *starts, *neighbors;
  const double* weights;       // null: all 1
  const double* inverse_mass;  // null: all 1
};

// Sum over a node's neighbors of w (x - x of the neighbor): constants cancel before multiplication.
CAIRN_EACH_LEVEL void apply_laplacian(const std::int32_t* nodes, std::size_t count, const Links& links,
                                      const double* from, double* to) {
  for (std::size_t c = 0; c < count; ++c) {
    const std::int32_t node = nodes[c];
    Lanes sum;
    const Lanes own = lanes_of(from, node);
    for (std::int32_t arc = links.starts[node]; arc < links.starts[node + 1]; ++arc) {
      const Lanes difference = own - lanes_of(from, links.neighbors[arc]);
      sum += links.weights == nullptr ? difference : links.weights[arc] * difference;
    }
    put(links.inverse_mass == nullptr ? sum : links.inverse_mass[node] * sum, to, node);
  }
}

// target = factor * target + term * source at some nodes.
CAIRN_EACH_LEVEL void combine(const std::int32_t* nodes, std::size_t count, double factor, double* target, double term,
                              const double* source) {
  if (factor == 0.0) {  // the target may hold anything
    for (std::size_t c = 0; c < count; ++c) put(term * lanes_of(source, nodes[c]), target, nodes[c]);
  } else {
    for (std::size_t c = 0; c < count; ++c) {
      put(factor * lanes_of(target, nodes[c]) + term * lanes_of(source, nodes[c]), target, nodes[c]);
    }
  }
}

CAIRN_EACH_LEVEL void set_zero(const std::int32_t* nodes, std::size_t count, double* target) {
  for (std::size_t c = 0; c < count; ++c) put(Lanes(), target, nodes[c]);
}

// Adds a node and its ancestors.
void follow(NodeSet& set, const std::vector<std::int32_t>& parents, std::int32_t node) {
  for (; node >= 0 && !set.contains(node); node = parents[node]) set.insert(node);
}

}  // namespace

PartialSolver::PartialSolver(const Patch& patch)
    : patch_(patch), z_(Index{lanes} * patch.nodes()), y_(z_.size()), r_(z_.size()) {
  std::fill_n(z_.data() + std::int64_t{lanes} * patch.unknowns(), lanes * (patch.nodes() - patch.unknowns()), 0.0);
  for (NodeSet* set : {&in_closure_, &in_reach_, &in_once_, &in_added_}) *set = NodeSet(patch.nodes());
}

// Adds (V-A)_uᵀ D⁻¹ (V-A)_b z_b, entry by entry.
void PartialSolver::scatter_ends() {
  const auto weight = [&](std::int32_t arc) { return patch_.weights().empty() ? 1.0 : patch_.weights()[arc]; };
  const auto add = [&](std::int32_t node, int lane, double value) {
    if (node < patch_.unknowns()) entries_.push_back({node, lane, value});
  };
  const auto add_column = [&](std::int32_t node, int lane, double value) {  // of (V-A) D⁻¹
    const auto a = static_cast<std::size_t>(node);
    if (!patch_.inverse_mass().empty()) value *= patch_.inverse_mass()[a];
    add(node, lane, value * patch_.degrees()[a]);
    for (std::int32_t arc = patch_.starts()[a]; arc < patch_.starts()[a + 1]; ++arc) {
      add(patch_.neighbors()[arc], lane, -value * weight(arc));
    }
  };
  for (const Source& end : ends_) {
    const auto a = static_cast<std::size_t>(end.node);
    add_column(end.node, end.lane, end.value * patch_.degrees()[a]);
    for (std::int32_t arc = patch_.starts()[a]; arc < patch_.starts()[a + 1]; ++arc) {
      add_column(patch_.neighbors()[arc], end.lane, -end.value * weight(arc));
    }
  }
}

void PartialSolver::add_entries(std::span<const Entry> entries) {
  for (const Entry& entry : entries) r_[std::int64_t{lanes} * entry.node + entry.lane] += entry.value;
}

// r = (V-A)ᵀ D⁻¹ (V-A) z on the closure, 0 where required values are unknown.
void PartialSolver::form_residual() {
  const auto* const starts = patch_.starts().data();
  const auto* const neighbors = patch_.neighbors().data();
  const std::int32_t unknowns = patch_.unknowns();
  const auto all_neighbors = [&](std::int32_t node, auto condition) {
    return std::all_of(neighbors + starts[node], neighbors + starts[node + 1], condition);
  };
  const auto known = [&](std::int32_t node) { return node >= unknowns || in_closure_.contains(node); };
  in_once_.clear();
  once_.clear();
  for (const std::int32_t node : closure_) {
    if (all_neighbors(node, known)) once_.push_back(node);
  }
  for (std::int32_t node = unknowns; node < patch_.nodes(); ++node) {
    if (all_neighbors(node, known)) once_.push_back(node);
  }
  for (const std::int32_t node : once_) in_once_.insert(node);
  twice_.clear();
  for (const std::int32_t node : once_) {
    const bool valid = all_neighbors(node, [&](std::int32_t other) { return in_once_.contains(other); });
    if (node < unknowns && valid) twice_.push_back(node);
  }
  Links links{starts, neighbors, patch_.weights().empty() ? nullptr : patch_.weights().data(),
              patch_.inverse_mass().empty() ? nullptr : patch_.inverse_mass().data()};
  apply_laplacian(once_.data(), once_.size(), links, z_.data(), y_.data());
  links.inverse_mass = nullptr;
  set_zero(closure_.data(), closure_.size(), r_.data());
  apply_laplacian(twice_.data(), twice_.size(), links, y_.data(), r_.data());
}

void PartialSolver::solve_forward_along(const std::vector<std::int32_t>& columns) {
  const PatchFactor& l = patch_.factor();
  solve_forward(columns.data(), columns.size(), l.starts, l.rows, l.values, l.inverse_diagonal.data(), r_.data());
}

void PartialSolver::solve_backward_along(const std::vector<std::int32_t>& columns) {
  const PatchFactor& l = patch_.factor();
  solve_backward(columns.data(), columns.size(), l.starts, l.rows, l.values, l.inverse_diagonal.data(), r_.data());
}

void PartialSolver::begin(std::span<const Source> ends, std::span<const Source> loads) {
  for (NodeSet* set : {&in_closure_, &in_reach_}) set->clear();
  ends_.assign(ends.begin(), ends.end());
  entries_.clear();
  for (const Source& load : loads) entries_.push_back({load.node, load.lane, -load.value});
  loads_ = entries_.size();
  scatter_ends();
  for (const Entry& entry : entries_) follow(in_reach_, patch_.factor().parents, entry.node);
  in_reach_.ascending(reach_);
  set_zero(reach_.data(), reach_.size(), r_.data());
  add_entries(entries_);
  solve_forward_along(reach_);
  // The reach contains all of its ancestors, so the closure starts as the reach.
  solve_backward_along(reach_);
  in_closure_ = in_reach_;
  combine(reach_.data(), reach_.size(), 0.0, z_.data(), -1.0, r_.data());
}

void PartialSolver::extend(std::span<const std::int32_t> wanted) {
  in_added_.clear();
  const auto& parents = patch_.factor().parents;
  for (std::int32_t node : wanted) {
    for (; node >= 0 && !in_closure_.contains(node); node = parents[node]) {
      in_closure_.insert(node);
      in_added_.insert(node);
    }
  }
  in_added_.ascending(added_);
  set_zero(added_.data(), added_.size(), r_.data());
  solve_backward_along(added_);
  combine(added_.data(), added_.size(), 0.0, z_.data(), -1.0, r_.data());
}

void PartialSolver::correct() {
  in_closure_.ascending(closure_);
  for (const Source& end : ends_) z_[std::int64_t{lanes} * end.node + end.lane] = end.value;
  form_residual();
  for (const Source& end : ends_) z_[std::int64_t{lanes} * end.node + end.lane] = 0.0;
  add_entries(std::span(entries_).first(loads_));
  solve_forward_along(closure_);
  solve_backward_along(closure_);
  combine(closure_.data(), closure_.size(), 1.0, z_.data(), -1.0, r_.data());
}

std::array<std::vector<double>, lanes> PartialSolver::values(std::span<const std::int32_t> unknowns) const {
  std::array<std::vector<double>, lanes> values;
  for (auto& lane : values) lane.resize(unknowns.size());
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const double* const from = at(unknowns[i]);
    for (std::size_t lane = 0; lane < lanes; ++lane) values[lane][i] = from[lane];
  }
  return values;
}

}  // namespace cairn
