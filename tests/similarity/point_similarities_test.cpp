// Every similarity of points against its formula in long double.
#include "cairn/similarity/points/point_similarities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cairn/base/error.hpp"
#include "point_objects.hpp"

namespace {

using namespace cairn;
using cairn::test::make_block;
using cairn::test::normal_coordinate;
using cairn::test::numbers;
using Wide = long double;

// Sums that every formula is made of.
struct Sums {
  Wide dot = 0, xx = 0, yy = 0, squares = 0, absolute = 0;
};

template <class T>
Sums sums(const T* x, const T* y, Index d) {
  Sums s;
  for (Index k = 0; k < d; ++k) {
    const Wide a = x[k], b = y[k];
    s.dot += a * b;
    s.xx += a * a;
    s.yy += b * b;
    s.squares += (a - b) * (a - b);
    s.absolute += std::abs(a - b);
  }
  return s;
}

template <class T>
struct Case {
  const char* what;
  std::function<std::unique_ptr<Similarity<T>>(Index)> make;
  std::function<Wide(const Sums&)> formula;
};

template <class T>
std::vector<Case<T>> all_cases() {
  return {
      {"rbf", [](Index d) { return make_rbf<T>(d, 0.125); },
       [](const Sums& s) { return std::exp(-0.125L * s.squares); }},
      {"laplacian", [](Index d) { return make_laplacian<T>(d, 0.25); },
       [](const Sums& s) { return std::exp(-0.25L * s.absolute); }},
      {"euclidean", [](Index d) { return make_euclidean<T>(d); }, [](const Sums& s) { return std::sqrt(s.squares); }},
      {"matern 1/2", [](Index d) { return make_matern<T>(d, 0.5, 2.0); },
       [](const Sums& s) { return std::exp(-std::sqrt(s.squares) / 2); }},
      {"matern 3/2", [](Index d) { return make_matern<T>(d, 1.5, 2.0); },
       [](const Sums& s) {
         const Wide t = std::sqrt(3 * s.squares) / 2;
         return (1 + t) * std::exp(-t);
       }},
      {"matern 5/2", [](Index d) { return make_matern<T>(d, 2.5, 2.0); },
       [](const Sums& s) {
         const Wide t = std::sqrt(5 * s.squares) / 2;
         return (1 + t + t * t / 3) * std::exp(-t);
       }},
      {"linear", [](Index d) { return make_linear<T>(d); }, [](const Sums& s) { return s.dot; }},
      {"cosine", [](Index d) { return make_cosine<T>(d); },
       [](const Sums& s) { return s.dot / std::sqrt(s.xx * s.yy); }},
      {"polynomial", [](Index d) { return make_polynomial<T>(d, 0.25, 1.0, 3.0); },
       [](const Sums& s) { return std::pow(0.25L * s.dot + 1, 3.0L); }},
      {"sigmoid", [](Index d) { return make_sigmoid<T>(d, 0.25, -0.5); },
       [](const Sums& s) { return std::tanh(0.25L * s.dot - 0.5L); }},
  };
}

template <class T>
class PointSimilarities : public testing::Test {
 protected:
  static constexpr double tolerance = std::is_same_v<T, double> ? 1e-13 : 1e-5;

