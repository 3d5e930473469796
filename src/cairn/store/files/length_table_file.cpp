#include "cairn/store/files/length_table_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"

namespace cairn {

namespace {

// Distinguishes the partial file of a stopped run from an unrelated file.

bool is_own(const std::string& path, std::string_view beginning) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::file_type type = fs::symlink_status(path, unknown).type();
  if (type == fs::file_type::not_found) return true;
  if (type != fs::file_type::regular) return false;
  std::array<char, 8> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  file.read(bytes.data(), static_cast<std::streamsize>(std::min(beginning.size(), bytes.size())));
  const std::string_view found(bytes.data(), static_cast<std::size_t>(file.gcount()));
  return beginning.starts_with(found) || found.find_first_not_of('\0') == std::string_view::npos;
}

// True if an open file is still the one at `path`: it was not removed or replaced. @param file  its descriptor. Local.
bool is_at(int file, const std::string& path) {
  struct stat open {
  }, there{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

// Checks an existing file before it is overwritten, because its name is predictable.
// @param beginning  expected first bytes; unwritten bytes are zeros @param name  parameter that messages ask to change
// @throws Error(usage) if it is another file, or a link. Local.
void require_own_partial(const std::string& path, std::string_view beginning, const std::string& name) {
  if (is_own(path, beginning)) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} exists and is not a partial table of cairn, which needs this file name; remove it, or change {}",
                  path, name));
}

constexpr std::uint64_t magic = 0x32656c6261746c63;  // checked on reading
constexpr const char* magic_text = "cltable2";       // the same bytes as text
constexpr std::size_t most_identity = 12;

Error failure(const std::string& what, const std::string& path) {
  return Error(ErrorKind::resource, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Reads or writes all bytes at an offset. @param move  pread or pwrite
template <class Byte, class Move>
bool move_all(int file, Byte* bytes, std::size_t size, Index offset, Move move) {
  while (size > 0) {
    const ssize_t moved = move(file, bytes, size, static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved == 0) errno = EIO;
    if (moved <= 0) return false;
    bytes += moved, offset += moved, size -= static_cast<std::size_t>(moved);
  }
  return true;
}

// A file descriptor that closes itself.
class NewFile {
 public:
  explicit NewFile(const std::string& path, int flags = O_RDWR, mode_t mode = 0)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)), reason_(number_ < 0 ? errno : 0) {}
  ~NewFile() {
    if (number_ >= 0) ::close(number_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] int number() const { return number_; }
  // Allocates `bytes` on the disk; if the file system cannot, only sets the file size. Never shortens the file. Returns
  // 0 or errno.
  [[nodiscard]] int take(Index bytes) const {
    int reason = reason_ != 0 ? reason_ : EINTR;
    while (reason == EINTR) reason = ::fallocate(number_, 0, 0, bytes) == 0 ? 0 : errno;
    if (reason != EOPNOTSUPP && reason != ENOSYS) return reason;
    return ::lseek(number_, 0, SEEK_END) >= bytes || ::ftruncate(number_, bytes) == 0 ? 0 : errno;
  }

 private:
  int number_, reason_;
};

// 64-bit digest, as fast as the bytes are read: eight independent sums.
std::uint64_t digest_of(const std::byte* bytes, std::size_t size) {
  constexpr std::size_t lanes = 8;
  std::array<std::uint64_t, lanes> sums{}, words{};
  std::size_t at = 0;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words.data(), bytes + at, sizeof words);
    for (std::size_t k = 0; k < lanes; ++k) sums[k] = (sums[k] ^ words[k]) * 0x9e3779b97f4a7c15ULL + (sums[k] >> 29);
  }
  return hash_bytes(std::span(bytes + at, size - at), hash_bytes(std::as_bytes(std::span(sums)), size));
}

// Header of an .npy file (format 1.0), padded to a multiple of 64 bytes.
std::string npy_header(const LengthTableLayout& layout) {
  using Kind = hdf5::ElementType::Kind;
  const char* type = layout.type.kind == Kind::uint16    ? "<u2"
                     : layout.type.kind == Kind::uint32  ? "<u4"
                     : layout.type.kind == Kind::float32 ? "<f4"
                                                         : "<f8";
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}", type, layout.rows, layout.columns);
  constexpr std::size_t before = 10, unit = 64;
  text.append((unit - (before + text.size() + 1) % unit) % unit, ' ').push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(text.size() % 256));
  header.push_back(static_cast<char>(text.size() / 256));
  return header + text;
}

