#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/collective_guard.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "landmark/diagonal.hpp"
#include "landmark/landmark_count.hpp"
#include "landmark/landmarks.hpp"
#include "similarity/columns.hpp"

namespace cairn {

namespace {

constexpr double chosen = -std::numeric_limits<double>::infinity();  // a landmark is not chosen twice
constexpr Index panel_columns = 16;

// An object and how far it is from its nearest landmark.
struct Candidate {
  double distance = chosen;
  Index index = -1;
  double diagonal = 0.0;  // K(x, x)
};

// Collects columns, and writes them into the rows of a row-major matrix a panel at a time: a column at a time would
// fetch a cache line for each entry.
template <class T>
class ColumnPanel {
 public:
  explicit ColumnPanel(RowBlock<T>& target)
      : target_(target.local()), values_(target_.rows * std::min(panel_columns, target_.columns)) {}

  void append(const RowBlock<T>& column) {
    std::copy_n(column.local().data, target_.rows, values_.data() + held_ * target_.rows);
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

template <class T>
class FarthestPoint {
 public:
  FarthestPoint(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects)
      : execution_(execution), similarity_(similarity), objects_(objects) {
    if (similarity.meaning() == Meaning::similarity) {
      diagonal_ = evaluate_diagonal(execution, similarity, objects, "landmarks-farthest-diagonal");
    }
    nearest_.assign(static_cast<std::size_t>(objects.range().size()), std::numeric_limits<double>::infinity());
  }

  Landmarks<T> select(Index count);

 private:
  [[nodiscard]] bool is_distance() const { return similarity_.meaning() == Meaning::distance; }
  [[nodiscard]] double diagonal(Index x) const {
    return is_distance() ? 0.0 : static_cast<double>(diagonal_.row(x)[0]);
  }
  Candidate first() const;
  Candidate farthest(const RowBlock<T>& column, const Candidate& landmark);

  const Execution& execution_;
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  RowBlock<T> diagonal_;         // empty where the similarity is a distance
  std::vector<double> nearest_;  // distance of own objects from their nearest landmark
};

template <class T>
Landmarks<T> FarthestPoint<T>::select(Index count) {
  const Communicator& communicator = execution_.communicator;
  const RowPartition& partition = objects_.partition();
  Landmarks<T> landmarks;
  landmarks.columns = collectively(communicator, [&] { return RowBlock<T>(partition, communicator.rank(), count); });
  auto column = collectively(communicator, [&] { return RowBlock<T>(partition, communicator.rank(), 1); });
  auto panel = collectively(communicator, [&] { return ColumnPanel<T>(*landmarks.columns); });
  Progress progress("farthest landmarks", count, communicator.is_root());
  Candidate landmark = first();
  for (Index k = 0; k < count; ++k) {
    landmarks.indices.push_back(landmark.index);
    const auto object = objects_.gather(communicator, std::span(&landmark.index, 1));
    evaluate_columns_into(execution_, similarity_, objects_, *object, column, 0, "landmarks",
                          "landmarks-farthest-" + std::to_string(k));
    const auto phase = execution_.phases.enter("landmarks");
    panel.append(column);
    if (k + 1 < count) landmark = farthest(column, landmark);
    progress.advance(1);
  }
  landmarks.objects = objects_.gather(communicator, landmarks.indices);
  return landmarks;
}

// Uniformly drawn, with its diagonal entry, on every rank.
template <class T>
Candidate FarthestPoint<T>::first() const {
  Candidate candidate;
  candidate.index = Random(execution_.seed, Stream::landmarks).below(objects_.size(), 0);
  const int owner = objects_.partition().owner(candidate.index);
  if (owner == execution_.communicator.rank()) candidate.diagonal = diagonal(candidate.index);
  execution_.communicator.broadcast(std::span(&candidate.diagonal, 1), owner);
  return candidate;
}

// Takes the newest landmark's column into account and returns the object that is now farthest, the same on every rank.
template <class T>
Candidate FarthestPoint<T>::farthest(const RowBlock<T>& column, const Candidate& landmark) {
  const Range own = objects_.range();
  if (own.contains(landmark.index)) nearest_[static_cast<std::size_t>(landmark.index - own.begin)] = chosen;
  Candidate best;
  for (Index x = own.begin; x < own.end; ++x) {
    const auto k = static_cast<double>(column.row(x)[0]);
    const double distance = is_distance() ? k : diagonal(x) + landmark.diagonal - 2.0 * k;
    double& nearest = nearest_[static_cast<std::size_t>(x - own.begin)];
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
                             Index count) {
  require_landmark_count(count, objects.size());
  return FarthestPoint<T>(execution, similarity, objects).select(count);
}

template Landmarks<float> select_farthest(const Execution&, const Similarity<float>&, const ObjectSet&, Index);
template Landmarks<double> select_farthest(const Execution&, const Similarity<double>&, const ObjectSet&, Index);

}  // namespace cairn
