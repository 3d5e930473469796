// The header of NumPy's .npy files. Private to this folder.
#pragma once

#include <string>

#include "base/index.hpp"

namespace cairn {

/// Types of numbers that files hold, little-endian.
enum class NumberType { f32, f64, u8, i32, i64 };

struct NpyHeader {
  NumberType type = NumberType::f64;
  Index rows = 0;
  Index columns = 0;
  Index offset = 0;  ///< of the first value, in bytes
};

[[nodiscard]] Index size_of(NumberType type);

/// @throws Error(input) where it is no .npy file of versions 1 to 3, of another number type, not two-dimensional, or in
///   Fortran order. Local.
[[nodiscard]] NpyHeader read_npy_header(const std::string& path);

}  // namespace cairn
