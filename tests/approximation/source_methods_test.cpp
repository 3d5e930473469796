// The Nystrom and CUR family on similarities that come by source, against the same methods on single entries, and
// against their formulas where values are one-sided.
#include <gmock/gmock.h>

#include <cmath>

#include "../similarity/function_sources.hpp"
#include "../similarity/shared_graphs.hpp"
#include "method_run.hpp"
#include "similarity/path_length.hpp"
#include "similarity/source_entries.hpp"

namespace cairn {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::difference;
using test::FunctionSources;
using test::method;
using test::TestPoints;
using test::world;

test::Outcome<double> run_by_source(const SourceSimilarity& sources, Index landmarks, MethodParameters parameters) {
  Context context(world(), 3);
  const SourceEntries<double> similarity(sources);
  const NumberedObjects objects(RowPartition(sources.size(), world().size()), world().rank());
  Landmarks<double> chosen = select_uniform<double>(context.execution, objects, landmarks);
  test::Outcome<double> outcome;
  outcome.landmarks = chosen.indices;
  outcome.approximation = approximate(
      MethodInput<double>{context.execution, similarity, objects, std::move(chosen), std::move(parameters)});
  outcome.matrix = test::reconstruct(context.execution, outcome.approximation);
  outcome.evaluations = world().sum(sources.evaluations());
  return outcome;
}

TEST(SourceMethods, AgreeWithSingleEntriesOfPathLengths) {
  constexpr Index n = 196;
  const test::Edges edges = test::grid_graph(14, 0.3, 1, 2);
  const std::vector<double> all = test::all_path_lengths(n, edges);
  const test::EntryFunction entry = [&](Index i, Index j) { return all[static_cast<std::size_t>(i * n + j)]; };
  const auto sources = make_path_length(world(), test::share(n, edges), "auto");
  for (const char* name : {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal"}) {
    SCOPED_TRACE(name);
    MethodParameters parameters = method(name);
    if (parameters.method == "optimal") parameters.rank = 20;
    if (parameters.method != "optimal") parameters.tolerance = 1e-4;
    const Index before = world().sum(sources->evaluations());
    const auto by_source = run_by_source(*sources, 20, parameters);
    const auto by_entries = test::run({entry, n, 20}, parameters);
    EXPECT_LT(difference(by_source.matrix, by_entries.matrix), 1e-10);
    EXPECT_EQ(by_source.evaluations - before, by_entries.evaluations);
  }
}

TEST(SourceMethods, AutoComparesWholeColumns) {
  constexpr Index n = 196;
  const test::Edges edges = test::grid_graph(14, 0.3, 1, 2);
  const std::vector<double> all = test::all_path_lengths(n, edges);
  const Dense exact = dense(n, n, [&](Index i, Index j) { return all[static_cast<std::size_t>(i * n + j)]; });
  const auto sources = make_path_length(world(), test::share(n, edges), "auto");
  const auto outcome = run_by_source(*sources, 30, method("auto"));
  const double chosen = difference(outcome.matrix, exact);
  EXPECT_LT(chosen, 1.1 * difference(run_by_source(*sources, 30, method("nystrom")).matrix, exact));
  EXPECT_LT(outcome.evaluations, n * (30 + 64) + 30 * 30 + 1);
  ASSERT_EQ(outcome.approximation.report.notes.size(), 1U);
  EXPECT_THAT(outcome.approximation.report.notes.front(), testing::HasSubstr("auto chose"));
}

// Close to a positive definite matrix, but not symmetric.
struct OneSided {
  static constexpr Index n = 90;
  test::EntryFunction symmetric = test::rbf(TestPoints(n, 2), 8.0);
  [[nodiscard]] double operator()(Index source, Index target) const {
    return symmetric(source, target) * (1.0 + 1e-3 * static_cast<double>((source * 31 + target * 17) % 11));
  }
};

TEST(SourceMethods, AverageBothDirectionsWhereTheyHaveThem) {
  const OneSided value;
  const FunctionSources sources(OneSided::n, value, false, Meaning::similarity);
  const auto mean = [&](Index i, Index j) { return 0.5 * (value(i, j) + value(j, i)); };

  MethodParameters plain = method("nystrom");
  plain.tolerance = 1e-12;
  const auto nystrom = run_by_source(sources, 8, plain);
  const auto& s = nystrom.landmarks;
  const auto at = [](const std::vector<Index>& list, Index k) { return list[static_cast<std::size_t>(k)]; };
  const Dense columns = dense(OneSided::n, 8, [&](Index i, Index j) { return value(at(s, j), i); });
  const Dense block = dense(8, 8, [&](Index i, Index j) { return mean(at(s, i), at(s, j)); });
  EXPECT_LT(difference(nystrom.matrix, product(product(columns, inverse(block)), transposed(columns))), 1e-8);

  // Values without order: any block of them is well conditioned.
  const auto scattered = [](Index i, Index j) {
    return std::sin(1e4 * std::sin(static_cast<double>(i * OneSided::n + 7 * j)));
  };
  const FunctionSources scattered_sources(OneSided::n, scattered, false, Meaning::similarity);
  MethodParameters skeleton = method("skeleton");
  skeleton.tolerance = 1e-12;
  const auto cur = run_by_source(scattered_sources, 8, skeleton);
  const auto& first = cur.landmarks;
  const auto& second = cur.approximation.right_origin->indices;
  const Dense own = dense(OneSided::n, 8, [&](Index i, Index j) { return scattered(at(first, j), i); });
  const Dense others = dense(OneSided::n, 8, [&](Index i, Index j) { return scattered(at(second, j), i); });
  const Dense meeting = dense(8, 8, [&](Index i, Index j) {
    return 0.5 * (scattered(at(second, i), at(first, j)) + scattered(at(first, j), at(second, i)));
  });
  EXPECT_LT(difference(cur.matrix, product(product(own, inverse(meeting)), transposed(others))), 1e-9);

  MethodParameters best = method("optimal");
  best.rank = OneSided::n;
  EXPECT_LT(difference(run_by_source(sources, 1, best).matrix, dense(OneSided::n, OneSided::n, mean)), 1e-10);

  for (const char* name : {"sms-nystrom", "sicur", "stacur", "auto"}) {
    SCOPED_TRACE(name);
    const double error =
        difference(run_by_source(sources, 40, method(name)).matrix, dense(OneSided::n, OneSided::n, mean));
    const double without = difference(test::run({value.symmetric, OneSided::n, 40}, method(name)).matrix,
                                      dense(OneSided::n, OneSided::n, value.symmetric));
    EXPECT_LT(error, without + 0.05);
  }
}

}  // namespace
}  // namespace cairn
