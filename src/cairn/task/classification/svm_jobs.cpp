#include "cairn/task/classification/svm_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/schedule.hpp"

namespace cairn {

namespace {

class PlaneWork final : public TileWork {
 public:
  PlaneWork(const PlaneRows& rows, std::span<const std::int32_t> classes, std::span<const std::int32_t> folds,
            const std::vector<SvmJob>& jobs, const SvmOptions& options, int ranks, std::vector<double>& values)
      : rows_(rows), classes_(classes), folds_(folds), jobs_(jobs), options_(options), ranks_(ranks), values_(values) {}

  // The rows are on every node: the tile number suffices.
  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] Index result_bytes(const Tile& /*tile*/) const override {
    return width() * static_cast<Index>(sizeof(double));
  }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    const std::span<double> all(values_);
    return std::as_writable_bytes(all.subspan(tile.id / ranks_ * width(), width()));
  }

  // LIBLINEAR's thousand passes over all features, or the requested number of passes, on a shared processor.
  [[nodiscard]] double longest_seconds() const override {
    constexpr double of_liblinear = 1000, bytes_a_second = 1e8;
    const double passes = std::max(of_liblinear, static_cast<double>(options_.passes));
    return passes * static_cast<double>(rows_.node_bytes()) / bytes_a_second;
  }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    const SvmJob& job = jobs_[tile.id];
    PlaneMembers members{.cost_positive = job.cost, .cost_negative = job.cost};
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      if (job.fold >= 0 && folds_[i] == job.fold) continue;
      if (job.negative >= 0 && classes_[i] != job.positive && classes_[i] != job.negative) continue;
      members.rows.push_back(static_cast<Index>(i));
      members.positive.push_back(classes_[i] == job.positive ? 1 : 0);
    }
    if (options_.balanced) balance(members, job.weighs_others);
    SvmPlane plane = rows_.train(members, options_);
    plane.weights.push_back(plane.intercept);
    plane.weights.push_back(plane.converged ? 1.0 : 0.0);
    std::memcpy(result.data(), plane.weights.data(), result.size());
  }

 private:
  [[nodiscard]] Index width() const { return rows_.columns() + 2; }

  static void balance(PlaneMembers& members, bool others) {
    const auto positive = static_cast<double>(std::count(members.positive.begin(), members.positive.end(), 1));
    const double negative = static_cast<double>(members.positive.size()) - positive;
    if (positive == 0.0 || negative == 0.0) return;  // a fold without the class
    if (others) {
      members.cost_negative *= positive / negative;
    } else {
      members.cost_positive *= negative / positive;
    }
  }

  const PlaneRows& rows_;
  std::span<const std::int32_t> classes_, folds_;
  const std::vector<SvmJob>& jobs_;
  const SvmOptions& options_;
  int ranks_;
  std::vector<double>& values_;
};

}  // namespace

SvmPlanes::SvmPlanes(const Execution& execution, const std::string& name, const PlaneRows& rows,
                     std::span<const std::int32_t> classes, std::span<const std::int32_t> folds,
                     std::vector<SvmJob> jobs, const SvmOptions& options)
    : communicator_(execution.communicator), width_(rows.columns() + 2) {
  Phases::Scope phase = execution.phases.enter("train");
  const int ranks = communicator_.size();
  std::vector<Tile> own;
  for (Index id = communicator_.rank(); id < static_cast<Index>(jobs.size()); id += ranks) {
    own.push_back({id, {id, id + 1}, std::sqrt(jobs[id].cost)});
  }
  collectively(communicator_, [&] { values_.resize(own.size() * static_cast<std::size_t>(width_)); });
  // One thread, because LIBLINEAR draws from rand().
  const Execution single{communicator_, execution.phases, execution.ledger, 1, execution.seed};
  PlaneWork work(rows, classes, folds, jobs, options, ranks, values_);
  const TileStatistics statistics = Schedule(name, own, static_cast<Index>(jobs.size())).run(single, work);
  phase.count_busy(statistics.busy_seconds);
}

std::vector<SvmPlane> SvmPlanes::gather(std::span<const Index> numbers) const {
  const int ranks = communicator_.size();
  const auto width = static_cast<std::size_t>(width_);
  std::vector<double> mine;
  for (const Index number : numbers) {
    if (number % ranks != communicator_.rank()) continue;
    const auto from = values_.begin() + static_cast<std::ptrdiff_t>(number / ranks * width_);
    mine.insert(mine.end(), from, from + static_cast<std::ptrdiff_t>(width_));
  }
  const std::vector<double> all = communicator_.all_gather(mine);
  std::vector<SvmPlane> planes(numbers.size());
  std::size_t next = 0;
  for (int r = 0; r < ranks; ++r) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] % ranks != r) continue;
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(next++ * width);
      planes[i].weights.assign(from, from + static_cast<std::ptrdiff_t>(width - 2));
      planes[i].intercept = from[static_cast<std::ptrdiff_t>(width - 2)];
      planes[i].converged = from[static_cast<std::ptrdiff_t>(width - 1)] > 0.5;
    }
  }
  return planes;
}

}  // namespace cairn
