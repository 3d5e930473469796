#include "cairn/data/io/hdf5_handle.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/hdf5_open.hpp"

namespace cairn::hdf5 {

static_assert(std::is_same_v<hid_t, Identifier>, "HDF5 1.10 or newer: identifiers of 64 bits");

namespace {

std::optional<std::string> failed_close;

}  // namespace

void note_failed_close() {
  const std::string reason = failure_reason();
  if (!failed_close) failed_close = reason;
}

std::optional<std::string> take_failed_close() { return std::exchange(failed_close, std::nullopt); }

void keep_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void require_held(const std::string& path, const std::string& name, Identifier dataset) {
  constexpr Index most_expansion = 1100;  // deflate: 1032
  const Index bytes = file_size(path);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::input, fmt::format("{}: data set '{}' {}", path, name, what));
  };
  if (!space || !type || !properties || layout == H5D_LAYOUT_ERROR) refuse("cannot be read: " + failure_reason());
  if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties.id()) != 0)) {
    refuse("lies in other files; h5repack puts it into one");
  }
  const bool filtered = layout == H5D_CHUNKED && H5Pget_nfilters(properties.id()) > 0;
  const auto most = static_cast<hsize_t>(filtered ? most_expansion * bytes : bytes);
  std::vector<hsize_t> sizes(std::max(H5Sget_simple_extent_ndims(space.id()), 0));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  hsize_t claimed = H5Tget_size(type.id());
  if (claimed == 0) refuse("has elements of no size");
  for (const hsize_t size : sizes) {
    const bool fits = size == 0 || claimed <= std::numeric_limits<hsize_t>::max() / size;
    claimed = fits ? claimed * size : std::numeric_limits<hsize_t>::max();
  }
  const bool none = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  if (claimed > most && !none) {
    refuse(fmt::format("claims {} bytes, which the file of {} bytes does not hold", claimed, bytes));
  }
}

std::string failure_reason() {
  std::string reason;
  const auto take_innermost = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &reason);
  H5Eclear2(H5E_DEFAULT);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  if (is_of_locks(reason)) {
    reason +=
        "; another program has it open for writing, or its file system has no locks: close it there, or set "
        "HDF5_USE_FILE_LOCKING=FALSE in the environment";
  }
  return reason.empty() ? "no reason given" : reason;
}

}  // namespace cairn::hdf5
