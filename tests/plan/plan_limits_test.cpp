// What no plan counts is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "planned_runs.hpp"

namespace cairn::plan_limits_test {
namespace {

using namespace test::planned;

ErrorKind refused(const PlanInput& input, const std::string& words) {
  try {
    static_cast<void>(plan_memory(input));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    return error.kind();
  }
  return ErrorKind::internal;
}

// A method that makes dense matrices of its landmarks, or of all objects, must say so: otherwise it ends after all
// evaluations. Those that make none have no matrix of that order.
TEST(PlanLimits, DenseMatricesBeyond32BitsAreRefusedOfEveryMethod) {
  const std::vector<std::string> none = {"rff", "poly-tensorsketch", "wme", "adam", "optimal", "pmi-eigs", "dc"};
  for (const MethodDescriptor* method : methods()) {
    const std::string& name = method->name;
    PlanInput input = nystrom(200'000, 100'000);
    input.ranks = 1;
    take(input, name);
    if (input.method->cost == nullptr) continue;
    if (std::ranges::count(none, name) == 0) {
      EXPECT_EQ(refused(input, "32-bit integers"), ErrorKind::resource) << name;
    }
    input.ranks = 64;
    if (name == "optimal" || name == "pmi-eigs") continue;
    EXPECT_GT(plan_memory(input).peak_bytes, 0) << name;
  }
}

TEST(PlanLimits, MethodsThatTakeAllOfKTakeFewObjects) {
  for (const char* name : {"optimal", "pmi-eigs"}) {
    PlanInput input = nystrom(30'001, 100);
    take(input, name);
    if (std::string(name) == "optimal") {
      EXPECT_THROW(check_parameters(*input.method, input.values, {.objects = 30'001, .landmarks = 100}), Error);
    } else {
      EXPECT_EQ(refused(input, "at most 30000 objects, not 30001"), ErrorKind::resource);
    }
    input.data.objects = 2'000;
    EXPECT_EQ(plan_memory(input).evaluations, 4'000'000) << name;
  }
  PlanInput input = nystrom(50'000, 100);
  take(input, "dc", {{"first-block", "40000"}});
  EXPECT_EQ(refused(input, "parameter first-block = 40000"), ErrorKind::resource);
  take(input, "dc", {{"first-block", "20000"}, {"block", "1000"}, {"dimension", "99"}});
  // The first, then blocks of 1,000 of which 100 are those of the one before; the last has the rest of 400.
  EXPECT_EQ(plan_memory(input).evaluations, 20'000 * 20'000 + 33 * 1'000 * 1'000 + 400 * 400);
  take(input, "dc", {{"first-block", "1000"}, {"block", "40000"}});
  EXPECT_EQ(refused(input, "parameter block = 40000"), ErrorKind::resource);
  // A further block is on one rank: its entries and, in double precision, what is decomposed.
  take(input, "dc", {{"first-block", "1000"}, {"block", "20000"}});
  EXPECT_GT(plan_memory(input).peak_bytes, Index{20'000} * 20'000 * 16);
  EXPECT_LT(plan_memory(input).peak_bytes, Index{20'000} * 20'000 * 18);
  input.data.objects = input.landmarks = 1'000'000'000;  // in an order, which is no matrix
  take(input, "dc", {{"first-block", "1000"}, {"block", "200"}, {"dimension", "2"}});
  EXPECT_GT(plan_memory(input).evaluations, 200'000'000'000);
}

TEST(PlanLimits, SizesThatNoIntegerCountsAreRefused) {
  for (const MethodDescriptor* method : {&method_named("nystrom"), &method_named("biharmonic"), &method_named("rff")}) {
    PlanInput input = nystrom(1'000'000'000'000, 1'000'000);
    take(input, method->name);
    take_paths(input);
    EXPECT_EQ(refused(input, "numbers that a plan counts"), ErrorKind::resource) << method->name;
  }
  PlanInput input = nystrom(1'000'000'000'000, 100);
  EXPECT_EQ(plan_memory(input).evaluations, 100'000'000'000'000);
  EXPECT_GT(plan_memory(input).result_bytes, 800'000'000'000'000);
  input.data.dimension = 1'000'000;
  EXPECT_EQ(refused(input, "1000000000000 rows and 1000000 columns"), ErrorKind::resource);
  // The width of sparse points takes nothing by itself.
  input.data = {.objects = 60, .dimension = 2'000'000'000, .point_entries = 20};
  EXPECT_LT(plan_memory(input).peak_bytes, 1'000'000'000);
  input.data = {.objects = 1'000'000'000'000};
  input.estimate.rows = input.data.objects;
  EXPECT_EQ(refused(input, "compared rows"), ErrorKind::resource);
  input.estimate.rows = 0;
  take(input, "skeleton", {{"s2", "1000000"}});
  EXPECT_EQ(refused(input, "numbers that a plan counts"), ErrorKind::resource);
  take(input, "gbu", {{"dimension", "1000000"}});
  EXPECT_EQ(refused(input, "numbers that a plan counts"), ErrorKind::resource);
}

}  // namespace
}  // namespace cairn::plan_limits_test
