// Real files: those that ship with the project always, others where CAIRN_DATA names their folder.
#include <cstdlib>
#include <set>

#include "written_files.hpp"

namespace cairn::test::real_data_test {
namespace {

std::string shipped(const std::string& name) { return CAIRN_TEST_DATA "/" + name; }

std::size_t classes(const WholePoints<double>& points) {
  return std::set<std::string>(points.labels.begin(), points.labels.end()).size();
}

template <class Points>
void expect_shape(const Points& points, Index n, Index d, std::size_t class_count) {
  EXPECT_EQ(points.dimension, d);
  EXPECT_EQ(static_cast<Index>(points.values.size()), n * d);
  EXPECT_EQ(points.labels.size(), class_count == 0 ? 0U : static_cast<std::size_t>(n));
  EXPECT_EQ(classes(points), class_count);
}

std::vector<double> point(const WholePoints<double>& points, Index i) {
  const auto begin = points.values.begin() + static_cast<std::ptrdiff_t>(i * points.dimension);
  return {begin, begin + static_cast<std::ptrdiff_t>(points.dimension)};
}

TEST(ShippedData, LetterIsRead) {
  const auto points = read_whole({.path = shipped("letter.csv.xz"), .label = "Letter"});
  expect_shape(points, 20000, 16, 26);
  EXPECT_EQ(point(points, 0), (std::vector<double>{2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8}));
  EXPECT_EQ(points.labels.front(), "T");
  EXPECT_EQ(point(points, 1), (std::vector<double>{5, 12, 3, 7, 2, 10, 5, 5, 4, 13, 3, 9, 2, 8, 4, 10}));
}

TEST(ShippedData, LetterWithoutItsLabelIsRefusedWithAdvice) {
  expect_refused({.path = shipped("letter.csv.xz")},
                 {"letter.csv.xz:1: column 1: 'Letter' is not a number", "parameter label"});
}

TEST(ShippedData, SegmentIsRead) {
  const auto points = read_whole({.path = shipped("segment.svm.xz"), .label = "first"});
  expect_shape(points, 2310, 19, 7);
  EXPECT_EQ(points.labels.front(), "6");
  EXPECT_EQ(points(0, 0), 0.715415);
  EXPECT_EQ(points(0, 2), 0.0);
  EXPECT_EQ(points(1, 17), 1.0);
}

TEST(ShippedData, SatimageIsRead) {
  const auto points = read_whole({.path = shipped("satimage.svm.xz")});
  expect_shape(points, 4435, 36, 6);
  EXPECT_EQ(points(0, 0), -0.03125);
  EXPECT_EQ(points(0, 12), 0.0);
  EXPECT_EQ(points(0, 35), -0.125);
}

class OtherData : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("CAIRN_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
    folder_ = folder;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/points/" + name; }

 private:
  std::string folder_;
};

TEST_F(OtherData, CaliforniaHousingIsRead) {
  const auto points = read_whole({.path = file("california-housing.csv.xz")});
  expect_shape(points, 20640, 9, 0);
  EXPECT_EQ(point(points, 0), (std::vector<double>{-122.23, 37.88, 41, 880, 129, 322, 126, 8.3252, 452600}));
  const auto labelled = read_whole({.path = file("california-housing.csv.xz"), .label = "median_house_value"});
  EXPECT_EQ(labelled.dimension, 8);
  EXPECT_EQ(labelled.labels.front(), "452600.000000");
}

TEST_F(OtherData, UspsIsRead) {
  const auto points = read_whole({.path = file("usps.train.gz"), .label = "1"});
  expect_shape(points, 7291, 256, 10);
  EXPECT_EQ(points.labels.front(), "6.0000");
  EXPECT_EQ(points(0, 7), -0.631);
  EXPECT_EQ(points(0, 8), 0.862);
}

TEST_F(OtherData, MnistIsRead) {
  const auto points =
      read_whole({.path = file("t10k-images-idx3-ubyte.gz"), .label = file("t10k-labels-idx1-ubyte.gz")});
  expect_shape(points, 10000, 784, 10);
  EXPECT_EQ(points.labels[0], "7");
  EXPECT_EQ(points.labels[1], "2");
  double sum = 0.0;
  for (const double x : points.values) sum += x;
  EXPECT_NEAR(sum / (255.0 * 7840000.0), 0.1325, 5e-5);  // the mean that is known of these images
}

}  // namespace
}  // namespace cairn::test::real_data_test
