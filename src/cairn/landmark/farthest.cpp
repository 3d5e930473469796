#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/diagonal.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"

namespace cairn {

namespace {

constexpr double chosen = -std::numeric_limits<double>::infinity();  // a landmark is not chosen twice
constexpr Index panel_columns = 16;

// An object and its distance from its nearest landmark.
struct Candidate {
  double distance = chosen;
  Index index = -1;
  double diagonal = 0.0;  // K(x, x)
};

// Collects columns and writes them into a row-major matrix a panel at a time: single columns would fetch a cache line
// for each entry.
template <class T>
class ColumnPanel {
 public:
  explicit ColumnPanel(RowBlock<T>& target)
      : target_(target.local()), values_(target_.rows * std::min(panel_columns, target_.columns)) {}

  // Storage for the next column.
  [[nodiscard]] std::span<T> next() { return values_.span().subspan(held_ * target_.rows, target_.rows); }
  // Marks that column as complete.
  void keep() {
    ++held_;
    if (held_ == panel_columns || written_ + held_ == target_.columns) flush();
  }

 private:
  void flush() {
    for (Index x = 0; x < target_.rows; ++x)
      for (Index j = 0; j < held_; ++j) target_(x, written_ + j) = values_[j * target_.rows + x];
    written_ += held_;
    held_ = 0;
  }

  MatrixView<T> target_;
  Buffer<T> values_;
  Index held_ = 0;
  Index written_ = 0;
};

// Columns of K, one after the other. Each rank evaluates its own rows, in tiles of a unit: a column is too little work
// to be distributed. As K is symmetric, a tile is computed as a row of one landmark against a unit's objects, which is
// fastest for similarities.
template <class T>
class ColumnSteps {
 public:
  ColumnSteps(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects)
      : execution_(execution),
        similarity_(similarity),
        own_(objects.range()),
        unit_(RowPartition::unit(objects.size())) {
    for (Index begin = own_.begin; begin < own_.end; begin += unit_) {
      units_.push_back(objects.block({begin, std::min(begin + unit_, own_.end)}));
    }
    tiles_ = (objects.size() + unit_ - 1) / unit_;
    objects_a_rank_ = execution.communicator.maximum(own_.size());
  }

  // Evaluates the column of `landmark` into the own rows `out`. Collective.
  void evaluate(const ObjectBlock& landmark, const std::string& loop, std::span<T> out) {
    const Watchdog::Patience patience(similarity_.longest_seconds(objects_a_rank_));
    collectively(execution_.communicator, [&] {
      execution_.ledger.begin(loop.c_str(), tiles_);
      std::vector<std::size_t> missing;
      for (std::size_t u = 0; u < units_.size(); ++u) {
        if (execution_.ledger.get(tile_id(u), std::as_writable_bytes(rows(u, out))))
          similarity_.count_restored(static_cast<Index>(units_[u]->ids.size()));
        else
          missing.push_back(u);
      }
      if (const auto error = compute(landmark, missing, out)) throw Error(*error);
      for (const std::size_t u : missing) {  // the whole column before a stop
        const auto bytes = std::as_bytes(rows(u, out));
        u == missing.back() ? execution_.ledger.put(tile_id(u), bytes) : execution_.ledger.keep(tile_id(u), bytes);
      }
    });
    Watchdog::beat();
  }

 private:
  [[nodiscard]] Index tile_id(std::size_t u) const { return own_.begin / unit_ + static_cast<Index>(u); }
  [[nodiscard]] std::span<T> rows(std::size_t u, std::span<T> out) const {
    return out.subspan(u * static_cast<std::size_t>(unit_), units_[u]->ids.size());
  }

  std::optional<Error> compute(const ObjectBlock& landmark, const std::vector<std::size_t>& units, std::span<T> out) {
    std::optional<Error> error;
#pragma omp parallel for schedule(dynamic, 8) num_threads(execution_.threads) if (execution_.threads > 1)
    for (std::size_t i = 0; i < units.size(); ++i) {
      try {
        const std::span<T> values = rows(units[i], out);
        similarity_.tile(landmark, *units_[units[i]],
                         MatrixView<T>(values.data(), 1, static_cast<Index>(values.size())));
        Watchdog::beat();
      } catch (...) {
#pragma omp critical(cairn_column_step)
        if (!error) error = current_error();
      }
    }
    return error;
  }

  const Execution& execution_;
  const Similarity<T>& similarity_;
  Range own_;
  Index unit_;
  Index tiles_ = 0;
  Index objects_a_rank_ = 0;  // on the rank that has most
  std::vector<std::unique_ptr<ObjectBlock>> units_;
};

template <class T>
class FarthestPoint {
 public:
  FarthestPoint(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                const EligibleObjects& eligible)
      : execution_(execution), similarity_(similarity), objects_(objects), eligible_(eligible) {
    if (similarity.traits().meaning == Meaning::similarity) {
      diagonal_ = evaluate_diagonal(execution, similarity, objects, "landmarks-farthest-diagonal");
    }
    nearest_.assign(objects.range().size(), std::numeric_limits<double>::infinity());
    for (Index x = objects.range().begin; x < objects.range().end; ++x) {
      if (!eligible.contains(x)) nearest_[x - objects.range().begin] = chosen;
    }
  }

  Landmarks<T> select(Index count, bool hand_on);

