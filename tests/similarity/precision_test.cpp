// Points far from the origin in single precision, against double: every similarity of points, in every scaling.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cairn/data/data_kinds.hpp"
#include "cairn/similarity/points/point_differences.hpp"
#include "cairn/similarity/similarities.hpp"
#include "data/written_files.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::test {
namespace {

constexpr Index n = 60, unseen = 7, d = 3;
constexpr double offset = 1e7;

// Columns that vary by 1 far from 0, as coordinates of a map, years and sums of money do; the last one does not.
double far_coordinate(Index i, Index k) {
  return (k == 0 ? offset : k == 1 ? -2 * offset : 3.0) + normal_coordinate(i, k);
}

std::string file_of(const WrittenFiles& files, const std::string& name, Index first, Index count) {
  std::vector<double> values;
  for (Index i = first; i < first + count; ++i) {
    for (Index k = 0; k < d; ++k) values.push_back(far_coordinate(i, k));
  }
  return files.write(name, bytes_of(values));
}

// Values between the points and some of them, and between points that are read later and these.
struct Tables {
  std::vector<double> own, others;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<std::string> warnings, notes;
};

template <class T>
std::vector<double> tile_of(const Similarity<T>& similarity, const ObjectSet& rows, const ObjectBlock& columns) {
  std::vector<Index> all(static_cast<std::size_t>(rows.size()));
  for (Index i = 0; i < rows.size(); ++i) all[static_cast<std::size_t>(i)] = i;
  const auto gathered = rows.gather(world(), all);
  std::vector<T> values(static_cast<std::size_t>(rows.size() * columns.size()));
  similarity.tile(*gathered, columns, MatrixView<T>(values.data(), rows.size(), columns.size()));
  return {values.begin(), values.end()};
}

template <class T>
Tables tables_of(const SimilarityChoice& choice, const std::string& scaling, const std::string& path,
                 const std::string& new_path) {
  Context context;
  Values first(point_data().parameters,
               {{"path", path}, {"format", "raw64"}, {"dimension", std::to_string(d)}, {"scaling", scaling}});
  const Values second = first.with("path", new_path);
  const bool subtract = std::is_same_v<T, float> && scaling == "none" && depends_on_differences(choice);
  if (subtract) first = first.with("offset", "subtract");
  const Data<T> data = read_data<T>(point_data(), {context.execution, first});
  KnownObjects known;
  known.points = {.scaling = data.scaling, .dimension = d, .columns = {}, .path = path};
  known.new_objects = true;
  const Data<T> others = read_data<T>(point_data(), {context.execution, second, &known});
  const auto similarity =
      make_similarity<T>(context.execution, for_moved_points(context.execution, data, choice), *data.objects);
  const std::vector<Index> landmarks{0, 3, 17, 40, 59};
  const auto columns = data.objects->gather(world(), landmarks);
  return {tile_of(*similarity, *data.objects, *columns), tile_of(*similarity, *others.objects, *columns),
          similarity->parameters(), data.warnings, data.notes};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(b[k]));
    difference = std::max(difference, std::abs(a[k] - b[k]));
  }
  return difference / largest;
}

SimilarityChoice choice_of(const SimilarityDescriptor& similarity, const std::string& scaling) {
  SimilarityChoice choice(similarity);
  const auto has = [&](const char* name) {
    return std::ranges::any_of(similarity.parameters, [&](const Parameter& one) { return one.name == name; });
  };
  if (has("gamma") && depends_on_differences(choice)) choice.set("gamma", "median");
  if (similarity.name == "function" && scaling == "none") choice.set("scale", "1e-15");
  return choice;
}

