// nystrom with an rbf similarity, from points in memory to factors in memory: one line of JSON per run.
// apps/bench/run compares it with scikit-learn's Nystroem on the same points (sklearn_nystroem.py).
#include "cairn/approximation/column_sampling/nystrom.hpp"

#include <mpi.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benchmark_main.hpp"
#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;
namespace po = boost::program_options;

struct Options {
  std::string points;
  std::string gamma;
  Index landmarks = 0;
  bool embedding = false;
  Index pairs = 0;
  bool resources = false;
};

nlohmann::json run(const Communicator& world, const Options& options) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  set_blas_threads(1);
  nlohmann::json line;
  if (options.resources) {
    line["gemm_gflops"] = bench::gemm_gflops(world);
    line["triad_gigabytes"] = bench::triad_gigabytes(world);
  }
  const PointSet<double> points = read_points<double>(world, {.path = options.points});
  const auto similarity =
      make_similarity<double>(execution, SimilarityChoice(rbf_similarity()).set("gamma", options.gamma), points);

  const bench::Stopwatch watch(world);
  const MethodDescriptor& method = nystrom_method();
  const Approximation<double> result = approximate(
      method,
      Problem<double>{.execution = execution,
                      .similarity = *similarity,
                      .objects = points,
                      .landmarks = select_uniform<double>(execution, points, options.landmarks),
                      .parameters = Values(method.parameters, {{"embedding", options.embedding ? "true" : "false"}})});
  line["seconds"] = watch.seconds();
  for (const PhaseSummary& phase : phases.summarize(world)) line["phases"][phase.name] = phase.seconds;
  line["ranks"] = world.size();
  line["n"] = points.size();
  line["dimension"] = points.dimension();
  line["rank"] = result.report.rank;
  if (options.pairs > 0) {
    const ErrorEstimate error = probe_error(execution, result, *similarity, points, {.count = options.pairs});
    line["relative_error"] = error.relative_error;
    line["relative_error_standard_error"] = error.relative_error_standard_error;
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  po::options_description description("Times nystrom with an rbf similarity");
  description.add_options()("help", "Show this text.")                                                          //
      ("points", po::value(&options.points)->required(), "File of points.")                                     //
      ("gamma", po::value(&options.gamma)->required(), "Of exp(-gamma |x - y|^2).")                             //
      ("landmarks", po::value(&options.landmarks)->required(), "Number of landmarks.")                          //
      ("embedding", po::bool_switch(&options.embedding), "Compute Z with Z Z^T = K~ instead of C and J.")       //
      ("pairs", po::value(&options.pairs)->default_value(0), "Pairs of the error probe (not timed); 0: none.")  //
      ("resources", po::bool_switch(&options.resources), "Measure GEMM and triad rates, too.");
  po::variables_map values;
  po::store(po::parse_command_line(argc, argv, description), values);
  if (values.count("help") != 0) {
    description.print(std::cout);
    return 0;
  }
  po::notify(values);
  return bench::run_benchmark(argc, argv, [&](const Communicator& world) { return run(world, options); });
}
