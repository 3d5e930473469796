#include "cairn/approximation/error/entry_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "cairn/approximation/relative_squares.hpp"
#include "cairn/landmark/weighted_draws.hpp"

namespace cairn {

namespace {

// Squared norms of the own rows over the largest of all. Collective.
template <class T>
std::vector<double> stored_squares(const Communicator& communicator, const Factor<T>& factor) {
  return relative_squares(communicator, [&](double unit) {
    std::vector<double> squares;
    const auto add = [&](const auto& row) { squares.push_back(squared_norm(row.data(), std::ssize(row), unit)); };
    const auto add_all = [&](const auto& row_of) {
      for (Index i = factor.range().begin; i < factor.range().end; ++i) add(row_of(i));
    };
    if (factor.is_sparse()) {
      add_all([&](Index i) { return factor.sparse().row(i).values; });
    } else {
      factor.tall().visit([&](const auto& rows) { add_all([&](Index i) { return rows.row(i); }); });
    }
    return squares;
  });
}

}  // namespace

template <class T>
std::optional<std::vector<double>> row_energies(const Execution& execution, const Factor<T>& factor) {
  constexpr double rounding = 1e-6;
  const Communicator& communicator = execution.communicator;
  std::vector<double> energies =
      factor.is_stored() ? stored_squares(communicator, factor) : factor.landmark_rows().squared_norms(execution);
  const auto extremes = std::minmax_element(energies.begin(), energies.end());
  const bool any = extremes.first != energies.end();
  const double most = communicator.maximum(any ? *extremes.second : 0.0);
  const double least = -communicator.maximum(any ? -*extremes.first : -std::numeric_limits<double>::infinity());
  if (!(most > 0.0)) return std::nullopt;
  if (most - least <= rounding * most) return std::nullopt;
  for (double& energy : energies) energy /= most;
  return energies;
}

std::vector<double> values_at(const Communicator& communicator, const RowPartition& partition,
                              const std::vector<double>& own, const std::vector<Index>& ids) {
  const Range range = partition.range(communicator.rank());
  std::vector<double> values(ids.size(), 0.0);
  for (std::size_t a = 0; a < ids.size(); ++a) {
    if (range.contains(ids[a])) values[a] = own[ids[a] - range.begin];
  }
  communicator.sum(std::span(values));
  return values;
}

SampledObjects sample_objects(const Communicator& communicator, const RowPartition& partition,
                              const std::optional<std::vector<double>>& energies, Index count, const Random& random) {
  const Index n = partition.rows();
  SampledObjects sample;
  sample.population = static_cast<double>(n);
  if (count >= n) {
    sample.ids.resize(n);
    std::iota(sample.ids.begin(), sample.ids.end(), Index{0});
  } else if (!energies) {
    sample.ids = sample_without_replacement(n, count, random);
  } else {
    sample.population = std::numeric_limits<double>::infinity();
    std::vector<double> squares(*energies);
    for (double& value : squares) value *= value;
    const Index each = count / 3, uniform = count - 2 * each;
    for (Index a = 0; a < uniform; ++a) sample.ids.push_back(random.below(n, static_cast<std::uint64_t>(a)));
    std::vector<double> sums;
    for (const std::vector<double>* weights : {&*energies, &std::as_const(squares)}) {
      const auto first = static_cast<std::uint64_t>(sample.ids.size());
      const auto drawn = draw_by_weight(communicator, partition, *weights, each, random, first);
      sample.ids.insert(sample.ids.end(), drawn.begin(), drawn.end());
      sums.push_back(sum_of_weights(communicator, partition, *weights));
    }
    const double share = static_cast<double>(each) / static_cast<double>(count);
    for (const double energy : values_at(communicator, partition, *energies, sample.ids)) {
      const double of_energies = share * (energy / sums[0] + energy * energy / sums[1]);
      sample.weights.push_back(1.0 / ((1.0 - 2.0 * share) + static_cast<double>(n) * of_energies));
    }
    return sample;
  }
  sample.weights.assign(sample.ids.size(), 1.0);
  return sample;
}

Distribution::Distribution(std::vector<double> weights)
    : size_(std::ssize(weights)), weights_(std::move(weights)), cumulative_(weights_.size()) {
  std::partial_sum(weights_.begin(), weights_.end(), cumulative_.begin());
}

bool Distribution::has_several() const {
  if (weights_.empty()) return size_ > 1;
  constexpr double rounding = 1e-9;
  return cumulative_.back() - *std::ranges::max_element(weights_) > rounding * cumulative_.back();
}

Index Distribution::without(double point, Index excluded) const {
  if (weights_.empty()) {
    const Index left = excluded < 0 ? size_ : size_ - 1;
    const Index number = std::min(static_cast<Index>(point * static_cast<double>(left)), left - 1);
    return excluded >= 0 && number >= excluded ? number + 1 : number;
  }
  const double own = excluded < 0 ? 0.0 : weights_[excluded];
  double target = point * (cumulative_.back() - own);
  if (excluded >= 0 && target >= cumulative_[excluded] - own) target += own;
  // If rounding puts the target beyond the sum, the last number with a weight.
  const auto last = std::lower_bound(cumulative_.begin(), cumulative_.end(), cumulative_.back());
  return std::min(std::upper_bound(cumulative_.begin(), cumulative_.end(), target), last) - cumulative_.begin();
}

double Distribution::probability(Index number) const {
  return weights_.empty() ? 1.0 / static_cast<double>(size_) : weights_[number] / cumulative_.back();
}

double Distribution::probability_without(Index number, Index excluded) const {
  if (weights_.empty()) return 1.0 / static_cast<double>(size_ - 1);
  return weights_[number] / (cumulative_.back() - weights_[excluded]);
}

EntryDraws::Drawn EntryDraws::draw(Index t, Range numbers) const {
  const std::uint64_t address = 2 * static_cast<std::uint64_t>(t) + 1;  // objects are drawn at 0
  Drawn drawn;
  for (Index a = numbers.begin; a < numbers.end; ++a) {
    const Index row = parts_[t].rows.at(random_.uniform(static_cast<std::uint64_t>(a / length_), address));
    const double point = random_.uniform(static_cast<std::uint64_t>(a), address + 1);
    const Index column = parts_[t].columns.without(point, off_diagonal_ ? row : -1);
    double density = 0.0;
    for (const Part& part : parts_) {
      density += part.rows.probability(row) *
                 (off_diagonal_ ? part.columns.probability_without(column, row) : part.columns.probability(column));
    }
    drawn.entries.rows.push_back(row);
    drawn.entries.columns.push_back(column);
    drawn.densities.push_back(density / static_cast<double>(parts()));
  }
  return drawn;
}

template std::optional<std::vector<double>> row_energies(const Execution&, const Factor<float>&);
template std::optional<std::vector<double>> row_energies(const Execution&, const Factor<double>&);

}  // namespace cairn
