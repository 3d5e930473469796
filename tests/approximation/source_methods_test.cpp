// The Nystrom and CUR family on similarities that come by source, against the same methods on single entries, and
// against their formulas where values are one-sided.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "../similarity/function_sources.hpp"
#include "../similarity/shared_graphs.hpp"
#include "cairn/approximation/approximate_row.hpp"
#include "cairn/approximation/error/certificate.hpp"
#include "cairn/approximation/error/entry_draws.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "method_run.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);

namespace cairn::source_methods_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::difference;
using test::FunctionSources;
using test::method;
using test::MethodChoice;
using test::TestPoints;
using test::world;

test::Outcome<double> run_by_source(const SourceSimilarity& sources, Index landmarks, MethodChoice parameters) {
  Context context(world(), 3);
  const SourceEntries<double> similarity(sources);
  const NumberedObjects objects(RowPartition(sources.size(), world().size()), world().rank());
  Landmarks<double> chosen = select_uniform<double>(context.execution, objects, landmarks);
  test::Outcome<double> outcome;
  outcome.landmarks = chosen.indices;
  outcome.approximation =
      test::approximate<double>(parameters, context.execution, similarity, objects, std::move(chosen), landmarks);
  outcome.matrix = test::reconstruct(context.execution, outcome.approximation);
  outcome.evaluations = world().sum(sources.evaluations());
  return outcome;
}

TEST(SourceMethods, AgreeWithSingleEntriesOfPathLengths) {
  constexpr Index n = 196;
  const test::Edges edges = test::grid_graph(14, 0.3, 1, 2);
  const std::vector<double> all = test::all_path_lengths(n, edges);
  const test::EntryFunction entry = [&](Index i, Index j) { return all[i * n + j]; };
  const auto sources = make_path_length(world(), test::share(n, edges), "auto");
  for (const char* name : {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal"}) {
    SCOPED_TRACE(name);
    MethodChoice parameters = method(name);
    if (parameters.name == "optimal") parameters.set("rank", 20);
    if (parameters.name != "optimal") parameters.set("tolerance", 1e-4);
    const Index before = world().sum(sources->evaluations());
    const auto by_source = run_by_source(*sources, 20, parameters);
    const auto by_entries = test::run({entry, n, 20}, parameters);
    EXPECT_LT(difference(by_source.matrix, by_entries.matrix), 1e-10);
    EXPECT_EQ(by_source.evaluations - before, by_entries.evaluations);
  }
}

// The core matrix and the map whole, then every entry of a tall factor.
std::vector<double> numbers_of(const BlockCyclicMatrix& matrix) {
  const Buffer<double> all = replicate_columns(matrix, {0, matrix.columns()});
  return {all.data(), all.data() + all.size()};
}

std::vector<double> numbers_of(const CoreMatrix& core_matrix) {
  if (const auto* dense_core = std::get_if<DenseCore>(&core_matrix)) return numbers_of(dense_core->matrix);
  const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix);
  return diagonal != nullptr ? diagonal->values : std::vector<double>();
}

template <class T>
std::vector<double> numbers_of(const TallMatrix<T>& tall) {
  std::vector<double> own(static_cast<std::size_t>(tall.range().size() * tall.columns()));
  for (Index i = tall.range().begin; i < tall.range().end; ++i) {
    tall.copy_row(i, own.data() + (i - tall.range().begin) * tall.columns());
  }
  return world().all_gather(own);
}

