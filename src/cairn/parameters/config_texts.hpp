// Configs as rank 0 reads them, on all ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// The texts of the configs that a command line names. Each is read once: a pipe has its text once, and a file on
/// another node may be another one.
class ConfigTexts {
 public:
  /// The text of a config: as it was read first, or handed out. @throws Error(input) if it cannot be read. Local.
  [[nodiscard]] const std::string& text(const std::string& path);
  /// From now on all ranks have rank 0's texts, and read none themselves. Collective.
  void hand_out(const Communicator& communicator);

 private:
  std::vector<std::pair<std::string, std::string>> texts_;  // of a path
  bool handed_out_ = false;
};

}  // namespace cairn
