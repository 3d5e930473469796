// Verifies checksums of data that are read.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cairn/base/buffer.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/seal_file.hpp"

namespace cairn::hdf5 {

namespace {

constexpr Index piece_bytes = Index{1} << 24;
constexpr TableShape sums_shape{0, -1, element_type<std::uint32_t>()};

}  // namespace

// Runs before HDF5 reads a text: HDF5 trusts the sizes in a block of texts.
void InputFile::check_text_blocks() const {
  if (!has(checksum_path(text_blocks))) return;
  const std::vector<Index> list = indices(checksum_path(text_blocks));
  for (std::size_t k = 0; k + 2 < list.size(); k += 3) {
    const Index begin = list[k], bytes = list[k + 1], sum = list[k + 2];
    const bool inside = begin >= 0 && bytes >= 0 && bytes <= bytes_ && begin <= bytes_ - bytes;
    const auto found = inside ? crc32_of_file(file_.id(), begin, bytes) : std::nullopt;
    if (found && static_cast<Index>(*found) == sum) continue;
    refuse(fmt::format(
        "its texts are damaged, or another program has rewritten it (then delete its group /crc32): bytes {} to {} "
        "have another checksum than /{} says",
        begin, begin + bytes - 1, checksum_path(text_blocks)));
  }
}

void InputFile::require_sound(const Handle& dataset, const std::string& name) const {
  if (!has_checksums_ || holds_checksum(dataset.id())) return;
  refuse(fmt::format("/{} is damaged: its checksum does not match", name));
}

Index InputFile::checksum_attribute(const Handle& dataset, const std::string& name, const char* attribute) const {
  if (!has_checksums_) return 0;
  const htri_t exists = H5Aexists(dataset.id(), attribute);
  if (exists < 0) refuse(fmt::format("/{} is damaged: {}", name, failure_reason()));
  return exists > 0 ? index_attribute(name, attribute) : 0;
}

// Checksums in `range`, out of `all` checksums of a data set.
std::vector<std::uint32_t> InputFile::stored_checksums(const std::string& name, Index all, Range range) const {
  const std::string path = checksum_path(name);
  const TableShape shape = table(path);
  if (shape.type != sums_shape.type || shape.columns >= 0 || shape.rows != all) {
    refuse(fmt::format("/{} is not the list of the {} checksums of /{}", path, all, name));
  }
  std::vector<std::uint32_t> sums(range.size());
  read_stored_rows(open_dataset(path), path, shape, range, sums.data());
  return sums;
}

// Reads pieces of whole chunks; pieces that extend beyond `rows` at either end are read into a separate buffer.
void InputFile::read_checked_rows(const Handle& dataset, const std::string& name, const TableShape& shape,
                                  Index chunk_rows, Range rows, std::byte* out) const {
  const Index row_bytes = std::max<Index>(shape.columns < 0 ? 1 : shape.columns, 0) * shape.type.bytes();
  if (rows.empty() || row_bytes == 0) return;
  if (chunk_rows != rows_of_checksum(row_bytes)) {
    refuse(fmt::format("/{} says that {} rows have a checksum", name, chunk_rows));
  }
  const Range chunks{rows.begin / chunk_rows, (rows.end - 1) / chunk_rows + 1};
  const auto sums = stored_checksums(name, checksums_of(shape.rows, row_bytes), chunks);
  const Index step = std::max<Index>(1, piece_bytes / (chunk_rows * row_bytes));
  Buffer<std::byte> outside;
  for (Index first = chunks.begin; first < chunks.end; first += step) {
    const Range piece{first * chunk_rows, std::min(std::min(first + step, chunks.end) * chunk_rows, shape.rows)};
    const bool inside = piece.begin >= rows.begin && piece.end <= rows.end;
    if (!inside && outside.size() < piece.size() * row_bytes) outside = Buffer<std::byte>(piece.size() * row_bytes);
    std::byte* const values = inside ? out + (piece.begin - rows.begin) * row_bytes : outside.data();
    read_stored_rows(dataset, name, shape, piece, values);
    for (Index begin = piece.begin; begin < piece.end; begin += chunk_rows) {
      const Index end = std::min(begin + chunk_rows, piece.end);
      const std::uint32_t sum = crc32(values + (begin - piece.begin) * row_bytes, (end - begin) * row_bytes);
      if (sum == sums[begin / chunk_rows - chunks.begin]) continue;
      refuse(fmt::format("/{} is damaged: rows {} to {} have another checksum", name, begin, end - 1));
    }
    if (inside) continue;
    const Range asked{std::max(piece.begin, rows.begin), std::min(piece.end, rows.end)};
    std::copy_n(values + (asked.begin - piece.begin) * row_bytes, asked.size() * row_bytes,
                out + (asked.begin - rows.begin) * row_bytes);
  }
}

void InputFile::check_tile(const Handle& dataset, const std::string& name, const TileShape& shape, Range rows,
                           Range columns, const void* values) const {
  const Index all = checksum_attribute(dataset, name, checksum_tiles);
  if (all == 0) return;
  const Index row = rows.begin / shape.order, tile = row * (row + 1) / 2 + columns.begin / shape.order;
  const auto sums = stored_checksums(name, all, {tile, tile + 1});
  if (crc32(values, rows.size() * columns.size() * shape.type.bytes()) == sums.front()) return;
  refuse(fmt::format("/{} is damaged: its tile at row {}, column {} has another checksum", name, rows.begin,
                     columns.begin));
}

void note_missing_checksums(const Communicator& communicator, const InputFile& file) {
  if (!communicator.is_root() || file.has_checksums()) return;
  log(LogLevel::warning,
      fmt::format("{} has no checksums (an older version of cairn wrote it, or it was edited): damage "
                  "to its numbers is not noticed",
                  file.path()));
}

std::vector<std::string> InputFile::data_sets() const {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
    const bool sums = std::string_view(name).starts_with(checksum_path(""));
    if (info->type == H5O_TYPE_DATASET && !sums) static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (H5Ovisit(file_.id(), H5_INDEX_NAME, H5_ITER_INC, take, &names) < 0) {
    refuse(fmt::format("what it holds cannot be listed: {}", failure_reason()));
  }
  return names;
}

Index InputFile::removed_data_sets(Index found) const {
  if (!has(checksum_path(text_blocks)) || !has_attribute(checksum_path(text_blocks), checksum_count)) return 0;
  return std::max<Index>(0, index_attribute(checksum_path(text_blocks), checksum_count) - found);
}

bool InputFile::is_protected(const std::string& name) const {
  return has_checksums_ && std::ranges::any_of(std::array{checksum_name, checksum_rows, checksum_tiles},
                                               [&](const char* attribute) { return has_attribute(name, attribute); });
}

Index InputFile::verify(const std::string& name, int rank, int ranks) const {
  const Handle dataset = open_dataset(name);
  if (checksum_attribute(dataset, name, checksum_tiles) != 0) return verify_tiles(name, rank, ranks);
  if (checksum_attribute(dataset, name, checksum_rows) != 0) return verify_rows(name, rank, ranks);
  if (rank != 0) return 0;
  require_sound(dataset, name);
  return static_cast<Index>(H5Dget_storage_size(dataset.id()));
}

Index InputFile::verify_rows(const std::string& name, int rank, int ranks) const {
  const TableShape shape = table(name);
  const Index row_bytes = (shape.columns < 0 ? 1 : shape.columns) * shape.type.bytes();
  const Index chunks = checksums_of(shape.rows, row_bytes), chunk_rows = rows_of_checksum(row_bytes);
  const Index step = std::max<Index>(1, piece_bytes / (chunk_rows * std::max<Index>(row_bytes, 1)));
  const Range own{chunks * rank / ranks, chunks * (rank + 1) / ranks};
  Buffer<std::byte> rows(own.empty() ? 0 : std::min(step * chunk_rows, shape.rows) * row_bytes);
  Index bytes = 0;
  for (Index first = own.begin; first < own.end; first += step) {
    const Range piece{first * chunk_rows, std::min(std::min(first + step, own.end) * chunk_rows, shape.rows)};
    read_rows(name, shape, piece, rows.data());
    bytes += piece.size() * row_bytes;
  }
  return bytes;
}

Index InputFile::verify_tiles(const std::string& name, int rank, int ranks) const {
  const TileShape shape = tiles(name);
  const auto range = [&](Index block) {
    return Range{block * shape.order, std::min((block + 1) * shape.order, shape.size)};
  };
  Buffer<std::byte> tile(shape.order * shape.order * shape.type.bytes());
  Index bytes = 0, number = 0;
  for (Index row = 0; row * shape.order < shape.size; ++row) {
    for (Index column = 0; column <= row; ++column, ++number) {
      if (number % ranks != rank) continue;
      read_tile(name, shape, range(row), range(column), tile.data());
      bytes += range(row).size() * range(column).size() * shape.type.bytes();
    }
  }
  return bytes;
}

}  // namespace cairn::hdf5
