#include "cairn/store/files/length_table_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/store/atomic_file.hpp"

namespace cairn {

namespace {

constexpr std::uint64_t magic = 0x31656c6261746c63;  // "clatable1", and what is checked with it
constexpr std::size_t most_identity = 12;

Error failure(const std::string& what, const std::string& path) {
  return Error(ErrorKind::resource, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Reads or writes all bytes at a place. @param move  pread or pwrite
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
  explicit NewFile(const std::string& path, int flags = O_RDWR | O_CREAT | O_TRUNC)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)), reason_(number_ < 0 ? errno : 0) {}
  ~NewFile() {
    if (number_ >= 0) ::close(number_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] int number() const { return number_; }
  // Takes the disk space of so many bytes; where the file system cannot, only their number. Returns what errno says.
  [[nodiscard]] int take(Index bytes) const {
    int reason = reason_ != 0 ? reason_ : EINTR;
    while (reason == EINTR) reason = ::fallocate(number_, 0, 0, bytes) == 0 ? 0 : errno;
    if (reason != EOPNOTSUPP && reason != ENOSYS) return reason;
    return ::ftruncate(number_, bytes) == 0 ? 0 : errno;
  }

 private:
  int number_, reason_;
};

// 64 bits of some bytes, at the speed at which they are read: eight sums that do not wait for each other.
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

// The first bytes of an .npy file (format 1.0), which end in a multiple of 64.
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

// Makes the HDF5 file; returns where the table begins.
Index create_hdf5(const std::string& path, const LengthTableLayout& layout) {
  hdf5::Handle file = hdf5::create_file(path);
  hdf5::write_numbers(file, "sources", layout.row_numbers);
  hdf5::write_numbers(file, "targets", layout.column_numbers);
  Index offset = 0;
  {
    const hdf5::Handle table = hdf5::create_table(file, "distances", layout.type, layout.rows, layout.columns);
    hdf5::write_attribute(table, "scale", layout.scale);
    offset = hdf5::offset_of(table);
  }
  hdf5::close_file(std::move(file));
  return offset;
}

bool is_hdf5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

}  // namespace

/// What the list of blocks begins with; then two numbers a block.
struct LengthTableFile::Header {
  std::uint64_t kind = magic, offset = 0, blocks = 0, identities = 0;
  std::array<std::uint64_t, most_identity> identity{};
  std::uint64_t check = 0;

  [[nodiscard]] std::uint64_t digest() const {
    return hash_bytes(std::as_bytes(std::span(this, 1)).first(offsetof(Header, check)), magic);
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
    : communicator_(communicator),
      layout_(std::move(layout)),
      partial_(layout_.path.file + ".partial"),
      blocks_path_(partial_ + ".blocks") {
  std::array<Index, 2> facts{};  // the offset, whether it goes on
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    const bool there = std::filesystem::exists(partial_);
    if (there && !resume) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} is there, of a run that was stopped: --resume goes on with it; remove it, and {}, to "
                              "begin anew",
                              partial_, blocks_path_));
    }
    if (there && std::filesystem::exists(blocks_path_)) take_up();
    if (!resumed_) create();
    facts = {offset_, resumed_ ? 1 : 0};
  });
  communicator_.broadcast(std::span<Index>(facts), 0);
  offset_ = facts[0];
  resumed_ = facts[1] != 0;
  collectively(communicator_, [&] {
    table_ = ::open(partial_.c_str(), O_RDWR | O_CLOEXEC);
    list_ = ::open(blocks_path_.c_str(), O_RDWR | O_CLOEXEC);
    if (table_ < 0 || list_ < 0) throw failure("open", table_ < 0 ? partial_ : blocks_path_);
  });
}

LengthTableFile::~LengthTableFile() {
  for (const int file : {table_, list_}) {
    if (file >= 0) ::close(file);
  }
}

// Sees whether the files are of this table. A list that was not finished is as none.
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
  resumed_ = true;
}

