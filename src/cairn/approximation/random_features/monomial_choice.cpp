#include "cairn/approximation/random_features/monomial_choice.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"

namespace cairn {

namespace {

struct Candidate {
  double size = 0;
  std::vector<std::int32_t> factors;
  // The smallest is on top; among equal ones that with more, and later, factors.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    if (a.size != b.size) return a.size > b.size;
    return std::pair(a.factors.size(), std::cref(a.factors).get()) <
           std::pair(b.factors.size(), std::cref(b.factors).get());
  }
};

// A search through ascending lists of factors that skips lists that cannot be among the largest.
class Search {
 public:
  Search(std::span<const double> moments, Index count) : moments_(moments), count_(static_cast<std::size_t>(count)) {}

  void add_degree(std::size_t degree, double coefficient) {
    degree_ = degree;
    left_ = most_visits;
    double orders = std::abs(coefficient);
    for (std::size_t k = 2; k <= degree; ++k) orders *= static_cast<double>(k);
    own_.clear();
    if (orders > 0) visit(0, 0, orders);
  }

  std::vector<MonomialList> take() {
    std::vector<Candidate> all;
    for (; !best_.empty(); best_.pop()) all.push_back(best_.top());
    std::ranges::sort(all, {}, [](const Candidate& one) { return std::pair(one.factors.size(), one.factors); });
    std::vector<MonomialList> lists;
    for (const Candidate& one : all) {
      const auto degree = static_cast<Index>(one.factors.size());
      if (lists.empty() || lists.back().degree != degree) lists.push_back({degree, {}});
      lists.back().factors.insert(lists.back().factors.end(), one.factors.begin(), one.factors.end());
    }
    return lists;
  }

 private:
  static constexpr Index most_visits = 4'000'000;  // per degree: flat moments leave many lists

  // `bound`: |c| · degree! / (repeats so far)! · moments so far; further factors have moments no larger than the last
  // one.
  void visit(std::int32_t least, std::size_t same, double bound) {
    if (own_.size() == degree_) {
      best_.push({bound, own_});
      if (best_.size() > count_) best_.pop();
      return;
    }
    for (std::int32_t i = least; i < std::ssize(moments_); ++i) {
      const double moment = moments_[i];
      const auto rest = static_cast<double>(degree_ - own_.size());
      if (moment <= 0 || --left_ < 0) return;
      if (best_.size() == count_ && bound * std::pow(moment, rest) <= best_.top().size) return;
      const std::size_t repeats = i == least && !own_.empty() && own_.back() == i ? same + 1 : 1;
      own_.push_back(i);
      visit(i, repeats, bound * moment / static_cast<double>(repeats));
      own_.pop_back();
    }
  }

  std::span<const double> moments_;
  std::size_t count_, degree_ = 0;
  Index left_ = 0;
  std::vector<std::int32_t> own_;
  std::priority_queue<Candidate> best_;
};

}  // namespace

std::vector<MonomialList> choose_monomials(std::span<const double> moments, std::span<const double> coefficients,
                                           Index count) {
  if (count < 1) return {};
  Search search(moments, count);
  for (std::size_t degree = 1; degree < coefficients.size(); ++degree) search.add_degree(degree, coefficients[degree]);
  return search.take();
}

}  // namespace cairn