  // 70 x 150 entries: full panels and vectors, and what is left over.
  void expect_formula(const Case<T>& c, Index d) {
    const auto rows = make_block<T>(numbers(0, 70), d, normal_coordinate);
    const auto columns =
        make_block<T>(numbers(50, 200), d, [](Index b, Index k) { return normal_coordinate(b + 50, k); });
    const auto similarity = c.make(d);
    std::vector<T> values(70 * 150);
    similarity->tile(*rows, *columns, MatrixView<T>(values.data(), 70, 150));
    EXPECT_EQ(similarity->evaluations(), 70 * 150);
    Wide largest = 1;
    std::vector<Wide> exact;
    for (Index a = 0; a < 70; ++a) {
      for (Index b = 0; b < 150; ++b) {
        exact.push_back(c.formula(sums(rows->coordinates.row(a), columns->coordinates.row(b), d)));
        largest = std::max(largest, std::abs(exact.back()));
      }
    }
    for (std::size_t e = 0; e < exact.size(); ++e) {
      ASSERT_NEAR(static_cast<double>(values[e]), static_cast<double>(exact[e]),
                  tolerance * static_cast<double>(largest))
          << c.what << ", d = " << d << ", entry " << e;
    }
  }
};

using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(PointSimilarities, Numbers);

TYPED_TEST(PointSimilarities, TilesFollowTheFormula) {
  for (const auto& c : all_cases<TypeParam>()) {
    for (const Index d : {1, 2, 5, 16, 17, 40}) this->expect_formula(c, d);
  }
}

// What is kept of columns is that of one similarity, and changes no bit.
TYPED_TEST(PointSimilarities, TilesWithColumnsThatAreKnownAreTheSame) {
  using T = TypeParam;
  constexpr Index count = 30, width = 150;
  const auto cases = all_cases<T>();
  for (const Index d : {1, 5, 16, 17, 40}) {
    const auto rows = make_block<T>(numbers(0, count), d, normal_coordinate);
    const auto tile = [&](const Similarity<T>& similarity, const PointBlock<T>& columns) {
      std::vector<T> values(count * width);
      similarity.tile(*rows, columns, MatrixView<T>(values.data(), count, width));
      return values;
    };
    const auto shift = [](Index b, Index k) { return normal_coordinate(b + 50, k); };
    const auto shared = make_block<T>(numbers(50, 50 + width), d, shift);
    std::vector<std::unique_ptr<Similarity<T>>> similarities;
    for (const auto& c : cases) similarities.push_back(c.make(d));
    for (int round = 0; round < 3; ++round) {
      for (std::size_t k = 0; k < cases.size(); ++k) {
        const auto fresh = make_block<T>(numbers(50, 50 + width), d, shift);
        const std::vector<T> expected = tile(*similarities[k], *fresh);
        for (int again = 0; again < 3; ++again) {
          EXPECT_EQ(tile(*similarities[k], *shared), expected) << cases[k].what << ", d = " << d << ", round " << round;
        }
      }
    }
  }
}

TYPED_TEST(PointSimilarities, PairsFollowTheFormula) {
  using T = TypeParam;
  constexpr Index d = 5, count = 600;
  const auto first = make_block<T>(numbers(0, count), d, normal_coordinate);
  const auto second =
      make_block<T>(numbers(count, 2 * count), d, [](Index a, Index k) { return normal_coordinate(a + count, k); });
  for (const auto& c : all_cases<T>()) {
    const auto similarity = c.make(d);
    std::vector<T> values(count);
    similarity->pairs(*first, *second, values);
    EXPECT_EQ(similarity->evaluations(), count);
    for (Index a = 0; a < count; ++a) {
      const auto exact = static_cast<double>(c.formula(sums(first->coordinates.row(a), second->coordinates.row(a), d)));
      ASSERT_NEAR(values[a], exact, 10 * this->tolerance * std::max(1.0, std::abs(exact))) << c.what << ", pair " << a;
    }
  }
}

TYPED_TEST(PointSimilarities, AreSymmetric) {
  using T = TypeParam;
  constexpr Index n = 90, d = 6;
  const auto points = make_block<T>(numbers(0, n), d, normal_coordinate);
  for (const auto& c : all_cases<T>()) {
    std::vector<T> values(n * n);
    const MatrixView<T> k(values.data(), n, n);
    c.make(d)->tile(*points, *points, k);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        ASSERT_NEAR(k(i, j), k(j, i), 10 * this->tolerance * std::max(T(1), std::abs(k(i, j)))) << c.what;
      }
    }
  }
}

TYPED_TEST(PointSimilarities, OneColumnAndOneRowAreTilesToo) {
  using T = TypeParam;
  const auto points = make_block<T>(numbers(0, 40), 3, normal_coordinate);
  const auto one = make_block<T>({7}, 3, [](Index, Index k) { return normal_coordinate(7, k); });
  for (const auto& c : all_cases<T>()) {
    std::vector<T> column(40), row(40);
    c.make(3)->tile(*points, *one, MatrixView<T>(column.data(), 40, 1));
    c.make(3)->tile(*one, *points, MatrixView<T>(row.data(), 1, 40));
    for (std::size_t a = 0; a < 40; ++a) {
      ASSERT_NEAR(column[a], row[a], 10 * this->tolerance * std::max(T(1), std::abs(row[a]))) << c.what;
    }
  }
}

TYPED_TEST(PointSimilarities, AnObjectIsExactlyOneWithItself) {
  using T = TypeParam;
  const auto points = make_block<T>(numbers(0, 40), 9, [](Index a, Index k) { return 1e3 * normal_coordinate(a, k); });
  for (const auto& c : all_cases<T>()) {
    const std::string what = c.what;
    const bool function_of_distance = what == "rbf" || what == "laplacian" || what.starts_with("matern");
    if (!function_of_distance) continue;
    std::vector<T> values(40 * 40), diagonal(40);
    c.make(9)->tile(*points, *points, MatrixView<T>(values.data(), 40, 40));
    c.make(9)->pairs(*points, *points, diagonal);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(values[i * 41], T(1)) << what;
      EXPECT_EQ(diagonal[i], T(1)) << what;
    }
  }
}

