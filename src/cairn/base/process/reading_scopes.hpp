// Readers to whom other rules apply than those of ReadingRoom and ReadingWatch.
#pragma once

#include <memory>

#include "cairn/base/process/reading_room.hpp"

namespace cairn {

/// While it lives, this process reads while the others of its node wait: what is free is not divided among them.
class ReadingAlone {
 public:
  ReadingAlone();

 private:
  std::unique_ptr<ReadingRoom> room_;
};

/// While it lives, this thread reads into an array that was made, and allowed (ReadingRoom::require), before: what is
/// read is not held twice, and no ReadingWatch ends it.
class ReadingInPlace {
 public:
  ReadingInPlace();
  ~ReadingInPlace();
  ReadingInPlace(const ReadingInPlace&) = delete;
  ReadingInPlace& operator=(const ReadingInPlace&) = delete;
};

}  // namespace cairn
