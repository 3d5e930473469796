// Exceptions to the rules of ReadingBudget and ReadingWatch.
#pragma once

#include <memory>

#include "cairn/base/process/reading_budget.hpp"

namespace cairn {

/// During its lifetime, this process reads while the others of its node wait: free memory is not divided among them.
class ReadingAlone {
 public:
  ReadingAlone();

 private:
  std::unique_ptr<ReadingBudget> room_;
};

/// During its lifetime, this thread reads into an array that was already allocated and approved
/// (ReadingBudget::require): data is not held twice, and no ReadingWatch stops the reading.
class ReadingInPlace {
 public:
  ReadingInPlace();
  ~ReadingInPlace();
  ReadingInPlace(const ReadingInPlace&) = delete;
  ReadingInPlace& operator=(const ReadingInPlace&) = delete;
};

}  // namespace cairn
