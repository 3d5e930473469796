// What the decomposition of factors needs, checked before they are read.
#pragma once

#include <string>

#include "cairn/store/result/result_file.hpp"
#include "cairn/task/task.hpp"

namespace cairn {

/// A core matrix in tiles requires dense matrices of its order. @throws Error(resource) if a rank has not the memory.
/// Collective.
void require_core_memory(const TaskInput& input, const std::string& path);

/// @throws Error(resource) that names the file if the libraries' integers are too short for matrices of L's columns on
/// so few ranks. Local.
void require_order(int ranks, const std::string& path, const ResultShape& shape);

}  // namespace cairn
