#include "cairn/store/result/open_result.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

hdf5::InputFile open_result(const std::string& path) {
  hdf5::InputFile file(path);
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != layout::format) {
    throw Error(ErrorKind::input, fmt::format("{} is an HDF5 file, but no result of cairn approximate", path));
  }
  const Index version = file.index_attribute("/", "format_version");
  if (version > layout::newest_format_version) {
    throw Error(ErrorKind::input,
                fmt::format("{} has format version {}; this program reads up to version {}: use a newer "
                            "Cairn",
                            path, version, layout::newest_format_version));
  }
  if (version < 1) file.refuse(fmt::format("its format version is {}", version));
  return file;
}

}  // namespace cairn
