// The subsequence kernel as a similarity.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/root_of_product.hpp"
#include "cairn/similarity/sequences/scratch_pool.hpp"
#include "cairn/similarity/sequences/sequence_objects.hpp"
#include "cairn/similarity/sequences/sequence_similarities.hpp"
#include "cairn/similarity/sequences/subsequence_rows.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

constexpr int most_length = 64;

// Predicted nanoseconds of an entry: all places in lanes.
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
    pool_.with_one(
        [this] { return std::make_unique<SubsequenceRows>(rule_); },
        [&](SubsequenceRows& work) {
          const auto row_selves = selves(work, x), column_selves = selves(work, y);
          std::vector<double> values(static_cast<std::size_t>(out.columns));
          for (Index a = 0; a < out.rows; ++a) {
            work.row(x.sequence(a), y, *index, values);
            T* const target = out.row(a);
            for (std::size_t b = 0; b < values.size(); ++b) {
              target[b] = static_cast<T>(
                  normalize_ ? values[b] / root_of_product(row_selves[static_cast<std::size_t>(a)], column_selves[b])
                             : values[b]);
            }
            if (!vector_math::finite(target, out.columns)) {
              this->report_not_finite(x.ids[static_cast<std::size_t>(a)], y.ids, target);
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
  // K(x, x) of the sequences of a block; none unless they are needed.
  [[nodiscard]] std::vector<double> selves(SubsequenceRows& work, const SequenceBlock& block) const {
    if (!normalize_) return {};
    std::vector<double> values(static_cast<std::size_t>(block.size()));
    block.of_sequences.numbers(selves_, block.of_total, block.of_first, values,
                               [&](std::span<const Index> missing, std::span<double> computed) {
                                 std::vector<SubsequenceLanes::Sequence> sequences;
                                 for (const Index a : missing) sequences.push_back(block.sequence(a));
                                 work.pairs(sequences, sequences, computed);
                               });
    for (std::size_t a = 0; a < values.size(); ++a) {
      // Below the least normal number digits are lost.
      if (values[a] >= std::numeric_limits<double>::min() && std::isfinite(values[a])) continue;
      const auto symbols = std::ssize(block.sequence(static_cast<Index>(a)));
      throw Error(ErrorKind::numeric,
                  fmt::format("K(x, x) = {:.3g} of object {} under {} = true: {}", values[a], block.ids[a],
                              this->keys()("normalize"), why_not(values[a], symbols)));
    }
    return values;
  }

  // Why nothing can be divided by K(x, x) of so many symbols.
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
