// The subsequence kernel as a similarity.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/root_of_product.hpp"
#include "cairn/data/sequences/sequence_set.hpp"
#include "cairn/similarity/sequences/scratch_pool.hpp"
#include "cairn/similarity/sequences/sequence_objects.hpp"
#include "cairn/similarity/sequences/sequence_similarities.hpp"
#include "cairn/similarity/sequences/subsequence_lanes.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// Positions of the symbols in a block of sequences.

// For each symbol, the sequences of a block that contain it, and the places in them. Memory: 8 bytes per symbol of the
// alphabet, 8 per symbol of the sequences.
class SymbolIndex {
 public:
  struct Place {
    std::int32_t rank = 0;   ///< rank of the sequence in order()
    std::int32_t place = 0;  ///< place in the sequence
  };

  explicit SymbolIndex(const SequenceBlock& block);

  /// Positions of the sequences in the block, shortest first.
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }
  /// Ascending by rank, then place.
  [[nodiscard]] std::span<const Place> places(std::int32_t symbol) const {
    const auto begin = static_cast<std::size_t>(starts_[symbol]);
    return std::span(places_).subspan(begin,
                                      static_cast<std::size_t>(starts_[static_cast<std::size_t>(symbol) + 1]) - begin);
  }
  /// Number of symbols of all sequences.
  [[nodiscard]] Index symbols() const { return std::ssize(places_); }

 private:
  std::vector<Index> order_;
  std::vector<Index> starts_;  // start of each symbol's places
  std::vector<Place> places_;
};

SymbolIndex::SymbolIndex(const SequenceBlock& block)
    : order_(static_cast<std::size_t>(block.size())), starts_(static_cast<std::size_t>(block.alphabet->size()) + 1, 0) {
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::stable_sort(order_, {}, [&](Index a) { return block.sequence(a).size(); });
  for (const Index a : order_) {
    for (const std::int32_t symbol : block.sequence(a)) ++starts_[static_cast<std::size_t>(symbol) + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  places_.resize(starts_.back());
  std::vector<Index> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t rank = 0; rank < order_.size(); ++rank) {
    const auto sequence = block.sequence(order_[rank]);
    for (std::size_t place = 0; place < sequence.size(); ++place) {
      places_[next[sequence[place]]++] = {static_cast<std::int32_t>(rank), static_cast<std::int32_t>(place)};
    }
  }
}

// The subsequence kernel of one sequence with many.

// Rows of K (SubsequenceLanes), with the workspace of a thread. Not thread-safe.
//
// If few symbols are common, as among words, K is a sum over pairs of places with equal symbols, which the index finds:
// O(length m²) for m such pairs. If many are common, as among letters, all places are visited in lanes. The faster of
// both is chosen for each pair of sequences from m and the lengths.
class SubsequenceRows {
 public:
  explicit SubsequenceRows(const SubsequenceRule& rule) : rule_(rule), lanes_(rule) {}

  /// out[b] = K of x and sequence b of the block of `index`.
  void row(std::span<const std::int32_t> x, const SequenceBlock& block, const SymbolIndex& index,
           std::span<double> out);
  /// out[k] = K of x[k] and y[k].
  void pairs(std::span<const SubsequenceLanes::Sequence> x, std::span<const SubsequenceLanes::Sequence> y,
             std::span<double> out);

 private:
  struct Match {
    std::int32_t x = 0, y = 0;  // places
  };
  void find_matches(std::span<const std::int32_t> x, const SymbolIndex& index);
  double of_matches(std::span<const Match> matches);
  void in_lanes(std::span<const std::int32_t> x, const SequenceBlock& block, std::span<const Index> columns,
                std::span<double> out);

  SubsequenceRule rule_;
  SubsequenceLanes lanes_;
  std::vector<double> powers_;  // powers of the decay
  std::vector<Index> starts_;   // start of the matches of each sequence, by rank
  std::vector<Match> matches_;
  std::vector<double> terms_;  // s^1 to s^length at each match
  std::vector<Index> many_;    // columns computed in lanes
};

// True if summing over `matches` pairs of places is faster than visiting `x` times `y` places in lanes: a fit to
// questions by words and by letters.
bool few(double matches, double x, double y) { return 1.5 * matches * matches < x * y + 64; }

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
      out[column] = of_matches(std::span(matches_).subspan(begin, end - begin));
    } else {
      many_.push_back(column);
    }
  }
  in_lanes(x, block, many_, out);
}

