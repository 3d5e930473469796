#include "cairn/approximation/error/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

// Choice of the entries of K that a probe compares.

// Objects that are a uniform sample without replacement, and pairs of different ones among them, both in batches.
//
// The pairs of a batch are drawn with replacement from the present objects: half uniformly, half with each object
// taken with probability a_i = r_i / sum of r, r_i = |K~_ii - K_ii|. Draws by residual that give the same object twice
// are replaced by uniform ones. The weight of a pair is the density of a uniform pair of all objects over the density
// with which it was drawn, which is the mean over all pairs of their batches' densities (the balance heuristic of
// multiple importance sampling, Veach and Guibas 1995; Owen and Zhou 2000): the last batch can draw every pair, which
// bounds the weights.
//
// The same on every rank, and for every number of ranks up to the rounding of residuals. Local.
class ProbeDraws {
 public:
  ProbeDraws(Index population, const Random& random) : population_(population), random_(random) {}

  /// Grows the sample to its first `count` objects; returns the new ones. @pre count is not below the present number
  std::vector<Index> grow_objects(Index count);
  /// Adds their residuals, one for each new object.
  void add_residuals(const std::vector<ComparedEntry>& diagonal);
  /// Draws up to `count` pairs in total; returns the new ones.
  EntryList grow_pairs(Index count);

  [[nodiscard]] Index objects() const { return static_cast<Index>(objects_.size()); }
  [[nodiscard]] Index pairs() const { return static_cast<Index>(pairs_.size()); }
  /// All pairs, as numbers of objects in the sample.
  [[nodiscard]] const std::vector<std::array<Index, 2>>& members() const { return pairs_; }
  /// The weights of all pairs.
  [[nodiscard]] std::vector<double> weights() const;

 private:
  struct Batch {
    Index objects = 0, uniform = 0, by_residual = 0;
    double total = 0.0;     // of the residuals
    double distinct = 1.0;  // probability that the two objects of a pair by residual differ
  };

  [[nodiscard]] std::array<Index, 2> uniform_pair(Index number) const;
  [[nodiscard]] std::array<Index, 2> pair_by_residual(Index number, const std::vector<double>& cumulative) const;

  Index population_;
  Random random_;
  std::vector<Index> objects_;
  std::vector<double> residuals_;
  std::vector<std::array<Index, 2>> pairs_;
  std::vector<Batch> batches_;
};

// Second addresses of draws; the first is the number of the pair. Objects are drawn at 0.
constexpr std::uint64_t address_of_row = 1, address_of_column = 2;
constexpr std::uint64_t address_of_first = 3, address_of_second = 4;

// Pair `number` of `n` objects, the two different. Local.
std::array<Index, 2> draw_uniform_pair(const Random& random, Index n, Index number) {
  const auto address = static_cast<std::uint64_t>(number);
  const Index i = random.below(n, address, address_of_row);
  const Index other = random.below(n - 1, address, address_of_column);
  return {i, other < i ? other : other + 1};
}

// "probe-pairs-" and a digest: pairs depend on the residuals, whose rounding may differ in a run resumed from a
// ledger; stored values belong to exactly these pairs.
std::string name_of_pairs(const EntryList& pairs) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a
  for (std::size_t p = 0; p < pairs.rows.size(); ++p) {
    for (const Index id : {pairs.rows[p], pairs.columns[p]}) {
      digest = (digest ^ static_cast<std::uint64_t>(id)) * 0x100000001b3U;
    }
  }
  return fmt::format("probe-pairs-{:016x}", digest);
}

std::vector<Index> ProbeDraws::grow_objects(Index count) {
  const std::size_t before = objects_.size();
  if (static_cast<std::size_t>(count) > before) objects_ = sample_without_replacement(population_, count, random_);
  return {objects_.begin() + static_cast<std::ptrdiff_t>(before), objects_.end()};
}

void ProbeDraws::add_residuals(const std::vector<ComparedEntry>& diagonal) {
  for (const ComparedEntry& entry : diagonal) residuals_.push_back(std::abs(entry.error));
}

std::array<Index, 2> ProbeDraws::uniform_pair(Index number) const {
  return draw_uniform_pair(random_, objects(), number);
}

std::array<Index, 2> ProbeDraws::pair_by_residual(Index number, const std::vector<double>& cumulative) const {
  const auto draw = [&](std::uint64_t address) {
    const double target = random_.uniform(static_cast<std::uint64_t>(number), address) * cumulative.back();
    // If rounding puts the target beyond the sum, take the last object with a residual.
    const auto last = std::lower_bound(cumulative.begin(), cumulative.end(), cumulative.back());
    return std::min(std::upper_bound(cumulative.begin(), cumulative.end(), target), last) - cumulative.begin();
  };
  return {draw(address_of_first), draw(address_of_second)};
}

