// What distributed tests share: the ranks that they run on, and a context to compute in.
#pragma once

#include "base/communicator.hpp"
#include "base/execution.hpp"

namespace cairn::test {

/// All ranks of the test program.
const Communicator& world();

/// An Execution on all ranks with its own phases and ledger; `seed` may be set.
struct Context {
  Phases phases;
  MemoryLedger ledger;
  Execution execution{world(), phases, ledger};
};

}  // namespace cairn::test
