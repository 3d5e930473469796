// What the plan counts.
#include "cairn/plan/plan_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/plan/staged_plan.hpp"
#include "cairn/similarity/source_columns.hpp"
#include "planned_runs.hpp"

namespace cairn::plan_model_test {
namespace {

using namespace test::planned;

Index bytes_of(const Plan& plan, const std::string& name) {
  const auto item = std::ranges::find(plan.items, name, &CostItem::name);
  return item == plan.items.end() ? -1 : item->bytes;
}

PlanRates example_rates() {
  return {.evaluations = 1e6,
          .pairs = 1e6,
          .flops = 1e9,
          .eigen_flops = 1e9,
          .cholesky_flops = 1e9,
          .read_bytes = 1e9,
          .generated_tokens = 1e9,
          .counted_tokens = 1e9,
          .write_bytes = 1e9};
}

TEST(PlanModel, PeakIsTheSumOfWhatLivesThen) {
  const Plan plan = plan_memory(nystrom(1 << 20, 100));
  const Index sum = std::accumulate(plan.items.begin(), plan.items.end(), Index{0},
                                    [](Index bytes, const CostItem& item) { return bytes + item.bytes; });
  EXPECT_EQ(plan.peak_bytes, sum);
  EXPECT_EQ(bytes_of(plan, "left factor"), (Index{1} << 19) * 100 * 8);
  EXPECT_EQ(bytes_of(plan, "program and libraries"), 50'000'000);
}

TEST(PlanModel, CountsAHierarchyThatIsKept) {
  for (const char* method : {"nystrom", "biharmonic"}) {
    PlanInput input = nystrom(100'000, 100);
    take(input, method);
    take_paths(input);
    input.estimate.rows = 64;
    const Plan without = plan_memory(input);
    input.kept_bytes = 2'000'000;
    const Plan with_it = plan_memory(input);
    EXPECT_EQ(with_it.result_bytes, without.result_bytes + 2'000'000);
    const auto bytes_at = [](const Plan& plan, const std::string& name) {
      for (const PlanStage& stage : plan.stages) {
        if (stage.name == name) return stage.bytes;
      }
      return Index{-1};
    };
    const std::string last = with_it.stages.back().name;
    EXPECT_EQ(bytes_at(with_it, last), bytes_at(without, last) + 1'000'000) << method << ", " << last;
  }
}

TEST(PlanModel, CountsExactEntriesOfNearObjects) {
  for (const char* method : {"nystrom", "biharmonic"}) {
    PlanInput input = nystrom(100'000, 100);
    take(input, method);
    input.operators = {"neighbours"};
    const Plan without = plan_memory(input);
    input.near = 10;
    const Plan with_them = plan_memory(input);
    EXPECT_EQ(with_them.evaluations, without.evaluations + 100'000 * 31) << method;
    EXPECT_GT(with_them.result_bytes, without.result_bytes + 100'000 * 10 * 12) << method;
  }
}

TEST(PlanModel, SecondsOfNearEntriesAreTheirOwn) {
  PlanInput input = nystrom(10'000, 100);
  PlanRates rates = example_rates();
  rates.pairs = 1e5;
  const auto seconds_of = [&](const std::string& name) {
    for (const PlanPhase& phase : plan_seconds(input, plan_memory(input), rates)) {
      if (phase.name == name) return phase.seconds;
    }
    return -1.0;
  };
  const double similarities = seconds_of("similarities");
  input.near = 10;
  input.checks_near = true;
  EXPECT_DOUBLE_EQ(similarities, seconds_of("similarities"));
  EXPECT_NEAR(2 * 5'000.0 * 10'000 * 100 / 1e9 + 10'000 * 31 / 2 / 1e5, seconds_of("near entries"), 0.02 * 11.8);
  EXPECT_DOUBLE_EQ(16 * 10'000 / 2 / 1e6, seconds_of("near check"));
}

TEST(PlanModel, EvaluationsAreThoseOfTheSamples) {
  PlanInput input = nystrom(10'000, 100);
  EXPECT_EQ(plan_memory(input).evaluations, 1'000'000);
  take(input, "sicur");
  EXPECT_EQ(method_cost(input).second, 200);
  EXPECT_EQ(plan_memory(input).evaluations, 2'000'000);
  take(input, "sicur", {{"s2", "9990"}});
  EXPECT_EQ(plan_memory(input).evaluations, 99'900'000);
}

TEST(PlanModel, AutoTakesItsBudgetAndAValidationProbe) {
  PlanInput input = nystrom(3'000, 60);
  take(input, "auto");
  EXPECT_EQ(plan_memory(input).evaluations, 3'000 * 60 + 58 * 58 + 10'000 + 1'000);
  take(input, "auto", {{"budget", "90000"}});
  EXPECT_LT(plan_memory(input).evaluations, 3'000 * 31 + 11'000);
}

TEST(PlanModel, ASecondSampleOfSmsNystromIsEvaluatedWithinItself) {
  PlanInput input = nystrom(3'000, 60);
  take(input, "sms-nystrom", {{"s2", "100"}});
  EXPECT_EQ(plan_memory(input).evaluations, 3'000 * 60 + 40 * 40);
  take(input, "sms-nystrom", {{"s2", "2001"}});
  EXPECT_GT(bytes_of(plan_memory(input), method_libraries), 0);
}

TEST(PlanModel, ACholeskyFactorIsCheaperWhereItWillDo) {
  PlanInput input = nystrom(10'000, 1'000);
  const PlanRates rates = example_rates();
  const auto core_matrix = [&] { return plan_seconds(input, plan_memory(input), rates)[2].seconds; };
  EXPECT_DOUBLE_EQ(core_matrix(), 4.5);
  take(input, "nystrom", {}, true);
  EXPECT_DOUBLE_EQ(core_matrix(), 1.0 / 2);
}

TEST(PlanModel, SinglePrecisionHalvesTheFactors) {
  PlanInput input = nystrom(1 << 20, 100);
  const Index both = bytes_of(plan_memory(input), "left factor");
  input.value_bytes = 4;
  EXPECT_EQ(bytes_of(plan_memory(input), "left factor"), both / 2);
}

// Of a definite kernel, too: a factor of Cholesky's would do in place, but a block of rbf is often singular to
// rounding.
TEST(PlanModel, AnEmbeddingNeedsASecondBlock) {
  PlanInput input = nystrom(1 << 22, 100);
  const Index plain = plan_memory(input).peak_bytes;
  take(input, "nystrom", {{"embedding", "true"}});
  EXPECT_GT(plan_memory(input).peak_bytes, plain + (Index{1} << 21) * 100 * 8 / 2);
  take(input, "nystrom", {{"embedding", "true"}}, true);
  EXPECT_GT(plan_memory(input).peak_bytes, plain + (Index{1} << 21) * 100 * 8 / 2);
}

TEST(PlanModel, AnEmbeddingTakesTheFactorOfItsLandmarks) {
  const auto seconds = [](const PlanInput& input, const std::string& name) {
    for (const PlanPhase& phase : plan_seconds(input, plan_memory(input), example_rates())) {
      if (phase.name == name) return phase.seconds;
    }
    return 0.0;
  };
  PlanInput input = nystrom(20'000, 100);  // two ranks: 10,000 rows each
  take(input, "nystrom", {{"embedding", "true"}}, true);
  const double joined = seconds(input, "joining");
  EXPECT_EQ(seconds(input, "landmarks"), 0);
  input.selection = &rpcholesky_selection();
  EXPECT_DOUBLE_EQ(seconds(input, "landmarks"), 1e4 * 100 * 100 / 1e9);
  EXPECT_NEAR(joined - seconds(input, "joining"), 2 * 1e4 * 100 * 100 / 1e9, 1e-12);
}

TEST(PlanModel, SizesBeyond32BitsDoNotWrap) {
  const Plan plan = plan_memory(nystrom(Index{1} << 33, 1000));
  EXPECT_EQ(plan.evaluations, (Index{1} << 33) * 1000);
  EXPECT_GT(plan.peak_bytes, (Index{1} << 32) * 1000 * 8);
}

TEST(PlanModel, SecondsFollowTheRates) {
  PlanInput input = nystrom(10'000, 100);
  const Plan plan = plan_memory(input);
  PlanRates rates = example_rates();
  rates.fresh_bytes = 1e8;
  for (const PlanPhase& phase : plan_seconds(input, plan, rates)) {
    if (phase.name == "similarities") EXPECT_NEAR(phase.seconds, 0.5 + 5000 * 100 * 8 / 1e8, 1e-4);
  }
}

PlanInput corpus() {
  PlanInput input;
  input.data = {.objects = 100'000,
                .tokens = 1'000'000'000,
                .texts = 2'000'000,
                .text_tokens = 500,
                .compared_places = 9,
                .count_pairs = 500'000'000,
                .row_pairs = std::vector<Index>(100, 5'000'000)};
  input.landmarks = 800;
  input.ranks = 2;
  take(input, "gbu");
  return input;
}

TEST(PlanModel, ACorpusHasItsTextsAndSumsBesideItsRows) {
  const Plan plan = plan_memory(corpus());
  EXPECT_EQ(plan.peak_phase, "count");
  const Index rows = bytes_of(plan, "co-occurrences, at most");
  EXPECT_NEAR(static_cast<double>(rows), 8 * 2.5e8, 0.01 * 8 * 2.5e8);
  const Index later = bytes_of(plan, "left factor") + bytes_of(plan, "landmarks, replicated");
  EXPECT_EQ(bytes_of(plan, "tokens of texts, beyond the factor"), 4 * 500'000'000 + 8 * 1'000'000 - later);
  const Index waiting = bytes_of(plan, "sums that wait, beyond their rows");
  EXPECT_GT(waiting, 0);
  EXPECT_LT(waiting, (Index{1} << 28U) * 102 / 100);  // all sums, and those of one bucket once more
  EXPECT_GT(bytes_of(plan, "additions that wait"), Index{96} << 20U);
}

TEST(PlanModel, ALongTextLiesOnOneRank) {
  PlanInput input = corpus();
  const Index many = plan_memory(input).peak_bytes;
  input.data.texts = 1;
  input.data.text_tokens = input.data.tokens;
  EXPECT_GT(plan_memory(input).peak_bytes, many + 4 * 500'000'000 + 8 * 900'000'000LL);
}

TEST(PlanModel, OfACorpusColumnsAreTakenAFewRowsAtATime) {
  PlanInput input = corpus();
  const auto core_matrix = [&] {
    for (const PlanStage& stage : plan_memory(input).stages) {
      if (stage.name == "joining") return stage.bytes;
    }
    return Index{0};
  };
  const Index sparse = core_matrix();
  take(input, "gbu", {{"loss", "true"}});
  EXPECT_GT(core_matrix(), sparse + Index{49'000} * 800 * 8 - 10'000'000);
}

PlanInput roads(Index objects, Index landmarks) {
  PlanInput input;
  input.data = {.objects = objects, .arcs = 5 * objects / 2};
  input.landmarks = landmarks;
  input.operators = {"graph"};
  input.ranks = 2;
  take(input, "biharmonic", {{"p-row", "50"}});
  take_paths(input);
  input.baseline_bytes = 50'000'000;
  return input;
}

TEST(PlanModel, BiharmonicCountsPAndW) {
  const Plan plan = plan_memory(roads(1'000'000, 20'000));
  EXPECT_EQ(plan.evaluations, Index{20'000} * 20'000);
  const Index sum = std::accumulate(plan.items.begin(), plan.items.end(), Index{0},
                                    [](Index bytes, const CostItem& item) { return bytes + item.bytes; });
  EXPECT_EQ(plan.peak_bytes, sum);
  EXPECT_GT(plan.node_bytes, plan.peak_bytes);
  EXPECT_LT(plan.node_bytes, 2 * plan.peak_bytes);
  const Index entries = 50 * 980'000 + 20'000, w = Index{20'000} * 20'000;  // of P; bytes of half of W
  EXPECT_GT(plan.result_bytes, 12 * entries + w);
  EXPECT_LT(plan.result_bytes, 13 * entries + 11 * w / 10);
}

TEST(PlanModel, CoreTilesGoToDiskWhereTheyDoNotFit) {
  PlanInput input = roads(1'000'000, 100'000);
  const Plan memory = plan_memory(input);
  EXPECT_EQ(memory.scratch_bytes, 0);
  input.memory_limit = memory.peak_bytes;
  EXPECT_EQ(plan_memory(input).scratch_bytes, 0);
  input.memory_limit = memory.peak_bytes - 1;
  const Plan disk = plan_memory(input);
  EXPECT_TRUE(disk.core_on_disk);
  EXPECT_GT(disk.scratch_bytes, Index{100'000} * 100'000);
  EXPECT_LT(disk.peak_bytes, memory.peak_bytes - Index{1'000'000'000});
  take(input, "biharmonic", {{"p-row", "50"}, {"joining-storage", "memory"}});
  EXPECT_EQ(plan_memory(input).peak_bytes, memory.peak_bytes);
}

// A run asks for it beside its tiles, and then has the room that the plan had.
TEST(PlanModel, WorkBesideCoreTilesIsWhatThePlanCounts) {
  PlanInput input = roads(1'000'000, 20'000);
  input.estimate.rows = 1000;
  const Plan plan = plan_memory(input);
  ASSERT_EQ(plan.peak_phase, "evaluation");
  const Index rest = plan.peak_bytes - bytes_of(plan, "P") - bytes_of(plan, "W") - work_beside_tiles(input);
  input.estimate.rows = 0;
  EXPECT_LT(work_beside_tiles(input), plan.peak_bytes - rest);
  EXPECT_GT(rest, input.baseline_bytes);
  EXPECT_LT(rest, input.baseline_bytes + 200 * input.data.objects);  // graphs and the hierarchy
}

TEST(PlanModel, BiharmonicTakesWhatItsSolverTakes) {
  PlanInput input = roads(4'000'000, 200);
  input.data.arcs = 16'000'000;  // a grid
  take(input, "biharmonic", {{"p-row", "5"}, {"solver", "direct"}});
  const Plan direct = plan_memory(input);
  EXPECT_EQ(direct.peak_phase, "interpolation solver");
  EXPECT_GT(bytes_of(direct, "factor of the operator, once per node"), 0);
  EXPECT_EQ(bytes_of(direct, method_libraries), -1);
  take(input, "biharmonic", {{"p-row", "5"}, {"solver", "petsc"}});
  const Plan iterative = plan_memory(input);
  EXPECT_LT(iterative.peak_bytes, direct.peak_bytes);
  EXPECT_GT(bytes_of(iterative, method_libraries), 0);
  take(input, "biharmonic", {{"p-row", "5"}, {"soft-landmarks", "1"}});
  EXPECT_EQ(plan_memory(input).peak_phase, "interpolation solver");
  input.known_entries = 1'000'000;
  const Plan reused = plan_memory(input);
  EXPECT_NE(reused.peak_phase, "interpolation");
  EXPECT_LT(reused.peak_bytes, direct.peak_bytes);
  EXPECT_LT(reused.result_bytes, direct.result_bytes);
}

PlanInput by_source(Index objects, Index landmarks) {
  PlanInput input = nystrom(objects, landmarks);
  input.data.dimension = 0;
  take_paths(input);
  return input;
}

// Columns of 16 bits come by bands of 64, one at a time, of which each rank has its share.
TEST(PlanModel, ColumnsBySourceAreCountedInTheBandsThatTheyComeIn) {
  PlanInput input = by_source(24'000'000, 500);
  input.column_bytes = 2;
  input.ranks = 2;
  const Plan plan = plan_memory(input);
  ASSERT_EQ(plan.peak_phase, "similarities");
  constexpr Index band = 64 * 24'000'000 * Index{2};
  EXPECT_EQ(bytes_of(plan, "columns of single sources, on their way to the rows"),
            band / 2 + 2 * delivered_column_bytes);
}

TEST(PlanModel, FactorsOfIntegersAreCountedAsSuch) {
  PlanInput input = by_source(1'000'000, 500);
  const Plan numbers = plan_memory(input);
  const Index values = bytes_of(numbers, "left factor") / 8;
  for (const Index bytes : {2, 4}) {
    input.column_bytes = bytes;
    const Plan integers = plan_memory(input);
    EXPECT_EQ(bytes_of(integers, "left factor"), bytes * values);
    EXPECT_EQ(numbers.result_bytes - integers.result_bytes, (8 - bytes) * 1'000'000 * 500);
    take(input, "nystrom", {{"embedding", "true"}});
    EXPECT_EQ(bytes_of(plan_memory(input), "left factor"), 8 * values);
    take(input, "nystrom", {});
  }
}

// Lengths that are no integers may come as doubles, by vertex and by source.
TEST(PlanModel, SinglePrecisionWidensABandOnEachThread) {
  PlanInput input = by_source(1'000'000, 500);
  input.value_bytes = 4;
  input.rows = similarity_named("path-length").source_cost({.objects = 1'000'000, .value_bytes = 4, .weighted = true});
  const Index one = bytes_of(plan_memory(input), "columns of single sources, on their way to the rows");
  input.threads = 3;
  EXPECT_EQ(bytes_of(plan_memory(input), "columns of single sources, on their way to the rows") - one,
            2 * 2 * 32 * Index{8'000'000});
}

TEST(PlanModel, RowsThatAreComparedBySourceAreThoseOfARound) {
  PlanInput input = by_source(10'000, 10);
  input.ranks = 1;
  input.estimate.rows = 1000;
  const Plan plan = plan_memory(input);
  ASSERT_EQ(plan.peak_phase, "evaluation");
  EXPECT_EQ(bytes_of(plan, "rows of the matrix and of its approximation"), 2 * 64 * 10'000 * 8);
}

// 2^16 pairs at a time, and not as many as 64 MiB hold.
TEST(PlanModel, TheProbeGathersAPieceOfSmallObjects) {
  PlanInput input = nystrom(2'000'000, 1);
  input.data.dimension = 8;
  input.ranks = 1;
  input.estimate.pairs = 1'000'000;
  const Plan plan = plan_memory(input);
  ASSERT_EQ(plan.peak_phase, "probe");
  Index beside_lists = 0;
  for (const CostItem& item : plan.items) {
    if (item.name.starts_with("probe: ") && item.name != "probe: lists of entries") beside_lists += item.bytes;
  }
  EXPECT_GE(beside_lists, 4 * 65'536 * 64);
  EXPECT_LT(beside_lists, 60'000'000);
}

TEST(PlanModel, SmallEigenproblemsAreSolvedOnOneRank) {
  PlanInput input = nystrom(10'000, 800);
  input.estimate.rows = 2;  // takes little
  for (const int ranks : {1, 4}) {
    input.ranks = ranks;
    take(input, "nystrom");
    EXPECT_EQ(bytes_of(plan_memory(input), "core matrix workspace"), 6 * 800 * 800 * 8);
  }
}

TEST(PlanModel, TheMapOfAnEmbeddingIsReplicatedWholeWhereItIsSmall) {
  PlanInput input = nystrom(1 << 22, 2'000);
  take(input, "nystrom", {{"embedding", "true"}});
  EXPECT_EQ(bytes_of(plan_memory(input), "map, replicated"), 2 * 2'000 * 2'000 * 8);
  input.landmarks = 4'000;
  take(input, "nystrom", {{"embedding", "true"}});
  EXPECT_EQ(bytes_of(plan_memory(input), "map, replicated"), 2 * 4'000 * 256 * 8);
}

TEST(PlanModel, DistancesOfAReadSampleAreSharedOut) {
  PlanInput input = nystrom(100'000, 100);
  take(input, "sms-nystrom");
  input.distances.kept = true;
  input.distances.columns = 100;
  input.distances.sample = 8'000;
  input.ranks = 8;
  EXPECT_EQ(bytes_of(plan_memory(input), "distances of the sample that is read, on their way"), 2 * 1'001 * 8'000 * 8);
}

TEST(PlanModel, RightHandSidesAreBlocksOfBoundedSize) {
  PlanInput input = roads(24'000'000, 1'000);
  take(input, "biharmonic", {{"p-row", "1"}, {"solver", "direct"}});
  input.threads = 16;
  ASSERT_EQ(plan_memory(input).peak_phase, "interpolation");
  EXPECT_EQ(bytes_of(plan_memory(input), "right-hand sides"), 16 * 5 * Index{24'000'000} * 8);
}

// A slab ends with a row of tiles, has an eighth of all rows or 4096, and 512 MiB unless one row of tiles is larger.
TEST(PlanModel, SlabsOfLandmarksAreThoseThatTheyAreMadeIn) {
  EXPECT_EQ(largest_landmark_slab(16'000, 1024, 2, true), (16'000 - 12'288) * 16'000 * 2);
  EXPECT_EQ(largest_landmark_slab(600'000, 1024, 2, true), Index{1024} * 585 * 1024 * 2);
  EXPECT_EQ(largest_landmark_slab(3'000, 272, 8, false), 3'000 * 3'000 * 8);
  PlanInput input = roads(1'000'000, 600'000);
  const Plan plan = plan_memory(input);
  ASSERT_EQ(plan.peak_phase, "landmark matrix");
  EXPECT_EQ(bytes_of(plan, "rows of W before they are tiles"), largest_landmark_slab(600'000, 1024, 2, true) / 2 * 2);
}

}  // namespace
}  // namespace cairn::plan_model_test
