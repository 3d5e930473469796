#include "cairn/store/hdf5/seal_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn::hdf5 {

namespace {

[[noreturn]] void fail(const std::string& path) {
  throw Error(ErrorKind::resource, fmt::format("cannot write the checksums of {}: {}", path, failure_reason()));
}

std::vector<std::string> data_sets(const Handle& file, const std::string& path) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (H5Ovisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, take, &names) < 0) fail(path);
  return names;
}

bool is_of_checksums(const std::string& name) { return name.starts_with(std::string(checksum_name) + "/"); }

// Extents of the values of all data sets; also adds the checksum to each complete data set.
std::vector<Range> seal_data_sets(const Handle& file, const std::string& path, const std::vector<std::string>& names) {
  std::vector<Range> extents;
  for (const std::string& name : names) {
    const Handle dataset = open_table(file, name);
    const Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
    if (H5Pget_layout(properties.id()) == H5D_CHUNKED) continue;  // its chunks are not allocated yet
    const auto bytes = static_cast<Index>(H5Dget_storage_size(dataset.id()));
    const haddr_t place = H5Dget_offset(dataset.id());
    if (place != HADDR_UNDEF) extents.push_back({static_cast<Index>(place), static_cast<Index>(place) + bytes});
    if (is_of_checksums(name) || H5Aexists(dataset.id(), checksum_rows) > 0) continue;
    const auto sum = place == HADDR_UNDEF ? 0U : crc32_of_file(path, static_cast<Index>(place), bytes);
    if (!sum) fail(path);
    write_attribute(dataset, checksum_name, *sum);
  }
  return extents;
}

// Finds HDF5's global heaps ("GCOL", a version, three unused bytes, the size) in bytes [begin, end) of the file.
void find_text_blocks(std::ifstream& stream, Range gap, std::vector<Range>& blocks) {
  constexpr std::size_t header = 16;
  std::string bytes(static_cast<std::size_t>(gap.size()), '\0');
  stream.clear();
  stream.seekg(gap.begin);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  constexpr std::string_view signature("GCOL\1\0\0\0", 8);
  for (auto at = bytes.find(signature); at != std::string::npos; at = bytes.find(signature, at + 1)) {
    std::uint64_t size = 0;
    if (bytes.size() - at < header) break;
    std::memcpy(&size, bytes.data() + at + signature.size(), sizeof size);
    if (size >= header && size <= bytes.size() - at) {
      const Index begin = gap.begin + static_cast<Index>(at);
      blocks.push_back({begin, begin + static_cast<Index>(size)});
      at += static_cast<std::size_t>(size) - 1;
    }
  }
}

// Searches between the values of data sets only: these are large, and hold arbitrary bytes.
std::vector<Range> text_blocks_of(const std::string& path, Index bytes, std::vector<Range> extents) {
  std::ranges::sort(extents, {}, &Range::begin);
  extents.push_back({bytes, bytes});
  std::ifstream stream(path, std::ios::binary);
  std::vector<Range> blocks;
  Index begin = 0;
  for (const Range& extent : extents) {
    if (extent.begin > begin) find_text_blocks(stream, {begin, extent.begin}, blocks);
    begin = std::max(begin, extent.end);
  }
  return blocks;
}

}  // namespace

void seal(const Handle& file, const std::string& path) {
  hsize_t bytes = 0;
  if (H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0 || H5Fget_filesize(file.id(), &bytes) < 0) fail(path);
  const std::vector<std::string> names = data_sets(file, path);
  const std::vector<Range> extents = seal_data_sets(file, path, names);
  std::vector<Index> list;
  for (const Range& block : text_blocks_of(path, static_cast<Index>(bytes), extents)) {
    const auto sum = crc32_of_file(path, block.begin, block.size());
    if (!sum) fail(path);
    for (const Index value : {block.begin, block.size(), static_cast<Index>(*sum)}) list.push_back(value);
  }
  const std::string name = std::string(checksum_name) + "/" + text_blocks;
  create_groups_of(file, name);
  write_numbers(file, name, std::span<const Index>(list));
  const auto count =
      static_cast<Index>(std::ranges::count_if(names, [](const auto& one) { return !is_of_checksums(one); }));
  write_attribute(open_table(file, name), checksum_count, count);
}

}  // namespace cairn::hdf5
