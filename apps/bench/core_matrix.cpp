// The core matrix step of nystrom for a large s compared with a bare pdsyevd of the same matrix: one line of JSON.
//
// The similarity is an rbf with noise, so that the core matrix is indefinite and must be decomposed completely.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "benchmark_main.hpp"
#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/catalog/composite_similarity.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/numbered_similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "resources.hpp"

extern "C" void pdsyevd_(const char*, const char*, const int*, double*, const int*, const int*, const int*, double*,
                         double*, const int*, const int*, const int*, double*, const int*, int*, const int*, int*);

namespace {

using namespace cairn;

// Eigenvalues and eigenvectors by a single call; seconds of the slowest rank.
double seconds_of_bare_pdsyevd(const Communicator& world, BlockCyclicMatrix matrix) {
  BlockCyclicMatrix vectors(matrix.shared_grid(), matrix.rows(), matrix.columns());
  const int n = static_cast<int>(matrix.rows()), one = 1;
  std::vector<double> values(n), work(1);
  std::vector<int> integer_work(1);
  int work_size = -1, integer_size = -1, info = 0;
  const auto call = [&] {
    pdsyevd_("V", "L", &n, matrix.data(), &one, &one, matrix.descriptor().data(), values.data(), vectors.data(), &one,
             &one, vectors.descriptor().data(), work.data(), &work_size, integer_work.data(), &integer_size, &info);
  };
  call();
  work_size = static_cast<int>(work[0]) + 2 * n;  // the query of ScaLAPACK 2.2 returns slightly too little
  integer_size = std::max(integer_work[0], 7 * n + 8 * matrix.grid().columns() + 2);
  work.resize(work_size);
  integer_work.resize(integer_size);
  const bench::Stopwatch watch(world);
  call();
  if (info != 0) throw Error(ErrorKind::numeric, "pdsyevd failed");
  return watch.seconds();
}

nlohmann::json run(const Communicator& world, Index landmarks) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  set_blas_threads(1);
  const PointSet<double> points = read_points<double>(
      world, {.dimension = 16, .generator = "gaussian-mixture", .points = landmarks * 5 / 4, .seed = 1});
  SimilarityChoice sum(sum_similarity());
  sum.parts = {SimilarityChoice(rbf_similarity()).set("gamma", "0.1"),
               SimilarityChoice(noise_similarity()).set("sigma", "0.02")};
  const auto similarity = make_similarity<double>(execution, sum, points);
  Landmarks<double> selected = select_uniform<double>(execution, points, landmarks);
  const auto grid = std::make_shared<ProcessGrid>(world);
  nlohmann::json line;
  {
    const RowBlock<double> columns =
        evaluate_columns(execution, *similarity, points, *selected.objects, "similarities", "columns");
    line["pdsyevd_seconds"] = seconds_of_bare_pdsyevd(world, select_rows<double>(grid, columns, selected.indices));
  }
  const Index before = peak_resident_bytes();
  const Approximation<double> result =
      approximate(nystrom_method(), Problem<double>{.execution = execution,
                                                    .similarity = *similarity,
                                                    .objects = points,
                                                    .landmarks = std::move(selected),
                                                    .parameters = Values(nystrom_method().parameters)});
  for (const PhaseSummary& phase : phases.summarize(world)) line["phases"][phase.name] = phase.seconds;
  line["landmarks"] = landmarks;
  line["ranks"] = world.size();
  line["negative_eigenvalues"] = result.report.negative_eigenvalues;
  line["peak_bytes"] = world.maximum(peak_resident_bytes());
  line["peak_bytes_before"] = world.maximum(before);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const Index landmarks = argc > 1 ? std::atoll(argv[1]) : 8000;
  return bench::run_benchmark(argc, argv, [&](const Communicator& world) { return run(world, landmarks); });
}
