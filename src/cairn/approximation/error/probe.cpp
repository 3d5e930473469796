#include "cairn/approximation/error/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/approximation/error/entry_draws.hpp"
#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

// Pair `number` of `n` objects, the two different. Local.
std::array<Index, 2> draw_uniform_pair(const Random& random, Index n, Index number) {
  constexpr std::uint64_t address_of_row = 1, address_of_column = 2;  // objects are drawn at 0
  const auto address = static_cast<std::uint64_t>(number);
  const Index i = random.below(n, address, address_of_row);
  const Index other = random.below(n - 1, address, address_of_column);
  return {i, other < i ? other : other + 1};
}

// "probe-entries-" and a digest: entries depend on L and on residuals, whose rounding may differ in a run resumed from
// a ledger; stored values belong to exactly these entries.
std::string name_of_entries(const EntryList& entries) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a
  for (std::size_t p = 0; p < entries.rows.size(); ++p) {
    for (const Index id : {entries.rows[p], entries.columns[p]}) {
      digest = (digest ^ static_cast<std::uint64_t>(id)) * 0x100000001b3U;
    }
  }
  return fmt::format("probe-entries-{:016x}", digest);
}

constexpr Index first_pairs = 4096, most_pairs = Index{1} << 18;
// Objects: at least, at least where entries are cheap beside the run, and at most; and multiply-adds for their rows.
constexpr double least_objects = 1024, fewest_objects = 2048, most_objects = 65'536, row_products = 1e9;
constexpr double objects_of_fixed = 10'000;    // at least, for a fixed number of pairs
constexpr Index least_run = 8, most_run = 32;  // entries that share a row of L J
constexpr Index fewest_runs = 4;               // of a part, for a variance

