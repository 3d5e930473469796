#include "pipeline/joining_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/plan/biharmonic_plan.hpp"
#include "cairn/store/checkpoint/scratch_tiles.hpp"
#include "cairn/store/result/result_file.hpp"
#include "pipeline/memory_room.hpp"
#include "pipeline/plan_input.hpp"

namespace cairn::app {

namespace {

// Beside the tiles of a stored result: rows of K and K~ while they are compared.
constexpr Index stored_work_bytes = Index{1} << 30;

}  // namespace

TileStorage joining_storage(const Communicator& communicator, const Settings& settings, Index work_bytes) {
  const std::string choice = settings.text("approximation.joining-storage");
  if (choice == "memory") return {};
  const std::string folder = std::filesystem::path(settings.text("output.path")).parent_path().string();
  return [&communicator, &settings, choice, folder, work_bytes](Index bytes) -> std::shared_ptr<TileLedger> {
    const Index needed = communicator.maximum(bytes), all = communicator.sum(bytes);
    const Index room = room_of_rank(communicator, settings, 0.9);
    if (choice == "auto" && needed + work_bytes <= room) return nullptr;
    if (communicator.is_root()) {
      log(LogLevel::info,
          fmt::format("the joining matrix is kept on disk, in the folder {} ({}){}", folder.empty() ? "." : folder,
                      format_bytes(static_cast<double>(all)),
                      choice == "disk"
                          ? ""
                          : fmt::format(": it would take {} of a rank, and {} beside it, which has {} left",
                                        format_bytes(static_cast<double>(needed)),
                                        format_bytes(static_cast<double>(work_bytes)),
                                        format_bytes(static_cast<double>(room)))));
    }
    const char* advice = "change output.path, or set approximation.joining-storage = memory";
    return collectively(communicator, [&] { return std::make_shared<ScratchTiles>(folder, bytes, advice); });
  };
}

Index most_tile_bytes(const Communicator& communicator, const Settings& settings, const std::string& path) {
  const ResultShape shape = read_result_shape(communicator, path);
  const Index entry = static_cast<Index>(sizeof(Index)) + (shape.precision == "single" ? 4 : 8);
  const Index left = shape.sparse ? shape.left_entries / communicator.size() * entry : 0;
  return std::max<Index>(0, room_of_rank(communicator, settings, 0.5) - left - stored_work_bytes);
}

void require_training_memory(const Communicator& communicator, const Settings& settings, const std::string& path) {
  constexpr Index matrices = 8;  // W, the root of the Gram matrix and its inverse, products, an eigen-decomposition
  const ResultShape shape = read_result_shape(communicator, path);
  if (shape.joining_layout != "symmetric-tiles") return;
  const Index l = shape.left_columns;
  const Index needed = l * l / communicator.size() * static_cast<Index>(sizeof(double)) * matrices;
  const Index room = room_of_rank(communicator, settings, 0.9);
  if (needed <= room) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("training on {} takes {} of each of {} ranks, for {} dense matrices of its {} landmarks, and a "
                  "rank has {} left{}; use more ranks{}, or a result of fewer landmarks",
                  path, format_bytes(static_cast<double>(needed)), communicator.size(), matrices, l,
                  format_bytes(static_cast<double>(room)), settings.text("run.memory").empty() ? "" : " of run.memory",
                  settings.text("run.memory").empty() ? "" : ", raise run.memory"));
}

template <class T>
TileStorage tile_storage(const Communicator& communicator, const Settings& settings, const Data<T>& data,
                         Index landmarks) {
  constexpr Index no_baseline = 0;  // only work is asked for
  PlanInput input = plan_input(communicator, settings, shape_of(communicator, data), communicator.size(), no_baseline);
  input.s1 = landmarks;
  return joining_storage(communicator, settings, work_beside_joining(input));
}

template TileStorage tile_storage(const Communicator&, const Settings&, const Data<float>&, Index);
template TileStorage tile_storage(const Communicator&, const Settings&, const Data<double>&, Index);

}  // namespace cairn::app
