#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/diagonal.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/landmark/farthest_sources.hpp"
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
  // @param first  column of the target to which the first is written
  ColumnPanel(RowBlock<T>& target, Index first)
      : target_(target.local()),
        values_(target_.rows * std::min(panel_columns, target_.columns - first)),
        written_(first) {}

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
  Index written_;
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
class FarthestPoint final : public LandmarkGrowth<T> {
 public:
  FarthestPoint(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                EligibleObjects eligible)
      : LandmarkGrowth<T>(execution, objects), similarity_(similarity), eligible_(std::move(eligible)) {
    if (similarity.traits().meaning == Meaning::similarity) {
      diagonal_ = evaluate_diagonal(execution, similarity, objects, "landmarks-farthest-diagonal");
    }
    nearest_.assign(objects.range().size(), std::numeric_limits<double>::infinity());
    for (Index x = objects.range().begin; x < objects.range().end; ++x) {
      if (!eligible_.contains(x)) nearest_[x - objects.range().begin] = chosen;
    }
    next_ = first();
  }

  bool grow(Index count) override;
  Landmarks<T> without_columns(Index count);

 private:
  using LandmarkGrowth<T>::execution_;
  using LandmarkGrowth<T>::objects_;
  using LandmarkGrowth<T>::columns_;
  using LandmarkGrowth<T>::indices_;

  [[nodiscard]] bool is_distance() const { return similarity_.traits().meaning == Meaning::distance; }
  [[nodiscard]] double diagonal(Index x) const {
    return is_distance() ? 0.0 : static_cast<double>(diagonal_.row(x)[0]);
  }
  template <class NextColumn, class Keep>
  void add(Index count, NextColumn next_column, Keep keep);
  Candidate first() const;
  Candidate farthest(std::span<const T> column, const Candidate& landmark);

  const Similarity<T>& similarity_;
  EligibleObjects eligible_;
  RowBlock<T> diagonal_;         // empty if the similarity is a distance
  std::vector<double> nearest_;  // from own objects to their nearest landmark
  Candidate next_;               // the next landmark
};

// Adds landmarks until there are `count`. @param next_column  returns storage for a column @param keep  called when it
// is complete
template <class T>
template <class NextColumn, class Keep>
void FarthestPoint<T>::add(Index count, NextColumn next_column, Keep keep) {
  const Communicator& communicator = execution_.communicator;
  auto phase = execution_.phases.enter("landmarks");
  const Index before = similarity_.evaluations();
  const BlasThreads one(1);  // tiles are distributed over threads
  ColumnSteps<T> steps(execution_, similarity_, objects_);
  Progress progress("farthest landmarks", count, communicator.is_root(), "landmarks/s");
  progress.advance(this->count());
  while (this->count() < count) {
    const auto object = objects_.gather(communicator, std::span(&next_.index, 1));
    const std::span<T> column = next_column();
    steps.evaluate(*object, fmt::format("landmarks-farthest-{}-{}", this->count(), next_.index), column);
    indices_.push_back(next_.index);
    next_ = farthest(column, next_);
    keep();
    progress.advance(1);
  }
  phase.count_evaluations(similarity_.evaluations() - before);
}

template <class T>
bool FarthestPoint<T>::grow(Index count) {
  if (count <= this->count()) return true;
  columns_ = this->resized(columns_, this->count(), count);
  auto panel = collectively(execution_.communicator, [&] { return ColumnPanel<T>(columns_, this->count()); });
  add(
      count, [&] { return panel.next(); }, [&] { panel.keep(); });
  return true;
}

template <class T>
Landmarks<T> FarthestPoint<T>::without_columns(Index count) {
  auto column = collectively(execution_.communicator, [&] { return Buffer<T>(objects_.range().size()); });
  add(
      count, [&] { return column.span(); }, [] {});
  Landmarks<T> landmarks;
  landmarks.indices = indices_;
  landmarks.objects = objects_.gather(execution_.communicator, indices_);
  return landmarks;
}

template <class T>
Landmarks<T> select(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                    EligibleObjects eligible, Index count, bool hand_on, const KeyNames& keys) {
  eligible.require(count, keys);
  FarthestPoint<T> points(execution, similarity, objects, std::move(eligible));
  if (!hand_on) return points.without_columns(count);
  static_cast<void>(points.grow(count));
  return points.take();
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
  return select(execution, similarity, objects, EligibleObjects(execution.communicator, objects), count, hand_on, keys);
}

template Landmarks<float> select_farthest(const Execution&, const Similarity<float>&, const ObjectSet&, Index, bool,
                                          const KeyNames&);
template Landmarks<double> select_farthest(const Execution&, const Similarity<double>&, const ObjectSet&, Index, bool,
                                           const KeyNames&);

namespace {

template <class T>
void require_no_split(const SelectionInput<T>& input) {
  if (!input.values.given("split")) return;
  throw Error(ErrorKind::usage, fmt::format("{} has no effect on distances from one object to all others: the "
                                            "objects have no splits",
                                            input.values.where("split")));
}

// By the distances of K; for a single-source K one source at a time, by the row oracle for nearest-object searches.
template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  const KeyNames& keys = input.values.keys();
  if (input.rows == nullptr) {
    return select(input.execution, input.entries, input.objects,
                  EligibleObjects(input.execution.communicator, input.objects, input.values), input.count,
                  input.keeps_columns, keys);
  }
  require_no_split(input);
  if (!input.nearest) return select_farthest<T>(input.execution, *input.rows, input.objects, input.count, keys);
  return select_farthest<T>(input.execution, *input.nearest(), input.objects, input.count, keys);
}

template <class T>
std::unique_ptr<LandmarkGrowth<T>> grow(const SelectionInput<T>& input) {
  if (input.rows == nullptr) {
    return std::make_unique<FarthestPoint<T>>(
        input.execution, input.entries, input.objects,
        EligibleObjects(input.execution.communicator, input.objects, input.values));
  }
  require_no_split(input);
  return grow_farthest_sources(input);
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
      .run_double = run<double>,
      .grow_single = grow<float>,
      .grow_double = grow<double>};
  return selection;
}

}  // namespace cairn