TEST(SinglePrecision, EverySimilarityOfPointsHasTheValuesOfPointsFarAway) {
  const WrittenFiles files;
  const std::string path = file_of(files, "p.f64", 0, n), new_path = file_of(files, "q.f64", n, unseen);
  int compared = 0;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (std::ranges::find(similarity->objects, objects::points) == similarity->objects.end()) continue;
    if (similarity->traits.stored || similarity->traits.single_source) continue;
    for (const char* scaling : {"none", "center", "standard", "min-max", "unit-norm"}) {
      const SimilarityChoice choice = choice_of(*similarity, scaling);
      const Tables single = tables_of<float>(choice, scaling, path, new_path);
      const Tables whole = tables_of<double>(choice, scaling, path, new_path);
      const std::string what = similarity->name + ", " + scaling;
      EXPECT_TRUE(whole.warnings.empty()) << what;
      const bool of_products = std::string(scaling) == "none" && !depends_on_differences(choice);
      const bool loses = of_products || std::string(scaling) == "unit-norm";
      EXPECT_EQ(single.warnings.empty(), !loses) << what;
      // What unit vectors that are nearly the same differ by is lost, and was said to be.
      if (std::string(scaling) == "unit-norm" && depends_on_differences(choice)) continue;
      EXPECT_LT(largest_difference(single.own, whole.own), 3e-5) << what;
      EXPECT_LT(largest_difference(single.others, whole.others), 3e-5) << what;
      ++compared;
    }
  }
  EXPECT_GT(compared, 35);
}

TEST(SinglePrecision, GammaIsThatOfThePointsBeforeTheyAreMoved) {
  const WrittenFiles files;
  const std::string path = file_of(files, "p.f64", 0, n);
  SimilarityChoice choice("rbf");  // gamma = scale
  const Tables single = tables_of<float>(choice, "none", path, path);
  const Tables whole = tables_of<double>(choice, "none", path, path);
  const double gamma = std::stod(whole.parameters.front().second);
  EXPECT_LT(gamma, 1e-13);  // columns are far from one another
  EXPECT_NEAR(std::stod(single.parameters.front().second), gamma, 1e-6 * gamma);
  ASSERT_EQ(single.notes.size(), 1U);
  EXPECT_NE(single.notes.front().find("the mean of the points is subtracted"), std::string::npos);
  EXPECT_TRUE(whole.notes.empty());
}

TEST(SinglePrecision, PointsNearTheOriginAreNotMoved) {
  const WrittenFiles files;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) values.push_back(k == 2 ? 5e7 : 4 + normal_coordinate(i, k));  // or are constant
  }
  const std::string path = files.write("p.f64", bytes_of(values));
  const Tables single = tables_of<float>(choice_of(similarity_named("rbf"), "none"), "none", path, path);
  EXPECT_TRUE(single.notes.empty());
  EXPECT_TRUE(single.warnings.empty());
}

TEST(SinglePrecision, TheDigestIsThatOfThePointsThatAreCompared) {
  const WrittenFiles files;
  const std::string path = file_of(files, "p.f64", 0, n);
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) values.push_back(far_coordinate(i, k) + (i == 5 && k == 0 ? 0.01 : 0.0));
  }
  const std::string changed = files.write("c.f64", bytes_of(values));  // by less than single precision has at 1e7
  Context context;
  const auto digest = [&](const std::string& file) {
    const Values given(point_data().parameters,
                       {{"path", file}, {"format", "raw64"}, {"dimension", "3"}, {"offset", "subtract"}});
    return read_data<float>(point_data(), {context.execution, given}).digest;
  };
  EXPECT_NE(digest(path), digest(changed));
  EXPECT_EQ(digest(path), digest(path));
}

TEST(SinglePrecision, WhatIsTooLargeIsNamed) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "1,2\n3,1e200\n4,5\n");
  Context context;
  const auto read = [&](const char* scaling) {
    const Values given(point_data().parameters, {{"path", path}, {"scaling", scaling}});
    return read_data<float>(point_data(), {context.execution, given});
  };
  expect_error([&] { (void)read("none"); }, ErrorKind::input,
               {"p.csv", "coordinate 1 of point 1", "too large for single precision"});
  EXPECT_NO_THROW((void)read("min-max"));
}

}  // namespace
}  // namespace cairn::test