// Creates the HDF5 file; returns the offset of the table.
Index create_hdf5(const std::string& path, const LengthTableLayout& layout) {
  hdf5::Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string("cairn-table"));  // marks the file as cairn's
  hdf5::write_numbers(file, "sources", layout.row_numbers());
  hdf5::write_numbers(file, "targets", layout.column_numbers());
  if (layout.row_names != nullptr) hdf5::write_texts(file, "source_names", *layout.row_names);
  if (layout.column_names != nullptr) hdf5::write_texts(file, "target_names", *layout.column_names);
  for (const auto& [name, values] : layout.lists) hdf5::write_numbers(file, name, std::span<const double>(values));
  Index offset = 0;
  {
    const hdf5::Handle table = hdf5::create_table(file, "distances", layout.type, layout.rows, layout.columns);
    hdf5::write_attribute(table, "scale", layout.scale);
    offset = hdf5::offset_of(table);
  }
  hdf5::close_file(std::move(file));
  return offset;
}

// True if the HDF5 file holds exactly what create_hdf5 wrote.
bool is_hdf5_of(const std::string& path, const LengthTableLayout& layout, Index offset) {
  try {
    {
      const hdf5::InputFile file(path);
      const hdf5::TableShape shape = file.table("distances");
      if (shape.rows != layout.rows || shape.columns != layout.columns || !(shape.type == layout.type) ||
          file.number_attribute("distances", "scale") != layout.scale ||
          file.indices("sources") != layout.row_numbers() || file.indices("targets") != layout.column_numbers()) {
        return false;
      }
    }
    const hdf5::Handle file = hdf5::open_alone(path);
    return hdf5::offset_of(hdf5::open_table(file, "distances")) == offset;
  } catch (const Error&) {
    return false;
  }
}

bool is_hdf5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

}  // namespace

/// Header of the list of blocks; one record per block follows.
struct LengthTableFile::Header {
  std::uint64_t kind = magic, offset = 0, blocks = 0, identities = 0;
  std::array<std::uint64_t, most_identity> identity{};
  std::uint64_t check = 0;

  [[nodiscard]] std::uint64_t digest() const {
    return hash_bytes(std::as_bytes(std::span(this, 1)).first(offsetof(Header, check)), magic);
  }
};

/// A written block.
struct LengthTableFile::Record {
  std::uint64_t digest = 0, longest = 0;  ///< digest of the values; bits of the longest length
  Index without_path = 0, source = -1, target = -1;
  std::uint64_t check = 0;

  [[nodiscard]] std::uint64_t check_of(Index block) const {
    return hash_bytes(std::as_bytes(std::span(this, 1)).first(offsetof(Record, check)),
                      static_cast<std::uint64_t>(block) + 1);
  }
  [[nodiscard]] static Index place(Index block) {
    return static_cast<Index>(sizeof(Header)) + static_cast<Index>(sizeof(Record)) * block;
  }
};

bool LengthTableFile::is_name(const std::string& path) { return path.ends_with(".npy") || is_hdf5(path); }

LengthTableFile::Header LengthTableFile::header() const {
  Header header;
  header.offset = static_cast<std::uint64_t>(offset_);
  header.blocks = static_cast<std::uint64_t>(layout_.blocks);
  header.identities = layout_.identity.size();
  for (std::size_t k = 0; k < layout_.identity.size(); ++k) header.identity.at(k) = layout_.identity[k].second;
  header.check = header.digest();
  return header;
}

LengthTableFile::LengthTableFile(const Communicator& communicator, LengthTableLayout layout, bool resume)
    : communicator_(communicator), layout_(std::move(layout)) {
  collectively(communicator_, [&] {
    if (communicator_.is_root()) target_ = final_target(layout_.path);
  });
  communicator_.broadcast(target_, 0);
  partial_ = target_ + ".partial";
  blocks_path_ = partial_ + ".blocks";
  std::array<Index, 2> facts{};  // the offset; 1 if a run is resumed
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    const bool there = std::filesystem::exists(partial_);
    if (there && !resume) {
      throw Error(
          ErrorKind::usage,
          fmt::format(
              "{} exists from a stopped run: give --resume to continue it, or remove it and {} to start from scratch",
              partial_, blocks_path_));
    }
    require_own_partial(partial_, is_hdf5(layout_.path.file) ? "\x89HDF" : "\x93NUMPY", layout_.path.name);
    require_own_partial(blocks_path_, magic_text, layout_.path.name);
    const bool listed = std::filesystem::exists(blocks_path_);
    take_list();
    if (there && listed) take_up();
    if (there && !resumed_) {
      began_anew_ = fmt::format("{} was cut or replaced, or {} is missing or damaged", partial_, blocks_path_);
    }
    if (!resumed_) create();
    facts = {offset_, resumed_ ? 1 : 0};
  });
  communicator_.broadcast(std::span<Index>(facts), 0);
  offset_ = facts[0];
  resumed_ = facts[1] != 0;
  communicator_.broadcast(began_anew_, 0);
  collectively(communicator_, [&] {
    table_.number = ::open(partial_.c_str(), O_RDWR | O_CLOEXEC);
    if (list_ < 0) list_.number = ::open(blocks_path_.c_str(), O_RDWR | O_CLOEXEC);
    if (table_ < 0 || list_ < 0) throw failure("open", table_ < 0 ? partial_ : blocks_path_);
  });
  left_.emplace(fmt::format("{} was left; --resume continues it", partial_));
}

