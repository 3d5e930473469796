#include "cairn/run/computation/core_storage.hpp"

#include <fmt/format.h>

#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/checkpoint/scratch_tiles.hpp"

namespace cairn {

namespace {

constexpr double share_of_node = 0.9;  // leaves some memory to the system

std::string bytes_text(Index bytes) { return format_bytes(static_cast<double>(bytes)); }

}  // namespace

TileStorage core_storage(const Communicator& communicator, const RunResources& run, const Values& method,
                         Index work_bytes) {
  const std::string choice = method.text("joining-storage");
  if (choice == "memory") return {};
  const std::string advice =
      fmt::format("change {}, or set {} = memory", run.folder_name, method.keys()("joining-storage"));
  return [&communicator, run, choice, advice, work_bytes](Index bytes) -> std::shared_ptr<TileLedger> {
    const Index needed = communicator.maximum(bytes), all = communicator.sum(bytes);
    const Index budget = run.memory.budget_of_rank(communicator, share_of_node);
    if (choice == "auto" && needed + work_bytes <= budget) return nullptr;
    const std::string& folder = run.scratch_folder;
    if (communicator.is_root()) {
      log(LogLevel::info,
          fmt::format("the core matrix is stored on disk, in the folder {} ({}){}", folder.empty() ? "." : folder,
                      bytes_text(all),
                      choice == "disk"
                          ? ""
                          : fmt::format(": it needs {} per rank, plus {} of work memory, and a rank has {} left",
                                        bytes_text(needed), bytes_text(work_bytes), bytes_text(budget))));
    }
    return collectively(communicator, [&] { return std::make_shared<ScratchTiles>(folder, bytes, advice); });
  };
}

}  // namespace cairn
