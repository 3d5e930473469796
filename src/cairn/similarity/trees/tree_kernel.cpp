#include "cairn/similarity/trees/tree_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Trees of fewer nodes are compared in a second or two, and in 2 GB, for any form.
constexpr Index large = 10'000;
constexpr double seconds_of_pair = 2e-9;
constexpr double most_seconds = 600;  // of a single value

// One tree as a forest.
struct OneTree {
  explicit OneTree(TreeView tree) : starts{0, std::ssize(tree)}, nodes(tree) {}
  [[nodiscard]] ForestView view() const { return {starts, nodes}; }
  Index starts[2];
  TreeView nodes;
};

}  // namespace

double TreeKernel::pair(TreeView x, TreeView y) const {
  const OneTree row(x), column(y);
  double value = 0;
  const auto prepared = prepare(column.view());
  if (std::min(std::ssize(x), std::ssize(y)) >= large) require_feasible(x, *prepared, 1);
  const Watchdog::Patience patience(seconds(x, *prepared));
  compute(row.view(), *prepared, {&value, 1, 1});
  return value;
}

double TreeKernel::seconds(TreeView tree, const PreparedTrees& prepared) const {
  constexpr double slow_machine = 10.0;
  return std::ssize(tree) < large ? 0.0 : slow_machine * seconds_of_pair * work(tree, prepared).pairs;
}

double TreeKernel::self_seconds(TreeView tree) const {
  if (std::ssize(tree) < large) return 0.0;
  const OneTree alone(tree);
  return seconds(tree, *prepare(alone.view()));
}

void TreeKernel::require_feasible(TreeView tree, const PreparedTrees& prepared, Index columns) const {
  if (std::ssize(tree) < large) return;
  const TreeWork needed = work(tree, prepared);
  const double of_value = seconds_of_pair * needed.pairs / static_cast<double>(columns);
  const auto room = static_cast<double>(available_node_bytes());
  if (of_value <= most_seconds && needed.bytes <= room) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("a tree of {} nodes meets up to {:.2g} pairs of nodes and of their children in {}: about {} "
                  "for a value, where {} are the most, and {} of memory, of which {} are free",
                  grouped(std::ssize(tree)), needed.pairs,
                  columns == 1 ? std::string("one tree") : fmt::format("{} trees", columns), format_seconds(of_value),
                  format_seconds(most_seconds), format_bytes(needed.bytes), format_bytes(room)));
}

void TreeKernel::require_self_feasible(TreeView tree) const {
  if (std::ssize(tree) < large) return;
  const OneTree alone(tree);
  require_feasible(tree, *prepare(alone.view()), 1);
}

}  // namespace cairn
