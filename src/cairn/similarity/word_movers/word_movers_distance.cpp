#include "cairn/similarity/word_movers/word_movers_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/vector_math.hpp"
#include "cairn/similarity/word_movers/ground_costs.hpp"
#include "cairn/similarity/word_movers/nearest_texts.hpp"
#include "cairn/similarity/word_movers/transport_solver.hpp"

namespace cairn {

namespace {

// Distances between two documents by transport of their words.

// A document: its words, ascending and distinct, their counts, and their numbers in a matrix of distances.
struct WeightedWords {
  Index size = 0;
  const std::int32_t* words = nullptr;
  const float* counts = nullptr;
  const std::int32_t* numbers = nullptr;
  double total = 0.0;  ///< sum of the counts
};

// Word mover's distances, one pair after the other. Allocates memory only for the largest pair so far. An object serves
// one thread.
//
// Counts are multiplied by the other document's total: integers, which are moved without rounding. The mass that two
// documents share does not move: what one has more of a word is supply, what the other has more is demand. This is
// exact if the distances are a metric: by the triangle inequality a path through a word is no shorter than the direct
// one.
class DocumentTransport {
 public:
  /// @param costs  distances of all words: row x.numbers[i], column y.numbers[j]
  [[nodiscard]] double distance(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs);

 private:
  // Excess mass of one side, by word.
  struct Side {
    std::vector<double> mass;
    std::vector<std::int64_t> at;  // offset of their costs
    Index count = 0;
    void make_room(Index size);
  };
  void cancel_shared(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs);
  [[nodiscard]] static double from_one(const Side& one, const Side& others, const double* costs);
  [[nodiscard]] double transport(const Side& few, const Side& many, const double* costs);

  TransportSolver solver_;
  Side supply_, demand_;
};

void DocumentTransport::Side::make_room(Index size) {
  count = 0;
  if (static_cast<Index>(mass.size()) >= size) return;
  mass.resize(size);
  at.resize(size);
}

// Merges the two ascending lists without branches: every step writes to both sides and keeps what is positive.
void DocumentTransport::cancel_shared(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs) {
  constexpr double rounding = 4.5e-16;  // of counts that are not integers
  supply_.make_room(x.size + 1);
  demand_.make_room(y.size + 1);
  double *const supply = supply_.mass.data(), *const demand = demand_.mass.data();
  std::int64_t *const from = supply_.at.data(), *const to = demand_.at.data();
  const Index stride = costs.stride;
  Index i = 0, j = 0, supplies = 0, demands = 0;
  while (i < x.size && j < y.size) {
    const std::int32_t a = x.words[i], b = y.words[j];
    const double mass_x = a <= b ? x.counts[i] * y.total : 0.0;
    const double mass_y = b <= a ? y.counts[j] * x.total : 0.0;
    const double left = mass_x - mass_y;
    supply[supplies] = left;
    from[supplies] = x.numbers[i] * stride;
    supplies += left > rounding * mass_x ? 1 : 0;
    demand[demands] = -left;
    to[demands] = y.numbers[j];
    demands += -left > rounding * mass_y ? 1 : 0;
    i += a <= b ? 1 : 0;
    j += b <= a ? 1 : 0;
  }
  for (; i < x.size; ++i, ++supplies) {
    supply[supplies] = x.counts[i] * y.total;
    from[supplies] = x.numbers[i] * stride;
  }
  for (; j < y.size; ++j, ++demands) {
    demand[demands] = y.counts[j] * x.total;
    to[demands] = y.numbers[j];
  }
  supply_.count = supplies;
  demand_.count = demands;
}

double DocumentTransport::from_one(const Side& one, const Side& others, const double* costs) {
  const double* const row = costs + one.at[0];
  double sum = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(others.count); ++k) sum += others.mass[k] * row[others.at[k]];
  return sum;
}

double DocumentTransport::transport(const Side& few, const Side& many, const double* costs) {
  solver_.open(few.count, many.count);
  const MatrixView<double> to = solver_.costs();
  for (Index i = 0; i < few.count; ++i) {
    const double* const row = costs + few.at[i];
    double* const values = to.row(i);
    for (Index j = 0; j < many.count; ++j) values[j] = row[many.at[j]];
  }
  std::copy_n(few.mass.data(), few.count, solver_.supply().data());
  std::copy_n(many.mass.data(), many.count, solver_.demand().data());
  return solver_.solve();
}

double DocumentTransport::distance(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs) {
  cancel_shared(x, y, costs);
  const bool x_has_fewer = supply_.count <= demand_.count;
  const Side& few = x_has_fewer ? supply_ : demand_;
  const Side& many = x_has_fewer ? demand_ : supply_;
  if (few.count == 0) return 0.0;  // the rest of the other is rounding
  const double cost = few.count == 1 ? from_one(few, many, costs.data) : transport(few, many, costs.data);
  return cost / (x.total * y.total);
}

const DocumentBlock& documents_of(const ObjectBlock& objects) {
  const auto* documents = dynamic_cast<const DocumentBlock*>(&objects);
  if (documents == nullptr || documents->vectors == nullptr) {
    throw Error(ErrorKind::internal, "word mover's distance was given objects that are no documents with word vectors");
  }
  return *documents;
}

// Workspace of a thread that compares two blocks of documents. A tile is cut into blocks of a few rows and columns
// whose word distances stay in the L2 cache.
class BlockComparison {
 public:
  // 256 x 512 distances are 1 MiB, half of a current L2 cache.
  static constexpr Index row_words = 256, column_words = 512;

