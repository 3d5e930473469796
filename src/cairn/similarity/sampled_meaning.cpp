#include "cairn/similarity/sampled_meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

constexpr Index matrix_rows = 20;

// Evenly spread ids of objects, the same on every rank.
std::vector<Index> evenly_spread(Index objects, Index count) {
  std::vector<Index> ids(std::min(objects, count));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<Index>(k) * objects / std::ssize(ids);
  return ids;
}

[[noreturn]] void ask_for_meaning(const std::string& what, const Values& parameters) {
  const std::string key = parameters.where("meaning");
  throw Error(ErrorKind::input,
              fmt::format("{} looks like distances: each sampled object has the value 0 with itself, and no value is "
                          "smaller. Give {} = distance if smaller values are nearer, else {} = similarity",
                          what, key, key));
}

std::vector<SampledRow> rows_of(const DenseMatrix& matrix) {
  const std::vector<Index> ids = evenly_spread(matrix.rows(), matrix_rows);
  const auto count = std::ssize(ids);
  Buffer<double> values(count * count);
  matrix.read(ids, ids, MatrixView<double>(values.data(), count, count));
  std::vector<SampledRow> rows;
  for (Index a = 0; a < count; ++a) {
    SampledRow& row = rows.emplace_back(SampledRow{values[a * count + a], {}});
    for (Index b = 0; b < count; ++b) {
      if (b != a) row.others.push_back(values[a * count + b]);
    }
  }
  return rows;
}

}  // namespace

bool look_like_distances(const std::vector<SampledRow>& rows) {
  constexpr double zero = 1e-3, rounding = 1e-6;
  double largest = 0;
  for (const SampledRow& row : rows) {
    for (const double value : row.others) largest = std::max(largest, value);
  }
  if (!(largest > 0)) return false;
  return std::ranges::all_of(rows, [&](const SampledRow& row) {
    const bool least = std::ranges::all_of(
        row.others, [&](double value) { return value >= 0 && value >= row.diagonal - rounding * largest; });
    return least && std::abs(row.diagonal) <= zero * largest;
  });
}

Index meaning_pairs(Index objects) { return objects > 1 ? 2 * std::min(objects, meaning_objects) : 0; }

void require_meaning_of_matrix(const Communicator& communicator, const DenseMatrix& matrix, const Values& parameters) {
  collectively(communicator, [&] {
    if (communicator.is_root() && look_like_distances(rows_of(matrix))) ask_for_meaning(matrix.path(), parameters);
  });
}

template <class T>
void require_meaning_of_scorer(const Communicator& communicator, const Similarity<T>& scorer, const ObjectSet& objects,
                               const Values& parameters) {
  const Index pairs = meaning_pairs(objects.size());
  std::vector<Index> first, second;
  if (communicator.is_root() && pairs > 0) {
    const std::vector<Index> ids = evenly_spread(objects.size(), meaning_objects);
    first = second = ids;
    first.insert(first.end(), ids.begin(), ids.end());
    second.insert(second.end(), ids.begin() + 1, ids.end());
    second.push_back(ids.front());
  }
  const auto one = objects.gather(communicator, first), other = objects.gather(communicator, second);
  const Watchdog::Patience patience(scorer.longest_seconds(pairs));  // grace period of the waiting ranks
  collectively(communicator, [&] {
    if (first.empty()) return;
    Buffer<T> values(pairs);
    scorer.pairs(*one, *other, values.span());
    std::vector<SampledRow> rows;
    for (Index k = 0; 2 * k < pairs; ++k) {
      rows.push_back({static_cast<double>(values[k]), {static_cast<double>(values[pairs / 2 + k])}});
    }
    if (look_like_distances(rows))
      ask_for_meaning(fmt::format("the scorer ({})", parameters.keys()("command")), parameters);
  });
}

template void require_meaning_of_scorer(const Communicator&, const Similarity<float>&, const ObjectSet&, const Values&);
template void require_meaning_of_scorer(const Communicator&, const Similarity<double>&, const ObjectSet&,
                                        const Values&);

Parameter meaning_parameter() {
  return {.name = "meaning",
          .value = "MEANING",
          .type = ValueType::choice,
          .help =
              "What the values are: similarity (a larger value is nearer) or distance (a smaller value is nearer). The "
              "default is similarity; sampled values that look like distances are then an error that asks for this "
              "key.",
          .choices = {"similarity", "distance"}};
}

Parameter symmetrize_parameter() {
  return {.name = "symmetrize",
          .value = "BOOL",
          .type = ValueType::flag,
          .fallback = "false",
          .help = "Average both directions; costs two evaluations an entry."};
}

void refine_stored(const Values& values, SimilarityTraits& traits) {
  traits.distance = meaning_of(values) == Meaning::distance;
  traits.evaluations_per_entry = values.flag("symmetrize") ? 2 : 1;
}

Meaning meaning_of(const Values& values) {
  return values.text("meaning") == "distance" ? Meaning::distance : Meaning::similarity;
}

}  // namespace cairn
