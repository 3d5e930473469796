// Points far from the origin in single precision, against double: every similarity of points, in every scaling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cairn/data/data_kinds.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_differences.hpp"
#include "data/written_files.hpp"
#include "similarity/point_objects.hpp"

namespace cairn::test::precision_test {
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
  std::vector<Index> all(rows.size());
  for (Index i = 0; i < rows.size(); ++i) all[i] = i;
  const auto gathered = rows.gather(world(), all);
  std::vector<T> values(rows.size() * columns.size());
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
      // The same of products of points that are not moved, beside which any difference is small.
      if (of_products) continue;
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

TEST(SinglePrecision, TheDigestIsThatOfThePointsAsTheyWereRead) {
  const WrittenFiles files;
  const std::string path = file_of(files, "p.f64", 0, n);
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) values.push_back(far_coordinate(i, k) + (i == 5 && k == 0 ? 0.01 : 0.0));
  }
  const std::string changed = files.write("c.f64", bytes_of(values));  // by less than single precision has at 1e7
  Context context;
  const auto values_of = [&](const std::string& file, const char* offset_kind, const char* scaling) {
    return Values(
        point_data().parameters,
        {{"path", file}, {"format", "raw64"}, {"dimension", "3"}, {"offset", offset_kind}, {"scaling", scaling}});
  };
  const auto digest = [&](const std::string& file, const char* offset_kind, const char* scaling = "none") {
    return read_data<float>(point_data(), {context.execution, values_of(file, offset_kind, scaling)}).digest;
  };
  EXPECT_NE(digest(path, "subtract"), digest(changed, "subtract"));
  EXPECT_EQ(digest(path, "subtract"), digest(path, "keep"));
  EXPECT_EQ(digest(path, "keep", "standard"), digest(path, "keep"));
  const Data<double> whole = read_data<double>(point_data(), {context.execution, values_of(path, "keep", "none")});
  EXPECT_EQ(digest(path, "keep"), whole.digest);
}

// Coordinates in a LIBSVM file: a time in nearly every row, some small ones.
std::string times_of(Index count, Index without) {
  std::string text;
  for (Index i = 0; i < count; ++i) {
    text += "1";
    if (i != without) text += fmt::format(" 2:{:.17g}", 1.7e9 + 1000 * normal_coordinate(i, 0));
    text += fmt::format(" {}:{:.17g}\n", 3 + 15 * i % 900, normal_coordinate(i, 1));
  }
  return text;
}

template <class T>
Data<T> read_sparse(const std::string& path, const char* offset_kind) {
  Context context;
  const Values given(point_data().parameters,
                     {{"path", path}, {"format", "svm"}, {"dimension", "902"}, {"offset", offset_kind}});
  DataInput input{context.execution, given};
  input.sparse = true;
  return read_data<T>(point_data(), input);
}

TEST(SinglePrecision, SparsePointsFarAwayAreMovedOrWarnedOf) {
  const WrittenFiles files;
  const std::string path = files.write("t.svm", times_of(n, -1));
  const Data<double> whole = read_sparse<double>(path, "keep");
  ASSERT_TRUE(whole.points()->is_sparse());
  const Data<float> moved = read_sparse<float>(path, "subtract");
  EXPECT_TRUE(moved.warnings.empty());
  EXPECT_EQ(moved.notes.size(), 2U);  // that they are moved, and held with all coordinates
  EXPECT_EQ(moved.digest, whole.digest);
  ASSERT_EQ(moved.scaling.shift.size(), static_cast<std::size_t>(whole.dimension()));
  EXPECT_NEAR(moved.scaling.shift[1], 1.7e9, 1e3);
  const PointSet<float>& points = *moved.points();
  std::vector<float> row(moved.scaling.shift.size());
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    points.copy_point(i, std::span(row));
    const double expected = 1.7e9 + 1000 * normal_coordinate(i, 0) - moved.scaling.shift[1];
    EXPECT_NEAR(row[1], expected, 1e-6 * std::abs(expected) + 1e-6);
  }
  const Data<float> kept = read_sparse<float>(path, "keep");
  EXPECT_TRUE(kept.points()->is_sparse());
  ASSERT_EQ(kept.warnings.size(), 1U);
  EXPECT_NE(kept.warnings.front().find("the mean of coordinate 2 is"), std::string::npos) << kept.warnings.front();
}

TEST(SinglePrecision, SparsePointsOfWhichSomeAreNearTheOriginStay) {
  const WrittenFiles files;
  const std::string path = files.write("t.svm", times_of(n, 7));  // one is 0 there: the spread is a tenth of the mean
  const Data<float> read = read_sparse<float>(path, "subtract");
  EXPECT_TRUE(read.points()->is_sparse());
  EXPECT_TRUE(read.warnings.empty());
  EXPECT_TRUE(read.notes.empty());
  // One of 600 is: their mean is 24 times the spread.
  const Data<float> more = read_sparse<float>(files.write("m.svm", times_of(600, 7)), "subtract");
  EXPECT_FALSE(more.points()->is_sparse());
  EXPECT_EQ(more.scaling.shift.size(), 902U);
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
}  // namespace cairn::test::precision_test