  // Calls use(a, columns, distances) with the distances of row a and some columns until all are done.
  template <class Use>
  void all(const DocumentBlock& x, const DocumentBlock& y, const Use& use) {
    for (Range columns{0, 0}; columns.end < y.size();) {
      columns = take(columns_, y, columns.end, column_words, column_bags_);
      distances_.resize(columns.size());
      for (Range rows{0, 0}; rows.end < x.size();) {
        rows = take(rows_, x, rows.end, row_words, row_bags_);
        costs_.compute(rows_, columns_);
        for (Index a = 0; a < rows.size(); ++a) {
          for (Index b = 0; b < columns.size(); ++b) distances_[b] = between(a, b);
          use(rows.begin + a, columns, distances_.data());
        }
      }
    }
  }

  // Distance of document a of `x` and document a of `y`.
  double pair(const DocumentBlock& x, const DocumentBlock& y, Index a) {
    take(rows_, x, a, 0, row_bags_);
    take(columns_, y, a, 0, column_bags_);
    costs_.compute(rows_, columns_);
    return between(0, 0);
  }

 private:
  using Bags = std::vector<WeightedWords>;

  Range take(DocumentGroup& group, const DocumentBlock& documents, Index begin, Index most_words, Bags& bags) {
    const WordVectors& vectors = *documents.vectors;
    if (static_cast<Index>(marks_.size()) < vectors.size()) marks_.resize(vectors.size(), -1);
    const Range taken = group.take(vectors, documents, begin, most_words, marks_);
    bags.clear();
    for (Index a = taken.begin; a < taken.end; ++a) {
      const Index from = documents.starts[a];
      WeightedWords bag{.size = documents.starts[static_cast<std::size_t>(a) + 1] - from,
                        .words = documents.words.data() + from,
                        .counts = documents.counts.data() + from,
                        .numbers = group.numbers(documents, a)};
      for (Index w = 0; w < bag.size; ++w) bag.total += static_cast<double>(bag.counts[w]);
      bags.push_back(bag);
    }
    return taken;
  }

  double between(Index row, Index column) {
    return transport_.distance(row_bags_[row], column_bags_[column], costs_.costs());
  }

  std::vector<std::int32_t> marks_;  // one per word, all negative between uses
  std::vector<double> distances_;
  DocumentGroup rows_, columns_;
  Bags row_bags_, column_bags_;
  GroundCosts costs_;
  DocumentTransport transport_;
};

// One workspace for each thread at work, kept for the next tile.
class Comparisons {
 public:
  template <class Work>
  void with_one(const Work& work) {
    std::unique_ptr<BlockComparison> mine = take();
    work(*mine);
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(mine));
  }

 private:
  std::unique_ptr<BlockComparison> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return std::make_unique<BlockComparison>();
    auto one = std::move(free_.back());
    free_.pop_back();
    return one;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockComparison>> free_;
};

// Predicted nanoseconds for comparing documents of m words with documents of k words on average, a fit to abstracts of
// 12 to 158 words: the number of pivots grows about as m + k if either is small, and their cost with the other. Only
// ratios between tiles of one data set matter (docs/similarity-wmd.md shows the resulting balance).
double predicted(double m, double k) { return 300.0 + 15.0 * m * k; }