LengthTableFile::OpenFile::~OpenFile() {
  if (number >= 0) ::close(number);
}

// Locks the list before any file is created or removed.
void LengthTableFile::take_list() {
  list_.number = ::open(blocks_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode());
  if (list_ < 0) fail_to_take(errno);
  const bool taken = ::flock(list_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (taken && is_at(list_, blocks_path_)) return;
  throw Error(ErrorKind::usage, fmt::format("another run writes {}; wait for its end", partial_));
}

// Checks whether the files belong to this table. An unfinished list or a truncated table counts as missing.
void LengthTableFile::take_up() {
  Header found;
  const int file = ::open(blocks_path_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool whole = file >= 0 && move_all(file, reinterpret_cast<std::byte*>(&found), sizeof found, 0, ::pread);
  if (file >= 0) ::close(file);
  if (!whole || found.kind != magic || found.check != found.digest()) return;
  offset_ = static_cast<Index>(found.offset);
  const Header own = header();
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::input, fmt::format("{} is of another table: it has another {}; remove it, and {}, to begin "
                                              "anew",
                                              partial_, what, blocks_path_));
  };
  for (std::size_t k = 0; k < layout_.identity.size(); ++k) {
    if (found.identity.at(k) != own.identity.at(k)) refuse(layout_.identity[k].first);
  }
  if (found.blocks != own.blocks || found.identities != own.identities) refuse("form, of another version");
  if (!is_whole()) return;
  int reason = NewFile(partial_).take(place(layout_.rows, 0));
  if (reason == 0) reason = NewFile(blocks_path_).take(Record::place(layout_.blocks));
  if (reason != 0) fail_to_take(reason);
  resumed_ = true;
}

// True if the partial file is as create() left it, except for the values.
bool LengthTableFile::is_whole() const {
  const NewFile file(partial_);
  const auto size = static_cast<Index>(::lseek(file.number(), 0, SEEK_END));
  if (size < place(layout_.rows, 0)) return false;
  if (is_hdf5(layout_.path.file)) return is_hdf5_of(partial_, layout_, offset_);
  const std::string start = npy_header(layout_);
  std::string found(start.size(), '\0');
  return offset_ == std::ssize(start) && size == place(layout_.rows, 0) &&
         move_all(file.number(), found.data(), found.size(), 0, ::pread) && found == start;
}

// HDF5 must not meet a full disk: space is allocated before HDF5 is called, and for its file released briefly.
void LengthTableFile::create() {
  const Index bytes = layout_.rows * layout_.columns * layout_.type.bytes();
  constexpr Index structures = Index{1} << 16;  // of HDF5
  Index beside = structures + 8 * (layout_.rows + layout_.columns);
  for (const auto& [name, values] : layout_.lists) beside += 8 * std::ssize(values);
  const bool hdf5 = is_hdf5(layout_.path.file);
  const std::string start = hdf5 ? "" : npy_header(layout_);
  int reason = 0;              // reason of a failure
  ::unlink(partial_.c_str());  // useless remains of an earlier run
  if (::ftruncate(list_, 0) != 0) fail_to_take(errno);
  {
    const NewFile table(partial_, O_RDWR | O_CREAT | O_EXCL, mode());
    reason = table.take(hdf5 ? bytes + beside : static_cast<Index>(start.size()) + bytes);
    if (reason == 0 && hdf5 && ::ftruncate(table.number(), 0) != 0) reason = errno;
    if (reason == 0 && !move_all(table.number(), start.data(), start.size(), 0, ::pwrite)) reason = errno;
  }
  offset_ = static_cast<Index>(start.size());
  if (reason == 0 && hdf5) {
    try {
      offset_ = create_hdf5(partial_, layout_);
    } catch (const Error&) {
      discard();
      throw;
    }
    reason = NewFile(partial_).take(offset_ + bytes);
  }
  if (reason == 0) {
    const Header own = header();
    const NewFile list(blocks_path_);
    reason = list.take(Record::place(layout_.blocks));
    if (reason == 0 && !move_all(list.number(), reinterpret_cast<const std::byte*>(&own), sizeof own, 0, ::pwrite)) {
      reason = errno;
    }
  }
  if (reason == 0) return;
  discard();
  fail_to_take(reason);
}

