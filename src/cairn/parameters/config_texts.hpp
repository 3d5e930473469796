// Configs that rank 0 reads, on all ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// The texts of the configs that a command line names. Each is read once: a pipe delivers its text once, and a file of
/// that name on another node may differ.
class ConfigTexts {
 public:
  /// The text of a config, as first read or as received from rank 0. @throws Error(input) if it cannot be read. Local.
  [[nodiscard]] const std::string& text(const std::string& path);
  /// Broadcasts rank 0's texts; from now on no rank reads any itself. Collective.
  void hand_out(const Communicator& communicator);

 private:
  std::vector<std::pair<std::string, std::string>> texts_;  // path, text
  bool handed_out_ = false;
};

}  // namespace cairn
