#include "cairn/run/joining_storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/memory_room.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/checkpoint/scratch_tiles.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

// Beside the tiles of a stored result: rows of K and K~ while they are compared.
constexpr Index stored_work_bytes = Index{1} << 30;

constexpr double share_of_node = 0.9;  // something is left for the system

std::string bytes_text(Index bytes) { return format_bytes(static_cast<double>(bytes)); }

}  // namespace

std::string room_text(const RunRoom& room, Index bytes) {
  return bytes_text(bytes) + (room.memory_name.empty() ? "" : " of " + room.memory_name) + " left";
}

TileStorage joining_storage(const Communicator& communicator, const RunRoom& run, const Values& method,
                            Index work_bytes) {
  const std::string choice = method.text("joining-storage");
  if (choice == "memory") return {};
  const std::string advice =
      fmt::format("change {}, or set {} = memory", run.folder_name, method.keys()("joining-storage"));
  return [&communicator, run, choice, advice, work_bytes](Index bytes) -> std::shared_ptr<TileLedger> {
    const Index needed = communicator.maximum(bytes), all = communicator.sum(bytes);
    const Index room = room_of_rank(communicator, run.memory, share_of_node);
    if (choice == "auto" && needed + work_bytes <= room) return nullptr;
    const std::string& folder = run.scratch_folder;
    if (communicator.is_root()) {
      log(LogLevel::info,
          fmt::format("the joining matrix is kept on disk, in the folder {} ({}){}", folder.empty() ? "." : folder,
                      bytes_text(all),
                      choice == "disk"
                          ? ""
                          : fmt::format(": it would take {} of a rank, and {} beside it, which has {} left",
                                        bytes_text(needed), bytes_text(work_bytes), bytes_text(room))));
    }
    return collectively(communicator, [&] { return std::make_shared<ScratchTiles>(folder, bytes, advice); });
  };
}

Index max_tile_bytes(const Communicator& communicator, Index memory, const std::string& path) {
  const ResultShape shape = read_result_shape(communicator, path);
  const Index entry = static_cast<Index>(sizeof(Index)) + (shape.precision == "single" ? 4 : 8);
  const Index left = shape.sparse ? shape.left_entries / communicator.size() * entry : 0;
  return std::max<Index>(0, room_of_rank(communicator, memory, 0.5) - left - stored_work_bytes);
}

void require_training_memory(const Communicator& communicator, const RunRoom& run, const std::string& path) {
  constexpr Index matrices = 8;  // W, the root of the Gram matrix and its inverse, products, an eigen-decomposition
  const ResultShape shape = read_result_shape(communicator, path);
  if (shape.joining_layout != "symmetric-tiles") return;
  const Index l = shape.left_columns;
  const Index needed = l * l / communicator.size() * static_cast<Index>(sizeof(double)) * matrices;
  const Index room = room_of_rank(communicator, run.memory, share_of_node);
  if (needed <= room) return;
  throw Error(ErrorKind::resource,
              fmt::format("training on {} takes {} of each of {} ranks, for {} dense matrices of its {} landmarks, and "
                          "a rank has {} left{}; use more ranks{}, or a result of fewer landmarks",
                          path, bytes_text(needed), communicator.size(), matrices, l, bytes_text(room),
                          run.memory_name.empty() ? "" : " of " + run.memory_name,
                          run.memory_name.empty() ? "" : ", raise " + run.memory_name));
}

}  // namespace cairn
