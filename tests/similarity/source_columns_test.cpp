// Columns of K by source against values that are computed one by one.
#include "cairn/similarity/source_columns.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "../landmark/remembering_ledger.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "function_sources.hpp"
#include "shared_graphs.hpp"
#include "test_communicator.hpp"

namespace cairn::source_columns_test {
namespace {

using test::Context;
using test::FunctionSources;
using test::world;

constexpr Index n = 300;

NumberedObjects numbered(Index size) { return {RowPartition(size, world().size()), world().rank()}; }

double value(Index source, Index target) { return static_cast<double>(1000 * source + target) / 7.0; }

std::vector<Index> every_other(Index count) {
  std::vector<Index> columns;
  for (Index k = 0; k < count; ++k) columns.push_back((2 * k + 1) % n);
  return columns;
}

template <class T>
void expect_columns(const RowBlock<T>& out, const std::vector<Index>& columns, Index first) {
  for (Index v = out.range().begin; v < out.range().end; ++v) {
    for (std::size_t b = 0; b < columns.size(); ++b) {
      ASSERT_EQ(out.row(v)[static_cast<std::size_t>(first) + b], static_cast<T>(value(columns[b], v)))
          << v << ", " << b;
    }
  }
}

template <class T>
RowBlock<T> in_slabs(const Execution& execution, const SourceSimilarity& similarity,
                     const std::vector<Index>& columns) {
  RowBlock<T> out(RowPartition(n, world().size()), world().rank(), static_cast<Index>(columns.size()) + 2);
  auto phase = execution.phases.enter("similarities");
  evaluate_source_columns(execution, similarity, columns, out, 2, phase, "columns", 1);
  return out;
}

TEST(SourceColumns, AreTheValuesOfTheirSourcesInSeveralSlabs) {
  Context context;
  const FunctionSources similarity(n, value, false);
  const std::vector<Index> columns = every_other(145);  // slabs of 8 bands of 7
  expect_columns(in_slabs<double>(context.execution, similarity, columns), columns, 2);
  expect_columns(in_slabs<float>(context.execution, similarity, columns), columns, 2);
  EXPECT_EQ(world().sum(similarity.evaluations()), 2 * 145 * n);
  EXPECT_EQ(context.phases.summarize(world()).at(0).evaluations, 2 * 145 * n);
}

TEST(SourceColumns, AreTakenFromTheLedger) {
  test::RememberingLedger ledger;
  Phases phases;
  const Execution execution{world(), phases, ledger, 1, 0};
  const FunctionSources similarity(n, value, false);
  const std::vector<Index> columns = every_other(100);
  static_cast<void>(in_slabs<double>(execution, similarity, columns));
  const Index once = similarity.evaluations();
  expect_columns(in_slabs<double>(execution, similarity, columns), columns, 2);
  EXPECT_EQ(similarity.evaluations(), once);
}

TEST(SourceColumns, ArePathLengths) {
  const test::Edges edges = test::grid_graph(12, 0.2, 9, 5);
  const std::vector<double> all = test::all_path_lengths(144, edges);
  const std::vector<Index> columns = {3, 140, 77, 78, 0, 12, 99, 100, 101};
  for (const char* method : {"hierarchy", "dijkstra"}) {
    Context context;
    const auto sources = make_path_length(world(), test::share(144, edges, true), method);
    const SourceEntries<double> entries(*sources);
    const NumberedObjects objects = numbered(144);
    const auto out =
        evaluate_columns(context.execution, entries, objects, *objects.gather(world(), columns), "phase", "loop");
    for (Index v = out.range().begin; v < out.range().end; ++v) {
      for (std::size_t b = 0; b < columns.size(); ++b) {
        EXPECT_EQ(out.row(v)[b], all[v * 144 + columns[b]]);
      }
    }
    const auto block = evaluate_principal_submatrix(context.execution, entries, objects, columns, "phase", "block");
    for (Index a = block.range().begin; a < block.range().end; ++a) {
      for (std::size_t b = 0; b < columns.size(); ++b) {
        EXPECT_EQ(block.row(a)[b], all[columns[a] * 144 + columns[b]]);
      }
    }
  }
}

// Full sweeps, whose lengths are taken as they come, and a last one that is not full; in both precisions.
template <class T>
void expect_all_columns(const Execution& execution, double length) {
  test::Edges edges = test::grid_graph(12, 0.2, 9, 5);
  for (auto& [edge, own] : edges) own *= length;
  const std::vector<double> all = test::all_path_lengths(144, edges);
  std::vector<Index> columns;
  for (Index k = 0; k < 144; ++k) columns.push_back(k * 37 % 144);
  const auto sources = make_path_length(world(), test::share(144, edges, true), "hierarchy");
  RowBlock<T> out(RowPartition(144, world().size()), world().rank(), 145);
  auto phase = execution.phases.enter("similarities");
  evaluate_source_columns(execution, *sources, columns, out, 1, phase, "columns", 1);
  EXPECT_EQ(world().sum(sources->evaluations()), 144 * 144);
  for (Index v = out.range().begin; v < out.range().end; ++v) {
    for (std::size_t b = 0; b < columns.size(); ++b) {
      const auto truth = static_cast<T>(all[v * 144 + columns[b]]);
      ASSERT_NEAR(out.row(v)[b + 1], truth, 1e-6 * truth) << v << ", " << b;
    }
  }
}

TEST(SourceColumns, AreThoseOfFullSweepsInEveryNumber) {
  Context context;
  for (const double length : {1.0, 10000.0, 1.0 / 7.0}) {
    expect_all_columns<double>(context.execution, length);
    expect_all_columns<float>(context.execution, length);
  }
}

// Integers come as such, in the fewest bytes that hold all lengths of the search; other lengths in the precision.
template <class T>
void expect_whole_columns(double length, const char* method, Index bytes) {
  SCOPED_TRACE(testing::Message() << length << ", " << method << ", " << sizeof(T) << " bytes a number");
  Context context;
  test::Edges edges = test::grid_graph(12, 0.2, 9, 5);
  for (auto& [edge, own] : edges) own *= length;
  const std::vector<double> all = test::all_path_lengths(144, edges);
  const auto sources = make_path_length(world(), test::share(144, edges, true), method);
  const SourceEntries<T> entries(*sources);
  const NumberedObjects objects = numbered(144);
  for (const Index count : {1, 5, 64, 70}) {  // one by one, few in parts, a full band and a second one
    std::vector<Index> columns;
    for (Index k = 0; k < count; ++k) columns.push_back(k * 37 % 144);
    auto out =
        evaluate_whole_columns(context.execution, entries, objects, *objects.gather(world(), columns), "phase", "loop");
    EXPECT_EQ(out.value_bytes(), bytes);
    EXPECT_EQ(out.is_integral(), bytes < static_cast<Index>(sizeof(T)));
    out.visit([&](auto& rows) {  // again, in parts
      auto phase = context.execution.phases.enter("phase");
      std::ranges::fill_n(rows.local().data, rows.local().rows * rows.columns(), 0);
      evaluate_source_columns(context.execution, *sources, columns, rows, 0, phase, "loop", 1);
    });
    std::vector<T> row(columns.size());
    for (Index v = out.range().begin; v < out.range().end; ++v) {
      out.copy_row(v, row.data());
      for (std::size_t b = 0; b < columns.size(); ++b) {
        const auto truth = static_cast<T>(all[v * 144 + columns[b]]);
        ASSERT_NEAR(row[b], truth, length < 1 ? 1e-6 * truth : 0) << v << ", " << b << " of " << count;
      }
    }
  }
}

TEST(SourceColumns, StayIntegers) {
  expect_whole_columns<double>(1.0, "hierarchy", 2);
  expect_whole_columns<double>(10000.0, "hierarchy", 4);
  expect_whole_columns<double>(1.0 / 7.0, "hierarchy", 8);
  expect_whole_columns<double>(1.0, "dijkstra", 4);
  expect_whole_columns<double>(1.0 / 7.0, "dijkstra", 8);
  expect_whole_columns<float>(1.0, "hierarchy", 2);
  expect_whole_columns<float>(10000.0, "hierarchy", 4);  // as floats
  expect_whole_columns<float>(1.0, "dijkstra", 4);
}

TEST(SourceColumns, OfFewSourcesAreTheWorkOfManyRanks) {
  const auto expect_bands = [](const SourceColumnBands& bands, Index band, Index slab, Index parts) {
    EXPECT_EQ(bands.band, band);
    EXPECT_EQ(bands.slab, slab);
    EXPECT_EQ(bands.parts, parts);
  };
  expect_bands(source_column_bands(1'500'000, 64, 64, 2, true), 64, 64, 64);
  expect_bands(source_column_bands(1'500'000, 1000, 64, 2, true), 64, 64, 64);  // 183 MiB
  expect_bands(source_column_bands(300'000, 1000, 64, 2, true), 64, 6 * 64, 11);
  expect_bands(source_column_bands(10'000, 40, 64, 2, true), 40, 40, 2);
  expect_bands(source_column_bands(1'500'000, 3, 64, 2, true), 64, 8 * 64, 1);  // searched for one by one
  expect_bands(source_column_bands(1'500'000, 64, 64, 2, false), 64, 8 * 64, 1);
}

// Parts of bands, some of which an earlier run finished.
TEST(SourceColumns, InPartsAreTakenFromTheLedger) {
  test::Edges edges = test::grid_graph(12, 0.2, 9, 5);
  const auto sources = make_path_length(world(), test::share(144, edges, true), "hierarchy");
  const NumberedObjects objects = numbered(144);
  std::vector<Index> columns;
  for (Index k = 0; k < 70; ++k) columns.push_back(k);
  test::RememberingLedger ledger;
  Phases phases;
  const Execution execution{world(), phases, ledger, 1, 0};
  const auto evaluate = [&] {
    RowBlock<std::uint16_t> out(objects.partition(), world().rank(), std::ssize(columns));
    auto phase = execution.phases.enter("phase");
    evaluate_source_columns(execution, *sources, columns, out, 0, phase, "loop", 1);
    const MatrixView<const std::uint16_t> own = std::as_const(out).local();
    return std::vector<std::uint16_t>(own.data, own.data + own.rows * own.columns);
  };
  const std::vector<std::uint16_t> first = evaluate();
  const Index once = world().sum(sources->evaluations());
  EXPECT_EQ(once, 144 * 70);
  EXPECT_EQ(evaluate(), first);
  EXPECT_EQ(world().sum(sources->evaluations()), once);
  EXPECT_EQ(world().sum(sources->restored()), once);
}

TEST(SourceColumns, InPartsNameWhatIsNotConnected) {
  test::Edges edges;
  for (Index v = 0; v + 1 < 30; ++v) {
    if (v != 14) test::add_edge(edges, v, v + 1);
  }
  Context context;
  const auto sources = make_path_length(world(), test::share(30, edges), "hierarchy");
  const std::vector<Index> columns = {0, 1, 2, 3, 4};
  RowBlock<std::uint16_t> out(RowPartition(30, world().size()), world().rank(), std::ssize(columns));
  auto phase = context.execution.phases.enter("phase");
  try {
    evaluate_source_columns(context.execution, *sources, columns, out, 0, phase, "loop", 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::ContainsRegex("no path between the vertices [0-4] and (1[5-9]|2[0-9])"));
  }
}

TEST(SourceEntries, TakeSourcesFromTheFewer) {
  const FunctionSources sources(n, value, false);
  const SourceEntries<double> entries(sources);
  EXPECT_TRUE(entries.traits().one_sided);
  ObjectBlock few, many;
  few.ids = {5, 9};
  many.ids = {1, 2, 200};
  std::vector<double> out(6);
  entries.tile(few, many, MatrixView<double>(out.data(), 2, 3));
  EXPECT_THAT(out,
              testing::ElementsAre(value(5, 1), value(5, 2), value(5, 200), value(9, 1), value(9, 2), value(9, 200)));
  entries.tile(many, few, MatrixView<double>(out.data(), 3, 2));
  EXPECT_THAT(out,
              testing::ElementsAre(value(5, 1), value(9, 1), value(5, 2), value(9, 2), value(5, 200), value(9, 200)));
  out.resize(2);
  many.ids.resize(2);
  entries.pairs(few, many, out);
  EXPECT_THAT(out, testing::ElementsAre(value(1, 5), value(2, 9)));
}

// One rank meets the missing path; all leave with it.
TEST(SourceColumns, FailTogether) {
  test::Edges edges;
  test::add_edge(edges, 0, 1);
  test::add_edge(edges, 2, 3);
  Context context;
  const auto sources = make_path_length(world(), test::share(4, edges), "breadth-first");
  const SourceEntries<double> entries(*sources);
  const NumberedObjects objects = numbered(4);
  const auto columns = objects.gather(world(), std::vector<Index>{0});
  try {
    static_cast<void>(evaluate_columns(context.execution, entries, objects, *columns, "phase", "loop"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("no path between the vertices 0 and 2"));
  }
}

}  // namespace
}  // namespace cairn::source_columns_test
