#include "cairn/store/result/tile_budget.hpp"

#include <algorithm>

#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

// Memory besides the tiles of a stored result: rows of K and K~ while they are compared.
constexpr Index stored_work_bytes = Index{1} << 30;

}  // namespace

Index most_tile_bytes(const Communicator& communicator, const MemoryLimit& memory, const std::string& path) {
  const ResultShape shape = read_result_shape(communicator, path);
  const Index entry = static_cast<Index>(sizeof(Index)) + (shape.precision == "single" ? 4 : 8);
  const Index left = shape.sparse ? shape.left_entries / communicator.size() * entry : 0;
  return std::max<Index>(0, memory.budget_of_rank(communicator, 0.5) - left - stored_work_bytes);
}

}  // namespace cairn
