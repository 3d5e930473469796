// The header of NumPy's .npy files. Private to this folder.
#pragma once

#include <bit>
#include <string>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// Types of numbers in files.
enum class NumberType { f16, f32, f64, u8, i8, u16, i16, u32, i32, u64, i64 };

struct NpyHeader {
  NumberType type = NumberType::f64;
  std::endian order = std::endian::little;  ///< byte order of a number
  Index rows = 0;
  Index columns = 0;
  Index offset = 0;         ///< position of the first value, in bytes
  bool by_columns = false;  ///< Fortran order: column after column
};

[[nodiscard]] Index size_of(NumberType type);

/// Reads the header from the start of a stream. @param name  name of the file, for messages
/// @throws Error(input) if it is no .npy file of versions 1 to 3, of another number type, or not two-dimensional.
/// Local.
[[nodiscard]] NpyHeader read_npy_header(ByteStream& stream, const std::string& name);

}  // namespace cairn