EntryList ProbeDraws::grow_pairs(Index count) {
  std::vector<double> cumulative(residuals_.size());
  std::partial_sum(residuals_.begin(), residuals_.end(), cumulative.begin());
  Batch batch{objects(), 0, 0, cumulative.back(), 1.0};
  const bool concentrated = batch.total > 0.0 && std::isfinite(batch.total);
  for (const double residual : residuals_) {
    if (concentrated) batch.distinct -= residual / batch.total * (residual / batch.total);
  }
  EntryList list;
  for (Index number = pairs(); number < count; ++number) {
    std::array<Index, 2> pair{};
    if (concentrated && number % 2 == 0) pair = pair_by_residual(number, cumulative);
    const bool by_residual = pair[0] != pair[1];
    if (!by_residual) pair = uniform_pair(number);
    ++(by_residual ? batch.by_residual : batch.uniform);
    pairs_.push_back(pair);
    list.rows.push_back(objects_[pair[0]]);
    list.columns.push_back(objects_[pair[1]]);
  }
  batches_.push_back(batch);
  return list;
}

std::vector<double> ProbeDraws::weights() const {
  const auto uniform_density = [](Index m) { return 1.0 / (static_cast<double>(m) * static_cast<double>(m - 1)); };
  std::vector<double> weights;
  weights.reserve(pairs_.size());
  for (const auto& [first, second] : pairs_) {
    const double a = residuals_[first], b = residuals_[second];
    double density = 0.0;
    for (const Batch& batch : batches_) {
      if (std::max(first, second) >= batch.objects) continue;
      density += static_cast<double>(batch.uniform) * uniform_density(batch.objects);
      if (batch.by_residual == 0) continue;
      density += static_cast<double>(batch.by_residual) * (a / batch.total * (b / batch.total)) / batch.distinct;
    }
    weights.push_back(uniform_density(objects()) * static_cast<double>(pairs()) / density);
  }
  return weights;
}

constexpr Index first_pairs = 1024, most_pairs = Index{1} << 18;
constexpr Index trusted_pairs = 2048;  // their spread shows the skewness of squared errors
constexpr Index pairs_an_object = 8;   // at least
constexpr Index first_objects = 128;
constexpr Index fewest_objects = 10'000;  // for a fixed number of pairs

void require_enough(Index pairs, Index n, const KeyNames& keys = {}) {
  if (pairs >= 2 || n == 1) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is {}; an error with a standard error needs at least 2 pairs", keys("pairs"), pairs));
}

// Rounded if above 2^53.
double pairs_of(Index n) { return static_cast<double>(n) * static_cast<double>(n - 1); }

EntryList all_entries(Index rows, Index columns) {
  EntryList list;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      list.rows.push_back(i);
      list.columns.push_back(j);
    }
  }
  return list;
}

// Each pair once, with alternating order: half of the entries of a K that is not symmetric.
EntryList pairs_once(Index n) {
  EntryList list;
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) {
      list.rows.push_back((i + j) % 2 == 0 ? i : j);
      list.columns.push_back((i + j) % 2 == 0 ? j : i);
    }
  }
  return list;
}

EntryList uniform_pairs(const Random& random, Index n, Index count) {
  EntryList list;
  for (Index p = 0; p < count; ++p) {
    const auto [row, column] = draw_uniform_pair(random, n, p);
    list.rows.push_back(row);
    list.columns.push_back(column);
  }
  return list;
}

// The standard deviation of Student's t: few objects give little information on the variance between objects.
void widen_for_few(Index objects, ErrorEstimate& estimate) {
  const auto m = static_cast<double>(objects);
  const double factor = std::sqrt((m - 1.0) / (m - 3.0));
  estimate.relative_error_standard_error *= factor;
  estimate.relative_squared_error_standard_error *= factor;
  estimate.constant_error_standard_error *= factor;
}

EntryList drawn_entries(const Random& random, Index rows, Index columns, Range numbers) {
  EntryList list;
  for (Index p = numbers.begin; p < numbers.end; ++p) {
    const auto number = static_cast<std::uint64_t>(p);
    list.rows.push_back(random.below(rows, number, 0));
    list.columns.push_back(random.below(columns, number, 1));
  }
  return list;
}

EntryList all_pairs(Index n) {
  EntryList list;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      list.rows.push_back(i);
      list.columns.push_back(j);
    }
  }
  return list;
}