EntryTraits traits_of(std::string name, Meaning meaning, double mean_length) {
  constexpr double nanoseconds = 1e10;  // of a tile: some ten seconds
  return {
      .name = std::move(name),
      .meaning = meaning,
      .most_entries_in_tile = std::max<Index>(1, static_cast<Index>(nanoseconds / predicted(mean_length, mean_length))),
      .base = "wmd"};
}

// The distance itself and, in derived classes, functions of it.
template <class T>
class WordMoversDistance : public Similarity<T>, public NearestSearch, private BaseDistance<T> {
 public:
  explicit WordMoversDistance(double mean_length, std::string name = "wmd-distance",
                              Meaning meaning = Meaning::distance)
      : Similarity<T>(traits_of(std::move(name), meaning, mean_length)), mean_length_(mean_length) {}
  [[nodiscard]] const BaseDistance<T>* base_distance() const final { return this; }
  bool from_base(T* values, Index n) const override { return vector_math::finite(values, n); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

  [[nodiscard]] FoundNeighbors nearest(const Execution& execution, const SearchSide& queries, const SearchSide& targets,
                                       Index k) const override {
    Index evaluated = 0;
    const auto distances = [this](const DocumentBlock& one, const DocumentBlock& others, double* to) {
      comparisons_.with_one([&](BlockComparison& comparison) {
        comparison.all(one, others, [&](Index, Range block, const double* found) {
          std::copy_n(found, block.size(), to + block.begin);
        });
      });
    };
    FoundNeighbors found = nearest_texts(execution, distances, queries, targets, k, evaluated);
    this->count_more(evaluated);
    for (Neighbor& neighbor : found.neighbors) {
      apply(&neighbor.value, 1);
      neighbor.value = static_cast<double>(static_cast<T>(neighbor.value));
    }
    return found;
  }

  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    const std::span<const Index> starts = documents_of(rows).starts;
    double sum = 0.0;
    for (std::size_t a = 0; a + 1 < starts.size(); ++a) {
      sum += predicted(static_cast<double>(starts[a + 1] - starts[a]), mean_length_);
    }
    return sum;
  }

 protected:
  // Turns distances into values of the similarity, in place; false if one of them is not finite.
  virtual bool apply(double* distances, Index n) const { return vector_math::finite(distances, n); }

  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    compute_with([this](double* distances, Index n) { return apply(distances, n); }, rows, columns, out);
  }
  void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    compute_with([](const double* distances, Index n) { return vector_math::finite(distances, n); }, rows, columns,
                 out);
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    compare_pairs([this](double* distance) { apply(distance, 1); }, first, second, out);
  }
  void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    compare_pairs([](const double*) {}, first, second, out);
  }

 private:
  // `finish` processes distances in place, and returns true if all its results are finite.
  template <class Finish>
  void compute_with(const Finish& finish, const ObjectBlock& rows, const ObjectBlock& columns,
                    MatrixView<T> out) const {
    const DocumentBlock &x = documents_of(rows), &y = documents_of(columns);
    require_same_words(x, y);
    comparisons_.with_one([&](BlockComparison& comparison) {
      comparison.all(x, y, [&](Index a, Range block, double* distances) {
        const bool finite = finish(distances, block.size());
        T* const values = out.row(a) + block.begin;
        std::copy_n(distances, block.size(), values);
        if (finite) return;
        const auto ids = std::span(columns.ids).subspan(block.begin);
        this->report_not_finite(rows.ids[a], ids.first(block.size()), values);
      });
    });
  }

  template <class Finish>
  void compare_pairs(const Finish& finish, const ObjectBlock& first, const ObjectBlock& second,
                     std::span<T> out) const {
    const DocumentBlock &x = documents_of(first), &y = documents_of(second);
    require_same_words(x, y);
    comparisons_.with_one([&](BlockComparison& comparison) {
      for (std::size_t a = 0; a < out.size(); ++a) {
        double value = comparison.pair(x, y, static_cast<Index>(a));
        finish(&value);
        out[a] = static_cast<T>(value);
      }
    });
  }

  static void require_same_words(const DocumentBlock& x, const DocumentBlock& y) {
    if (x.vectors == y.vectors) return;
    throw Error(ErrorKind::internal, "documents whose words are numbered differently are compared");
  }

  double mean_length_;
  mutable Comparisons comparisons_;
};

