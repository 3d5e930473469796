// Geodesic distances by the heat method on a mesh (FILE, sources; a third argument: folder for its Delaunay triangles,
// lengths.f64 and triangles.i32, for the peer scipy_geodesics.py). Sources are distributed over ranks. One line of
// JSON.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/operator/intrinsic_triangulation.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

template <class T>
void write_raw(const std::string& path, std::span<const T> values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

nlohmann::json run(const Communicator& world, const std::string& file, Index count, const std::string& folder) {
  const TriangleMesh mesh = read_mesh(world, {.path = file});
  if (!folder.empty()) {
    const IntrinsicTriangulation triangles = intrinsic_delaunay(world, mesh);
    if (world.is_root()) {
      write_raw(folder + "/lengths.f64", triangles.lengths.values());
      write_raw(folder + "/triangles.i32", triangles.corners.values());
    }
  }
  const Index n = mesh.size();
  const bench::Stopwatch preparing(world);
  const auto geodesic = make_geodesic(world, mesh, {});
  const double preparation = preparing.seconds();

  const Index block = geodesic->traits().batch, stride = n / count;
  std::vector<double> values(block * n);
  std::vector<double> check(2, 0.0);  // sum of the first block, and sum of its squares
  const auto compute = [&](Index first) {
    std::vector<Index> sources;
    for (Index k = first; k < std::min(first + block, count); ++k) sources.push_back(k * stride);
    geodesic->to_all(sources, {values.data(), static_cast<Index>(sources.size()), n});
    for (std::size_t k = 0; first == 0 && k < sources.size() * static_cast<std::size_t>(n); ++k) {
      check[0] += values[k];
      check[1] += values[k] * values[k];
    }
  };
  compute(world.rank() * block < count ? world.rank() * block : 0);  // touches the memory
  std::fill(check.begin(), check.end(), 0.0);
  const bench::Stopwatch computing(world);
  for (Index first = world.rank() * block; first < count; first += world.size() * block) compute(first);
  const double seconds = computing.seconds();
  world.sum(std::span(check));

  nlohmann::json line;
  line["vertices"] = n;
  line["sources"] = count;
  line["ranks"] = world.size();
  line["preparation_seconds"] = preparation;
  line["seconds_per_source"] = seconds / static_cast<double>(count);
  line["check"] = check;
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    const Index count = argc > 2 ? std::atoll(argv[2]) : 0;
    if (count < 1) throw Error(ErrorKind::usage, "bench_geodesics FILE SOURCES [FOLDER]");
    return run(world, argv[1], count, argc > 3 ? argv[3] : "");
  });
}
