// Runs GoogleTest on every rank. Rank 0 prints; the others print their failures alone. All exit with the same code.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "test_communicator.hpp"

namespace {

std::optional<cairn::Communicator> all_ranks;

class FailuresOnly : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", all_ranks->rank(), result.file_name(), result.line_number(),
                 result.message());
  }
};

}  // namespace

namespace cairn::test {
const Communicator& world() { return *all_ranks; }
}  // namespace cairn::test

#ifdef CAIRN_SANITIZED
// What libraries leak that are unloaded could not be told from what Cairn leaks: they stay.
extern "C" int dlclose(void* /*library*/) { return 0; }
#endif

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  all_ranks.emplace(MPI_COMM_WORLD);
  if (!all_ranks->is_root()) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  const int failed = all_ranks->maximum(RUN_ALL_TESTS());
  all_ranks.reset();
  MPI_Finalize();
  return failed;
}
