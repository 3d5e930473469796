// A plan beside the run that it is of.
#include <gtest/gtest.h>

#include <span>

#include "cairn/run/planning/plan_budget.hpp"
#include "expected_errors.hpp"
#include "handed_points.hpp"

namespace cairn::test::planning_test {
namespace {

constexpr Index n = 80;

Index bytes_of(const Plan& plan, const std::string& name) {
  for (const CostItem& item : plan.items) {
    if (item.name == name) return item.bytes;
  }
  return 0;
}

TEST(APlan, CountsTheEvaluationsOfTheRun) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  for (const char* method : {"nystrom", "sms-nystrom", "sicur", "optimal"}) {
    const GivenValues given = {{"landmarks.count", 20}};
    const Plan made = plan(
        session, points, {.similarity = "rbf", .similarity_values = {{"gamma", 1}}, .method = method, .values = given});
    const auto result = approximate(session, similarity(session, "rbf", {{"gamma", 1}}, points), method, given);
    EXPECT_EQ(made.evaluations, result.description().evaluations) << method;
  }
}

TEST(APlan, OfPathLengthsCountsThoseBetweenLandmarks) {
  const Session session = session_on_all_ranks();
  const auto graph = read_objects(session, "graph", {{"generate", "grid"}, {"points", 400}, {"removed", 0}});
  const Plan made =
      plan(session, graph, {.similarity = "path-length", .method = "biharmonic", .values = {{"landmarks.count", 30}}});
  EXPECT_EQ(made.evaluations, 30 * 30);
  EXPECT_EQ(made.probe_evaluations, 400 * 400);
}

TEST(APlan, NeedsNoDataButTheirSizes) {
  const Session session = session_on_all_ranks();
  const PlannedObjects objects{.size = {.objects = 1'000'000, .dimension = 16}};
  PlannedRun run{.similarity = "rbf", .method = "nystrom", .values = {{"landmarks.count", 500}}, .ranks = 1};
  const Plan one = plan(session, objects, run);
  EXPECT_EQ(bytes_of(one, "left factor"), Index{1'000'000} * 500 * 8);
  EXPECT_EQ(bytes_of(one, "data"), Index{1'000'000} * 16 * 8);
  run.ranks = 64;
  const Plan many = plan(session, objects, run);
  EXPECT_LT(bytes_of(many, "left factor"), Index{1'000'000} * 500 * 8 / 60);
  EXPECT_EQ(many.evaluations, one.evaluations);
  run.measures_error = false;
  EXPECT_GT(many.probe_evaluations, 0);
  EXPECT_EQ(plan(session, objects, run).probe_evaluations, 0);
}

// What there is on the node with least, and plans around it.
TEST(APlan, FitsSurelyOrPerhapsOrNot) {
  const Session session = session_on_all_ranks();
  const Communicator& ranks = session.communicator();
  const auto of_share = [&](double share) {
    Plan made;
    made.peak_bytes = 1;
    const PlanBudget budget = plan_budget(ranks, made, ranks.size());
    made.peak_bytes = static_cast<Index>(share * static_cast<double>(budget.there / ranks.size()));
    ranks.broadcast(std::span(&made.peak_bytes, 1), 0);
    return made;
  };
  const auto check = [&](const Plan& made, const MemoryLimit& memory) {
    return [&ranks, made, memory] { require_plan_budget(ranks, made, memory, ", or fewer of them"); };
  };
  EXPECT_EQ(plan_budget(ranks, of_share(.5), ranks.size()).fit, PlanFit::yes);
  EXPECT_EQ(plan_budget(ranks, of_share(1.12), ranks.size()).fit, PlanFit::perhaps);
  EXPECT_EQ(plan_budget(ranks, of_share(1.6), ranks.size()).fit, PlanFit::no);
  EXPECT_EQ(plan_budget(ranks, of_share(.5), 4 * ranks.size()).fit, PlanFit::no) << "four times the ranks on this node";
  check(of_share(.5), {})();
  check(of_share(1.12), {})();  // with a warning
  check(of_share(1.6), {.unlimited = true})();
  expect_error(check(of_share(1.6), {}), ErrorKind::resource,
               {"the run would take", "on a node, and it has", "or fewer of them", "the memory limit = unlimited"});
  expect_error(check(of_share(.5), {.bytes = 1 << 20}), ErrorKind::resource, {"more than the memory limit = 1.05 MB"});
  Plan once = of_share(1.6);  // but one copy a node
  once.shared_bytes = once.peak_bytes;
  if (ranks.size() > 1) {
    EXPECT_EQ(plan_budget(ranks, once, ranks.size()).fit, PlanFit::yes);
  }
}

TEST(ARun, ThatDoesNotFitTheMemoryOfItsSessionIsRefused) {
  const auto run = [](Index memory) {
    return [memory] {
      const Session session(world().handle(), {.memory = memory});
      const auto points = distribute_points(session, own_rows(n), dimension);
      (void)approximate(session, similarity(session, "rbf", {{"gamma", 1}}, points), "nystrom",
                        {{"landmarks.count", 20}});
    };
  };
  expect_error(run(1), ErrorKind::resource, {"the run would take", "more than the memory limit = 1 B"});
  run(unlimited_memory)();
  run(Index{1} << 40)();
}

TEST(APlan, RefusesWhatTheRunWouldRefuse) {
  const Session session = session_on_all_ranks();
  const PlannedObjects objects{.size = {.objects = 1000, .dimension = 3}};
  const auto refused = [&](const PlannedRun& run, std::initializer_list<const char*> parts) {
    expect_error([&] { (void)plan(session, objects, run); }, ErrorKind::usage, parts);
  };
  refused({.similarity = "rbf", .method = "nystrom", .values = {{"landmarks.cuont", 5}}}, {"landmarks.count"});
  refused({.similarity = "rbf",
           .similarity_values = {{"gamma", "wide"}},
           .method = "nystrom",
           .values = {{"landmarks.count", 5}}},
          {"parameter gamma"});
  refused({.similarity = "rbf",
           .method = "nystrom",
           .values = {{"landmarks.selection", "file"}, {"landmarks.path", "rows.txt"}}},
          {"landmarks.count"});
}

}  // namespace
}  // namespace cairn::test::planning_test
