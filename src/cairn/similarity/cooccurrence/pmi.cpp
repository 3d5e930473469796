#include "cairn/similarity/cooccurrence/pmi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/similarity/cooccurrence/symmetric_rows.hpp"

namespace cairn {

namespace {

struct PmiParameters {
  bool positive = false;
  double shift = 0;
  double smoothing = 1;
};

// The logarithm of integers, most of which are small.
class Logarithms {
 public:
  Logarithms() {
    for (std::size_t k = 1; k < known_.size(); ++k) known_[k] = std::log(static_cast<double>(k));
  }
  [[nodiscard]] double of(Index count) const {
    return count < std::ssize(known_) ? known_[count] : std::log(static_cast<double>(count));
  }

 private:
  std::array<double, 4096> known_{};
};

const WordBlock& words_of(const ObjectBlock& block) { return dynamic_cast<const WordBlock&>(block); }

// Ids of objects, ascending, and their positions in a block.
using Places = std::vector<std::pair<Index, Index>>;

Places sorted_places(const ObjectBlock& block) {
  Places places;
  for (std::size_t k = 0; k < block.ids.size(); ++k) places.emplace_back(block.ids[k], static_cast<Index>(k));
  if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
  return places;
}

// Calls use(place, count) for the entries of a row whose columns are among `places` and below `end`.
template <class Use>
void match(const CountRow& row, const Places& places, Index end, Use use) {
  constexpr std::size_t longer = 16;  // a search is then cheaper than a merge
  auto column = row.others.begin();
  const bool search = row.others.size() > longer * places.size();
  for (const auto& [id, place] : places) {
    if (id >= end) break;
    if (search) {
      column = std::lower_bound(column, row.others.end(), id);
    } else {
      while (column != row.others.end() && *column < id) ++column;
    }
    if (column == row.others.end()) break;
    if (*column == id) use(place, row.count(static_cast<std::size_t>(column - row.others.begin())));
  }
}

template <class T>
class Pmi final : public Similarity<T> {
 public:
  Pmi(const Communicator& communicator, const WordSet& words, const PmiParameters& parameters)
      : Similarity<T>({.name = "pmi", .defined_for_unseen = false}), words_(words), parameters_(parameters) {
    const double unit = static_cast<double>(words.counts().counting().unit()), power = parameters.smoothing;
    double sum = 0;
    for (const Index row_sum : words.counts().row_sums(communicator)) {
      const double real = static_cast<double>(row_sum) / unit;
      sum += row_sum > 0 ? std::pow(real, power) : 0.0;
      half_.push_back(row_sum > 0 ? 0.5 * (1 + power) * std::log(real) : 0.0);
    }
    offset_ = (sum > 0 ? std::log(sum) : 0.0) - std::log(unit) - parameters.shift;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"positive", parameters_.positive ? "true" : "false"},
            {"shift", fmt::format("{:.17g}", parameters_.shift)},
            {"smoothing", fmt::format("{:.17g}", parameters_.smoothing)}};
  }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    std::size_t entries = 0;
    for (const CountRow& row : words_of(rows).rows) entries += row.others.size();
    return static_cast<double>(entries + rows.ids.size());
  }
  [[nodiscard]] std::optional<BalancedRows<T>> nonzeros(const Communicator& communicator) const override {
    return symmetric_rows<T>(communicator, words_.counts(), [this](Index i, const CountRow& row, T* out) {
      for (std::size_t k = 0; k < row.others.size(); ++k) out[k] = value(i, row.others[k], row.count(k));
    });
  }

  bool sparse_rows(const ObjectSet& /*objects*/, Range rows, const ObjectBlock& columns,
                   CompressedRows<T>& out) const override {
    const auto places = sorted_places(columns);
    out.rows = rows;
    out.starts.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
    for_each_entry(rows, columns, places, [&](Index i, Index /*b*/, Index /*j*/, Index /*count*/) {
      ++out.starts[static_cast<std::size_t>(i - rows.begin) + 1];
    });
    std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
    const Index entries = out.own_entries();
    if (out.columns.size() < entries) {
      out.columns = Buffer<std::int32_t>(entries + entries / 4);
      out.values = Buffer<T>(entries + entries / 4);
    }
    std::vector<Index> next(out.starts.begin(), out.starts.end() - 1);
    for_each_entry(rows, columns, places, [&](Index i, Index b, Index j, Index count) {
      const Index at = next[i - rows.begin]++;
      out.columns[at] = static_cast<std::int32_t>(b);
      out.values[at] = value(i, j, count);
    });
    return true;
  }

 protected:
  // An entry is stored in the row of the word with the larger number.
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    const WordBlock &left = words_of(rows), &right = words_of(columns);
    for (Index a = 0; a < out.rows; ++a) std::fill_n(out.row(a), out.columns, T(0));
    const auto row_places = sorted_places(rows), column_places = sorted_places(columns);
    for (std::size_t a = 0; a < left.ids.size(); ++a) {
      const Index i = left.ids[a];
      match(left.rows[a], column_places, i + 1,
            [&](Index b, Index count) { out(static_cast<Index>(a), b) = value(i, right.ids[b], count); });
    }
    for (std::size_t b = 0; b < right.ids.size(); ++b) {
      const Index j = right.ids[b];
      match(right.rows[b], row_places, j,
            [&](Index a, Index count) { out(a, static_cast<Index>(b)) = value(left.ids[a], j, count); });
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const WordBlock &left = words_of(first), &right = words_of(second);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const Index i = left.ids[k], j = right.ids[k];
      const CountRow& row = i >= j ? left.rows[k] : right.rows[k];
      const auto found = std::ranges::lower_bound(row.others, std::min(i, j));
      const bool together = found != row.others.end() && *found == std::min(i, j);
      out[k] = together ? value(i, j, row.count(static_cast<std::size_t>(found - row.others.begin()))) : T(0);
    }
  }

 private:
  // Calls use(i, b, j, C_ij) for some own rows i and j = columns[b]. Entries up to the diagonal are stored in own rows,
  // others in the rows of the columns' words.
  template <class Use>
  void for_each_entry(Range own, const ObjectBlock& columns, const Places& places, Use use) const {
    const WordBlock& right = words_of(columns);
    for (Index i = own.begin; i < own.end; ++i) {
      match(words_.counts().row(i), places, i + 1, [&](Index b, Index count) { use(i, b, right.ids[b], count); });
    }
    for (std::size_t b = 0; b < right.ids.size(); ++b) {
      const CountRow& row = right.rows[b];
      const Index j = right.ids[b], end = std::min(own.end, j);
      if (j <= own.begin) continue;
      const auto first = std::ranges::lower_bound(row.others, own.begin) - row.others.begin();
      for (auto k = static_cast<std::size_t>(first); k < row.others.size() && row.others[k] < end; ++k) {
        use(row.others[k], static_cast<Index>(b), j, row.count(k));
      }
    }
  }

  [[nodiscard]] T value(Index i, Index j, Index count) const {
    const double mutual = logarithms_.of(count) + offset_ - half_[i] - half_[j];
    return static_cast<T>(parameters_.positive ? std::max(mutual, 0.0) : mutual);
  }

  const WordSet& words_;
  PmiParameters parameters_;
  Logarithms logarithms_;
  std::vector<double> half_;  // of each word: (1 + smoothing) / 2 log r_i
  double offset_ = 0;
};