// The common scaling factor of lists of entries whose squares are added.
template <class... Lists>
double factor_of(const Lists&... lists) {
  double largest = 0.0;
  const auto look = [&](const std::vector<ComparedEntry>& entries) {
    for (const ComparedEntry& entry : entries) largest = std::max(largest, std::abs(entry.exact));
  };
  (look(lists), ...);
  return factor_for_squares(largest);
}

// @param factor  of the entries
std::vector<Unit> units_of(const std::vector<ComparedEntry>& entries, double factor) {
  std::vector<Unit> units;
  units.reserve(entries.size());
  for (const ComparedEntry& entry : entries) {
    const double ratio = entry.error / entry.exact;
    const double error = factor * entry.error, exact = factor * entry.exact;
    units.push_back({error * error, exact * exact, exact, ratio * ratio});
  }
  return units;
}

std::vector<Unit> weighted_units(const std::vector<ComparedEntry>& entries, const std::vector<double>& weights,
                                 double factor) {
  std::vector<Unit> units = units_of(entries, factor);
  for (std::size_t p = 0; p < units.size(); ++p) {
    units[p] = {weights[p] * units[p].error, weights[p] * units[p].reference, weights[p] * units[p].value,
                weights[p] * units[p].ratio};
  }
  return units;
}

// @param strata  pairs and diagonal of n objects
ErrorEstimate estimate_from(std::span<const Stratum> strata, Index n, double largest_error,
                            const ObjectSample* objects = nullptr) {
  ErrorEstimate estimate = estimate_ratio(strata, static_cast<double>(n) * static_cast<double>(n), objects);
  estimate.largest_entry_error = largest_error;
  estimate.pairs = static_cast<Index>(strata[0].units.size());
  estimate.diagonal = static_cast<Index>(strata[1].units.size());
  return estimate;
}

// An object costs a row of L J, a pair a scalar product: with a large dense J fewer objects are taken.
template <class T>
Index pairs_for_an_object(const Approximation<T>& approximation) {
  constexpr Index columns_a_pair = 32, most = 32;
  if (!std::holds_alternative<DenseCore>(approximation.core_matrix)) return pairs_an_object;
  return std::clamp(approximation.left.columns() / columns_a_pair, pairs_an_object, most);
}

template <class T>
class Probe {
 public:
  Probe(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
        const ObjectSet& objects)
      : communicator_(execution.communicator),
        n_(objects.size()),
        pairs_an_object_(pairs_for_an_object(approximation)),
        comparison_(execution, approximation, similarity, objects, objects),
        draws_(n_, Random(execution.seed, Stream::probe)) {}

  ErrorEstimate of_count(Index pairs);
  ErrorEstimate until_known(const EstimateLooks& looks);

 private:
  void compare_objects(Index count);
  void compare_pairs(Index count);
  void compare_all();
  [[nodiscard]] ErrorEstimate estimate() const;

  const Communicator& communicator_;
  Index n_;
  Index pairs_an_object_;
  EntryComparison<T> comparison_;
  ProbeDraws draws_;
  std::vector<ComparedEntry> diagonal_, pairs_;
  bool all_ = false;  // pairs_ holds all pairs
};

// Grows the sample to its first `count` objects.
template <class T>
void Probe<T>::compare_objects(Index count) {
  const std::string loop = fmt::format("probe-diagonal-{}-{}", draws_.objects(), count);
  const std::vector<Index> ids = draws_.grow_objects(count);
  const EntryList entries{ids, ids};
  const std::vector<ComparedEntry> compared = comparison_.compare(loop, shared_runs(communicator_, entries));
  draws_.add_residuals(compared);
  diagonal_.insert(diagonal_.end(), compared.begin(), compared.end());
}

template <class T>
void Probe<T>::compare_pairs(Index count) {
  const EntryList entries = draws_.grow_pairs(count);
  const auto compared = comparison_.compare(name_of_pairs(entries), shared_runs(communicator_, entries));
  pairs_.insert(pairs_.end(), compared.begin(), compared.end());
}

template <class T>
void Probe<T>::compare_all() {
  compare_objects(n_);
  const EntryList entries = all_pairs(n_);
  pairs_ = comparison_.compare("probe-all", shared_runs(communicator_, entries));
  all_ = true;
}

