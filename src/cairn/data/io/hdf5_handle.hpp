// Owned HDF5 identifiers, and HDF5's own reason for a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn::hdf5 {

/// HDF5's hid_t: its heavy header stays out of ours.
using Identifier = std::int64_t;

/// Remembers that something could not be closed, with HDF5's reason: what HDF5 had kept back for it is then not in the
/// file, and no later call tells. Local.
void note_failed_close();
/// The reason of the first such failure since the last call; nothing if all is well. Local.
[[nodiscard]] std::optional<std::string> take_failed_close();

/// Closes one open identifier (file, group, data set, type, ...) at its end. Move-only; may be empty.
class Handle {
 public:
  using Closer = int (*)(Identifier);

  Handle() = default;
  Handle(Identifier id, Closer closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      if (!close()) note_failed_close();
      id_ = std::exchange(other.id_, -1);
      close_ = other.close_;
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (!close()) note_failed_close();
  }

  [[nodiscard]] Identifier id() const { return id_; }
  [[nodiscard]] explicit operator bool() const { return id_ >= 0; }

  /// Closes now; false if HDF5 says that it failed (a file that could not be written to its end).
  [[nodiscard]] bool close() {
    const Identifier id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  Identifier id_ = -1;
  Closer close_ = nullptr;
};

/// From now on HDF5 prints nothing on its own. Call it before the first HDF5 call of a file. Local.
void keep_quiet();

/// Holds what a data set claims to have, with its type's size, against the size of the file (times what compression can
/// do, where it has filters), before anybody takes memory for it.
/// @throws Error(input) if the file does not hold so much, or the numbers stand in other files. Local.
void require_held(const std::string& path, const std::string& name, Identifier dataset);

/// The innermost reason on HDF5's error stack, which is then cleared: one line; "no reason given" if it is empty.
/// Local.
[[nodiscard]] std::string failure_reason();

}  // namespace cairn::hdf5
