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
    const MatrixView<const T> own = points.coordinates().local();
    coordinates_ =
        replicate_on_nodes(communicator, std::span(own.data, static_cast<std::size_t>(own.rows * own.columns)));
    all_.set = points.identity();
    all_.ids = numbers_of({0, points.size()});
    all_.coordinates = MatrixView<const T>(coordinates_.values().data(), points.size(), points.dimension());
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
    std::vector<T> values;
    values.reserve(ids.size() * static_cast<std::size_t>(all_.coordinates.columns));
    for (const Index id : ids) {
      const T* row = all_.coordinates.row(id);
      values.insert(values.end(), row, row + all_.coordinates.columns);
    }
    return make_point_block<T>({ids.begin(), ids.end()}, all_.coordinates.columns, values, all_.set);
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
  NodeArray<T> coordinates_;
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