template <class T>
ErrorEstimate Probe<T>::estimate() const {
  const auto n = static_cast<double>(n_);
  const double factor = factor_of(pairs_, diagonal_);
  if (all_) {
    const Stratum strata[] = {{units_of(pairs_, factor), pairs_of(n_), false}, {units_of(diagonal_, factor), n, false}};
    return estimate_from(strata, n_, comparison_.largest_error());
  }
  const ObjectSample objects{draws_.members(), draws_.weights(), n};
  const Stratum strata[] = {{weighted_units(pairs_, objects.weights, factor), pairs_of(n_), true},
                            {units_of(diagonal_, factor), n, false}};
  return estimate_from(strata, n_, comparison_.largest_error(), &objects);
}

template <class T>
ErrorEstimate Probe<T>::of_count(Index pairs) {
  compare_objects(most_probe_objects(n_, pairs));
  if (n_ > 1) compare_pairs(pairs);
  return estimate();
}

template <class T>
ErrorEstimate Probe<T>::until_known(const EstimateLooks& looks) {
  for (Index pairs = first_pairs;; pairs *= 2) {
    if (static_cast<double>(pairs) >= pairs_of(n_))
      compare_all();
    else {
      compare_objects(std::min(n_, std::max(first_objects, pairs / pairs_an_object_)));
      compare_pairs(pairs);
    }
    ErrorEstimate result = estimate();
    std::optional<StoppedBy> stop = looks.stop(result, pairs >= trusted_pairs);
    if (pairs == most_pairs && !stop) stop = StoppedBy::limit;
    if (all_) stop = StoppedBy::all;
    if (!stop) continue;
    result.stopped_by = *stop;
    return result;
  }
}

template <class T, class Measure>
ErrorEstimate in_phase(const Execution& execution, const Similarity<T>& similarity, Measure measure) {
  auto phase = execution.phases.enter("probe");
  const Index before = similarity.evaluations();
  ErrorEstimate estimate = measure();
  const Index evaluations = similarity.evaluations() - before;
  estimate.evaluations = execution.communicator.sum(evaluations);
  phase.count_evaluations(evaluations);
  return estimate;
}

}  // namespace

Index default_probe_pairs(Index evaluations) { return std::clamp<Index>(evaluations / 200, 10'000, 1'000'000); }

Index most_probe_pairs(Index n) { return static_cast<Index>(std::min(pairs_of(n), static_cast<double>(most_pairs))); }

Index most_probe_objects(Index n, std::optional<Index> pairs) {
  return std::min(n, std::max(pairs ? fewest_objects : Index{0}, pairs.value_or(most_pairs) / pairs_an_object));
}

Index first_probe_entries(Index n) {
  return static_cast<Index>(std::min(pairs_of(n), static_cast<double>(first_pairs))) + std::min(n, first_objects);
}

template <class T>
ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                          const Similarity<T>& similarity, const ObjectSet& objects, const EstimateEffort& effort) {
  if (effort.count) require_enough(*effort.count, objects.size(), effort.keys);
  return in_phase(execution, similarity, [&] {
    const EstimateLooks looks(execution.communicator, effort);
    Probe<T> probe(execution, approximation, similarity, objects);
    return effort.count ? probe.of_count(*effort.count) : probe.until_known(looks);
  });
}

template <class T>
ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                          const Similarity<T>& similarity, const ObjectSet& rows, const ObjectSet& columns,
                          const EstimateEffort& effort) {
  const double population = static_cast<double>(rows.size()) * static_cast<double>(columns.size());
  if (effort.count) require_enough(*effort.count, population > 1 ? 2 : 1, effort.keys);
  return in_phase(execution, similarity, [&] {
    const EstimateLooks looks(execution.communicator, effort);
    const Random random(execution.seed, Stream::probe);
    EntryComparison<T> comparison(execution, approximation, similarity, rows, columns);
    std::vector<ComparedEntry> compared;
    for (Index pairs = effort.count.value_or(first_pairs);; pairs *= 2) {
      const bool all = !effort.count && static_cast<double>(pairs) >= population;
      if (all) compared.clear();
      const EntryList entries = collectively(execution.communicator, [&] {
        return all ? all_entries(rows.size(), columns.size())
                   : drawn_entries(random, rows.size(), columns.size(), {static_cast<Index>(compared.size()), pairs});
      });
      const auto more = comparison.compare(fmt::format("probe-{}-{}", compared.size(), pairs),
                                           shared_runs(execution.communicator, entries));
      compared.insert(compared.end(), more.begin(), more.end());
      const Stratum strata[] = {{units_of(compared, factor_of(compared)), population, !all}};
      ErrorEstimate estimate = estimate_ratio(strata, population);
      estimate.largest_entry_error = comparison.largest_error();
      estimate.pairs = static_cast<Index>(compared.size());
      if (effort.count) return estimate;
      std::optional<StoppedBy> stop = looks.stop(estimate, pairs >= trusted_pairs);
      if (pairs == most_pairs && !stop) stop = StoppedBy::limit;
      if (all) stop = StoppedBy::all;
      if (!stop) continue;
      estimate.stopped_by = *stop;
      return estimate;
    }
  });
}

