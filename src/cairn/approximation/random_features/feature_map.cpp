#include "cairn/approximation/feature_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>

#include "cairn/approximation/random_features/affine_features.hpp"
#include "cairn/approximation/random_features/fourier_features.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

constexpr Index rows_at_once = 256;
constexpr Index coordinates_at_once = Index{1} << 20;  // coordinates of sparse points expanded at once per thread

struct FeatureMapKind {
  const char* name;
  std::shared_ptr<const FeatureMap> (*read)(const ArrayReader&);
};

// One line per kind.
constexpr std::array kinds{FeatureMapKind{AffineFeatures::name, AffineFeatures::read},
                           FeatureMapKind{FourierFeatures::name, FourierFeatures::read},
                           FeatureMapKind{SketchFeatures::name, SketchFeatures::read}};

// A hash of the arrays passed to it.
class ArrayDigest final : public ArrayWriter {
 public:
  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) override {
    const Index width = std::max<Index>(1, shape.columns) * bytes_of(shape.number);
    digest_ = hash_text(name, digest_);
    for (Index row = 0; row < shape.rows;) {
      const Piece rows = piece(row);
      digest_ = hash_bytes({static_cast<const std::byte*>(rows.values), static_cast<std::size_t>(rows.rows * width)},
                           digest_);
      row += rows.rows;
    }
  }
  void write_texts(const std::string& name, std::span<const std::string_view> texts) override {
    digest_ = hash_text(name, digest_);
    for (const std::string_view text : texts) digest_ = hash_text(text, digest_);
  }
  void write_words(const std::string& name, std::span<const std::string_view> words) override {
    write_texts(name, words);
  }

 private:
  static Index bytes_of(ArrayNumber number) {
    return number == ArrayNumber::float32 || number == ArrayNumber::int32 ? 4 : 8;
  }

  std::uint64_t digest_ = 0;
};

}  // namespace

std::uint64_t digest_of(const FeatureMap& map) {
  ArrayDigest arrays;
  map.write(arrays);
  return hash_text(map.kind(), arrays.digest());
}

template <class T>
RowBlock<T> features_of(const Execution& execution, const PointSet<T>& points, const FeatureMap& map) {
  const Communicator& communicator = execution.communicator;
  if (points.dimension() != map.dimension()) {
    throw Error(ErrorKind::internal, fmt::format("features of points with {} coordinates are asked of a map for {}",
                                                 points.dimension(), map.dimension()));
  }
  const auto phase = execution.phases.enter("features");
  RowBlock<T> out =
      collectively(communicator, [&] { return RowBlock<T>(points.partition(), communicator.rank(), map.columns()); });
  collectively(communicator, [&] {
    const Index own = points.range().size(), dimension = points.dimension();
    const Index step =
        points.is_sparse() ? std::clamp<Index>(coordinates_at_once / dimension, 1, rows_at_once) : rows_at_once;
    const MatrixView<T> to = out.local();
    std::atomic<Index> bad = own;
    const BlasThreads one(1);
    std::exception_ptr error;
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 1)
    for (Index begin = 0; begin < own; begin += step) {
      const Index count = std::min(step, own - begin);
      const MatrixView<T> rows(to.row(begin), count, to.columns, to.stride);
      try {
        const auto block = points.block({points.range().begin + begin, points.range().begin + begin + count});
        map.apply(dynamic_cast<const PointBlock<T>&>(*block).all_coordinates(), rows);
      } catch (...) {  // out of memory
#pragma omp critical(cairn_features)
        error = std::current_exception();
        continue;
      }
      for (Index i = 0; i < count; ++i) {
        if (vector_math::finite(rows.row(i), rows.columns)) continue;
        for (Index first = bad; begin + i < first && !bad.compare_exchange_weak(first, begin + i);) {
        }
      }
      Watchdog::beat();
    }
    if (error) std::rethrow_exception(error);
    if (bad < own) {
      throw Error(ErrorKind::numeric, fmt::format("row {} has a feature that is not finite", out.range().begin + bad));
    }
  });
  return out;
}

template <class T>
Index points_beyond(const Communicator& communicator, const PointSet<T>& points, const FeatureMap& map) {
  Index beyond = 0;
  std::vector<double> point(points.dimension());
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    points.copy_point(i, std::span<double>(point));
    if (map.is_beyond(point)) ++beyond;
  }
  return communicator.sum(beyond);
}

std::shared_ptr<const FeatureMap> read_feature_map(const std::string& kind, const ArrayReader& arrays) {
  const auto found = std::ranges::find(kinds, kind, &FeatureMapKind::name);
  if (found == kinds.end()) {
    arrays.refuse(
        fmt::format("/{} holds features of the kind '{}', which this version does not know", arrays.called(""), kind));
  }
  return found->read(arrays);
}

template Index points_beyond(const Communicator&, const PointSet<float>&, const FeatureMap&);
template Index points_beyond(const Communicator&, const PointSet<double>&, const FeatureMap&);
template RowBlock<float> features_of(const Execution&, const PointSet<float>&, const FeatureMap&);
template RowBlock<double> features_of(const Execution&, const PointSet<double>&, const FeatureMap&);

}  // namespace cairn
