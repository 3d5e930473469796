// Levenshtein's distance and its exponential as similarities.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/sequences/scratch_pool.hpp"
#include "cairn/similarity/sequences/sequence_objects.hpp"
#include "cairn/similarity/sequences/sequence_similarities.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// Levenshtein's distance with 64 places of a sequence in a word.

// Distances of one sequence to others: the least number of symbols to insert, delete or replace. Neighboring entries of
// the table of distances differ by -1, 0 or 1, and 64 entries of a column are computed at once. [Myers 1999; Hyyrö
// 2003]. O(|y| ceil(|x| / 64)) per distance. Memory: 4 bytes per symbol of the alphabet, 8 bytes per distinct symbol of
// x and 64 places of it. Not thread-safe.
class BitParallel {
 public:
  /// Sets x, until the next call. @param symbols  size of the alphabet
  void prepare(std::span<const std::int32_t> x, Index symbols);
  /// Distance of x and y.
  [[nodiscard]] Index distance(std::span<const std::int32_t> y);

 private:
  [[nodiscard]] Index in_one_word(std::span<const std::int32_t> y) const;
  [[nodiscard]] Index in_words(std::span<const std::int32_t> y);

  std::vector<std::int32_t> slots_;       // position of the masks of each symbol of the alphabet; 0: not in x
  std::vector<std::uint64_t> masks_;      // of slot 0, which are 0, and of the symbols of x
  std::vector<std::uint64_t> up_, down_;  // where the current column rises and falls by 1
  std::vector<std::int32_t> x_;
  std::size_t words_ = 0;
};

constexpr std::size_t bits = 64;

// One column of 64 rows: where it rises and falls by 1.
struct Column {
  std::uint64_t up = ~std::uint64_t{0}, down = 0;
};

// Computes the next column. `enters` is the difference of the row above from the column before: -1, 0 or 1. `last` is
// the bit of the row whose difference from the column before is returned.
inline int advance(Column& column, std::uint64_t equal, int enters, std::uint64_t last) {
  const std::uint64_t falls = enters < 0 ? 1 : 0, rises = enters > 0 ? 1 : 0;
  const std::uint64_t vertical = equal | column.down;
  equal |= falls;
  const std::uint64_t diagonal = (((equal & column.up) + column.up) ^ column.up) | equal;
  std::uint64_t higher = column.down | ~(diagonal | column.up);
  std::uint64_t lower = column.up & diagonal;
  const int leaves = ((higher & last) != 0 ? 1 : 0) - ((lower & last) != 0 ? 1 : 0);
  higher = (higher << 1) | rises;
  lower = (lower << 1) | falls;
  column.up = lower | ~(vertical | higher);
  column.down = higher & vertical;
  return leaves;
}

void BitParallel::prepare(std::span<const std::int32_t> x, Index symbols) {
  for (const std::int32_t symbol : x_) slots_[symbol] = 0;
  if (std::ssize(slots_) < symbols) slots_.resize(symbols, 0);
  x_.assign(x.begin(), x.end());
  words_ = (x.size() + bits - 1) / bits;
  std::int32_t used = 0;
  for (const std::int32_t symbol : x) {
    std::int32_t& slot = slots_[symbol];
    if (slot == 0) slot = ++used;
  }
  masks_.assign((static_cast<std::size_t>(used) + 1) * words_, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto slot = static_cast<std::size_t>(slots_[x[i]]);
    masks_[slot * words_ + i / bits] |= std::uint64_t{1} << (i % bits);
  }
}

Index BitParallel::distance(std::span<const std::int32_t> y) {
  if (x_.empty()) return std::ssize(y);
  return words_ == 1 ? in_one_word(y) : in_words(y);
}

Index BitParallel::in_one_word(std::span<const std::int32_t> y) const {
  const std::uint64_t last = std::uint64_t{1} << ((x_.size() - 1) % bits);
  Column column;
  Index distance = std::ssize(x_);
  for (const std::int32_t symbol : y) {
    const auto slot = static_cast<std::size_t>(slots_[symbol]);
    distance += advance(column, masks_[slot], 1, last);
  }
  return distance;
}

Index BitParallel::in_words(std::span<const std::int32_t> y) {
  constexpr std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t last = std::uint64_t{1} << ((x_.size() - 1) % bits);
  up_.assign(words_, ~std::uint64_t{0});
  down_.assign(words_, 0);
  Index distance = std::ssize(x_);
  for (const std::int32_t symbol : y) {
    const std::uint64_t* masks = masks_.data() + static_cast<std::size_t>(slots_[symbol]) * words_;
    int enters = 1;
    for (std::size_t w = 0; w < words_; ++w) {
      Column column{up_[w], down_[w]};
      enters = advance(column, masks[w], enters, w + 1 < words_ ? top : last);
      up_[w] = column.up;
      down_[w] = column.down;
    }
    distance += enters;
  }
  return distance;
}

constexpr const char* base_name = "levenshtein";

// Predicted nanoseconds per entry.
double predicted(double x, double y) { return 10.0 + 3.5 * y * (1.0 + x / 64.0); }

EntryTraits traits_of(std::string name, Meaning meaning, const SequenceLengths& lengths) {
  return {.name = std::move(name),
          .meaning = meaning,
          .most_entries_in_tile = entries_in_tile(predicted(lengths.mean, lengths.mean)),
          .base = base_name};
}

