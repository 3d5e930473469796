// The number type of a stored result.
#pragma once

#include <string>

namespace cairn {

/// Calls `work` with a value of the type that the file's factors have: float or double. Local.
template <class Work>
void with_precision(const std::string& precision, Work&& work) {
  if (precision == "single") {
    work(float{});
  } else {
    work(double{});
  }
}

}  // namespace cairn
