// Live progress line of a long loop.
#pragma once

#include <chrono>
#include <string>

#include "cairn/base/index.hpp"

namespace cairn {

/// Shows the progress of a loop on stderr, with its rate and the time left: one line that is rewritten on a terminal,
/// one line per minute elsewhere; nothing for loops shorter than a second (a minute elsewhere). Local, main thread.
class Progress {
 public:
  /// @param total  steps of this rank @param active  false: show nothing (all ranks but one)
  /// @param unit  unit of the rate, with its scope ("points/s a rank"); empty: steps differ in size, and no rate is
  /// shown
  Progress(std::string name, Index total, bool active, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(Index steps);

 private:
  void show(double elapsed);

  std::string name_, unit_;
  Index total_;
  Index done_ = 0;
  bool active_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace cairn
