#include "data/hdf5_handle.hpp"

#include <hdf5.h>

#include <algorithm>
#include <type_traits>

namespace cairn::hdf5 {

static_assert(std::is_same_v<hid_t, Identifier>, "HDF5 1.10 or newer: identifiers of 64 bits");

void keep_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::string failure_reason() {
  std::string reason;
  const auto take_innermost = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &reason);
  H5Eclear2(H5E_DEFAULT);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason.empty() ? "no reason given" : reason;
}

}  // namespace cairn::hdf5