TYPED_TEST(PointSimilarities, TilesWiderThanTheirStrideAreWrittenInPlace) {
  using T = TypeParam;
  const auto points = make_block<T>(numbers(0, 10), 4, normal_coordinate);
  for (const auto& c : all_cases<T>()) {
    std::vector<T> packed(100), wide(10 * 13, T(-7));
    c.make(4)->tile(*points, *points, MatrixView<T>(packed.data(), 10, 10));
    c.make(4)->tile(*points, *points, MatrixView<T>(wide.data(), 10, 10, 13));
    for (std::size_t a = 0; a < 10; ++a) {
      for (std::size_t b = 0; b < 10; ++b) EXPECT_EQ(wide[a * 13 + b], packed[a * 10 + b]) << c.what;
      for (std::size_t b = 10; b < 13; ++b) EXPECT_EQ(wide[a * 13 + b], T(-7)) << c.what;
    }
  }
}

TYPED_TEST(PointSimilarities, UnseenObjectsAreComparedByTheirCoordinatesAlone) {
  using T = TypeParam;
  const auto seen = make_block<T>(numbers(0, 8), 4, normal_coordinate);
  const auto unseen = make_block<T>(numbers(0, 8), 4, normal_coordinate);  // the same numbers, in a set of their own
  for (const auto& c : all_cases<T>()) {
    std::vector<T> among_seen(64), with_unseen(64);
    const auto similarity = c.make(4);
    EXPECT_TRUE(similarity->traits().defined_for_unseen);
    similarity->tile(*seen, *seen, MatrixView<T>(among_seen.data(), 8, 8));
    similarity->tile(*unseen, *seen, MatrixView<T>(with_unseen.data(), 8, 8));
    for (std::size_t e = 0; e < 64; ++e) {
      EXPECT_NEAR(with_unseen[e], among_seen[e], 1e-3 * this->tolerance + 100 * std::numeric_limits<T>::epsilon());
    }
  }
}

TYPED_TEST(PointSimilarities, AValueThatIsNotFiniteNamesItsObjects) {
  using T = TypeParam;
  const auto with_nan = make_block<T>(numbers(100, 140), 3, [](Index a, Index k) {
    return a == 23 && k == 1 ? std::numeric_limits<double>::quiet_NaN() : normal_coordinate(a, k);
  });
  const auto columns = make_block<T>(numbers(500, 530), 3, normal_coordinate);
  for (const auto& c : all_cases<T>()) {
    const auto similarity = c.make(3);
    std::vector<T> values(40 * 30);
    try {
      similarity->tile(*with_nan, *columns, MatrixView<T>(values.data(), 40, 30));
      ADD_FAILURE() << c.what << " took NaN";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numeric);
      EXPECT_NE(std::string(error.what()).find("object 123 and object 500"), std::string::npos) << error.what();
    }
    std::vector<T> few(40);
    EXPECT_THROW(similarity->pairs(*with_nan, *with_nan, few), Error) << c.what;
  }
}

TEST(Cosine, OfTheZeroVectorIsAnError) {
  const auto points = make_block<double>({0, 1}, 2, [](Index a, Index) { return static_cast<double>(a); });
  std::vector<double> values(4);
  EXPECT_THROW(make_cosine<double>(2)->tile(*points, *points, MatrixView<double>(values.data(), 2, 2)), Error);
}

TEST(Polynomial, OfANegativeBaseToAFractionIsAnError) {
  const auto points = make_block<double>({0, 1}, 1, [](Index a, Index) { return a == 0 ? 1.0 : -1.0; });
  std::vector<double> values(4);
  const auto similarity = make_polynomial<double>(1, 1.0, 0.0, 0.5);
  EXPECT_THROW(similarity->tile(*points, *points, MatrixView<double>(values.data(), 2, 2)), Error);
}

TEST(Meaning, OnlyEuclideanIsADistance) {
  for (const auto& c : all_cases<double>()) {
    EXPECT_EQ(c.make(2)->traits().meaning == Meaning::distance, std::string(c.what) == "euclidean") << c.what;
  }
}

TEST(PointSimilarity, RefusesPointsOfAnotherDimension) {
  const auto points = make_block<double>({0}, 3, normal_coordinate);
  double value = 0;
  EXPECT_THROW(make_rbf<double>(2, 1.0)->tile(*points, *points, MatrixView<double>(&value, 1, 1)), Error);
}

}  // namespace
