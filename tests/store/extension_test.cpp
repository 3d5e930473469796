// What is said of out-of-sample rows, from what their file holds.
#include "cairn/store/result/extension.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::extension_test {
namespace {

ErrorEstimate relative(double error, double standard_error) {
  ErrorEstimate estimate;
  estimate.relative_error = error;
  estimate.relative_error_standard_error = standard_error;
  return estimate;
}

ResultDescription extension(const std::string& version, const std::string& similarity, const ExtensionError& error) {
  ResultDescription description;
  description.provenance = {{"kind", "extension"}, {"version", version}};
  description.similarity = similarity;
  describe_extension(description, error);
  return description;
}

TEST(ExtensionError, IsFoundAgain) {
  const ExtensionError found = extension_error(extension("0.2.0", "rbf", {relative(0.3, 0.1), relative(0.2, 0.05)}));
  EXPECT_EQ(found.rows->relative_error, 0.3);
  EXPECT_EQ(found.base->relative_error, 0.2);
  EXPECT_EQ(found.base->relative_error_standard_error, 0.05);
  EXPECT_FALSE(extension_error(extension("0.2.0", "rbf", {relative(0.3, 0.1), {}})).base);
}

TEST(ExtensionError, IsAWarningWhereItIsMuchLargerBeyondDoubt) {
  const auto warnings = [](const ErrorEstimate& rows, const ErrorEstimate& base) {
    return extension_warnings(extension("0.2.0", "rbf", {rows, base}), "n.h5");
  };
  EXPECT_THAT(warnings(relative(0.9, 0.01), relative(0.1, 0.01)), testing::SizeIs(1));
  EXPECT_THAT(warnings(relative(0.9, 0.4), relative(0.1, 0.01)), testing::IsEmpty());   // not known well enough
  EXPECT_THAT(warnings(relative(0.2, 0.01), relative(0.1, 0.01)), testing::IsEmpty());  // not much larger
  EXPECT_THAT(warnings(relative(1e-9, 0), relative(1e-15, 0)), testing::IsEmpty());     // both are rounding
}

TEST(ExtensionError, RowsOfTheVersionThatComputedWrongOnesAreAWarning) {
  const auto warnings = [](const std::string& version, const std::string& similarity) {
    return extension_warnings(extension(version, similarity, {}), "n.h5");
  };
  for (const char* kind : {"rbf", "laplacian", "matern", "euclidean"}) {
    EXPECT_THAT(warnings("0.1.0", kind), testing::ElementsAre(testing::HasSubstr("make it again"))) << kind;
    EXPECT_THAT(warnings("0.2.0", kind), testing::IsEmpty()) << kind;
  }
  EXPECT_THAT(warnings("0.1.0", "linear"), testing::IsEmpty());
  ResultDescription sum = extension("0.1.0", "sum", {});
  sum.similarity_parameters = {{"1.kind", "linear"}, {"2.kind", "rbf"}};
  EXPECT_THAT(extension_warnings(sum, "n.h5"), testing::SizeIs(1));
  sum.provenance.erase("kind");  // a result itself was never wrong
  EXPECT_THAT(extension_warnings(sum, "n.h5"), testing::IsEmpty());
}

}  // namespace
}  // namespace cairn::extension_test
