// Selection of runs: combinations of values, and parts of them.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Runs are counted from 0. A part holds those whose number modulo `parts` is `first`.
struct RunPart {
  Index first = 0, parts = 1;

  [[nodiscard]] bool holds(Index run) const { return run % parts == first; }
  [[nodiscard]] Index runs(Index total) const { return (total - first + parts - 1) / parts; }
};

/// "K/N", 1 <= K <= N: every N-th of `total` runs, from the K-th on; all of them if the text is empty.
/// @param name  name of the option, for messages @throws Error(usage) for another text, and for more parts than runs.
/// Local.
[[nodiscard]] RunPart parse_run_part(const std::string& text, Index total, const std::string& name);

/// All combinations of one value of each list, the last list varying fastest. Local.
[[nodiscard]] std::vector<std::vector<std::string>> combinations(const std::vector<std::vector<std::string>>& lists);

}  // namespace cairn
