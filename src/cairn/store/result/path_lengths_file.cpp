// K itself, from /hierarchy of a result.
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_path_length.hpp"
#include "cairn/store/result/hierarchy_file.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

std::unique_ptr<PathLength> read_path_lengths(const Communicator& communicator, const std::string& path) {
  if (!read_result_shape(communicator, path).has_hierarchy()) return nullptr;
  ContractionHierarchy hierarchy = collectively(communicator, [&] {
    return communicator.is_root() ? read_hierarchy(hdf5::InputFile(path)) : ContractionHierarchy{};
  });
  std::unique_ptr<PathLength> lengths = make_hierarchy_path_length(communicator, std::move(hierarchy));
  lengths->set_choice("kept in " + path);
  return lengths;
}

}  // namespace cairn
