// Averages of K itself over clusters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/task/clusters/average_linkage.hpp"

namespace cairn {

namespace {

constexpr Index columns_a_batch = 256;

// Sums of K over pairs of clusters. A rank stores the columns of its own clusters; sums are symmetric.
template <class T>
class MatrixAverages final : public ClusterAverages {
 public:
  MatrixAverages(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects)
      : communicator_(execution.communicator),
        partition_(objects.partition()),
        own_(objects.range()),
        meaning_(similarity.traits().meaning),
        sizes_(static_cast<std::size_t>(partition_.rows()), 1) {
    const Index n = partition_.rows();
    sums_ = collectively(communicator_, [&] { return Buffer<double>(n * own_.size()); });
    double largest = 0.0;
    for (Index begin = 0; begin < n; begin += columns_a_batch) {
      std::vector<Index> columns;
      for (Index j = begin; j < std::min(begin + columns_a_batch, n); ++j) columns.push_back(j);
      const auto block = objects.gather(communicator_, columns);
      const RowBlock<T> values = evaluate_columns(execution, similarity, objects, *block, "similarities",
                                                  fmt::format("cluster-columns-{}", begin), OtherDistances::not_kept);
      for (Index i = own_.begin; i < own_.end; ++i) {
        const std::span<const T> row = values.row(i);
        for (std::size_t c = 0; c < columns.size(); ++c) {
          at(columns[c], i) = static_cast<double>(row[c]);
          largest = std::max(largest, std::abs(static_cast<double>(row[c])));
        }
      }
    }
    constexpr double relative_rounding = 1e-12;
    rounding_ = relative_rounding * communicator_.maximum(largest);
  }

  [[nodiscard]] const RowPartition& partition() const override { return partition_; }
  [[nodiscard]] Meaning meaning() const override { return meaning_; }
  [[nodiscard]] double rounding() const override { return rounding_; }

  void averages(Index tip, std::span<const Index> own, std::span<double> out) override {
    const double size = static_cast<double>(sizes_[tip]);
    for (std::size_t k = 0; k < own.size(); ++k) {
      out[k] = at(tip, own[k]) / (size * static_cast<double>(sizes_[own[k]]));
    }
  }

  void merge(Index into, Index from) override {
    const auto width = static_cast<std::size_t>(own_.size());
    double* row = sums_.data() + into * own_.size();
    const double* other = sums_.data() + from * own_.size();
    for (std::size_t k = 0; k < width; ++k) row[k] += other[k];
    // The column of `into` equals its row; the diagonal entry is never read.
    const std::vector<double> whole = communicator_.all_gather(std::span<const double>(row, width));
    if (own_.contains(into)) {
      for (Index c = 0; c < partition_.rows(); ++c) at(c, into) = whole[c];
    }
    sizes_[into] += sizes_[from];
  }

 private:
  double& at(Index row, Index column) { return sums_[row * own_.size() + column - own_.begin]; }

  const Communicator& communicator_;
  RowPartition partition_;
  Range own_;
  Meaning meaning_;
  std::vector<Index> sizes_;
  Buffer<double> sums_;  // n x own columns
  double rounding_ = 0.0;
};

}  // namespace

template <class T>
std::unique_ptr<ClusterAverages> averages_of_matrix(const Execution& execution, const Similarity<T>& similarity,
                                                    const ObjectSet& objects) {
  if (similarity.traits().one_sided) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is not symmetric: its values for (i, j) and (j, i) differ; cluster its approximation",
                            similarity.traits().name));
  }
  return std::make_unique<MatrixAverages<T>>(execution, similarity, objects);
}

template std::unique_ptr<ClusterAverages> averages_of_matrix(const Execution&, const Similarity<float>&,
                                                             const ObjectSet&);
template std::unique_ptr<ClusterAverages> averages_of_matrix(const Execution&, const Similarity<double>&,
                                                             const ObjectSet&);

}  // namespace cairn
