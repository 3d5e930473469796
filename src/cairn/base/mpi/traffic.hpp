// What this process sends and receives, and the time it spends in that.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn {

/// Counts over all communicators of more than one rank.
struct Traffic {
  Index collectives = 0;       ///< collective calls, each of which takes about log2 p messages one after another
  Index collective_bytes = 0;  ///< sent or received in them; a reduction sends its values on and back
  Index messages = 0;          ///< sent to single ranks
  Index message_bytes = 0;     ///< sent or received in them, whichever is more
  double seconds = 0;          ///< in all of these, with the time for which other ranks are late

  Traffic& operator+=(const Traffic& other);
  friend Traffic operator-(Traffic left, const Traffic& right);
};

/// What this process has counted since its start. Local.
[[nodiscard]] Traffic traffic();

/// Adds to these counts. Local; by the thread that calls MPI.
void count_traffic(const Traffic& more);

}  // namespace cairn
