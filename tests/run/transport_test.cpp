// Transport between points of a program.
#include "cairn/run/transport/transport.hpp"

#include <cmath>

#include "expected_errors.hpp"
#include "handed_points.hpp"

namespace cairn::test::transport_test {
namespace {

constexpr Index n = 70;

struct Setting {
  Session session = session_on_all_ranks();
  Objects<> source = distribute_points(session, own_rows(n), dimension);
  Objects<> target = distribute_points(session, moved_rows(), dimension);

  static std::vector<double> moved_rows() {
    std::vector<double> rows = own_rows(n);
    for (double& value : rows) value = 0.5 * value + 0.3;
    return rows;
  }
  [[nodiscard]] Transported<double> plan(const GivenValues& given) const {
    return transport(session, source, target, given);
  }
};

TEST(ATransport, OfAProgramTakesMethodsWithTheirParameters) {
  const Setting setting;
  const Transported<double> exact = setting.plan({{"epsilon", 4.0}, {"kernel", "exact"}, {"tolerance", 1e-9}});
  EXPECT_TRUE(exact.iterations.converged);
  EXPECT_EQ(exact.columns, 0);
  const GivenValues kernels[] = {{{"kernel", "nystrom"}, {"landmarks.count", 60}, {"method.tolerance", 1e-12}},
                                 {{"kernel", "rff"}, {"method.features", 20000}},
                                 {{"kernel", "poly-tensorsketch"}, {"method.features", 200}},
                                 {{"kernel", "positive"}, {"features", 5000}}};
  for (GivenValues given : kernels) {
    given.emplace_back("epsilon", 4.0);
    given.emplace_back("tolerance", 1e-9);
    const Transported<double> found = setting.plan(given);
    EXPECT_EQ(found.kernel, given.front().text);
    EXPECT_NEAR(found.plan.values.cost, exact.plan.values.cost, 0.05 * exact.plan.values.cost) << found.kernel;
    EXPECT_TRUE(found.exact_source && found.exact_target);
  }
}

// A plan of barycentres that are the targets, if these are the sources, little moved, and epsilon is small.
TEST(ATransport, WithLittleEntropyIsAnAssignment) {
  const Session session = session_on_all_ranks();
  std::vector<double> rows = own_rows(n);
  const Objects<> source = distribute_points(session, rows, dimension);
  for (double& value : rows) value += 0.01;
  const Objects<> target = distribute_points(session, rows, dimension);
  const Transported<double> found = transport(session, source, target, {{"epsilon", 1e-4}, {"tolerance", 1e-8}});
  EXPECT_EQ(found.kernel, "exact");  // no factors do for so small an epsilon
  for (std::size_t i = 0; i < found.plan.barycentres.size(); ++i) {
    EXPECT_NEAR(found.plan.barycentres[i], found.source.coordinates[i] + 0.01, 1e-3);
  }
  EXPECT_NEAR(found.plan.values.cost, 3e-4, 1e-6);
}

TEST(ATransport, TakesWeightsForEqualPoints) {
  const Setting setting;
  const Index own = std::ssize(own_rows(n)) / dimension;
  Index first = 0;
  for (int rank = 0; const Index others : world().all_gather_one(own)) first += rank++ < world().rank() ? others : 0;
  std::vector<double> rows = own_rows(n), weights(own, 1.0);  // the points whose number is even count twice
  for (Index i = 0; i < own; ++i) {
    if ((first + i) % 2 != 0) continue;
    weights[i] = 2.0;
    for (Index k = 0; k < dimension; ++k) rows.push_back(rows[i * dimension + k]);
  }
  const GivenValues given = {{"epsilon", 2.0}, {"kernel", "exact"}, {"tolerance", 1e-10}};
  const Objects<> repeated = distribute_points(setting.session, rows, dimension);
  const auto one = transport(setting.session, setting.source, setting.target, given, {.source = weights});
  const auto other = transport(setting.session, repeated, setting.target, given);
  EXPECT_NEAR(one.plan.values.cost, other.plan.values.cost, 1e-8);
  EXPECT_GT(std::abs(one.plan.values.cost - setting.plan(given).plan.values.cost), 1e-4);
  if (!weights.empty()) weights.front() = -1.0;
  expect_error([&] { (void)transport(setting.session, setting.source, setting.target, given, {.source = weights}); },
               ErrorKind::input, {"weights are at least 0"});
}

TEST(ATransport, RefusesWhatHasNoEffect) {
  const Setting setting;
  const auto refused = [&](const GivenValues& given, std::initializer_list<const char*> parts) {
    expect_error([&] { static_cast<void>(setting.plan(given)); }, ErrorKind::usage, parts);
  };
  refused({{"kernel", "exact"}}, {"parameter epsilon"});
  refused({{"epsilon", 1.0}, {"landmarks.count", 9}}, {"parameter landmarks.count has no effect"});
  refused({{"epsilon", 1.0}, {"kernel", "exact"}, {"landmarks.count", 9}}, {"landmarks.count has no effect"});
  refused({{"epsilon", 1.0}, {"kernel", "nystrom"}, {"method.embedding", "true"}, {"landmarks.count", 9}},
          {"embedding has no effect"});
  refused({{"epsilon", 1.0}, {"kernel", "nystrom"}}, {"landmarks.count"});
  refused({{"epsilon", 1.0}, {"features", 9}}, {"parameter features has no effect"});
  refused({{"epsilon", 1.0}, {"kernel", "nystrom"}, {"cost", "euclidean"}, {"landmarks.count", 9}}, {"exact kernel"});
  refused({{"epsilon", 1.0}, {"cost", "cosine"}}, {"cosine"});
}

}  // namespace
}  // namespace cairn::test::transport_test
