// Number type of a stored result.
#pragma once

#include <string>

namespace cairn {

/// Calls `work` with a value of the number type of the file's factors: float or double. Local.
template <class Work>
void with_precision(const std::string& precision, Work&& work) {
  if (precision == "single") {
    work(float{});
  } else {
    work(double{});
  }
}

}  // namespace cairn