template <class T>
std::unique_ptr<Similarity<T>> make(const SimilarityInput<T>& input) {
  const auto& words = dynamic_cast<const WordSet&>(input.objects);
  const Values& values = input.choice.values;
  static_cast<void>(words.counts(input.execution));
  return std::make_unique<Pmi<T>>(
      input.execution.communicator, words,
      PmiParameters{values.flag("positive"), values.number("shift"), values.number("smoothing")});
}

}  // namespace

const SimilarityDescriptor& pmi_similarity() {
  using enum ValueType;
  static const SimilarityDescriptor similarity{
      .name = "pmi",
      .summary =
          "Pointwise mutual information log(C_ij S / (r_i r_j)) of words that occur together, 0 of others; r: row "
          "sums of the counts C, S: their sum.",
      .parameters = {{"positive", "BOOL", flag, "false", "Take 0 in place of negative values."},
                     {.name = "shift",
                      .value = "NUMBER",
                      .type = number,
                      .fallback = "0",
                      .help =
                          "Subtract this from the value of words that occur together: log k for k negative samples."},
                     {.name = "smoothing",
                      .value = "NUMBER",
                      .type = number,
                      .fallback = "1",
                      .help = "Raise the row sums of contexts to this power (0.75 in word2vec): the mean of both "
                              "directions, log C_ij + log(sum of r^a) - (1 + a) / 2 (log r_i + log r_j).",
                      .highest = 1,
                      .above = 0}},
      .output = {{.name = "counts",
                  .value = "BOOL",
                  .type = flag,
                  .fallback = "true",
                  .help = "Also write the co-occurrences C, for evaluate and for runs with similarity.reuse: 8 bytes a "
                          "pair of words that occur together."}},
      .objects = {objects::words},
      .default_for = {objects::words},
      .traits = {.counts = true},
      .make_single = make<float>,
      .make_double = make<double>};
  return similarity;
}

}  // namespace cairn
