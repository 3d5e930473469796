// Runs the tests of a program on communicators of several sizes, one after the other. Rank 0 prints; the others print
// their failures alone. All exit with the same code.
//
//   mpirun -n LARGEST PROGRAM [--ranks=SIZE,...] [GoogleTest's options]      no sizes: all ranks, once
//
// The variable CAIRN_TEST_RANKS leaves of the sizes those that it lists, in its order, or all if it lists none of them.
// With CAIRN_TEST_ONCE a test that ran on one of them does not run on the next: what is skipped there does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cairn/linalg/dense/blas_kernels.hpp"
#include "test_communicator.hpp"

namespace {

std::optional<cairn::Communicator> ranks_of_round;

// While a failure is told, GoogleTest does not say of which test: it locks what knows.
class FailuresOnly : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d of %d: %s: %s:%d: %s\n", ranks_of_round->rank(), ranks_of_round->size(),
                 test_.c_str(), result.file_name(), result.line_number(), result.message());
  }

  std::string test_;
};

std::vector<int> sizes_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<int> sizes;
  for (std::string size; std::getline(stream, size, ',');) sizes.push_back(std::stoi(size));
  return sizes;
}

// The sizes of the communicators, of which none has more than all ranks.
std::vector<int> sizes_of_rounds(int argc, char** argv, int all) {
  constexpr std::string_view option = "--ranks=";
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(option)) sizes = sizes_in(word.substr(option.size()));
  }
  if (sizes.empty()) sizes = {all};
  const char* wanted = std::getenv("CAIRN_TEST_RANKS");
  std::vector<int> left = sizes_in(wanted != nullptr ? wanted : "");
  std::erase_if(left, [&](int size) { return std::ranges::count(sizes, size) == 0; });
  return left.empty() ? sizes : left;
}

// Ranks that have no part in a round leave the processor to those that have.
void wait_asleep_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

enum class Outcome : int { left_out, skipped, passed, failed };

// Of every test of the program, in GoogleTest's order: the worst on any rank.
std::vector<int> outcomes_of_round(bool took_part) {
  std::vector<int> outcomes;
  const auto& unit = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const auto& suite = *unit.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const auto& test = *suite.GetTestInfo(j);
      const auto& result = *test.result();
      Outcome outcome = Outcome::passed;
      if (!took_part || !test.should_run()) {
        outcome = Outcome::left_out;
      } else if (result.Failed() || suite.ad_hoc_test_result().Failed()) {
        outcome = Outcome::failed;
      } else if (result.Skipped()) {
        outcome = Outcome::skipped;
      }
      outcomes.push_back(static_cast<int>(outcome));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, outcomes.data(), static_cast<int>(outcomes.size()), MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return outcomes;
}

std::vector<std::string> test_names() {
  std::vector<std::string> names;
  const auto& unit = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const auto& suite = *unit.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

// No test that has run in a round runs in the next ones.
void leave_out_what_ran(const std::vector<int>& outcomes) {
  const std::vector<std::string> names = test_names();
  std::string filter = GTEST_FLAG_GET(filter);
  for (std::size_t test = 0; test < names.size(); ++test) {
    const auto outcome = static_cast<Outcome>(outcomes[test]);
    if (outcome != Outcome::passed && outcome != Outcome::failed) continue;
    filter += (filter.find('-') == std::string::npos ? "-" : ":") + names[test];
  }
  GTEST_FLAG_SET(filter, filter);
}

std::string listed(const std::vector<int>& sizes) {
  std::string text;
  for (const int size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return text;
}

// What scripts/count-tests reads: a test counts once, on however many ranks it ran.
void print_summary(const std::vector<int>& sizes, const std::vector<std::vector<int>>& outcomes) {
  std::map<std::string, int> passed;
  int skipped = 0;
  const std::vector<std::string> names = test_names();
  for (std::size_t test = 0; test < names.size(); ++test) {
    std::vector<int> passed_on, failed_on;
    bool ran = false;
    for (std::size_t round = 0; round < outcomes.size(); ++round) {
      const auto outcome = static_cast<Outcome>(outcomes[round][test]);
      ran = ran || outcome != Outcome::left_out;
      if (outcome == Outcome::passed) passed_on.push_back(sizes[round]);
      if (outcome == Outcome::failed) failed_on.push_back(sizes[round]);
    }
    if (!failed_on.empty()) {
      std::printf("failed on %s ranks: %s\n", listed(failed_on).c_str(), names[test].c_str());
    } else if (!passed_on.empty()) {
      ++passed[listed(passed_on)];
    } else if (ran) {
      ++skipped;
    }
  }
  for (const auto& [ranks, count] : passed) std::printf("passed on %s ranks: %d tests\n", ranks.c_str(), count);
  if (skipped > 0) std::printf("skipped: %d tests\n", skipped);
}

// Nothing is left of the communicator's objects between two rounds.
int run_round(int size) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &part);
  int failed = 0;
  if (part != MPI_COMM_NULL) {
    ranks_of_round.emplace(part);
    MPI_Comm_free(&part);
    failed = RUN_ALL_TESTS();
    ranks_of_round.reset();
  }
  wait_asleep_for_all();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failed;
}

}  // namespace

namespace cairn::test {
const Communicator& world() { return *ranks_of_round; }
}  // namespace cairn::test

#ifdef CAIRN_SANITIZED
// What libraries leak that are unloaded could not be told from what Cairn leaks: they stay.
extern "C" int dlclose(void* /*library*/) { return 0; }
#endif

int main(int argc, char** argv) {
  cairn::choose_blas_kernels();
  int provided = 0, rank = 0, all = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  testing::InitGoogleMock(&argc, argv);
  const std::vector<int> sizes = sizes_of_rounds(argc, argv, all);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  int failed = 0;
  std::vector<std::vector<int>> outcomes;
  for (const int size : sizes) {
    if (size < 1 || size > all) {
      std::fprintf(stderr, "%d ranks cannot run tests on %d\n", all, size);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0 && sizes.size() > 1) std::printf("== on %d of %d ranks\n", size, all);
    failed = std::max(failed, run_round(size));
    outcomes.push_back(outcomes_of_round(rank < size));
    if (std::getenv("CAIRN_TEST_ONCE") != nullptr) leave_out_what_ran(outcomes.back());
  }
  if (rank == 0) print_summary(sizes, outcomes);
  MPI_Finalize();
  return failed;
}
