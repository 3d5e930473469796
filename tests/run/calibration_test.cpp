// Rates of a machine: what is measured, and the file that keeps them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/run/planning/calibration_file.hpp"
#include "cairn/run/session.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::test::calibration_test {
namespace {

Calibration example() {
  Calibration made;
  made.rates = {.ranks = 2,
                .threads = 3,
                .products = 1.5e10,
                .cholesky = {{256, 0.01}, {4096, 12.5}},
                .eigen = {{1000, 0.75}, {1024, 0.5}},
                .evaluations = 2e7,
                .read_bytes = 7e8,
                .written_bytes = 3e8,
                .disk_measured = true,
                .fresh_bytes = 4e9,
                .links = {.links = {{3e-6, 6e9}, {5e-6, 8e9}}, .inside = true, .between = false, .layout = {2, 1}}};
  made.host = "node \"7\"";
  made.processor = "AMD EPYC";
  made.date = "2026-11-25";
  made.program = "0.2.0";
  return made;
}

// A file of this test that all ranks see.
class CalibrationFile : public testing::Test {
 protected:
  CalibrationFile() {
    auto process = static_cast<Index>(::getpid());
    world().broadcast(std::span(&process, 1), 0);
    path_ = std::filesystem::temp_directory_path() / ("cairn-calibration-test-" + std::to_string(process) + ".json");
  }
  ~CalibrationFile() override {
    world().barrier();
    if (world().is_root()) std::filesystem::remove(path_);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

  [[nodiscard]] std::string text() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  // The same file with another text. Collective.
  void write(const std::string& text) const {
    world().barrier();
    if (world().is_root()) std::ofstream(path_) << text;
    world().barrier();
  }

  // With `part` replaced. Collective.
  void refused_with(const std::string& part, const std::string& by, const char* why) const {
    write_calibration(world(), path(), example());
    std::string changed = text();
    const std::size_t at = changed.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    write(changed.replace(at, part.size(), by));
    expect_error([&] { (void)read_calibration(world(), path()); }, ErrorKind::input, {path().c_str(), why});
  }

 private:
  std::filesystem::path path_;
};

TEST_F(CalibrationFile, IsReadAsItWasWritten) {
  const Calibration made = example();
  write_calibration(world(), path(), made);
  const Calibration read = read_calibration(world(), path());
  EXPECT_EQ(read.host, made.host);
  EXPECT_EQ(read.processor, made.processor);
  EXPECT_EQ(read.date, made.date);
  EXPECT_EQ(read.program, made.program);
  EXPECT_EQ(read.rates.ranks, 2);
  EXPECT_EQ(read.rates.threads, 3);
  EXPECT_EQ(read.rates.cholesky, made.rates.cholesky);
  EXPECT_EQ(read.rates.eigen, made.rates.eigen);
  EXPECT_DOUBLE_EQ(read.rates.products, 1.5e10);
  EXPECT_DOUBLE_EQ(read.rates.evaluations, 2e7);
  EXPECT_DOUBLE_EQ(read.rates.read_bytes, 7e8);
  EXPECT_DOUBLE_EQ(read.rates.written_bytes, 3e8);
  EXPECT_TRUE(read.rates.disk_measured);
  EXPECT_DOUBLE_EQ(read.rates.fresh_bytes, 4e9);
  const MeasuredLinks& links = read.rates.links;
  EXPECT_DOUBLE_EQ(links.links.inside.latency, 3e-6);
  EXPECT_DOUBLE_EQ(links.links.inside.bytes, 6e9);
  EXPECT_DOUBLE_EQ(links.links.between.latency, 5e-6);
  EXPECT_DOUBLE_EQ(links.links.between.bytes, 8e9);
  EXPECT_TRUE(links.inside);
  EXPECT_FALSE(links.between);
  EXPECT_EQ(links.layout.ranks, 2);
  EXPECT_EQ(links.layout.nodes, 1);
}

// Files of version 1 had neither links nor fresh memory: those that are assumed are taken.
TEST_F(CalibrationFile, OfTheFirstVersionIsRead) {
  write(
      R"({"cairn_calibration": 1, "program": "0.2.0", "host": "n", "processor": "p", "date": "2026-11-25", "ranks": 2, "threads": 1,
 "product_flops_per_second": 1e9, "evaluations_per_second": 1e7, "read_bytes_per_second": 1e9, "written_bytes_per_second": 1e9,
 "cholesky_seconds": {"256": 1}, "eigen_seconds": {"256": 1}})");
  const MachineRates rates = read_calibration(world(), path()).rates;
  EXPECT_DOUBLE_EQ(rates.links.links.between.latency, assumed_links.between.latency);
  EXPECT_FALSE(rates.links.inside);
}

TEST_F(CalibrationFile, IsRefusedIfItIsDamagedOrOfAnotherVersion) {
  refused_with("\"cairn_calibration\": 2", "\"cairn_calibration\": 3", "its format is 3, not 2");
  refused_with("\"inside_measured\": true", "\"inside_measured\": 1", "'inside_measured' is neither true nor false");
  refused_with("\"between_bytes_per_second\"", "\"between\"", "it has no 'between_bytes_per_second'");
  refused_with("cairn_calibration", "calibration", "another file");
  refused_with("}\n", "", "it is damaged");
  refused_with("\"ranks\": 2", "\"ranks\": 0", "'ranks'");
  refused_with("\"ranks\": 2", "\"ranks\": 2.5", "'ranks'");
  refused_with("\"host\"", "\"hosts\"", "it has no 'host'");
  refused_with("12.5", "-1", "'cholesky_seconds.4096' is not a number above 0");
  refused_with("\"4096\"", "\"12\"", "orders of its 'cholesky_seconds'");
  refused_with("\"4096\"", "\"many\"", "orders of its 'cholesky_seconds'");
  write("");
  expect_error([&] { (void)read_calibration(world(), path()); }, ErrorKind::input, {"cannot be read, or is empty"});
  expect_error([&] { (void)read_calibration(world(), path() + "-absent"); }, ErrorKind::input, {"cannot be read"});
}

TEST_F(CalibrationFile, IsOfANumberOfThreads) {
  require_threads(example(), "a.json", 3);
  expect_error([] { require_threads(example(), "a.json", 1); }, ErrorKind::usage,
               {"a.json", "3 threads a rank", "the run has 1"});
}

TEST(MachineRates, FlopsAreThoseOfTheCurveOverTheRanks) {
  const MachineRates rates = example().rates;
  const double work = 4096.0 * 4096.0 * 4096.0;
  EXPECT_NEAR(cholesky_flops(rates, 4096, 2), work / 2 / 12.5, 1.0);
  EXPECT_NEAR(cholesky_flops(rates, 4096, 64), work / 2 / 12.5, 1.0);  // a rank's share, of a thirtieth of the seconds
}

TEST(MachineRates, RanksDoNotShortenWhatOneOfThemComputes) {
  const MachineRates rates = example().rates;
  const auto seconds = [&](Index order, int ranks) {
    const auto s = static_cast<double>(order);
    return 9.0 * s * s * s / ranks / eigen_flops(rates, order, ranks);
  };
  EXPECT_NEAR(seconds(serial_eigen_rows, 2), 0.75, 1e-9);
  EXPECT_NEAR(seconds(serial_eigen_rows, 64), 0.75, 1e-9);
  EXPECT_NEAR(seconds(1024, 2), 0.5, 1e-9);
  EXPECT_NEAR(seconds(1024, 64), 0.5 / 32, 1e-9);
}

TEST(MachineRates, AreMeasuredOnAllRanks) {
  const Session session(world().handle());
  const MachineRates rates = measure_machine(session.execution(), {{32, 64}, {32}});
  EXPECT_EQ(rates.ranks, world().size());
  ASSERT_EQ(rates.cholesky.size(), 2U);
  EXPECT_EQ(rates.cholesky.back().order, 64);
  EXPECT_GT(rates.cholesky.back().seconds, 0);
  ASSERT_EQ(rates.eigen.size(), 1U);
  EXPECT_GT(rates.products, 0);
  EXPECT_GT(rates.evaluations, 0);
  EXPECT_FALSE(rates.disk_measured);
  EXPECT_DOUBLE_EQ(rates.products, world().maximum(rates.products));  // the same everywhere
  const MeasuredLinks& links = rates.links;
  EXPECT_EQ(links.inside, world().size() > 1);
  EXPECT_FALSE(links.between);  // one node
  EXPECT_EQ(links.layout.nodes, 1);
  EXPECT_GT(links.links.inside.latency, 0);
  EXPECT_GT(links.links.inside.bytes, 0);
  EXPECT_DOUBLE_EQ(links.links.inside.bytes, world().maximum(links.links.inside.bytes));
}

TEST(MachineRates, AnOrderThatTakesLongIsToldByTwoBelow) {
  EXPECT_EQ(orders_for(300, true, false).cholesky, std::vector<Index>{300});
  EXPECT_TRUE(orders_for(300, true, false).eigen.empty());
  EXPECT_EQ(orders_for(8000, true, true).cholesky.size(), 2U);
  EXPECT_GT(orders_for(8000, true, true).eigen.front(), serial_eigen_rows);
}

}  // namespace
}  // namespace cairn::test::calibration_test