void LengthTableFile::fail_to_take(int reason) const {
  if (reason != ENOSPC && reason != EFBIG && reason != EDQUOT) {
    throw Error(ErrorKind::usage,
                fmt::format("cannot write {}: {}; change {}", partial_, std::strerror(reason), layout_.path.name));
  }
  throw Error(
      ErrorKind::resource,
      fmt::format("no room for the table: {} takes {} bytes: {}; free some space, or change {}", layout_.path.file,
                  layout_.rows * layout_.columns * layout_.type.bytes(), std::strerror(reason), layout_.path.name));
}

Index LengthTableFile::place(Index row, Index column) const {
  return offset_ + (row * layout_.columns + column) * layout_.type.bytes();
}

std::optional<LengthsFound> LengthTableFile::held(Index block, std::span<const Index> rows, Range columns) const {
  Record record;
  if (!move_all(list_, reinterpret_cast<std::byte*>(&record), sizeof record, Record::place(block), ::pread) ||
      record.check != record.check_of(block)) {
    return std::nullopt;
  }
  std::vector<std::byte> row(columns.size() * layout_.type.bytes());
  std::uint64_t digest = 0;
  for (const Index r : rows) {
    if (!move_all(table_, row.data(), row.size(), place(r, columns.begin), ::pread)) return std::nullopt;
    digest = mix_bits(digest ^ digest_of(row.data(), row.size()));
  }
  Watchdog::beat();
  if (digest != record.digest) return std::nullopt;
  LengthsFound found{.longest = std::bit_cast<double>(record.longest), .without_path = record.without_path};
  if (found.without_path > 0) found.unreached = {record.source, record.target, 0.0};
  return found;
}

void LengthTableFile::write(Index block, std::span<const Index> rows, Range columns, std::span<const std::byte> values,
                            const LengthsFound& found) {
  const std::size_t bytes = values.size() / std::max<std::size_t>(rows.size(), 1);
  std::uint64_t digest = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::byte* const row = values.data() + k * bytes;
    if (!move_all(table_, row, bytes, place(rows[k], columns.begin), ::pwrite)) {
      const Error error = failure("write", partial_);
      throw Error(error.kind(), std::string(error.what()) + "; --resume continues from what was written");
    }
    digest = mix_bits(digest ^ digest_of(row, bytes));
  }
  const LengthsFound::Pair pair = found.unreached.value_or(LengthsFound::Pair{-1, -1, 0.0});
  Record record{.digest = digest,
                .longest = std::bit_cast<std::uint64_t>(found.longest),
                .without_path = found.without_path,
                .source = pair.source,
                .target = pair.target};
  record.check = record.check_of(block);
  if (!move_all(list_, reinterpret_cast<const std::byte*>(&record), sizeof record, Record::place(block), ::pwrite)) {
    throw failure("write", blocks_path_);
  }
  Watchdog::beat();
}

void LengthTableFile::complete() {
  collectively(communicator_, [&] {
    const Watchdog::Patience patience(longest_flush_seconds(place(layout_.rows, 0)));
    if (::fsync(table_) != 0) throw failure("flush", partial_);
  });
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    if (!is_at(table_, partial_)) {
      throw Error(ErrorKind::resource, fmt::format("{} was removed or replaced while this run wrote it: the table is "
                                                   "lost, and {} stays as it is",
                                                   partial_, target_));
    }
    take_permissions(partial_, target_);
    if (std::rename(partial_.c_str(), target_.c_str()) != 0) {
      const Error error = failure("rename", partial_);
      throw Error(error.kind(), fmt::format("{}; the complete table is there", error.what()));
    }
    ::unlink(blocks_path_.c_str());
    flush_folder_of(target_);
  });
  left_.reset();
}

void LengthTableFile::discard() {
  ::unlink(partial_.c_str());
  ::unlink(blocks_path_.c_str());
}

}  // namespace cairn
