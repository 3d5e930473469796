// What distributed tests share: the ranks that they run on, and a context to compute in.
#pragma once

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/schedule/execution.hpp"

namespace cairn::test {

/// All ranks of the test program.
const Communicator& world();

/// An Execution with its own phases and ledger, on all ranks or those of another communicator.
struct Context {
  explicit Context(const Communicator& communicator = world(), std::uint64_t seed = 0)
      : execution{communicator, phases, ledger, 1, seed} {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Phases phases;
  MemoryLedger ledger;
  Execution execution;
};

}  // namespace cairn::test

/// At the beginning of a test that takes seconds and finds the same on any number of ranks, which other tests show: it
/// runs on no more than so many.
#define CAIRN_UP_TO_RANKS(ranks)               \
  if (::cairn::test::world().size() > (ranks)) \
  GTEST_SKIP() << "takes seconds, and finds the same on any number of ranks; up to " << (ranks) << " run it"
