// One-dimensional lists of numbers in HDF5 files, read by ranges.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// A list of numbers in a file. Not thread-safe, as HDF5 is not. Local.
class NumberList {
 public:
  /// @param integers  true: other numbers are rejected
  /// @throws Error(input) that names the file and the data set if it does not exist, is not one-dimensional, or holds
  /// no numbers
  NumberList(std::string path, Identifier file, std::string name, bool integers);

  [[nodiscard]] Index size() const { return size_; }
  /// The numbers of a range, compared with their checksums if there are any. T: double or Index.
  /// @throws Error(input) if they cannot be read
  template <class T>
  [[nodiscard]] std::vector<T> read(Range range) const;
  /// Throws Error(input) with the file, the data set and a reason.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::string path_, name_;
  Handle set_;
  Index size_ = 0;
  mutable RowCheck check_;  // caches what it has checked
};

}  // namespace cairn::hdf5
