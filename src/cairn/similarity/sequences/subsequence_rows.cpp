#include "cairn/similarity/sequences/subsequence_rows.hpp"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

// Whether `matches` pairs of places are summed up faster than `x` times `y` places are visited in lanes: a fit to
// questions by words and by letters.
bool few(double matches, double x, double y) { return 1.5 * matches * matches < x * y + 64; }

}  // namespace

void SubsequenceRows::row(std::span<const std::int32_t> x, const SequenceBlock& block, const SymbolIndex& index,
                          std::span<double> out) {
  const auto columns = static_cast<double>(std::max<std::size_t>(out.size(), 1));
  double all = 0;
  for (const std::int32_t symbol : x) all += static_cast<double>(index.places(symbol).size());
  const auto length = static_cast<double>(x.size());
  if (!few(all / columns, length, static_cast<double>(index.symbols()) / columns)) {
    in_lanes(x, block, index.order(), out);
    return;
  }
  find_matches(x, index);
  many_.clear();
  for (std::size_t rank = 0; rank < index.order().size(); ++rank) {
    const Index column = index.order()[rank];
    const auto begin = static_cast<std::size_t>(starts_[rank]), end = static_cast<std::size_t>(starts_[rank + 1]);
    if (few(static_cast<double>(end - begin), length, static_cast<double>(block.sequence(column).size()))) {
      out[static_cast<std::size_t>(column)] = of_matches(std::span(matches_).subspan(begin, end - begin));
    } else {
      many_.push_back(column);
    }
  }
  in_lanes(x, block, many_, out);
}

// Sorted by sequence; within one by place in x, then place in y.
void SubsequenceRows::find_matches(std::span<const std::int32_t> x, const SymbolIndex& index) {
  starts_.assign(index.order().size() + 2, 0);
  for (const std::int32_t symbol : x) {
    for (const SymbolIndex::Place& place : index.places(symbol)) ++starts_[static_cast<std::size_t>(place.rank) + 2];
  }
  for (std::size_t k = 2; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
  matches_.resize(static_cast<std::size_t>(starts_.back()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const SymbolIndex::Place& place : index.places(x[i])) {
      const auto at = static_cast<std::size_t>(starts_[static_cast<std::size_t>(place.rank) + 1]++);
      matches_[at] = {static_cast<std::int32_t>(i), place.place};
    }
  }
}

double SubsequenceRows::of_matches(std::span<const Match> matches) {
  const double squared = rule_.decay * rule_.decay;
  const auto length = static_cast<std::size_t>(rule_.length);
  if (matches.size() < 2 || length == 1) return squared * static_cast<double>(matches.size());
  const auto most = static_cast<std::size_t>(matches.back().x + std::ranges::max_element(matches, {}, &Match::y)->y);
  while (powers_.size() <= most) powers_.push_back(powers_.empty() ? 1.0 : powers_.back() * rule_.decay);
  terms_.assign(matches.size() * length, 0.0);
  double sum = 0;
  for (std::size_t t = 0; t < matches.size(); ++t) {
    double* const own = terms_.data() + t * length;
    for (std::size_t u = 0; u < t; ++u) {
      if (matches[u].x >= matches[t].x || matches[u].y >= matches[t].y) continue;
      const double weight =
          powers_[static_cast<std::size_t>(matches[t].x - matches[u].x + matches[t].y - matches[u].y - 2)];
      const double* const before = terms_.data() + u * length;
      for (std::size_t l = 0; l + 1 < length; ++l) own[l + 1] += weight * before[l];
    }
    own[0] = 1.0;
    for (std::size_t l = 0; l < length; ++l) sum += own[l] *= squared;
  }
  return sum;
}

void SubsequenceRows::in_lanes(std::span<const std::int32_t> x, const SequenceBlock& block,
                               std::span<const Index> columns, std::span<double> out) {
  constexpr auto lanes = static_cast<std::size_t>(SubsequenceLanes::lanes);
  std::array<SubsequenceLanes::Sequence, lanes> y;
  SubsequenceLanes::Values values{};
  for (std::size_t first = 0; first < columns.size(); first += lanes) {
    const std::size_t count = std::min(lanes, columns.size() - first);
    for (std::size_t k = 0; k < count; ++k) y[k] = block.sequence(columns[first + k]);
    lanes_.row(x, std::span(y).first(count), values);
    for (std::size_t k = 0; k < count; ++k) out[static_cast<std::size_t>(columns[first + k])] = values[k];
  }
}

void SubsequenceRows::pairs(std::span<const SubsequenceLanes::Sequence> x,
                            std::span<const SubsequenceLanes::Sequence> y, std::span<double> out) {
  constexpr auto lanes = static_cast<std::size_t>(SubsequenceLanes::lanes);
  SubsequenceLanes::Values values{};
  for (std::size_t first = 0; first < x.size(); first += lanes) {
    const std::size_t count = std::min(lanes, x.size() - first);
    lanes_.pairs(x.subspan(first, count), y.subspan(first, count), values);
    std::copy_n(values.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

}  // namespace cairn
