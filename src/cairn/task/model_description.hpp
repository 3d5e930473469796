// What a model file says of itself.
#pragma once

#include <map>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

struct ModelDescription {
  std::string task;  ///< that wrote it
  TaskReport report;
  std::map<std::string, std::string> provenance;
};

/// Of a model of any task. @throws Error(input) as the readers of models. Collective.
[[nodiscard]] ModelDescription describe_model(const Communicator& communicator, const std::string& path);

}  // namespace cairn
