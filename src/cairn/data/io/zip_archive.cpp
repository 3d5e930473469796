// The directory of a .zip archive according to PKWARE's APPNOTE 6.3, without encryption.
#include "cairn/data/io/zip_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/data/io/archive_file.hpp"

namespace cairn {

namespace {

constexpr Index elsewhere16 = 0xFFFF, elsewhere32 = 0xFFFFFFFF;  // then the number is in a ZIP64 record

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

Index number_at(const unsigned char* bytes, int count) {
  Index number = 0;
  for (int k = count; k-- > 0;) number = number << 8 | bytes[k];
  return number;
}

// Position and number of the entries of the files.
struct Directory {
  Index entries = 0;
  Index offset = 0;
};

// Finds the record at the end of the archive, which a comment may follow.
Index end_record(ArchiveFile& archive, const std::string& path) {
  constexpr Index record = 22, longest_comment = 65535;
  const Index begin = std::max<Index>(0, archive.size() - record - longest_comment);
  std::vector<unsigned char> tail(archive.size() - begin);
  tail.resize(archive.read(begin, tail.data(), tail.size()));
  for (Index at = std::ssize(tail) - record; at >= 0; --at) {
    if (std::memcmp(tail.data() + at, "PK\5\6", 4) == 0) return begin + at;
  }
  fail(path, "is a .zip archive that is truncated");
}

Directory find_directory(ArchiveFile& archive, const std::string& path) {
  const Index at = end_record(archive, path);
  const auto end = archive.record<22>(at, "PK\5\6");
  const Directory directory{number_at(end.data() + 10, 2), number_at(end.data() + 16, 4)};
  if (directory.entries != elsewhere16 && directory.offset != elsewhere32) return directory;
  const auto locator = archive.record<20>(at - 20, "PK\6\7");
  const auto large = archive.record<56>(number_at(locator.data() + 8, 8), "PK\6\6");
  return {number_at(large.data() + 32, 8), number_at(large.data() + 48, 8)};
}

// Reads 64-bit sizes and position, in this order, if they do not fit into their own fields.
void take_large_numbers(const std::vector<unsigned char>& extra, ZipMember& member, const std::string& path) {
  constexpr Index zip64 = 1;
  std::size_t at = 0;
  while (at + 4 <= extra.size() && number_at(extra.data() + at, 2) != zip64) {
    at += 4 + static_cast<std::size_t>(number_at(extra.data() + at + 2, 2));
  }
  at += 4;
  for (Index* number : {&member.size, &member.packed, &member.offset}) {
    if (*number != elsewhere32) continue;
    if (at + 8 > extra.size()) fail(path, "is a damaged .zip archive");
    *number = number_at(extra.data() + at, 8);
    at += 8;
  }
}

std::vector<unsigned char> bytes_at(ArchiveFile& archive, Index offset, Index count, const std::string& path) {
  std::vector<unsigned char> bytes(count);
  if (archive.read(offset, bytes.data(), bytes.size()) < bytes.size()) fail(path, "is a damaged .zip archive");
  return bytes;
}

// Reads the entry at `at` and advances to the next; nothing for a folder.
std::optional<ZipMember> next_member(ArchiveFile& archive, Index& at, const std::string& path) {
  const auto entry = archive.record<46>(at, "PK\1\2");
  const Index name_size = number_at(entry.data() + 28, 2), extra_size = number_at(entry.data() + 30, 2);
  const std::vector<unsigned char> name = bytes_at(archive, at + 46, name_size, path);
  const std::vector<unsigned char> extra = bytes_at(archive, at + 46 + name_size, extra_size, path);
  at += 46 + name_size + extra_size + number_at(entry.data() + 32, 2);
  if (name.empty()) fail(path, "is a damaged .zip archive");
  if (name.back() == '/') return std::nullopt;
  if ((entry[8] & 1U) != 0) fail(path, "is encrypted; unpack it");
  ZipMember member{.name = std::string(name.begin(), name.end()),
                   .method = number_at(entry.data() + 10, 2),
                   .offset = number_at(entry.data() + 42, 4),
                   .packed = number_at(entry.data() + 20, 4),
                   .size = number_at(entry.data() + 24, 4),
                   .checksum = number_at(entry.data() + 16, 4)};
  take_large_numbers(extra, member, path);
  return member;
}

// The packed bytes follow their own header.
void find_bytes(ArchiveFile& archive, ZipMember& member, const std::string& path) {
  if (member.method != 0 && member.method != 8) fail(path, "holds a file that is not deflated; unpack it");
  if (member.offset < 0 || member.packed < 0 || member.size < 0) fail(path, "is a damaged .zip archive");
  const auto local = archive.record<30>(member.offset, "PK\3\4");
  member.offset += 30 + number_at(local.data() + 26, 2) + number_at(local.data() + 28, 2);
  if (member.packed > archive.size() - member.offset) fail(path, "is a .zip archive that is truncated");
  if (member.stored() && member.packed != member.size) fail(path, "is a damaged .zip archive");
}

}  // namespace

std::vector<ZipMember> zip_members(const std::string& path) {
  ArchiveFile archive(path);
  const Directory directory = find_directory(archive, path);
  std::vector<ZipMember> members;
  Index at = directory.offset;
  for (Index k = 0; k < directory.entries; ++k) {
    std::optional<ZipMember> member = next_member(archive, at, path);
    if (!member) continue;
    find_bytes(archive, *member, path);
    members.push_back(std::move(*member));
  }
  return members;
}

}  // namespace cairn
