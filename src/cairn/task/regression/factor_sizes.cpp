#include "cairn/task/regression/factor_sizes.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

void require_core_memory(const TaskInput& input, const std::string& path) {
  const Communicator& communicator = input.execution.communicator;
  constexpr Index matrices = 8;  // W, the root of the Gram matrix and its inverse, products, an eigen-decomposition
  const ResultShape shape = read_result_shape(communicator, path);
  if (shape.core_layout != "symmetric-tiles") return;
  const Index l = shape.left_columns;
  const Index needed = l * l / communicator.size() * static_cast<Index>(sizeof(double)) * matrices;
  const Index budget = input.memory.budget_of_rank(communicator, 0.9);
  if (!input.memory.refuses(static_cast<double>(needed), budget)) return;
  const bool limited = input.memory.bytes > 0;
  throw Error(
      ErrorKind::resource,
      fmt::format("training on {} takes {} of each of {} ranks, for {} dense matrices of its {} landmarks, and a "
                  "rank has {} left{}; use more ranks{}, or a result of fewer landmarks",
                  path, format_bytes(static_cast<double>(needed)), communicator.size(), matrices, l,
                  format_bytes(static_cast<double>(budget)), limited ? " of " + input.memory.name() : "",
                  limited ? ", raise " + input.memory.name() : ""));
}

void require_order(int ranks, const std::string& path, const ResultShape& shape) {
  try {
    require_countable({shape.left_columns, shape.left_columns, DenseUse::eigen}, ranks);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{} has {} columns; {}", path, grouped(shape.left_columns), error.what()));
  }
}

}  // namespace cairn
