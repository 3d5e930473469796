// Memory budget of readers in this process: the user's limit for a rank, and free memory.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/process/free_memory.hpp"

namespace cairn {

/// Sets the memory budget of readers in this process during its lifetime; the latest of several counts. Without one,
/// the budget is the free memory.
class ReadingBudget {
 public:
  struct Limits {
    Index bytes = 0;         ///< resident bytes allowed for the process; 0: no limit of its own
    std::string name{};      ///< name of this limit in messages
    std::string key{};       ///< key that sets it, for advice; empty: none
    bool unlimited = false;  ///< nothing is refused
    int processes = 1;       ///< processes that share the free memory
  };
  explicit ReadingBudget(Limits limits);
  ~ReadingBudget();
  ReadingBudget(const ReadingBudget&) = delete;
  ReadingBudget& operator=(const ReadingBudget&) = delete;

  /// Bytes that this process may still take. Local.
  [[nodiscard]] static Index left();
  /// @param what  subject and verb of the message: "FILE: its 10 x 20 numbers take"
  /// @throws Error(resource) if `bytes` are more than is left: with both values and the limit. Local.
  static void require(Index bytes, const std::string& what);
  /// Reports that more is needed than is left. @param what  likewise
  /// @throws Error(resource), or std::bad_alloc if nothing limits this process. Local.
  [[noreturn]] static void refuse(const std::string& what);

 private:
  std::unique_ptr<Limits> limits_;
};

/// Runs local work that may allocate no more than is left. @param what  as in ReadingBudget::require
/// @throws Error(resource) if it tries to allocate more. Local; the work must not communicate.
template <class Work>
std::invoke_result_t<Work> within_reading_budget(const std::string& what, Work&& work) {
  try {
    const HeapCeiling ceiling(ReadingBudget::left());
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    ReadingBudget::refuse(what);
  } catch (const AllocationError&) {
    ReadingBudget::refuse(what);
  }
}

/// Monitors the memory of a process that reads a file of unknown length.
class ReadingWatch {
 public:
  explicit ReadingWatch(std::string path);
  /// Call this periodically. Data that was read is held twice while it is distributed to ranks or copied to a larger
  /// array:
  /// @throws Error(resource) if less is left than was taken since construction. Local.
  void look();

 private:
  std::string path_;
  Index begin_ = 0, seen_ = 0;
};

}  // namespace cairn
