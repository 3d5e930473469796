// Writing a result compared with dd with fsync of the same bytes, interleaved: one line of JSON.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/store/result/result_file.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

constexpr Index columns = 500;
constexpr int repetitions = 5;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Incompressible factors with a total of about `bytes` bytes.
Approximation<double> large_approximation(const Communicator& world, Index bytes) {
  Approximation<double> approximation;
  const Index rows = bytes / (columns * static_cast<Index>(sizeof(double)));
  approximation.left = RowBlock<double>(RowPartition(rows, world.size()), world.rank(), columns);
  const Random random(1, Stream::test);
  const Range own = approximation.left.range();
  for (Index i = own.begin; i < own.end; ++i) {
    const double row = random.uniform(static_cast<std::uint64_t>(i));
    for (Index j = 0; j < columns; ++j) {
      approximation.left.dense().row(i)[j] = row / static_cast<double>(j + 3);
    }
  }
  approximation.core_matrix = IdentityCore{columns};
  return approximation;
}

double seconds_of_write(const Communicator& world, const Approximation<double>& approximation,
                        const std::string& path) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  const bench::Stopwatch watch(world);
  write_result(execution, path, approximation, {}, {});
  return watch.seconds();
}

// One process copies the file, which is in memory, and flushes it. The other ranks sleep, because waiting in MPI would
// use the cores that dd needs.
double seconds_of_dd(const Communicator& world, const std::string& path) {
  const std::string copy = path + ".dd";
  const std::string finished = path + ".dd-finished";
  double seconds = 0.0;
  if (world.is_root()) {
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(("dd if='" + path + "' of='" + copy + "' bs=4M conv=fsync status=none").c_str());
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::ofstream(finished) << status;
  }
  while (!std::filesystem::exists(finished)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  world.broadcast(std::span(&seconds, 1), 0);
  if (world.is_root()) {
    const bool whole =
        std::filesystem::exists(copy) && std::filesystem::file_size(copy) == std::filesystem::file_size(path);
    std::filesystem::remove(copy);
    std::filesystem::remove(finished);
    if (!whole) throw Error(ErrorKind::resource, "dd could not copy " + path);
  }
  world.barrier();
  return seconds;
}

nlohmann::json run(const Communicator& world, const std::string& folder, double gigabytes) {
  const std::string path = folder + "/cairn-bench-write.h5";
  const auto approximation = large_approximation(world, static_cast<Index>(gigabytes * 1e9));
  std::vector<double> ours, theirs;
  double bytes = 0.0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    ours.push_back(seconds_of_write(world, approximation, path));
    theirs.push_back(seconds_of_dd(world, path));
    if (world.is_root()) {
      bytes = static_cast<double>(std::filesystem::file_size(path));
      std::filesystem::remove(path);  // both write new files: freeing blocks of an old one takes time
      ::sync();
      std::printf("write_result %.2f s, dd %.2f s\n", ours.back(), theirs.back());
    }
  }
  return {{"ranks", world.size()},
          {"bytes", bytes},
          {"write_seconds", median(ours)},
          {"dd_seconds", median(theirs)},
          {"write_megabytes_per_second", 1e-6 * bytes / median(ours)},
          {"dd_megabytes_per_second", 1e-6 * bytes / median(theirs)},
          {"share_of_dd", median(theirs) / median(ours)}};
}

}  // namespace

// bench_write_result FOLDER [GIGABYTES]
int main(int argc, char** argv) {
  return bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    if (argc < 2) throw Error(ErrorKind::usage, "usage: bench_write_result FOLDER [GIGABYTES]");
    return run(world, argv[1], argc > 2 ? std::atof(argv[2]) : 2.0);
  });
}