// Factors of integers have the bits of numbers in the precision of the run, and K~ is theirs to rounding: the columns
// are handed to the method as such, or evaluated by it.
template <class T>
void expect_bits_of_numbers(const MethodChoice& parameters, double length, Index bytes) {
  constexpr Index n = 196, s = 20;
  SCOPED_TRACE(testing::Message() << parameters.name << ", " << sizeof(T) << " bytes a number");
  test::Edges edges = test::grid_graph(14, 0.3, 1, 2);
  for (auto& [edge, own] : edges) own *= length;
  const auto sources = make_path_length(world(), test::share(n, edges, true), "hierarchy");
  const SourceEntries<T> similarity(*sources);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  std::vector<Approximation<T>> both;
  for (const bool as_numbers : {false, true}) {
    Context context(world(), 3);
    Landmarks<T> chosen = select_uniform<T>(context.execution, objects, s);
    if (as_numbers) {
      chosen.columns = evaluate_columns(context.execution, similarity, objects, *chosen.objects, "a", "b");
    }
    both.push_back(test::approximate<T>(parameters, context.execution, similarity, objects, std::move(chosen), s));
  }
  const Approximation<T>&integers = both[0], &numbers = both[1];
  EXPECT_EQ(integers.left.tall().value_bytes(), bytes);
  EXPECT_FALSE(numbers.left.tall().is_integral());
  EXPECT_EQ(numbers_of(integers.left.tall()), numbers_of(numbers.left.tall()));
  EXPECT_EQ(numbers_of(integers.core_matrix), numbers_of(numbers.core_matrix));
  ASSERT_EQ(integers.right.has_value(), numbers.right.has_value());
  if (integers.right) {
    EXPECT_EQ(integers.right->tall().value_bytes(), bytes);
    EXPECT_EQ(numbers_of(integers.right->tall()), numbers_of(numbers.right->tall()));
  }
  Context context(world(), 3);
  std::vector<Index> rows, columns, some = {0, 17, n - 1};
  for (Index k = 0; k < 50; ++k) rows.push_back(k * 37 % n), columns.push_back((k + world().rank()) * 53 % n);
  const auto entries = approximate_entries(context.execution, integers, rows, columns);
  const auto expected = approximate_entries(context.execution, numbers, rows, columns);
  const double longest = 30.0 * length;  // sums of products are in another order
  for (std::size_t k = 0; k < entries.size(); ++k) EXPECT_NEAR(entries[k], expected[k], 1e-13 * longest) << k;
  const auto of_integers = test::gathered(world(), approximate_columns(context.execution, integers, some));
  const auto of_numbers = test::gathered(world(), approximate_columns(context.execution, numbers, some));
  EXPECT_LT(difference(of_integers, of_numbers), 1e-13);
  EXPECT_EQ(factor_column(integers.left, 3), factor_column(numbers.left, 3));
  EXPECT_EQ(row_cosines(world(), integers.left.tall(), 5), row_cosines(world(), numbers.left.tall(), 5));
  EXPECT_EQ(row_energies(context.execution, integers.left), row_energies(context.execution, numbers.left));
  if (integers.right || integers.symmetrize) return;
  EXPECT_EQ(squared_norm(context.execution, integers), squared_norm(context.execution, numbers));
}

TEST(SourceMethods, HoldIntegersWithoutLoss) {
  for (const char* name : {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "auto"}) {
    expect_bits_of_numbers<double>(method(name), 1.0, 2);
    expect_bits_of_numbers<float>(method(name), 1.0, 2);
  }
  expect_bits_of_numbers<double>(method("nystrom"), 10000.0, 4);
  expect_bits_of_numbers<float>(method("nystrom"), 10000.0, 4);  // as floats
}

