// The probe against the truth, for each method and each selection of landmarks, over 200 seeds. Takes minutes.
#include "approximation/probe_study.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "approximation/method_choice.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::probe_study_test {
namespace {

using test::world;

constexpr Index points = 1000;
constexpr Index landmarks = 50;
constexpr Index pairs = 10'000;
constexpr std::uint64_t seeds = 200;

SimilarityChoice rbf(const std::string& gamma) { return SimilarityChoice("rbf").set("gamma", gamma); }

SimilarityChoice rbf_with_noise() {
  SimilarityChoice sum("sum");
  sum.parts = {rbf("0.05"), SimilarityChoice("noise").set("sigma", fmt::format("{:.17g}", 0.02 / std::sqrt(2.0)))};
  return sum;
}

Landmarks<double> select(const Execution& execution, const std::string& selection, const Similarity<double>& similarity,
                         const ObjectSet& objects, Index count = landmarks) {
  if (selection == "farthest") return select_farthest(execution, similarity, objects, count);
  if (selection == "rpcholesky") return select_rpcholesky(execution, similarity, objects, count);
  return select_uniform<double>(execution, objects, count);
}

template <class T>
void expect_knowledge(const std::string& what, const test::ProbeStudy<T>& study, double coverage = 0.90,
                      double most_standard_error = 0.10) {
  if (world().is_root()) {
    std::printf(
        "%s: covers %.3f, at worst %.1f half-widths off, bias %+.4f, standard error / estimate %.4f, %.0f pairs of "
        "%.0f objects\n",
        what.c_str(), study.coverage(), study.worst(), study.bias(), study.relative_standard_error(), study.pairs(),
        study.objects());
    std::fflush(stdout);
  }
  EXPECT_GE(study.coverage(), coverage);
  EXPECT_LT(std::abs(study.bias()), 0.02);
  EXPECT_LT(study.relative_standard_error(), most_standard_error);
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
  test::MethodChoice parameters;
  parameters.name = method;
  if (method == "optimal") parameters.set("rank", landmarks);
  test::ProbeStudy<double> study(*similarity, set, {.count = pairs});
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    study.add(seed, [&](const Execution& execution) {
      return test::approximate<double>(parameters, execution, *similarity, set,
                                       select(execution, selection, *similarity, set));
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
  test::MethodChoice parameters;
  parameters.name = method;
  test::ProbeStudy<double> study(*similarity, set, {.count = pairs});
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    study.add(seed, [&](const Execution& execution) {
      return test::approximate<double>(parameters, execution, *similarity, set,
                                       select(execution, selection, *similarity, set, count));
    });
  }
  expect_knowledge(method + ", " + selection + ", segment", study);
}

// Probes that go on until the error is known to 2 %.
class ProbeUntilKnown : public testing::TestWithParam<Case> {};

TEST_P(ProbeUntilKnown, KnowsTheTrueError) {
  const auto& [method, selection, kind] = GetParam();
  const auto set = read_points<double>(world(), {.dimension = 5, .generator = "normal", .points = points, .seed = 3});
  test::Context context;
  const auto similarity =
      make_similarity<double>(context.execution, kind == "rbf" ? rbf("0.05") : rbf_with_noise(), set);
  test::MethodChoice parameters;
  parameters.name = method;
  test::ProbeStudy<double> study(*similarity, set, {});
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    study.add(seed, [&](const Execution& execution) {
      return test::approximate<double>(parameters, execution, *similarity, set,
                                       select(execution, selection, *similarity, set));
    });
  }
  expect_knowledge("until known: " + method + ", " + selection + ", " + kind, study, 0.93);
  EXPECT_LT(study.relative_standard_error(), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Semidefinite, ProbeUntilKnown,
                         testing::Combine(testing::Values("nystrom", "sicur"), testing::Values("uniform", "farthest"),
                                          testing::Values("rbf")));
INSTANTIATE_TEST_SUITE_P(Indefinite, ProbeUntilKnown,
                         testing::Combine(testing::Values("sms-nystrom", "sicur"), testing::Values("uniform"),
                                          testing::Values("rbf-with-noise")));

// A matrix made against the estimate, of `landmarks` landmarks.
struct Hard {
  std::string name;
  SimilarityChoice similarity;
  Index dimension = 1;
  Index landmarks = 50;
  std::function<double(Index, Index)> coordinate;
};

double draw(Index i, Index k) {
  static const Random random(11, Stream::test);
  return random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
}

void PrintTo(const Hard& hard, std::ostream* out) { *out << hard.name; }

std::vector<Hard> hard_matrices() {
  constexpr Index clusters = 200, group = 10, eight = 8;
  const auto normal = [](Index i, Index k) { return draw(i, k); };
  std::vector<Hard> all;
  all.push_back({"tight clusters", rbf("1"), eight, 50,
                 [](Index i, Index k) { return 6 * draw(i % clusters, k) + 0.02 * draw(i + clusters, k); }});
  all.push_back({"one-hot groups", SimilarityChoice("linear"), clusters, 50,
                 [](Index i, Index k) { return i / group == k ? 1.0 : 0.0; }});
  all.push_back({"one far object", SimilarityChoice("linear"), eight, 4,
                 [](Index i, Index k) { return (i == 7 ? 30 : 1) * draw(i, k); }});
  all.push_back({"near-duplicates", rbf("0.3"), 6, 50,
                 [](Index i, Index k) { return draw(i / 4, k) + 1e-4 * draw(i + 10'000, k); }});
  all.push_back({"wide", rbf("0.01"), 6, 20, normal});
  all.push_back({"narrow", rbf("2"), 6, 100, normal});
  all.push_back({"indefinite", SimilarityChoice("sigmoid").set("gamma", "0.1").set("coef0", "0.2"), 6, 50, normal});
  all.push_back({"two far pieces", SimilarityChoice("euclidean"), 2, 30,
                 [](Index i, Index k) { return draw(i, k) + (i % 20 == 0 ? 30 : 0); }});
  all.push_back({"noise", rbf_with_noise(), 6, 50, normal});
  all.push_back({"lengths of many sizes", SimilarityChoice("polynomial").set("degree", "2"), eight, 20,
                 [](Index i, Index k) { return std::exp(1.2 * draw(i, 100)) * draw(i, k); }});
  return all;
}

class ProbeOfHardMatrices : public testing::TestWithParam<Hard> {};

// The estimate that a run makes by default. Each approximation is probed with four seeds.
TEST_P(ProbeOfHardMatrices, KnowsTheTrueError) {
  const Hard& hard = GetParam();
  constexpr Index count = 2000;
  const auto set = test::make_points<double>(count, hard.dimension, hard.coordinate);
  test::Context context;
  const auto similarity = make_similarity<double>(context.execution, hard.similarity, set);
  test::MethodChoice parameters;
  parameters.name = "nystrom";
  test::ProbeStudy<double> study(*similarity, set, {.share = share_of_run});
  for (std::uint64_t seed = 1; seed <= seeds; seed += 4) {
    context.execution.seed = seed;
    const Approximation<double> approximation =
        test::approximate<double>(parameters, context.execution, *similarity, set,
                                  select_uniform<double>(context.execution, set, hard.landmarks));
    const double truth = study.true_error(context.execution, approximation);
    for (std::uint64_t k = 0; k < 4; ++k) study.add(seed + k, approximation, truth);
  }
  expect_knowledge(hard.name, study, 0.93);
  EXPECT_LT(study.worst(), 4) << "half-widths";
}

INSTANTIATE_TEST_SUITE_P(Uneven, ProbeOfHardMatrices, testing::ValuesIn(hard_matrices()));

// One approximation of a matrix of more objects than a probe draws. @param duplicates  of one far object, which is no
// landmark: between them K~ is 0 and K is 1
template <class T>
test::ProbeStudy<T> study_of_sampled_objects(Index duplicates, const EstimateEffort& effort, Index columns = 1000,
                                             const std::string& gamma = "0.3") {
  constexpr Index count = 5000;
  auto set = read_points<T>(world(), {.dimension = 5, .generator = "normal", .points = count, .seed = 4});
  for (Index i = set.range().begin; i < std::min(set.range().end, duplicates); ++i) {
    for (T& x : set.coordinates().row(i)) x = static_cast<T>(30);
  }
  test::Context context;
  const auto similarity = make_similarity<T>(context.execution, rbf(gamma), set);
  test::ProbeStudy<T> study(*similarity, set, effort);
  Landmarks<T> chosen = select_uniform<T>(context.execution, set, columns);
  for (Index& index : chosen.indices) {
    if (index < duplicates) index = count - 1 - index;
  }
  chosen.objects = set.gather(world(), chosen.indices);
  test::MethodChoice parameters;
  parameters.name = "nystrom";
  const Approximation<T> approximation =
      test::approximate<T>(parameters, context.execution, *similarity, set, std::move(chosen));
  const double truth = study.true_error(context.execution, approximation);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) study.add(seed, approximation, truth);
  return study;
}

// The error sits in far objects, of which 2,048 of 5,000 are drawn: the interval is wide and says so.
constexpr double few_objects_know = 0.25;

TEST(ProbeOfSampledObjects, KnowsTheTrueError) {
  const auto study = study_of_sampled_objects<double>(0, {.share = share_of_run});
  expect_knowledge("objects sampled", study, 0.93, few_objects_know);
  EXPECT_EQ(study.objects(), 2048);
}

TEST(ProbeOfSampledObjects, KnowsTheTrueErrorInSinglePrecision) {
  const auto study = study_of_sampled_objects<float>(0, {.share = share_of_run});
  expect_knowledge("objects sampled, single precision", study, 0.93, few_objects_know);
}

TEST(ProbeOfSampledObjects, GoesOnUntilItKnowsTheDuplicates) {
  const auto study = study_of_sampled_objects<double>(25, {}, landmarks, "0.05");
  expect_knowledge("until known: duplicates", study, 0.93);
  EXPECT_LT(study.relative_standard_error(), 0.02);
}

TEST(ProbeOfSampledObjects, DuplicatesWidenTheInterval) {
  // The first look alone: what meets some of the duplicates says that it knows little.
  const auto plain = study_of_sampled_objects<double>(0, {.precision = 0.0, .seconds = 0.0, .share = share_of_run});
  const auto study = study_of_sampled_objects<double>(500, {.precision = 0.0, .seconds = 0.0, .share = share_of_run});
  if (world().is_root()) {
    std::printf("first look: covers %.3f, standard error / estimate %.4f; with duplicates %.3f, %.4f\n",
                plain.coverage(), plain.relative_standard_error(), study.coverage(), study.relative_standard_error());
  }
  EXPECT_GE(plain.coverage(), 0.90);
  EXPECT_GE(study.coverage(), 0.90);
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
}  // namespace cairn::probe_study_test