// HDF5 is to meet no full disk: space is taken, and for its file given back for a moment, before it is called.
void LengthTableFile::create() {
  const Index bytes = layout_.rows * layout_.columns * layout_.type.bytes();
  constexpr Index structures = Index{1} << 16;  // of HDF5
  const Index beside = structures + 8 * (layout_.rows + layout_.columns);
  const bool hdf5 = is_hdf5(layout_.path.file);
  const std::string start = hdf5 ? "" : npy_header(layout_);
  int reason = 0;  // why it failed
  {
    const NewFile table(partial_);
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
    reason = NewFile(partial_, O_RDWR).take(offset_ + bytes);
  }
  if (reason == 0) {
    const Header own = header();
    const NewFile list(blocks_path_);
    reason = list.take(static_cast<Index>(sizeof own) + 16 * layout_.blocks);
    if (reason == 0 && !move_all(list.number(), reinterpret_cast<const std::byte*>(&own), sizeof own, 0, ::pwrite)) {
      reason = errno;
    }
  }
  if (reason == 0) return;
  discard();
  if (reason != ENOSPC && reason != EFBIG && reason != EDQUOT) {
    throw Error(ErrorKind::usage,
                fmt::format("cannot write {}: {}; change {}", partial_, std::strerror(reason), layout_.path.name));
  }
  throw Error(ErrorKind::resource,
              fmt::format("no room for the table: {} takes {} bytes: {}; free some space, or change {}",
                          layout_.path.file, bytes, std::strerror(reason), layout_.path.name));
}

std::uint64_t LengthTableFile::record_of(Index block, std::uint64_t digest) const {
  return hash_bytes(std::as_bytes(std::span(&digest, 1)), static_cast<std::uint64_t>(block) + 1);
}

Index LengthTableFile::place(Index row, Index column) const {
  return offset_ + (row * layout_.columns + column) * layout_.type.bytes();
}

bool LengthTableFile::holds(Index block, std::span<const Index> rows, Range columns) const {
  std::array<std::uint64_t, 2> record{};
  if (!move_all(list_, reinterpret_cast<std::byte*>(record.data()), sizeof record,
                static_cast<Index>(sizeof(Header)) + 16 * block, ::pread)) {
    return false;
  }
  if (record[1] != record_of(block, record[0])) return false;
  std::vector<std::byte> row(static_cast<std::size_t>(columns.size() * layout_.type.bytes()));
  std::uint64_t digest = 0;
  for (const Index r : rows) {
    if (!move_all(table_, row.data(), row.size(), place(r, columns.begin), ::pread)) return false;
    digest = mix_bits(digest ^ digest_of(row.data(), row.size()));
  }
  Watchdog::beat();
  return digest == record[0];
}

void LengthTableFile::write(Index block, std::span<const Index> rows, Range columns,
                            std::span<const std::byte> values) {
  const std::size_t bytes = values.size() / std::max<std::size_t>(rows.size(), 1);
  std::uint64_t digest = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::byte* const row = values.data() + k * bytes;
    if (!move_all(table_, row, bytes, place(rows[k], columns.begin), ::pwrite)) {
      const Error error = failure("write", partial_);
      throw Error(error.kind(), std::string(error.what()) + "; --resume goes on with what is there");
    }
    digest = mix_bits(digest ^ digest_of(row, bytes));
  }
  const std::array<std::uint64_t, 2> record{digest, record_of(block, digest)};
  if (!move_all(list_, reinterpret_cast<const std::byte*>(record.data()), sizeof record,
                static_cast<Index>(sizeof(Header)) + 16 * block, ::pwrite)) {
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
    if (std::rename(partial_.c_str(), layout_.path.file.c_str()) != 0) throw failure("rename", partial_);
    ::unlink(blocks_path_.c_str());
    flush_folder_of(layout_.path.file);
  });
}

void LengthTableFile::discard() {
  ::unlink(partial_.c_str());
  ::unlink(blocks_path_.c_str());
}

}  // namespace cairn
