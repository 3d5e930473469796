// NumPy's .npy files, and .npz archives of them.
#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/io/zip_archive.hpp"
#include "cairn/data/matrix/row_major_file.hpp"
#include "cairn/data/matrix/sparse_matrix.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// @param most_bytes  size of the file or array at most @throws Error(input) if its header states more
void check_size(const std::string& path, const NpyHeader& header, Index most_bytes) {
  const Index budget = (most_bytes - header.offset) / size_of(header.type);
  if (header.columns > 0 && header.rows > budget / header.columns) {
    fail(path, fmt::format("is truncated: its header says {} x {}, its size allows {} values", header.rows,
                           header.columns, budget));
  }
}

constexpr const char* extension = ".npy";

std::string array_name(const ZipMember& member) {
  constexpr std::size_t extension_length = 4;
  return member.name.substr(0, member.name.size() - extension_length);
}

// The archive member that holds the array.
ZipMember find_array(const std::string& path, const std::string& name, const KeyNames& keys) {
  (void)file_size(path);
  std::vector<ZipMember> arrays = zip_members(path);
  std::erase_if(arrays, [](const ZipMember& member) { return !member.name.ends_with(extension); });
  if (arrays.empty()) fail(path, "holds no arrays (.npy)");
  std::vector<std::string> names;
  for (const ZipMember& member : arrays) {
    names.push_back(array_name(member));
    if (!name.empty() && (names.back() == name || member.name == name)) return member;
  }
  if (!name.empty()) fail(path, fmt::format("holds no array '{}'; it has {}", name, joined(names, ", ")));
  if (arrays.size() > 1 && is_npz_of_scipy(path)) {
    fail(path, "holds a sparse matrix (of scipy.sparse.save_npz), which is read as points only");
  }
  if (arrays.size() > 1) {
    fail(path,
         fmt::format("holds {} arrays: {}; name one with {}", arrays.size(), joined(names, ", "), keys("dataset")));
  }
  return arrays.front();
}

}  // namespace

std::shared_ptr<const DenseMatrix> open_npy(const std::string& path) {
  const auto stream = ByteStream::open(path);
  const NpyHeader header = read_npy_header(*stream, path);
  check_size(path, header, file_size(path) * stream->largest_expansion());
  return open_numbers({.path = path, .layout = header, .compressed = stream->compressed(), .open = [path] {
                         return ByteStream::open(path);
                       }});
}

std::shared_ptr<const DenseMatrix> open_npz(const std::string& path, const std::string& name, const KeyNames& keys) {
  const ZipMember member = find_array(path, name, keys);
  const std::string place = fmt::format("{}: {}", path, member.name);
  const auto stream = open_zip_member(path, member);
  NpyHeader header = read_npy_header(*stream, place);
  check_size(place, header, member.stored() ? member.packed : member.packed * stream->largest_expansion());
  if (member.stored()) header.offset += member.offset;  // within the archive, which is read by position
  return open_numbers({.path = path, .layout = header, .compressed = !member.stored(), .open = [path, member] {
                         return open_zip_member(path, member);
                       }});
}

bool npz_is_deflated(const std::string& path, const std::string& name, const KeyNames& keys) {
  return !find_array(path, name, keys).stored();
}

}  // namespace cairn