// The distance itself and, in a derived class, a function of it.
template <class T>
class EditDistance : public Similarity<T>, private BaseDistance<T> {
 public:
  explicit EditDistance(const SequenceLengths& lengths, std::string name = "edit-distance",
                        Meaning meaning = Meaning::distance)
      : Similarity<T>(traits_of(std::move(name), meaning, lengths)), lengths_(lengths) {}
  [[nodiscard]] const BaseDistance<T>* base_distance() const final { return this; }
  bool from_base(T* values, Index n) const override { return vector_math::finite(values, n); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    const SequenceBlock& sequences = sequences_of(rows);
    double sum = 0;
    for (Index a = 0; a < sequences.size(); ++a) {
      sum += predicted(static_cast<double>(sequences.sequence(a).size()), lengths_.mean);
    }
    return sum;
  }
  [[nodiscard]] double longest_seconds(Index entries) const override {
    return 8e-9 * static_cast<double>(entries) * predicted(lengths_.longest, lengths_.mean);
  }

 protected:
  // Turns distances into values of the similarity, in place; false if one of them is not finite.
  virtual bool apply(double* /*distances*/, Index /*n*/) const { return true; }

  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    fill(rows, columns, out, [this](double* distances, Index n) { return apply(distances, n); });
  }
  void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    fill(rows, columns, out, [](double* /*distances*/, Index /*n*/) { return true; });
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    fill_pairs(first, second, out, [this](double* distances, Index n) { apply(distances, n); });
    this->require_finite(first, second, out);
  }
  void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    fill_pairs(first, second, out, [](double* /*distances*/, Index /*n*/) {});
  }

 private:
  template <class Finish>
  void fill(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out, const Finish& finish) const {
    const SequenceBlock &x = sequences_of(rows), &y = sequences_of(columns);
    require_same_alphabet(x, y);
    pool_.with_one([] { return std::make_unique<BitParallel>(); },
                   [&](BitParallel& work) {
                     std::vector<double> values(out.columns);
                     for (Index a = 0; a < out.rows; ++a) {
                       work.prepare(x.sequence(a), x.alphabet->size());
                       for (Index b = 0; b < out.columns; ++b) {
                         values[b] = static_cast<double>(work.distance(y.sequence(b)));
                       }
                       const bool finite = finish(values.data(), out.columns);
                       std::transform(values.begin(), values.end(), out.row(a),
                                      [](double value) { return static_cast<T>(value); });
                       if (!finite) this->report_not_finite(x.ids[a], y.ids, out.row(a));
                     }
                   });
  }

  template <class Finish>
  void fill_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out, const Finish& finish) const {
    const SequenceBlock &x = sequences_of(first), &y = sequences_of(second);
    require_same_alphabet(x, y);
    pool_.with_one([] { return std::make_unique<BitParallel>(); },
                   [&](BitParallel& work) {
                     for (std::size_t a = 0; a < out.size(); ++a) {
                       work.prepare(x.sequence(static_cast<Index>(a)), x.alphabet->size());
                       double value = static_cast<double>(work.distance(y.sequence(static_cast<Index>(a))));
                       finish(&value, 1);
                       out[a] = static_cast<T>(value);
                     }
                   });
  }

  SequenceLengths lengths_;
  mutable ScratchPool<BitParallel> pool_;
};

template <class T>
class ExponentialOfEdits final : public EditDistance<T> {
 public:
  ExponentialOfEdits(const SequenceLengths& lengths, double gamma)
      : EditDistance<T>(lengths, "edit", Meaning::similarity), gamma_(gamma) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"gamma", fmt::format("{:.17g}", gamma_)}};
  }
  bool from_base(T* values, Index n) const override { return vector_math::decay(static_cast<T>(gamma_), values, n); }

 protected:
  bool apply(double* distances, Index n) const override { return vector_math::decay(gamma_, distances, n); }

 private:
  double gamma_;
};

template <class T>
std::unique_ptr<Similarity<T>> edit_distance_of(const SimilarityInput<T>& input) {
  return std::make_unique<EditDistance<T>>(
      lengths_of(input.execution.communicator, input.objects, input.choice.name()));
}

template <class T>
std::unique_ptr<Similarity<T>> edit_of(const SimilarityInput<T>& input) {
  const SequenceLengths lengths = lengths_of(input.execution.communicator, input.objects, input.choice.name());
  const std::string& gamma = input.choice.values.text("gamma");
  if (gamma != "median") return std::make_unique<ExponentialOfEdits<T>>(lengths, parse_number(gamma).value());
  const EditDistance<double> distance(lengths);
  auto made = std::make_unique<ExponentialOfEdits<T>>(lengths, median_gamma(input.execution, distance, input.objects));
  made->count_more(distance.evaluations());
  return made;
}

}  // namespace

const SimilarityDescriptor& edit_distance_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "edit-distance",
      .summary = "Levenshtein's distance between sequences: symbols to insert, delete or replace.",
      .objects = {objects::sequences},
      .traits = {.distance = true, .part = true, .base = base_name},
      .make_single = edit_distance_of<float>,
      .make_double = edit_distance_of<double>};
  return similarity;
}

const SimilarityDescriptor& edit_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "edit",
      .summary = "exp(-gamma d(x, y)), d Levenshtein's distance between sequences; it can be indefinite.",
      .parameters = {{.name = "gamma",
                      .value = "NUMBER",
                      .fallback = "median",
                      .help = "A number >= 0, or 'median' (1 / the median distance of 200 sequences)."}},
      .objects = {objects::sequences},
      .traits = {.part = true, .base = base_name},
      .check = check_median_gamma,
      .preparation = evaluations_for_median_gamma,
      .make_single = edit_of<float>,
      .make_double = edit_of<double>};
  return similarity;
}

}  // namespace cairn
