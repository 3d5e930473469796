// The probe against the truth, for each method and each selection of landmarks, over 200 seeds. Takes minutes.
#include "approximation/probe_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>

#include "approximation/methods.hpp"
#include "data/point_reader.hpp"
#include "landmark/landmarks.hpp"
#include "similarity/make_similarity.hpp"

namespace cairn {
namespace {

using test::world;

constexpr Index points = 1000;
constexpr Index landmarks = 50;
constexpr Index pairs = 10'000;
constexpr std::uint64_t seeds = 200;

SimilarityParameters rbf(const std::string& gamma) {
  SimilarityParameters parameters;
  parameters.kind = "rbf";
  parameters.gamma = gamma;
  return parameters;
}

SimilarityParameters rbf_with_noise() {
  SimilarityParameters noise, sum;
  noise.kind = "noise";
  noise.sigma = 0.02 / std::sqrt(2.0);
  sum.kind = "sum";
  sum.parts = {rbf("0.05"), noise};
  return sum;
}

Landmarks<double> select(const Execution& execution, const std::string& selection, const Similarity<double>& similarity,
                         const ObjectSet& objects, Index count = landmarks) {
  if (selection == "farthest") return select_farthest(execution, similarity, objects, count);
  if (selection == "rpcholesky") return select_rpcholesky(execution, similarity, objects, count);
  return select_uniform<double>(execution, objects, count);
}

void expect_knowledge(const std::string& what, const test::ProbeStudy<double>& study) {
  if (world().is_root()) {
    std::printf("%s: covers %.3f, bias %+.4f, standard error / estimate %.4f\n", what.c_str(), study.coverage(),
                study.bias(), study.relative_standard_error());
  }
  EXPECT_GE(study.coverage(), 0.90);
  EXPECT_LT(std::abs(study.bias()), 0.02);
  EXPECT_LT(study.relative_standard_error(), 0.10);
}

// Method, selection, similarity. Pivoted Cholesky refuses the matrix with noise, which is indefinite.
using Case = std::tuple<std::string, std::string, std::string>;

class ProbeOverSeeds : public testing::TestWithParam<Case> {};

TEST_P(ProbeOverSeeds, KnowsTheTrueError) {
  const auto& [method, selection, kind] = GetParam();
  const auto set = read_points<double>(world(), {.dimension = 5, .generator = "normal", .points = points, .seed = 3});
  test::Context context;
  const auto similarity =
      make_similarity<double>(context.execution, kind == "rbf" ? rbf("0.05") : rbf_with_noise(), set);
  MethodParameters parameters;
  parameters.method = method;
  if (method == "optimal") parameters.rank = landmarks;
  test::ProbeStudy<double> study(*similarity, set, pairs);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    study.add(seed, [&](const Execution& execution) {
      return approximate(
          MethodInput<double>{execution, *similarity, set, select(execution, selection, *similarity, set), parameters});
    });
  }
  expect_knowledge(method + ", " + selection + ", " + kind, study);
}

// Segment's error sits in few entries, pairs of objects that are like each other and unlike all landmarks.
class ProbeOnFewLargeErrors : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ProbeOnFewLargeErrors, KnowsTheTrueError) {
  const auto& [method, selection] = GetParam();
  constexpr Index count = 100;
  auto set = read_points<double>(world(), {.path = CAIRN_TEST_DATA "/segment.svm.xz", .label = "first"});
  apply_scaling(world(), fit_scaling(world(), set, "standard"), set);
  test::Context context;
  const auto similarity = make_similarity<double>(context.execution, rbf("0.05"), set);
  MethodParameters parameters;
  parameters.method = method;
  test::ProbeStudy<double> study(*similarity, set, pairs);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    study.add(seed, [&](const Execution& execution) {
      return approximate(MethodInput<double>{execution, *similarity, set,
                                             select(execution, selection, *similarity, set, count), parameters});
    });
  }
  expect_knowledge(method + ", " + selection + ", segment", study);
}

INSTANTIATE_TEST_SUITE_P(Segment, ProbeOnFewLargeErrors,
                         testing::Combine(testing::Values("nystrom", "sicur"),
                                          testing::Values("uniform", "farthest", "rpcholesky")));

INSTANTIATE_TEST_SUITE_P(Semidefinite, ProbeOverSeeds,
                         testing::Combine(testing::Values("nystrom", "sms-nystrom", "skeleton", "sicur", "stacur"),
                                          testing::Values("uniform", "farthest", "rpcholesky"),
                                          testing::Values("rbf")));
INSTANTIATE_TEST_SUITE_P(Indefinite, ProbeOverSeeds,
                         testing::Combine(testing::Values("nystrom", "sms-nystrom", "skeleton", "sicur", "stacur"),
                                          testing::Values("uniform", "farthest"), testing::Values("rbf-with-noise")));
INSTANTIATE_TEST_SUITE_P(WithoutLandmarks, ProbeOverSeeds,
                         testing::Combine(testing::Values("optimal"), testing::Values("uniform"),
                                          testing::Values("rbf", "rbf-with-noise")));

}  // namespace
}  // namespace cairn
