// Owned HDF5 identifiers, and the error reasons of HDF5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn::hdf5 {

/// HDF5's hid_t, without including its large header.
using Identifier = std::int64_t;

/// Records a failed close, with HDF5's reason: data that HDF5 had buffered are then not in the file, and no later call
/// reports this. Local.
void note_failed_close();
/// The reason of the first such failure since the last call; nothing if there was none. Local.
[[nodiscard]] std::optional<std::string> take_failed_close();

/// Owns one open identifier (file, group, data set, type, ...) and closes it on destruction. Move-only; may be empty.
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

  /// Closes now; false if HDF5 reports a failure (a file that could not be written completely).
  [[nodiscard]] bool close() {
    const Identifier id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  Identifier id_ = -1;
  Closer close_ = nullptr;
};

/// Stops HDF5 from printing messages. Call it before the first HDF5 call of a file. Local.
void keep_quiet();

/// Compares the stated size of a data set, with the size of its type, to the size of the file (times the possible
/// compression, if it has filters), before memory is allocated for it.
/// @throws Error(input) if the file is too small for it, or the numbers are in other files. Local.
void require_held(const std::string& path, const std::string& name, Identifier dataset);

/// The innermost reason on HDF5's error stack, which is then cleared: one line; "no reason given" if it is empty.
/// Local.
[[nodiscard]] std::string failure_reason();

}  // namespace cairn::hdf5
