#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn::limits_test {
namespace {

constexpr Index largest = std::numeric_limits<int>::max();

ErrorKind kind_of(auto call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::usage;
}

TEST(LibraryLimits, NumbersUpToTheLargestIntPass) {
  EXPECT_EQ(to_library_int(0, "rows"), 0);
  EXPECT_EQ(to_library_int(largest, "rows"), largest);
}

TEST(LibraryLimits, LargerNumbersAreAResourceErrorThatNamesThemAndSaysWhatToDo) {
  try {
    static_cast<void>(to_library_int(largest + 1, "rows of a matrix"));
    FAIL() << "2147483648 passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    const std::string text = error.what();
    EXPECT_NE(text.find("rows of a matrix: 2147483648"), std::string::npos) << text;
    EXPECT_NE(text.find("use more ranks"), std::string::npos) << text;
  }
  EXPECT_EQ(kind_of([] { return to_library_int(-1, "rows"); }), ErrorKind::internal);
}

TEST(LibraryLimits, WorkspaceIsTheLargerOfQueryAndFormulaAndRoundedUp) {
  EXPECT_EQ(workspace_size(100.0, 50, "routine"), 100);
  EXPECT_EQ(workspace_size(100.0, 200, "routine"), 200);
  EXPECT_EQ(workspace_size(100.5, 0, "routine"), 101);
  EXPECT_EQ(workspace_size(0.0, 0, "routine"), 1);
}

TEST(LibraryLimits, WorkspaceBeyond32BitsOrThatIsNoNumberIsRefused) {
  EXPECT_EQ(kind_of([] { return workspace_size(3e9, 1, "routine"); }), ErrorKind::resource);
  EXPECT_EQ(kind_of([] { return workspace_size(1e300, 1, "routine"); }), ErrorKind::resource);
  EXPECT_EQ(kind_of([] { return workspace_size(1.0, largest + 1, "routine"); }), ErrorKind::resource);
  EXPECT_EQ(kind_of([] { return workspace_size(NAN, 1, "routine"); }), ErrorKind::internal);
  // What a 32-bit overflow inside the library looks like.
  EXPECT_EQ(kind_of([] { return workspace_size(-5.0, 1, "routine"); }), ErrorKind::internal);
}

}  // namespace
}  // namespace cairn::limits_test