template <class T>
ErrorEstimate validation_error(const Execution& execution, const Approximation<T>& approximation,
                               const Similarity<T>& similarity, const ObjectSet& objects, Index pairs,
                               KnownPairs<T>* known) {
  const Communicator& communicator = execution.communicator;
  const Index n = objects.size();
  require_enough(pairs, n);
  const Random random(execution.seed, Stream::validation_probe);
  const std::vector<Index> ids = sample_without_replacement(n, std::min(n, validation_diagonal_entries), random);
  const EntryList diagonal{ids, ids};
  const EntryList off_diagonal = n > 1 ? uniform_pairs(random, n, pairs) : EntryList{};
  return in_phase(execution, similarity, [&] {
    EntryComparison<T> comparison(execution, approximation, similarity, objects, objects, known);
    const auto compare = [&](const char* loop, const EntryList& entries) {
      return comparison.compare(loop, shared_runs(communicator, entries));
    };
    const auto drawn = compare("validation-pairs", off_diagonal), selves = compare("validation-diagonal", diagonal);
    const double factor = factor_of(drawn, selves);
    const Stratum strata[] = {{units_of(drawn, factor), pairs_of(n), true},
                              {units_of(selves, factor), static_cast<double>(n), false}};
    return estimate_from(strata, n, comparison.largest_error());
  });
}

template <class T>
ErrorEstimate unseen_error(const Execution& execution, const Approximation<T>& approximation,
                           const Similarity<T>& similarity, const ObjectSet& objects, Index old, Index pairs) {
  require_enough(pairs, objects.size());
  if (objects.size() < fewest_unseen) {
    throw Error(ErrorKind::usage,
                fmt::format("measuring the error among new objects needs at least {} of them", fewest_unseen));
  }
  const Random random(execution.seed, Stream::validation_probe);
  const Index m = std::min(objects.size(), validation_diagonal_entries);
  const std::vector<Index> ids = sample_without_replacement(objects.size(), m, random);
  const EntryList places = m * (m - 1) / 2 <= pairs ? pairs_once(m) : uniform_pairs(random, m, pairs);
  ObjectSample sample{{}, std::vector<double>(places.rows.size(), 1.0), std::numeric_limits<double>::infinity()};
  EntryList off_diagonal;
  for (std::size_t p = 0; p < places.rows.size(); ++p) {
    sample.pairs.push_back({places.rows[p], places.columns[p]});
    off_diagonal.rows.push_back(ids[places.rows[p]]);
    off_diagonal.columns.push_back(ids[places.columns[p]]);
  }
  return in_phase(execution, similarity, [&] {
    EntryComparison<T> comparison(execution, approximation, similarity, objects, objects);
    const auto compare = [&](const char* loop, const EntryList& entries) {
      return comparison.compare(loop, shared_runs(execution.communicator, entries));
    };
    const double off = pairs_of(m), on = off / static_cast<double>(std::max<Index>(1, old - 1));
    const auto drawn = compare("unseen-pairs", off_diagonal), selves = compare("unseen-diagonal", {ids, ids});
    const double factor = factor_of(drawn, selves);
    const Stratum strata[] = {{units_of(drawn, factor), off, true}, {units_of(selves, factor), on, false}};
    ErrorEstimate estimate = estimate_ratio(strata, off + on, &sample);
    widen_for_few(m, estimate);
    estimate.largest_entry_error = comparison.largest_error();
    estimate.pairs = static_cast<Index>(off_diagonal.rows.size());
    estimate.diagonal = m;
    return estimate;
  });
}

#define CAIRN_INSTANTIATE(T)                                                                               \
  template ErrorEstimate probe_error(const Execution&, const Approximation<T>&, const Similarity<T>&,      \
                                     const ObjectSet&, const EstimateEffort&);                             \
  template ErrorEstimate probe_error(const Execution&, const Approximation<T>&, const Similarity<T>&,      \
                                     const ObjectSet&, const ObjectSet&, const EstimateEffort&);           \
  template ErrorEstimate validation_error(const Execution&, const Approximation<T>&, const Similarity<T>&, \
                                          const ObjectSet&, Index, KnownPairs<T>*);                        \
  template ErrorEstimate unseen_error(const Execution&, const Approximation<T>&, const Similarity<T>&,     \
                                      const ObjectSet&, Index, Index);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