template <class T>
class ExponentialOfDistance final : public WordMoversDistance<T> {
 public:
  ExponentialOfDistance(double mean_length, double gamma)
      : WordMoversDistance<T>(mean_length, "wmd", Meaning::similarity), gamma_(gamma) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"gamma", fmt::format("{:.17g}", gamma_)}};
  }
  bool from_base(T* values, Index n) const override { return vector_math::decay(static_cast<T>(gamma_), values, n); }

 protected:
  bool apply(double* distances, Index n) const override { return vector_math::decay(gamma_, distances, n); }

 private:
  double gamma_;
};

// Mean number of distinct words per document, over all ranks.
double mean_length(const Execution& execution, const DocumentSet& documents) {
  if (documents.vectors() == nullptr) {
    throw Error(ErrorKind::usage, "word mover's distance needs vectors of words, and the documents were read without");
  }
  const Index words = execution.communicator.sum(static_cast<Index>(documents.bags().words.size()));
  return static_cast<double>(words) / static_cast<double>(std::max<Index>(documents.size(), 1));
}

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_wmd_distance(const Execution& execution, const DocumentSet& documents) {
  return std::make_unique<WordMoversDistance<T>>(mean_length(execution, documents));
}

template <class T>
std::unique_ptr<Similarity<T>> make_wmd(const Execution& execution, const DocumentSet& documents, double gamma) {
  return std::make_unique<ExponentialOfDistance<T>>(mean_length(execution, documents), gamma);
}

template std::unique_ptr<Similarity<float>> make_wmd_distance<float>(const Execution&, const DocumentSet&);
template std::unique_ptr<Similarity<double>> make_wmd_distance<double>(const Execution&, const DocumentSet&);
template std::unique_ptr<Similarity<float>> make_wmd<float>(const Execution&, const DocumentSet&, double);
template std::unique_ptr<Similarity<double>> make_wmd<double>(const Execution&, const DocumentSet&, double);

namespace {

template <class T>
const DocumentSet& documents_in(const SimilarityInput<T>& input) {
  const auto* documents = dynamic_cast<const DocumentSet*>(&input.objects);
  if (documents == nullptr || documents->vectors() == nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("the similarity {} compares documents with vectors of words, and {}", input.choice.name(),
                            documents == nullptr ? "these objects are others" : "these documents were read without"));
  }
  return *documents;
}

template <class T>
std::unique_ptr<Similarity<T>> wmd_of(const SimilarityInput<T>& input) {
  const DocumentSet& documents = documents_in(input);
  const std::string& gamma = input.choice.values.text("gamma");
  if (gamma != "median") return make_wmd<T>(input.execution, documents, parse_number(gamma).value());
  const auto distance = make_wmd_distance<double>(input.execution, documents);
  auto made = make_wmd<T>(input.execution, documents, median_gamma(input.execution, *distance, documents));
  made->count_more(distance->evaluations());
  return made;
}

template <class T>
std::unique_ptr<Similarity<T>> wmd_distance_of(const SimilarityInput<T>& input) {
  return make_wmd_distance<T>(input.execution, documents_in(input));
}

}  // namespace

const SimilarityDescriptor& wmd_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "wmd",
      .summary = "exp(-gamma WMD(x, y)) of documents, nearly positive semidefinite on real texts.",
      .parameters = {{.name = "gamma",
                      .value = "NUMBER",
                      .fallback = "median",
                      .help = "A number >= 0, or 'median' (1 / the median distance of 200 documents)."}},
      .objects = {objects::documents},
      .traits = {.part = true, .word_vectors = true, .random_documents = true, .base = "wmd"},
      .check = check_median_gamma,
      .preparation = evaluations_for_median_gamma,
      .make_single = wmd_of<float>,
      .make_double = wmd_of<double>};
  return similarity;
}

const SimilarityDescriptor& wmd_distance_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "wmd-distance",
      .summary = "WMD(x, y), word mover's distance between documents.",
      .objects = {objects::documents},
      .traits = {.distance = true, .part = true, .word_vectors = true, .base = "wmd"},
      .make_single = wmd_distance_of<float>,
      .make_double = wmd_distance_of<double>};
  return similarity;
}

}  // namespace cairn