// Matches are sorted by sequence; within one by place in x, then place in y.
void SubsequenceRows::find_matches(std::span<const std::int32_t> x, const SymbolIndex& index) {
  starts_.assign(index.order().size() + 2, 0);
  for (const std::int32_t symbol : x) {
    for (const SymbolIndex::Place& place : index.places(symbol)) ++starts_[static_cast<std::size_t>(place.rank) + 2];
  }
  for (std::size_t k = 2; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
  matches_.resize(starts_.back());
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
      const double weight = powers_[matches[t].x - matches[u].x + matches[t].y - matches[u].y - 2];
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
    for (std::size_t k = 0; k < count; ++k) out[columns[first + k]] = values[k];
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

constexpr int most_length = 64;

// Predicted nanoseconds per entry: all places in lanes.
double predicted(const SubsequenceRule& rule, double x, double y) { return 20.0 + 0.12 * rule.length * x * y; }

EntryTraits traits_of(const SubsequenceRule& rule, const SequenceLengths& lengths) {
  return {.name = "subsequence", .most_entries_in_tile = entries_in_tile(predicted(rule, lengths.mean, lengths.mean))};
}

template <class T>
class Subsequence final : public Similarity<T> {
 public:
  Subsequence(const SubsequenceRule& rule, bool normalize, const SequenceLengths& lengths)
      : Similarity<T>(traits_of(rule, lengths)),
        rule_(rule),
        normalize_(normalize),
        lengths_(lengths),
        selves_(fmt::format("subsequence {} {:.17g}", rule.length, rule.decay)) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"length", fmt::format("{}", rule_.length)},
            {"lambda", fmt::format("{:.17g}", rule_.decay)},
            {"normalize", normalize_ ? "true" : "false"}};
  }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    const SequenceBlock& sequences = sequences_of(rows);
    double sum = 0;
    for (Index a = 0; a < sequences.size(); ++a) {
      sum += predicted(rule_, static_cast<double>(sequences.sequence(a).size()), lengths_.mean);
    }
    return sum;
  }
  [[nodiscard]] double longest_seconds(Index entries) const override {
    return 8e-9 * static_cast<double>(entries) * predicted(rule_, lengths_.longest, lengths_.mean);
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    const SequenceBlock &x = sequences_of(rows), &y = sequences_of(columns);
    require_same_alphabet(x, y);
    const auto index =
        y.of_block.object<SymbolIndex>("index", std::function([&] { return std::make_shared<const SymbolIndex>(y); }));
    pool_.with_one([this] { return std::make_unique<SubsequenceRows>(rule_); },
                   [&](SubsequenceRows& work) {
                     const auto row_selves = selves(work, x), column_selves = selves(work, y);
                     std::vector<double> values(out.columns);
                     for (Index a = 0; a < out.rows; ++a) {
                       work.row(x.sequence(a), y, *index, values);
                       T* const target = out.row(a);
                       for (std::size_t b = 0; b < values.size(); ++b) {
                         target[b] = static_cast<T>(
                             normalize_ ? values[b] / root_of_product(row_selves[a], column_selves[b]) : values[b]);
                       }
                       if (!vector_math::finite(target, out.columns)) {
                         this->report_not_finite(x.ids[a], y.ids, target);
                       }
                     }
                   });
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const SequenceBlock &x = sequences_of(first), &y = sequences_of(second);
    require_same_alphabet(x, y);
    pool_.with_one(
        [this] { return std::make_unique<SubsequenceRows>(rule_); },
        [&](SubsequenceRows& work) {
          const auto x_selves = selves(work, x), y_selves = selves(work, y);
          std::vector<SubsequenceLanes::Sequence> left, right;
          for (Index a = 0; a < x.size(); ++a) left.push_back(x.sequence(a)), right.push_back(y.sequence(a));
          std::vector<double> values(out.size());
          work.pairs(left, right, values);
          for (std::size_t a = 0; a < values.size(); ++a) {
            out[a] = static_cast<T>(normalize_ ? values[a] / root_of_product(x_selves[a], y_selves[a]) : values[a]);
          }
        });
    this->require_finite(first, second, out);
  }

 private:
  // K(x, x) of the sequences of a block; empty unless needed.
  [[nodiscard]] std::vector<double> selves(SubsequenceRows& work, const SequenceBlock& block) const {
    if (!normalize_) return {};
    std::vector<double> values(block.size());
    block.of_sequences.numbers(selves_, block.of_total, block.of_first, values,
                               [&](std::span<const Index> missing, std::span<double> computed) {
                                 std::vector<SubsequenceLanes::Sequence> sequences;
                                 for (const Index a : missing) sequences.push_back(block.sequence(a));
                                 work.pairs(sequences, sequences, computed);
                               });
    for (std::size_t a = 0; a < values.size(); ++a) {
      // Below the smallest normal number, digits are lost.
      if (values[a] >= std::numeric_limits<double>::min() && std::isfinite(values[a])) continue;
      const auto symbols = std::ssize(block.sequence(static_cast<Index>(a)));
      throw Error(ErrorKind::numeric,
                  fmt::format("K(x, x) = {:.3g} of object {} under {} = true: {}", values[a], block.ids[a],
                              this->keys()("normalize"), why_not(values[a], symbols)));
    }
    return values;
  }

  // Reason why K(x, x) of a sequence of `symbols` symbols cannot be a divisor.
  [[nodiscard]] std::string why_not(double self, Index symbols) const {
    if (symbols == 0) return "the sequence has no symbol";
    if (self < 1) return fmt::format("{} = {} is too small", this->keys()("lambda"), rule_.decay);
    return fmt::format("the {} symbols have too many common subsequences; take a smaller {} or {}", symbols,
                       this->keys()("length"), this->keys()("lambda"));
  }

  SubsequenceRule rule_;
  bool normalize_;
  SequenceLengths lengths_;
  std::string selves_;
  mutable ScratchPool<SubsequenceRows> pool_;
};