 private:
  [[nodiscard]] bool is_distance() const { return similarity_.traits().meaning == Meaning::distance; }
  [[nodiscard]] double diagonal(Index x) const {
    return is_distance() ? 0.0 : static_cast<double>(diagonal_.row(x)[0]);
  }
  Candidate first() const;
  Candidate farthest(std::span<const T> column, const Candidate& landmark);

  const Execution& execution_;
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  const EligibleObjects& eligible_;
  RowBlock<T> diagonal_;         // empty if the similarity is a distance
  std::vector<double> nearest_;  // from own objects to their nearest landmark
};

template <class T>
Landmarks<T> FarthestPoint<T>::select(Index count, bool hand_on) {
  const Communicator& communicator = execution_.communicator;
  const RowPartition& partition = objects_.partition();
  auto phase = execution_.phases.enter("landmarks");
  const Index before = similarity_.evaluations();
  Landmarks<T> landmarks;
  std::optional<ColumnPanel<T>> panel;
  auto single = collectively(communicator, [&] {
    if (!hand_on) return Buffer<T>(objects_.range().size());
    landmarks.columns.emplace(partition, communicator.rank(), count);
    panel.emplace(*landmarks.columns);
    return Buffer<T>();
  });
  const BlasThreads one(1);  // tiles are distributed over threads
  ColumnSteps<T> steps(execution_, similarity_, objects_);
  Progress progress("farthest landmarks", count, communicator.is_root(), "landmarks/s");
  Candidate landmark = first();
  for (Index k = 0; k < count; ++k) {
    landmarks.indices.push_back(landmark.index);
    const auto object = objects_.gather(communicator, std::span(&landmark.index, 1));
    const std::span<T> column = panel ? panel->next() : single.span();
    steps.evaluate(*object, fmt::format("landmarks-farthest-{}-{}", k, landmark.index), column);
    if (k + 1 < count) landmark = farthest(column, landmark);
    if (panel) panel->keep();
    progress.advance(1);
  }
  landmarks.objects = objects_.gather(communicator, landmarks.indices);
  phase.count_evaluations(similarity_.evaluations() - before);
  return landmarks;
}

// A uniformly drawn object with its diagonal entry, on every rank.
template <class T>
Candidate FarthestPoint<T>::first() const {
  Candidate candidate;
  candidate.index = eligible_.numbers({Random(execution_.seed, Stream::landmarks).below(eligible_.count(), 0)}).front();
  const int owner = objects_.partition().owner(candidate.index);
  if (owner == execution_.communicator.rank()) candidate.diagonal = diagonal(candidate.index);
  execution_.communicator.broadcast(std::span(&candidate.diagonal, 1), owner);
  return candidate;
}

// Updates distances with the newest landmark's column and returns the object that is now farthest, the same on every
// rank.
template <class T>
Candidate FarthestPoint<T>::farthest(std::span<const T> column, const Candidate& landmark) {
  const Range own = objects_.range();
  if (own.contains(landmark.index)) nearest_[landmark.index - own.begin] = chosen;
  Candidate best;
  for (Index x = own.begin; x < own.end; ++x) {
    const auto k = static_cast<double>(column[x - own.begin]);
    const double distance = is_distance() ? k : diagonal(x) + landmark.diagonal - 2.0 * k;
    double& nearest = nearest_[x - own.begin];
    nearest = std::min(nearest, distance);
    if (nearest > best.distance) best = {nearest, x, 0.0};
  }
  if (best.index >= 0) best.diagonal = diagonal(best.index);
  Candidate overall;
  for (const Candidate& candidate : execution_.communicator.all_gather_one(best)) {  // in row order: ties to the lowest
    if (candidate.distance > overall.distance) overall = candidate;
  }
  return overall;
}

}  // namespace

template <class T>
Landmarks<T> select_farthest(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                             Index count, bool hand_on, const KeyNames& keys) {
  const EligibleObjects all(execution.communicator, objects);
  all.require(count, keys);
  return FarthestPoint<T>(execution, similarity, objects, all).select(count, hand_on);
}

template Landmarks<float> select_farthest(const Execution&, const Similarity<float>&, const ObjectSet&, Index, bool,
                                          const KeyNames&);
template Landmarks<double> select_farthest(const Execution&, const Similarity<double>&, const ObjectSet&, Index, bool,
                                           const KeyNames&);

namespace {

// By the distances of K; for a single-source K one source at a time, by the row oracle for nearest-object searches.
template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  const KeyNames& keys = input.values.keys();
  if (input.rows == nullptr) {
    const EligibleObjects eligible(input.execution.communicator, input.objects, input.values);
    eligible.require(input.count, keys);
    return FarthestPoint<T>(input.execution, input.entries, input.objects, eligible)
        .select(input.count, input.keeps_columns);
  }
  if (input.values.given("split")) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect on distances from one object to all others: the "
                                              "objects have no splits",
                                              input.values.where("split")));
  }
  if (!input.nearest) return select_farthest<T>(input.execution, *input.rows, input.objects, input.count, keys);
  return select_farthest<T>(input.execution, *input.nearest(), input.objects, input.count, keys);
}

}  // namespace

const LandmarkSelection& farthest_selection() {
  static const LandmarkSelection selection = {
      .name = "farthest",
      .summary =
          "Always the object that is farthest from its nearest landmark: landmarks cover the data evenly. On a "
          "mesh distances are path lengths along its edges.",
      .source = "Gonzalez 1985, greedy k-center",
      .parameters = {landmark_split()},
      .evaluates = true,
      .any_order = true,
      .run_single = run<float>,
      .run_double = run<double>};
  return selection;
}

}  // namespace cairn
