// Numbers of one type in a file, as double. Private to this folder.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/matrix/npy_header.hpp"

namespace cairn {

/// `count` numbers of the layout's type and byte order, as double.
void convert_numbers(const NpyHeader& layout, const std::byte* from, Index count, double* to);

/// A matrix of numbers within a file, stored by rows or columns according to its layout.
struct NumberMatrix {
  std::string path;
  NpyHeader layout;
  bool compressed = false;                              ///< true: it is read from streams
  std::function<std::unique_ptr<ByteStream>()> open{};  ///< opens a stream from its start, header included
};

/// Reads by position, so that threads do not interfere.
class NumberFile {
 public:
  /// @param layout  the type, and the position of the first number @throws Error(input) if it cannot be opened. Local.
  NumberFile(std::string path, const NpyHeader& layout);
  ~NumberFile();
  NumberFile(const NumberFile&) = delete;
  NumberFile& operator=(const NumberFile&) = delete;

  /// Numbers [first, first + count). @throws Error(input) if the file cannot be read, or has become shorter. Local.
  void read(Index first, Index count, double* target) const;

 private:
  void read_bytes(Index offset, std::byte* target, Index size) const;

  std::string path_;
  NpyHeader layout_;
  int file_;
};

}  // namespace cairn
