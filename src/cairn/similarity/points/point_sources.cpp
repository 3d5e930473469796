#include "cairn/similarity/points/point_sources.hpp"

#include <utility>
#include <vector>

#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

namespace {

template <class T>
class PointSources final : public SourceSimilarity {
 public:
  PointSources(const Communicator& communicator, std::unique_ptr<Similarity<T>> similarity, const PointSet<T>& points)
      : SourceSimilarity({.name = similarity->traits().name,
                          .meaning = similarity->traits().meaning,
                          .size = points.size(),
                          .batch = point_sources_batch}),
        similarity_(std::move(similarity)) {
    all_.set = points.identity();
    all_.ids = numbers_of({0, points.size()});
    if (points.is_sparse()) {
      replicate_entries(communicator, points.entries());
      return;
    }
    const MatrixView<const T> own = points.coordinates().local();
    values_ = replicate_on_nodes(communicator, std::span(own.data, static_cast<std::size_t>(own.rows * own.columns)));
    all_.coordinates = MatrixView<const T>(values_.values().data(), points.size(), points.dimension());
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return similarity_->parameters();
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    compute(*chosen(sources), *chosen(targets.targets), out);
  }
  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    compute(*chosen(sources), all_, out);
  }

 private:
  [[nodiscard]] std::unique_ptr<PointBlock<T>> chosen(std::span<const Index> ids) const {
    if (all_.sparse) return chosen_entries(ids);
    std::vector<T> values;
    values.reserve(ids.size() * static_cast<std::size_t>(all_.coordinates.columns));
    for (const Index id : ids) {
      const T* row = all_.coordinates.row(id);
      values.insert(values.end(), row, row + all_.coordinates.columns);
    }
    return make_point_block<T>({ids.begin(), ids.end()}, all_.coordinates.columns, values, all_.set);
  }

  [[nodiscard]] std::unique_ptr<PointBlock<T>> chosen_entries(std::span<const Index> ids) const {
    std::vector<Index> starts{0}, indices;
    std::vector<T> values;
    for (const Index id : ids) {
      const SparseRow<T> row = all_.sparse->row(id);
      indices.insert(indices.end(), row.columns.begin(), row.columns.end());
      values.insert(values.end(), row.values.begin(), row.values.end());
      starts.push_back(std::ssize(indices));
    }
    auto block = std::make_unique<PointBlock<T>>(all_.set, std::vector<Index>(ids.begin(), ids.end()));
    block->sparse = std::make_unique<const SparsePoints<T>>(all_.sparse->columns(), std::move(starts),
                                                            std::move(indices), std::move(values));
    return block;
  }

  void replicate_entries(const Communicator& communicator, const SparseRows<T>& own) {
    std::vector<Index> ends(own.starts().begin() + 1, own.starts().end());
    Index before = 0;
    const std::vector<Index> counts = communicator.all_gather_one(own.own_entries());
    for (int rank = 0; rank < communicator.rank(); ++rank) before += counts[rank];
    for (Index& end : ends) end += before;
    if (communicator.is_root()) ends.insert(ends.begin(), 0);
    starts_ = replicate_on_nodes(communicator, std::span<const Index>(ends));
    indices_ = replicate_on_nodes(communicator, std::span<const Index>(own.indices()));
    values_ = replicate_on_nodes(communicator, std::span<const T>(own.values()));
    all_.sparse = std::make_unique<const SparsePoints<T>>(own.columns(), starts_.values(), indices_.values().data(),
                                                          values_.values().data());
  }

  void compute(const PointBlock<T>& rows, const PointBlock<T>& columns, MatrixView<double> out) const {
    Buffer<T> values(rows.size() * columns.size());
    const MatrixView<T> tile(values.data(), rows.size(), columns.size());
    similarity_->tile(rows, columns, tile);
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = static_cast<double>(tile(a, b));
    }
  }

  std::unique_ptr<Similarity<T>> similarity_;
  NodeArray<T> values_;  // coordinates, or entries
  NodeArray<Index> starts_, indices_;
  PointBlock<T> all_;
};

}  // namespace

template <class T>
std::unique_ptr<SourceSimilarity> make_point_sources(const Communicator& communicator,
                                                     std::unique_ptr<Similarity<T>> similarity,
                                                     const PointSet<T>& points) {
  return std::make_unique<PointSources<T>>(communicator, std::move(similarity), points);
}

template std::unique_ptr<SourceSimilarity> make_point_sources(const Communicator&, std::unique_ptr<Similarity<float>>,
                                                              const PointSet<float>&);
template std::unique_ptr<SourceSimilarity> make_point_sources(const Communicator&, std::unique_ptr<Similarity<double>>,
                                                              const PointSet<double>&);

}  // namespace cairn
