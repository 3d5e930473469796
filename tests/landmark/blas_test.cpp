#include <gtest/gtest.h>

#include <string>

#include "cairn/base/error.hpp"
#include "cairn/landmark/panel_updates.hpp"

namespace cairn::blas_test {
namespace {

// 2^32 + 1 is 1 to who takes its lower half: the product would be one, of too few columns.
TEST(LandmarkBlas, RefusesSizesBeyondTheLibrarysIntegers) {
  constexpr Index beyond = (Index{1} << 32) + 1;
  double value = 2.0;
  const MatrixView<const double> wide(&value, 1, beyond);
  for (int k = 0; k < 2; ++k) {
    try {
      if (k == 0) {
        landmark_blas::subtract_product(wide, wide, MatrixView<double>(&value, 1, 1));
      } else {
        landmark_blas::solve_rows(wide, MatrixView<double>(&value, beyond, 1));
      }
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resource);
      EXPECT_NE(std::string(error.what()).find("4294967297"), std::string::npos) << error.what();
    }
    EXPECT_EQ(value, 2.0);
  }
}

}  // namespace
}  // namespace cairn::blas_test
