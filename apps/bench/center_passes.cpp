// A pass over K between rows and centers with both of its products, beside the evaluation of the same tiles alone.
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "benchmark_main.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/task/regression/centers/center_tiles.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;
namespace po = boost::program_options;

struct Options {
  Index rows = 0, centers = 0, dimension = 0, repeats = 0;
};

nlohmann::json run(const Communicator& world, const Options& options) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  set_blas_threads(1);
  const Index n = options.rows, m = options.centers;
  RowBlock<float> coordinates(RowPartition(n, world.size()), world.rank(), options.dimension);
  const Range own = coordinates.range();
  const Random random(1, Stream::test);
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index k = 0; k < options.dimension; ++k) {
      coordinates.local()(i - own.begin, k) = static_cast<float>(random.uniform(i, k));
    }
  }
  const PointSet<float> points(std::move(coordinates), world.rank(), {});
  const auto similarity =
      make_similarity<float>(execution, SimilarityChoice(rbf_similarity()).set("gamma", "0.5"), points);
  std::vector<Index> centers(static_cast<std::size_t>(m)), rows(static_cast<std::size_t>(own.size()));
  for (Index k = 0; k < m; ++k) centers[k] = k * (n / m);
  std::iota(rows.begin(), rows.end(), own.begin);

  // The floor: tiles of 64 rows and 2,048 centers, one after the other in the same memory.
  constexpr Index tile_rows = 64, tile_centers = 2048;
  const auto block = points.gather(world, std::span(centers).first(std::min(m, tile_centers)));
  std::vector<float> tile(static_cast<std::size_t>(tile_rows * block->size()));
  const auto evaluate_all = [&] {
    for (Index i = own.begin; i < own.end; i += tile_rows) {
      const Range these{i, std::min(own.end, i + tile_rows)};
      for (Index c = 0; c < m; c += tile_centers) {
        const MatrixView<float> out(tile.data(), these.size(), block->size());
        similarity->tile(*points.block(these), *block, out);
      }
    }
  };
  const CenterTiles<float> tiles(execution, *similarity, points, centers);
  const std::vector<double> v(static_cast<std::size_t>(m), 1.0), ridges = {1.0};
  double evaluation = 1e300, pass = 1e300;
  for (Index r = 0; r < options.repeats; ++r) {
    const bench::Stopwatch first(world);
    evaluate_all();
    evaluation = std::min(evaluation, first.seconds());
    const bench::Stopwatch second(world);
    static_cast<void>(tiles.normal_times(rows, {v.data(), m, 1}, ridges));
    pass = std::min(pass, second.seconds());
  }
  // The pass evaluates K among the centers, too.
  const double entries = static_cast<double>(n + m) * static_cast<double>(m);
  const double evaluated = static_cast<double>(n) * static_cast<double>((m + tile_centers - 1) / tile_centers) *
                           static_cast<double>(block->size());
  const double cores = 1e9 * static_cast<double>(world.size());
  return {{"ranks", world.size()},
          {"centers", m},
          {"evaluation_ns", cores * evaluation / evaluated},
          {"pass_ns", cores * pass / entries},
          {"pass_seconds", pass}};
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  po::options_description description("Times passes over K between rows and centers, rbf, single precision");
  description.add_options()("help", "Show this text.")                                            //
      ("rows", po::value(&options.rows)->default_value(100'000), "Number of points.")             //
      ("centers", po::value(&options.centers)->required(), "Number of centers.")                  //
      ("dimension", po::value(&options.dimension)->default_value(16), "Coordinates of a point.")  //
      ("repeats", po::value(&options.repeats)->default_value(5), "Passes, of which the fastest counts.");
  po::variables_map values;
  po::store(po::parse_command_line(argc, argv, description), values);
  if (values.count("help") != 0) {
    description.print(std::cout);
    return 0;
  }
  po::notify(values);
  return bench::run_benchmark(argc, argv, [&](const Communicator& world) { return run(world, options); });
}