TEST(SourceMethods, GiveTheSameEmbeddingOfIntegers) {
  for (const char* name : {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur"}) {
    MethodChoice embedding = method(name);
    embedding.set("embedding", "true");
    expect_bits_of_numbers<double>(embedding, 1.0, 8);
  }
  MethodChoice both = method("sms-nystrom");
  both.set("shift", "both");
  expect_bits_of_numbers<double>(both, 1.0, 8);
}

TEST(SourceMethods, AutoComparesWholeColumns) {
  constexpr Index n = 196;
  const test::Edges edges = test::grid_graph(14, 0.3, 1, 2);
  const std::vector<double> all = test::all_path_lengths(n, edges);
  const Dense exact = dense(n, n, [&](Index i, Index j) { return all[i * n + j]; });
  const auto sources = make_path_length(world(), test::share(n, edges), "auto");
  const auto outcome = run_by_source(*sources, 30, method("auto"));
  const double chosen = difference(outcome.matrix, exact);
  double worst = 0.0;
  // The candidates on the same landmarks: all 30, and as many as n s' + s'^2 <= 30 n allows for sms-nystrom.
  MethodChoice truncated = method("nystrom"), positive = method("nystrom"), sicur = method("sicur");
  truncated.set("tolerance", 1e-3);
  positive.set("spectrum", "positive");
  sicur.set("s2", 30);  // other ones beside the first 15
  const std::vector<std::pair<Index, MethodChoice>> candidates = {{30, method("nystrom")}, {30, truncated},
                                                                  {30, positive},          {26, method("sms-nystrom")},
                                                                  {30, method("stacur")},  {15, sicur}};
  for (const auto& [landmarks, parameters] : candidates) {
    const double error = difference(run_by_source(*sources, landmarks, parameters).matrix, exact);
    EXPECT_LT(chosen, 1.1 * error) << parameters.name;
    worst = std::max(worst, error);
  }
  EXPECT_GT(worst, 2.0 * chosen);
  EXPECT_LT(outcome.evaluations, n * (30 + 64) + 30 * 30 + 1);
  ASSERT_EQ(outcome.approximation.report.notes.size(), 1U);
  EXPECT_THAT(outcome.approximation.report.notes.front(), testing::HasSubstr("auto chose"));
}

// Columns K S of one-sided values: value(landmark, object).
Dense columns_of(const test::EntryFunction& value, Index n, const std::vector<Index>& sources) {
  return dense(n, static_cast<Index>(sources.size()), [&](Index i, Index j) { return value(sources[j], i); });
}

// Rows `first` and columns `second` of the mean of both directions.
Dense mean_block(const test::EntryFunction& value, const std::vector<Index>& first, const std::vector<Index>& second) {
  return dense(static_cast<Index>(first.size()), static_cast<Index>(second.size()), [&](Index i, Index j) {
    const Index a = first[i], b = second[j];
    return 0.5 * (value(a, b) + value(b, a));
  });
}

// (AᵀA)⁻¹ Aᵀ of an A with independent columns.
Dense left_inverse(const Dense& a) { return product(inverse(product(transposed(a), a)), transposed(a)); }

// What a method of the family says for its own samples, by the formulas of its paper.
Dense formula(const test::EntryFunction& value, Index n, const test::Outcome<double>& outcome) {
  const MethodReport& report = outcome.approximation.report;
  const std::vector<Index>& first = outcome.approximation.left_origin->indices;
  const std::vector<Index>& second =
      outcome.approximation.right_origin ? outcome.approximation.right_origin->indices : first;
  const Dense own = columns_of(value, n, first), others = columns_of(value, n, second);
  if (report.method == "stacur") {
    Dense between = mean_block(value, first, second);
    for (double& entry : between.values) entry *= static_cast<double>(n) / static_cast<double>(second.size());
    return product(product(own, inverse(product(transposed(own), own))), product(between, transposed(others)));
  }
  Dense meeting = mean_block(value, second, first);
  if (report.method == "sms-nystrom") {
    for (Index i = 0; i < meeting.rows; ++i) meeting(i, i) += report.shift;
  }
  return product(product(own, left_inverse(meeting)), transposed(others));
}

// Values without order, far from symmetric, with a strong diagonal: blocks of them are well conditioned.
struct OneSided {
  static constexpr Index n = 90;
  [[nodiscard]] double operator()(Index source, Index target) const {
    const double scattered = std::sin(1e4 * std::sin(static_cast<double>(source * n + 7 * target)));
    return source == target ? 4.0 : scattered;
  }
};

TEST(SourceMethods, AverageBothDirectionsWhereTheyHaveThem) {
  const OneSided value;
  const FunctionSources sources(OneSided::n, value, false, Meaning::similarity);
  for (const char* name : {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "stacur, two samples"}) {
    SCOPED_TRACE(name);
    MethodChoice parameters = method(std::string(name).substr(0, std::string(name).find(',')));
    parameters.set("tolerance", 1e-12);
    const bool two_samples = parameters.name != name;
    if (two_samples) {
      parameters.set("samples", "different");
      parameters.set("s2", 8);
    }
    if (parameters.name == "sms-nystrom") parameters.set("s2", OneSided::n);
    const auto outcome = run_by_source(sources, 8, parameters);
    EXPECT_EQ(outcome.approximation.right_origin.has_value(),
              parameters.name == "skeleton" || parameters.name == "sicur" || two_samples);
    EXPECT_LT(difference(outcome.matrix, formula(value, OneSided::n, outcome)), 1e-9);
  }
  MethodChoice best = method("optimal");
  best.set("rank", OneSided::n);
  const auto mean = [&](Index i, Index j) { return 0.5 * (value(i, j) + value(j, i)); };
  EXPECT_LT(difference(run_by_source(sources, 1, best).matrix, dense(OneSided::n, OneSided::n, mean)), 1e-10);
}

// The sample of the shift is the whole matrix here. Between landmarks and the others only one direction is known: that
// of the landmarks' columns.
TEST(SourceMethods, ShiftByTheSmallestEigenvalueOfTheMean) {
  const OneSided value;
  const FunctionSources sources(OneSided::n, value, false, Meaning::similarity);
  MethodChoice parameters = method("sms-nystrom");
  parameters.set("s2", OneSided::n);
  const auto outcome = run_by_source(sources, 8, parameters);
  std::vector<Index> all(OneSided::n);
  std::iota(all.begin(), all.end(), Index{0});
  const Dense mean = mean_block(value, all, all);
  const auto chosen = [&](Index i) { return std::ranges::find(outcome.landmarks, i) != outcome.landmarks.end(); };
  std::vector<double> matrix;
  for (const Index i : all) {
    for (const Index j : all) {
      matrix.push_back(chosen(i) == chosen(j) ? mean(i, j) : chosen(i) ? value(i, j) : value(j, i));
    }
  }
  constexpr int order = OneSided::n, work_size = 4 * order;
  std::vector<double> values(order), work(work_size);
  int info = 0;
  dsyev_("N", "L", &order, matrix.data(), &order, values.data(), work.data(), &work_size, &info);
  ASSERT_EQ(info, 0);
  ASSERT_LT(values.front(), -1.0);
  EXPECT_NEAR(outcome.approximation.report.shift, -1.5 * values.front(), 1e-8 * values.back());
}

TEST(SourceMethods, AutoAveragesBothDirections) {
  const OneSided value;
  const FunctionSources sources(OneSided::n, value, false, Meaning::similarity);
  const auto outcome = run_by_source(sources, 30, method("auto"));
  SCOPED_TRACE(outcome.approximation.report.notes.front());
  EXPECT_LT(difference(outcome.matrix, formula(value, OneSided::n, outcome)), 1e-9);
}

}  // namespace
}  // namespace cairn::source_methods_test