void require_enough(Index pairs, const KeyNames& keys = {}) {
  if (pairs >= 2) return;
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

double largest_of(const std::vector<ComparedEntry>& entries) {
  double largest = 0.0;
  for (const ComparedEntry& entry : entries) largest = std::max(largest, std::abs(entry.exact));
  return largest;
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

// What none of the draws met may carry a share of the error of about one over their number, whatever the draws say.
void widen_for_unmet(ErrorEstimate& estimate) {
  const double share = 1.0 / static_cast<double>(estimate.pairs);
  const auto widen = [&](double value, double& deviation) {
    if (deviation < share * value) deviation = share * value;
  };
  widen(estimate.relative_error, estimate.relative_error_standard_error);
  widen(estimate.relative_squared_error, estimate.relative_squared_error_standard_error);
}

// |K~_ii - K_ii|, or 0 if that is not above rounding errors, which say nothing.
template <class T>
std::vector<double> residuals_of(const std::vector<ComparedEntry>& diagonal) {
  constexpr double noise = 64.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::vector<double> residuals;
  for (const ComparedEntry& entry : diagonal) {
    const double residual = std::abs(entry.error);
    residuals.push_back(residual > noise * std::abs(entry.exact) ? residual : 0.0);
  }
  return residuals;
}

bool all_alike(const std::vector<double>& values) {
  constexpr double rounding = 1e-6;
  const auto [least, most] = std::ranges::minmax(values);
  return most - least <= rounding * most;
}

std::vector<Unit> weighted_units(const std::vector<ComparedEntry>& entries, const std::vector<double>& weights,
                                 double factor) {
  std::vector<Unit> units = units_of(entries, factor);
  for (std::size_t p = 0; p < units.size(); ++p) {
    if (weights[p] == 0.0)
      units[p] = {};  // whatever the entry is
    else if (weights[p] != 1.0) {
      units[p] = {weights[p] * units[p].error, weights[p] * units[p].reference, weights[p] * units[p].value,
                  weights[p] * units[p].ratio};
    }
  }
  return units;
}

template <class T>
struct ProbeDraws {
  Random random;
  bool by_residuals = true;        // also where the diagonal shows errors
  KnownPairs<T>* known = nullptr;  // entries of K that need not be evaluated
};

template <class T>
class Probe {
 public:
  // Collective.
  Probe(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
        const ObjectSet& rows, const ObjectSet& columns, const ProbeDraws<T>& draws)
      : execution_(execution),
        approximation_(approximation),
        rows_(rows),
        columns_(columns),
        square_(&rows == &columns),
        random_(draws.random),
        by_residuals_(draws.by_residuals),
        comparison_(execution, approximation, similarity, rows, columns, draws.known) {}

  // Both are collective.
  ErrorEstimate of_count(const ProbeSize& size);
  ErrorEstimate until_known(const EstimateLooks& looks, const ProbeSize& size);

 private:
  // Entries off the diagonal that were drawn from one part.
  struct DrawnEntries {
    std::vector<ComparedEntry> entries;
    std::vector<double> weights;
    std::vector<std::array<Index, 2>> members;
  };

  [[nodiscard]] double entries() const {
    const auto rows = static_cast<double>(rows_.size());
    return rows * static_cast<double>(square_ ? rows_.size() - 1 : columns_.size());
  }
  [[nodiscard]] std::vector<ComparedEntry> compare(const std::string& loop, const EntryList& entries) {
    return comparison_.compare(loop, shared_runs(execution_.communicator, entries));
  }
  void compare_diagonal(Index count);
  void choose_parts(Index pairs);
  void compare_pairs(Index count);
  void compare_all();
  [[nodiscard]] ErrorEstimate estimate() const;

  const Execution& execution_;
  const Approximation<T>& approximation_;
  const ObjectSet &rows_, &columns_;
  bool square_;
  Random random_;
  bool by_residuals_;
  EntryComparison<T> comparison_;
  SampledObjects objects_;                              // of a square K
  std::vector<double> row_energies_, column_energies_;  // of these objects; empty: all alike
  std::vector<ComparedEntry> diagonal_;
  std::optional<EntryDraws> draws_;
  std::vector<DrawnEntries> pairs_;                // of each part of the draws
  std::optional<std::vector<ComparedEntry>> all_;  // off the diagonal, in place of pairs_
};

// Draws `count` objects, or all, and compares the diagonal there.
template <class T>
void Probe<T>::compare_diagonal(Index count) {
  const Communicator& communicator = execution_.communicator;
  const RowPartition& partition = rows_.partition();
  const auto of_rows = row_energies(execution_, approximation_.left);
  const auto of_columns = approximation_.right ? row_energies(execution_, *approximation_.right) : of_rows;
  objects_ = sample_objects(communicator, partition, of_rows, count, random_);
  if (of_rows && of_columns) {
    row_energies_ = values_at(communicator, partition, *of_rows, objects_.ids);
    column_energies_ = values_at(communicator, partition, *of_columns, objects_.ids);
  }
  const EntryList places{objects_.ids, objects_.ids};
  diagonal_ = compare(name_of_entries(places), places);
}

// Chooses the distributions from which `pairs` pairs or more are drawn.
template <class T>
void Probe<T>::choose_parts(Index pairs) {
  std::vector<EntryDraws::Part> parts;
  const auto add = [&](const std::vector<double>& rows, const std::vector<double>& columns) {
    const auto weighted = [&](std::vector<double> values) {
      for (std::size_t a = 0; a < values.size(); ++a) values[a] *= objects_.weights[a];
      return Distribution(std::move(values));
    };
    EntryDraws::Part part{weighted(rows), weighted(columns)};
    if (part.rows.has_several() && part.columns.has_several()) parts.push_back(std::move(part));
  };
  if (!square_) {
    parts.push_back({Distribution(rows_.size()), Distribution(columns_.size())});
  } else {
    const bool even = std::ranges::all_of(objects_.weights, [](double weight) { return weight == 1.0; });
    const std::vector<double> ones(objects_.ids.size(), 1.0);
    if (even)
      parts.push_back({Distribution(std::ssize(ones)), Distribution(std::ssize(ones))});
    else
      add(ones, ones);
    constexpr Index most_parts = 3;
    if (pairs >= most_parts * fewest_runs) {
      if (!row_energies_.empty()) add(row_energies_, column_energies_);
      const std::vector<double> residuals = residuals_of<T>(diagonal_);
      if (by_residuals_ && !all_alike(residuals)) add(residuals, residuals);
    }
  }
  const Index count = std::ssize(parts);
  const bool dense = std::holds_alternative<DenseCore>(approximation_.core_matrix);
  const Index longest = dense ? probe_run(approximation_.left.columns()) : least_run;
  draws_.emplace(std::move(parts), std::clamp(pairs / (count * fewest_runs), Index{1}, longest), square_, random_);
  pairs_.assign(count, {});
}

// Draws from each part until there are `count` pairs, as evenly as they can be divided.
template <class T>
void Probe<T>::compare_pairs(Index count) {
  const Index parts = std::ssize(pairs_);
  const auto m = static_cast<double>(square_ ? std::ssize(objects_.ids) : rows_.size());
  const double of_sample = m * (square_ ? m - 1.0 : static_cast<double>(columns_.size()));
  for (Index t = 0; t < parts; ++t) {
    DrawnEntries& known = pairs_[t];
    const Index target = count / parts + (t < count % parts ? 1 : 0);
    const EntryDraws::Drawn drawn = draws_->draw(t, {std::ssize(known.entries), target});
    EntryList places;
    for (std::size_t a = 0; a < drawn.densities.size(); ++a) {
      const Index row = drawn.entries.rows[a], column = drawn.entries.columns[a];
      double weight = 1.0 / (of_sample * drawn.densities[a]);
      if (square_) {
        places.rows.push_back(objects_.ids[row]);
        places.columns.push_back(objects_.ids[column]);
        known.members.push_back({row, column});
        const bool once = objects_.ids[row] != objects_.ids[column];  // an object may be drawn twice
        weight *= once ? objects_.weights[row] * objects_.weights[column] : 0.0;
      }
      known.weights.push_back(weight);
    }
    if (!square_) places = drawn.entries;
    const auto compared = compare(name_of_entries(places), places);
    known.entries.insert(known.entries.end(), compared.begin(), compared.end());
  }
}

template <class T>
void Probe<T>::compare_all() {
  if (square_) compare_diagonal(rows_.size());
  all_ = compare("probe-all", square_ ? all_pairs(rows_.size()) : all_entries(rows_.size(), columns_.size()));
}

template <class T>
ErrorEstimate Probe<T>::estimate() const {
  double largest = largest_of(diagonal_);
  if (all_) largest = std::max(largest, largest_of(*all_));
  for (const DrawnEntries& drawn : pairs_) largest = std::max(largest, largest_of(drawn.entries));
  const double factor = factor_for_squares(largest);
  ErrorEstimate counts;
  const bool whole = !square_ || objects_.population == static_cast<double>(objects_.ids.size());
  std::vector<Stratum> strata;
  if (all_) {
    strata.push_back({units_of(*all_, factor), entries()});
    counts.pairs = std::ssize(*all_);
  } else {
    for (const DrawnEntries& drawn : pairs_) {
      Stratum stratum{weighted_units(drawn.entries, drawn.weights, factor),
                      entries() / static_cast<double>(pairs_.size()), true, drawn.weights, draws_->length()};
      if (!whole) stratum.members = drawn.members;
      strata.push_back(std::move(stratum));
      counts.pairs += std::ssize(drawn.entries);
    }
  }
  if (square_) {
    strata.push_back({weighted_units(diagonal_, objects_.weights, factor), static_cast<double>(rows_.size()), false,
                      objects_.weights});
    counts.diagonal = std::ssize(diagonal_);
  }
  ErrorEstimate estimate =
      estimate_ratio(strata, static_cast<double>(rows_.size()) * static_cast<double>(columns_.size()),
                     whole ? std::nullopt : std::optional(objects_.population));
  estimate.largest_entry_error = comparison_.largest_error();
  estimate.pairs = counts.pairs;
  estimate.diagonal = counts.diagonal;
  if (!all_ && counts.pairs > 0) widen_for_unmet(estimate);
  return estimate;
}

template <class T>
ErrorEstimate Probe<T>::of_count(const ProbeSize& size) {
  if (square_) compare_diagonal(size.diagonal);
  if (entries() > 0.0) {
    choose_parts(size.pairs);
    compare_pairs(size.pairs);
  }
  return estimate();
}

template <class T>
ErrorEstimate Probe<T>::until_known(const EstimateLooks& looks, const ProbeSize& size) {
  std::optional<ErrorEstimate> before;
  for (Index pairs = std::min(first_pairs, size.pairs);; pairs = std::min(2 * pairs, size.pairs)) {
    if (static_cast<double>(pairs) >= entries()) {
      compare_all();
    } else {
      if (!draws_) {
        if (square_) compare_diagonal(size.diagonal);
        choose_parts(pairs);
      }
      const Index whole_runs = std::ssize(pairs_) * draws_->length();
      compare_pairs(pairs / whole_runs * whole_runs);
    }
    ErrorEstimate result = estimate();
    // A sample that has not met what carries the error has a small spread: two looks must agree.
    const bool agrees = before && std::abs(result.relative_error - before->relative_error) <=
                                      2.0 * before->relative_error_standard_error;
    std::optional<StoppedBy> stop = looks.stop(result, agrees);
    // More pairs do not help where it is the choice of objects that leaves doubt.
    const double before_last = before ? before->relative_error_standard_error : 0.0;
    const bool sampled = square_ && objects_.ids.size() < static_cast<std::size_t>(rows_.size());
    const bool stuck = sampled && before && result.relative_error_standard_error > 0.9 * before_last;
    if ((pairs == size.pairs || stuck) && !stop) stop = StoppedBy::limit;
    if (all_) stop = StoppedBy::all;
    before = result;
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

Index validation_objects(Index n, Index pairs) {
  constexpr Index pairs_an_object = 10;
  const Index wanted = std::max(validation_diagonal_entries, pairs / pairs_an_object);
  return 2 * wanted >= n ? n : wanted;
}

Index probe_run(Index factor_columns) {
  constexpr Index columns_a_pair = 32;
  return std::clamp(factor_columns / columns_a_pair, least_run, most_run);
}

ProbeSize probe_size(const ProbedMatrix& matrix, std::optional<Index> pairs, double share) {
  const auto rows = static_cast<double>(matrix.rows);
  const double entries = rows * static_cast<double>(matrix.square ? matrix.rows - 1 : matrix.columns);
  const double part = share * rows * static_cast<double>(std::max<Index>(1, matrix.factor_columns));
  const auto within = [](double count, Index least, Index most) {
    return static_cast<Index>(std::clamp(count, static_cast<double>(least), static_cast<double>(most)));
  };
  ProbeSize size{pairs.value_or(within(part, first_pairs, most_pairs)), 0, 0};
  if (!pairs && static_cast<double>(size.pairs) > entries) size.pairs = static_cast<Index>(entries);
  if (matrix.square) {
    // A diagonal entry costs a row of L J.
    const auto columns = static_cast<double>(std::max<Index>(1, matrix.factor_columns));
    const double most = std::clamp(row_products / (columns * columns), fewest_objects, most_objects);
    const double limited = pairs ? std::max(most, objects_of_fixed) : std::clamp(part / 2, least_objects, most);
    const double wanted = !pairs && std::isinf(share) ? most_objects : limited;
    size.diagonal = 2.0 * wanted >= rows ? matrix.rows : static_cast<Index>(wanted);
  }
  size.first = std::min(size.pairs, first_pairs) + size.diagonal;
  return size;
}

namespace {

template <class T>
ErrorEstimate probe(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
                    const ObjectSet& rows, const ObjectSet& columns, const EstimateEffort& effort) {
  const bool square = &rows == &columns;
  const ProbedMatrix matrix{rows.size(), columns.size(), square, approximation.left.columns()};
  const bool one_entry = rows.size() * (square ? 1 : columns.size()) == 1;
  if (effort.count && !one_entry) require_enough(*effort.count, effort.keys);
  return in_phase(execution, similarity, [&] {
    const EstimateLooks looks(execution.communicator, effort);
    const ProbeSize size = probe_size(matrix, effort.count, effort.share);
    Probe<T> probe(execution, approximation, similarity, rows, columns, {Random(execution.seed, Stream::probe)});
    return effort.count ? probe.of_count(size) : probe.until_known(looks, size);
  });
}

}  // namespace

template <class T>
ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                          const Similarity<T>& similarity, const ObjectSet& objects, const EstimateEffort& effort) {
  return probe(execution, approximation, similarity, objects, objects, effort);
}

template <class T>
ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                          const Similarity<T>& similarity, const ObjectSet& rows, const ObjectSet& columns,
                          const EstimateEffort& effort) {
  return probe(execution, approximation, similarity, rows, columns, effort);
}

template <class T>
ErrorEstimate validation_error(const Execution& execution, const Approximation<T>& approximation,
                               const Similarity<T>& similarity, const ObjectSet& objects, Index pairs,
                               KnownPairs<T>* known) {
  const Index n = objects.size();
  if (n > 1) require_enough(pairs);
  return in_phase(execution, similarity, [&] {
    Probe<T> probe(execution, approximation, similarity, objects, objects,
                   {Random(execution.seed, Stream::validation_probe), false, known});
    return probe.of_count({pairs, validation_objects(n, pairs), 0});
  });
}

template <class T>
ErrorEstimate unseen_error(const Execution& execution, const Approximation<T>& approximation,
                           const Similarity<T>& similarity, const ObjectSet& objects, Index old, Index pairs) {
  if (objects.size() > 1) require_enough(pairs);
  if (objects.size() < fewest_unseen) {
    throw Error(ErrorKind::usage,
                fmt::format("measuring the error among new objects needs at least {} of them", fewest_unseen));
  }
  const Random random(execution.seed, Stream::validation_probe);
  const Index m = std::min(objects.size(), validation_diagonal_entries);
  const std::vector<Index> ids = sample_without_replacement(objects.size(), m, random);
  const EntryList places = m * (m - 1) / 2 <= pairs ? pairs_once(m) : uniform_pairs(random, m, pairs);
  std::vector<std::array<Index, 2>> members;
  EntryList off_diagonal;
  for (std::size_t p = 0; p < places.rows.size(); ++p) {
    members.push_back({places.rows[p], places.columns[p]});
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
    const double factor = factor_for_squares(std::max(largest_of(drawn), largest_of(selves)));
    const Stratum strata[] = {{units_of(drawn, factor), off, true, {}, 1, members},
                              {units_of(selves, factor), on, false}};
    ErrorEstimate estimate = estimate_ratio(strata, off + on, std::numeric_limits<double>::infinity());
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
