#include "plain_kernels.hpp"

#include <algorithm>
#include <numeric>

namespace plain {

Tree::Tree(TreeView nodes, Productions& numbers) {
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    labels.push_back(nodes[v].label);
    children.emplace_back();
    const std::size_t end = v + static_cast<std::size_t>(nodes[v].size);
    for (std::size_t c = v + 1; c < end; c += static_cast<std::size_t>(nodes[c].size)) {
      children.back().push_back(static_cast<int>(c));
    }
  }
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    std::vector<std::int32_t> production = {labels[v]};
    for (const int c : children[v]) production.push_back(labels[c]);
    productions.push_back(numbers.emplace(production, static_cast<int>(numbers.size())).first->second);
  }
  by_production.resize(nodes.size());
  std::iota(by_production.begin(), by_production.end(), 0);
  by_label = by_production;
  std::ranges::stable_sort(by_production, {}, [&](int v) { return productions[v]; });
  std::ranges::stable_sort(by_label, {}, [&](int v) { return labels[v]; });
}

namespace {

constexpr double unknown = -1e300;

// Calls use(a, b) for all pairs of nodes of two sorted lists with equal keys.
template <class Key, class Use>
void merge(const std::vector<int>& x, const std::vector<int>& y, const Key& key_x, const Key& key_y, const Use& use) {
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    const auto a = key_x(x[i]), b = key_y(y[j]);
    if (a < b) {
      ++i;
    } else if (b < a) {
      ++j;
    } else {
      std::size_t end = j;
      for (; end < y.size() && !(b < key_y(y[end])); ++end) use(x[i], y[end]);
      ++i;
    }
  }
}

}  // namespace

double ProductionKernel::operator()(const Tree& x, const Tree& y) {
  memo_.assign(static_cast<std::size_t>(x.size()) * static_cast<std::size_t>(y.size()), unknown);
  const auto key = [](const Tree& tree) { return [&tree](int v) { return tree.productions[v]; }; };
  double sum = 0;
  merge(x.by_production, y.by_production, key(x), key(y), [&](int a, int b) {
    if (x.leaf(a) && !leaves_) return;
    sum += delta(x, a, y, b);
  });
  return sum;
}

double ProductionKernel::delta(const Tree& x, int a, const Tree& y, int b) {
  double& value = memo_[static_cast<std::size_t>(a) * static_cast<std::size_t>(y.size()) + static_cast<std::size_t>(b)];
  if (value != unknown) return value;
  double product = lambda_;
  const auto &of_a = x.children[a], &of_b = y.children[b];
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const bool leaf_x = x.leaf(of_a[i]), leaf_y = y.leaf(of_b[i]);
    if (leaf_x && leaf_y) continue;
    const bool same = !leaf_x && !leaf_y && x.productions[of_a[i]] == y.productions[of_b[i]];
    if (same) {
      product *= sigma_ + delta(x, of_a[i], y, of_b[i]);
    } else if (!slip_ || leaf_x || leaf_y) {
      product *= sigma_;
    }
  }
  return value = product;
}

double PartialKernel::operator()(const Tree& x, const Tree& y) {
  memo_.assign(static_cast<std::size_t>(x.size()) * static_cast<std::size_t>(y.size()), unknown);
  used_ = 0;
  double sum = 0;
  const auto add = [&](int a, int b) { sum += delta(x, a, y, b); };
  if (!similarity_.groups.empty()) {
    const auto group_of = [this](const Tree& tree) { return [this, &tree](int v) { return group(tree.labels[v]); }; };
    by_group_x_ = x.by_label, by_group_y_ = y.by_label;
    std::ranges::stable_sort(by_group_x_, {}, group_of(x));
    std::ranges::stable_sort(by_group_y_, {}, group_of(y));
    merge(by_group_x_, by_group_y_, group_of(x), group_of(y), add);
    return sum;
  }
  const auto key = [](const Tree& tree) { return [&tree](int v) { return tree.labels[v]; }; };
  merge(x.by_label, y.by_label, key(x), key(y), add);
  return sum;
}

double PartialKernel::delta(const Tree& x, int a, const Tree& y, int b) {
  double& value = memo_[static_cast<std::size_t>(a) * static_cast<std::size_t>(y.size()) + static_cast<std::size_t>(b)];
  if (value != unknown) return value;
  const double common = similarity(x.labels[a], y.labels[b]);
  if (common == 0) return value = 0.0;
  if (x.leaf(a) || y.leaf(b)) return value = common * mu_ * lambda_ * lambda_ * terminal_;
  const double sum = sequences(x, a, y, b);
  return value = common * mu_ * (lambda_ * lambda_ + sum);
}

// Sum over all lengths up to that of the shorter list: Delta_p of [Moschitti 2006], D_p over prefixes.
double PartialKernel::sequences(const Tree& x, int a, const Tree& y, int b) {
  const auto &of_a = x.children[a], &of_b = y.children[b];
  const std::size_t n = of_a.size(), m = of_b.size(), width = m + 1;
  // The workspace of the children follows.
  const std::size_t begin = used_, size = n * m;
  used_ += 2 * size + (n + 1) * width;
  if (room_.size() < used_) room_.resize(2 * used_);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double value = delta(x, of_a[i], y, of_b[j]);
      room_[begin + i * m + j] = value;
    }
  }
  double *const deltas = room_.data() + begin, *const s = deltas + size, *const p = s + size;
  double sum = 0;
  std::copy_n(deltas, size, s);
  for (std::size_t length = 1; length <= std::min(n, m); ++length) {
    double of_length = 0;
    for (std::size_t k = 0; k < size; ++k) of_length += s[k];
    sum += of_length;
    if (of_length == 0) break;
    std::fill_n(p, (n + 1) * width, 0.0);
    for (std::size_t i = 1; i <= n; ++i) {
      for (std::size_t j = 1; j <= m; ++j) {
        p[i * width + j] = s[(i - 1) * m + j - 1] + lambda_ * p[(i - 1) * width + j] + lambda_ * p[i * width + j - 1] -
                           lambda_ * lambda_ * p[(i - 1) * width + j - 1];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) s[i * m + j] = deltas[i * m + j] * p[i * width + j];
    }
  }
  used_ = begin;
  return sum;
}

}  // namespace plain
