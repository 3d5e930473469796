// Tiles of the rbf compared with a lower bound: the matrix product at the rate of a large product on this machine, plus
// one exponential per entry by the best vector library. One core; one line per case, then one line of JSON.
//
//   bench_rbf_tiles [--json FILE]
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "exponential_rate.hpp"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
}

namespace {

using namespace cairn;

constexpr Index rows = 128;  // RowPartition::unit(200,000)
constexpr Index columns = 1000;
constexpr int repetitions = 7;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class T>
std::unique_ptr<PointBlock<T>> normal_points(Index first, Index count, Index d) {
  const Random random(1, Stream::test);
  std::vector<Index> ids;
  std::vector<T> values;
  for (Index i = first; i < first + count; ++i) {
    ids.push_back(i);
    for (Index k = 0; k < d; ++k) {
      values.push_back(static_cast<T>(random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k))));
    }
  }
  return make_point_block<T>(ids, d, values);
}

// Multiplications and additions per second in one product of 2000 x 2000 matrices.
template <class T>
double flops_of_gemm() {
  constexpr int n = 2000;
  static const std::vector<T> a(static_cast<std::size_t>(n) * n, T(0.5)), b(a);
  static std::vector<T> c(a.size());
  const T one = 1, zero = 0;
  const double seconds = seconds_of([&] {
    if constexpr (std::is_same_v<T, double>) {
      dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    } else {
      sgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    }
  });
  return 2.0 * n * n * n / seconds;
}

// Seconds per entry, of Cairn and of the lower bound, with interleaved repetitions.
template <class T>
nlohmann::json measure(Index d) {
  const auto x = normal_points<T>(0, rows, d);
  const auto y = normal_points<T>(rows, columns, d);
  const auto similarity = make_rbf<T>(d, 0.5 / static_cast<double>(d));
  Buffer<T> values(rows * columns);
  const MatrixView<T> out(values.data(), rows, columns);
  const int tiles = static_cast<int>(std::max<Index>(10, 6400 / (d + 32)));
  const auto ours_once = [&] {
    for (int t = 0; t < tiles; ++t) similarity->tile(*x, *y, out);
  };
  ours_once();
  (void)flops_of_gemm<T>();
  std::vector<double> ours, gemm, exponentials;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    gemm.push_back(flops_of_gemm<T>());
    exponentials.push_back(bench::exponentials_a_second(T(0)));
    ours.push_back(seconds_of(ours_once) / static_cast<double>(tiles * rows * columns));
  }
  const double entry = median(ours);
  const double floor = 2.0 * static_cast<double>(d) / median(gemm) + 1.0 / median(exponentials);
  return {{"dimension", d},
          {"precision", std::is_same_v<T, double> ? "double" : "single"},
          {"gigaentries", 1e-9 / entry},
          {"floor_gigaentries", 1e-9 / floor},
          {"share_of_floor", floor / entry},
          {"gemm_gflops", 1e-9 * median(gemm)},
          {"gigaexponentials", 1e-9 * median(exponentials)}};
}

nlohmann::json run() {
  nlohmann::json line;
  for (const Index d : {16, 64, 256}) {
    for (const bool single : {false, true}) {
      const nlohmann::json one = single ? measure<float>(d) : measure<double>(d);
      std::printf("d = %3lld, %s: %.3f G entries/s; floor %.3f (GEMM %.0f GFLOP/s, %.2f G exponentials/s); %.0f %%\n",
                  static_cast<long long>(d), single ? "single" : "double", one["gigaentries"].get<double>(),
                  one["floor_gigaentries"].get<double>(), one["gemm_gflops"].get<double>(),
                  one["gigaexponentials"].get<double>(), 100 * one["share_of_floor"].get<double>());
      line["cases"].push_back(one);
    }
  }
  line["tile_rows"] = rows;
  line["tile_columns"] = columns;
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool to_file = arguments.size() == 2 && arguments[0] == "--json";
    if (!arguments.empty() && !to_file) throw Error(ErrorKind::usage, "usage: bench_rbf_tiles [--json FILE]");
    const BlasThreads one(1);
    const nlohmann::json line = run();
    std::puts(line.dump().c_str());
    if (to_file) std::ofstream(arguments[1]) << line.dump(2) << '\n';
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = error.exit_code();
  }
  MPI_Finalize();
  return code;
}
