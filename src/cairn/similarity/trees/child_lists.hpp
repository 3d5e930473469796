// Lists of children of the nodes that partial tree kernels compare. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A child: its class, and its number among the members of the class.
struct ListedChild {
  std::int32_t of = 0;
  std::int32_t member = 0;
};

/// Several lists, one after another.
struct ChildLists {
  std::vector<Index> starts{0};
  std::vector<ListedChild> children;
  [[nodiscard]] std::span<const ListedChild> list(Index k) const {
    const auto first = static_cast<std::size_t>(starts[k]);
    return std::span(children).subspan(first,
                                       static_cast<std::size_t>(starts[static_cast<std::size_t>(k) + 1]) - first);
  }
};

/// Sum over common subsequences of two lists of children, which are pairs of nodes with their Delta; the factor is
/// lambda for each child that is skipped in between.
class ListComparison {
 public:
  ListComparison(double lambda, std::int32_t classes);

  /// Sets the children of a node x in order: the class of each (negative: none), and Delta of it and each member.
  void set(std::span<const std::int32_t> classes, std::span<const double* const> deltas);
  /// Sum_ij s_ij of these children and a list. Memory: two numbers per child of x, for any list.
  [[nodiscard]] double with(std::span<const ListedChild> list);

 private:
  struct Cell {
    std::int32_t i, j;
    double delta;
  };
  [[nodiscard]] double sparse();
  [[nodiscard]] double dense(std::span<const ListedChild> list);
  [[nodiscard]] double power(std::int32_t exponent);

  double lambda_;
  std::vector<std::int32_t> first_, next_;  // children of x by class: first_[c], then next_[i]
  std::vector<std::int32_t> marked_;        // classes in first_
  std::vector<const double*> deltas_;
  std::vector<Cell> cells_;
  std::vector<double> sums_;  // s of the cells
  std::vector<double> powers_{1.0};
  std::vector<double> column_, before_;
};

}  // namespace cairn