template <class T>
std::unique_ptr<Similarity<T>> subsequence_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  const SubsequenceRule rule{static_cast<int>(values.integer("length")), values.number("lambda")};
  return std::make_unique<Subsequence<T>>(rule, values.flag("normalize"),
                                          lengths_of(input.execution.communicator, input.objects, input.choice.name()));
}

}  // namespace

const SimilarityDescriptor& subsequence_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "subsequence",
      .summary = "Common subsequences of two sequences, each weighted by how far it is spread.",
      .parameters = {{.name = "length",
                      .value = "N",
                      .type = ValueType::integer,
                      .fallback = "4",
                      .help = "Subsequences of 1 to N symbols count.",
                      .lowest = 1,
                      .highest = most_length},
                     {.name = "lambda",
                      .value = "NUMBER",
                      .type = ValueType::number,
                      .fallback = "0.75",
                      .help = "The factor for each place that a subsequence spans, in both sequences; at most 1.",
                      .highest = 1,
                      .above = 0},
                     {.name = "normalize",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "true",
                      .help = "Divide K(x, y) by the root of K(x, x) K(y, y)."}},
      .objects = {objects::sequences},
      .default_for = {objects::sequences},
      .traits = {.definite = true, .part = true},
      .make_single = subsequence_of<float>,
      .make_double = subsequence_of<double>};
  return similarity;
}

}  // namespace cairn
