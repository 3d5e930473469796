// Memory that readers of this process keep to while they read: what the user allows a rank, and what is free.
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

/// While it lives, readers of this process keep to it; of several the latest counts. Without one they keep to what is
/// free.
class ReadingRoom {
 public:
  struct Limits {
    Index bytes = 0;         ///< resident bytes that the process may have; 0: no limit of its own
    std::string name{};      ///< how messages call this limit
    std::string key{};       ///< that sets it, for advice; empty: none does
    bool unlimited = false;  ///< nothing is refused
    int processes = 1;       ///< that share what is free
  };
  explicit ReadingRoom(Limits limits);
  ~ReadingRoom();
  ReadingRoom(const ReadingRoom&) = delete;
  ReadingRoom& operator=(const ReadingRoom&) = delete;

  /// Bytes that this process may still take. Local.
  [[nodiscard]] static Index left();
  /// @param what  and its verb, as in "FILE: its 10 x 20 numbers take"
  /// @throws Error(resource) if `bytes` are more than is left: with both figures, and of what it is left. Local.
  static void require(Index bytes, const std::string& what);
  /// For what was found to take more than is left. @param what  likewise
  /// @throws Error(resource), or std::bad_alloc if nothing limits this process. Local.
  [[noreturn]] static void refuse(const std::string& what);

 private:
  std::unique_ptr<Limits> limits_;
};

/// Runs local work that may allocate no more than is left. @param what  as ReadingRoom::require has it
/// @throws Error(resource) if it tries. Local; the work does not communicate.
template <class Work>
std::invoke_result_t<Work> within_reading_room(const std::string& what, Work&& work) {
  try {
    const HeapCeiling ceiling(ReadingRoom::left());
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    ReadingRoom::refuse(what);
  } catch (const AllocationError&) {
    ReadingRoom::refuse(what);
  }
}

/// Watches the memory of a process that reads a file on and on.
class ReadingWatch {
 public:
  explicit ReadingWatch(std::string path);
  /// To be called now and then. What was read is held twice while it is dealt to ranks, or copied to a larger array:
  /// @throws Error(resource) if less is left than was taken since this was made. Local.
  void look();

 private:
  std::string path_;
  Index begin_ = 0, seen_ = 0;
};

}  // namespace cairn
