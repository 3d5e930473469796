// Workspaces of threads, kept for the next tile. Private to this folder.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace cairn {

/// One workspace for each thread that is at work.
template <class Scratch>
class ScratchPool {
 public:
  /// Calls work(scratch) with a free workspace. @param make  makes a new one. Thread-safe.
  template <class Make, class Work>
  void with_one(const Make& make, const Work& work) {
    std::unique_ptr<Scratch> mine = take();
    if (mine == nullptr) mine = make();
    work(*mine);
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(mine));
  }

 private:
  std::unique_ptr<Scratch> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return nullptr;
    auto one = std::move(free_.back());
    free_.pop_back();
    return one;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace cairn
