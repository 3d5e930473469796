// Dual coordinate descent compared with LIBLINEAR on the same dense rows: one line of JSON per run. LIBLINEAR makes as
// many passes as its tolerance requires; Cairn makes the same number.
#include <linear.h>
#include <mpi.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benchmark_main.hpp"
#include "cairn/base/random.hpp"
#include "cairn/task/classification/dual_descent.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;
namespace po = boost::program_options;

struct Options {
  Index rows = 0, columns = 0;
  double cost = 0.0, tolerance = 0.0;
  bool hinge = false;
};

int passes_told = 0;
void hear(const char* text) {
  if (const char* told = std::strstr(text, "#iter = ")) passes_told = std::atoi(told + 8);
}

// Two overlapping clouds.
RowBlock<double> clouds(const Communicator& world, const Options& options) {
  RowBlock<double> rows(RowPartition(options.rows, world.size()), world.rank(), options.columns);
  const Random random(1, Stream::generator);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (Index k = 0; k < options.columns; ++k) {
      const double noise = random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
      rows.row(i)[k] = (noise + (i % 2 == 0 ? 0.06 : -0.06)) / 10.0;
    }
  }
  return rows;
}

double objective(const RowBlock<double>& rows, const std::vector<double>& weights, double intercept,
                 const Options& options) {
  double value = intercept * intercept / 2;
  for (const double w : weights) value += w * w / 2;
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    double margin = intercept;
    const std::span<const double> row = rows.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) margin += row[k] * weights[k];
    const double loss = std::max(0.0, 1.0 - (i % 2 == 0 ? margin : -margin));
    value += options.cost * (options.hinge ? loss : loss * loss);
  }
  return value;
}

nlohmann::json run(const Communicator& world, const Options& options) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  const Factor<double> left(clouds(world, options));
  const RowBlock<double>& rows = left.dense();
  nlohmann::json line{{"rows", options.rows}, {"columns", options.columns}, {"cost", options.cost}};

  std::vector<feature_node> nodes;
  std::vector<feature_node*> x;
  std::vector<double> y;
  nodes.reserve(options.rows * (options.columns + 2));
  for (Index i = 0; i < options.rows; ++i) {
    x.push_back(nodes.data() + nodes.size());
    for (Index k = 0; k < options.columns; ++k) nodes.push_back({static_cast<int>(k) + 1, rows.row(i)[k]});
    nodes.push_back({static_cast<int>(options.columns) + 1, 1.0});
    nodes.push_back({-1, 0.0});
    y.push_back(i % 2 == 0 ? 1.0 : -1.0);
  }
  problem task{static_cast<int>(options.rows), static_cast<int>(options.columns) + 1, y.data(), x.data(), 1.0};
  parameter how{};
  how.solver_type = options.hinge ? L2R_L1LOSS_SVC_DUAL : L2R_L2LOSS_SVC_DUAL;
  how.C = options.cost;
  how.eps = options.tolerance;
  set_print_string_function(&hear);
  std::srand(1);
  const bench::Stopwatch theirs(world);
  model* trained = ::train(&task, &how);
  line["liblinear_seconds"] = theirs.seconds();
  line["passes"] = passes_told;
  line["liblinear_objective"] =
      objective(rows, {trained->w, trained->w + options.columns}, trained->w[options.columns], options);
  free_and_destroy_model(&trained);

  std::vector<Index> own(options.rows);
  PlaneMembers members{.cost_positive = options.cost, .cost_negative = options.cost};
  for (Index i = 0; i < options.rows; ++i) {
    own[i] = i;
    members.rows.push_back(i);
    members.positive.push_back(i % 2 == 0 ? 1 : 0);
  }
  const DescentRows dense(execution, left, own, 1.0);
  const bench::Stopwatch ours(world);
  const SvmPlane plane = dense.train(
      members, {.loss = options.hinge ? SvmLoss::hinge : SvmLoss::squared_hinge, .passes = passes_told, .seed = 1});
  line["seconds"] = ours.seconds();
  line["objective"] = objective(rows, plane.weights, plane.intercept, options);
  line["ratio"] = line["liblinear_seconds"].get<double>() / line["seconds"].get<double>();
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  po::options_description known;
  known.add_options()("rows", po::value(&options.rows)->default_value(16000))(
      "columns", po::value(&options.columns)->default_value(500))("cost",
                                                                  po::value(&options.cost)->default_value(10.0))(
      "tolerance", po::value(&options.tolerance)->default_value(0.1))("hinge", po::bool_switch(&options.hinge));
  po::variables_map given;
  try {
    po::store(po::parse_command_line(argc, argv, known), given);
    po::notify(given);
  } catch (const po::error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return bench::run_benchmark(argc, argv, [&](const Communicator& world) { return run(world, options); });
}
