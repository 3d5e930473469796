#include "cairn/store/hdf5/shared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/hdf5_tiles.hpp"

namespace cairn {

using hdf5::ElementType;
using hdf5::Handle;
using hdf5::RowChecksums;

namespace {

void write_labels(const Handle& file, const std::string& name, Range rows, const std::vector<std::string>& labels,
                  ElementType type, RowChecksums& sums) {
  if (rows.empty()) return;
  constexpr Index piece_bytes = Index{1} << 26;
  const Handle table = hdf5::open_table(file, name);
  const Index most = std::max<Index>(1, piece_bytes / type.text_bytes);
  for (Index first = rows.begin; first < rows.end; first += most) {
    const Range piece{first, std::min(first + most, rows.end)};
    std::vector<char> bytes(piece.size() * type.text_bytes, '\0');
    for (Index i = piece.begin; i < piece.end; ++i) {
      const std::string& label = labels[i - rows.begin];
      std::memcpy(bytes.data() + (i - piece.begin) * type.text_bytes, label.data(), label.size());
    }
    hdf5::write_rows(table, type, piece, bytes.data(), &sums);
  }
}

}  // namespace

Index SharedTable::bytes() const {
  constexpr Index header = 512;  // of the list of checksums, and of its groups
  const Index sums = checksums() * static_cast<Index>(sizeof(std::uint32_t)) + header;
  if (tile_order > 0) return hdf5::tile_bytes(type, rows, tile_order, compression) + sums;
  constexpr Index alignment = Index{1} << 20;
  const Index content = rows * std::max<Index>(columns, 1) * type.bytes();
  return content + (content >= alignment ? alignment : 0) + sums;
}

Index SharedTable::checksum_rows() const { return tile_order > 0 ? 1 : hdf5::rows_of_checksum(row_bytes()); }

Index SharedTable::checksums() const {
  if (tile_order == 0) return hdf5::checksums_of(rows, row_bytes());
  const Index blocks = (rows + tile_order - 1) / tile_order;
  return blocks * (blocks + 1) / 2;
}

template <class T>
SharedTable factor_table(const Communicator& communicator, const std::string& name, const RowBlock<T>& factor) {
  constexpr ElementType type = hdf5::element_type<T>();
  return {name, type, factor.rows(), factor.columns(),
          [&communicator, name, &factor](const Handle& file, RowChecksums& sums) {
            collectively(communicator, [&] {
              if (factor.range().empty()) return;
              hdf5::write_rows(hdf5::open_table(file, name), hdf5::element_type<T>(), factor.range(),
                               factor.local().data, &sums);
            });
          }};
}

SharedTable matrix_table(const Communicator& communicator, const std::string& name, const BlockCyclicMatrix& matrix) {
  return {name, hdf5::element_type<double>(), matrix.rows(), matrix.columns(),
          [&communicator, name, &matrix](const Handle& file, RowChecksums& sums) {
            const auto rows = to_row_block<double>(matrix, RowPartition(matrix.rows(), communicator.size()));
            factor_table(communicator, name, rows).write(file, sums);
          }};
}

std::optional<SharedTable> label_table(const Communicator& communicator, const std::string& name,
                                       const RowPartition& partition, const std::vector<std::string>& labels) {
  if (communicator.maximum(static_cast<Index>(labels.size())) == 0) return std::nullopt;
  const Range rows = partition.range(communicator.rank());
  collectively(communicator, [&] {
    if (static_cast<Index>(labels.size()) != rows.size()) {
      throw Error(ErrorKind::internal,
                  fmt::format("rank {} has {} labels for {} rows", communicator.rank(), labels.size(), rows.size()));
    }
  });
  Index longest = 1;
  for (const std::string& label : labels) longest = std::max(longest, static_cast<Index>(label.size()));
  const ElementType type{ElementType::Kind::text, communicator.maximum(longest)};
  return SharedTable{name, type, partition.rows(), -1,
                     [&communicator, name, rows, &labels, type](const Handle& file, RowChecksums& sums) {
                       collectively(communicator, [&] { write_labels(file, name, rows, labels, type, sums); });
                     }};
}

template <class T>
SharedTable consecutive_rows(const Communicator& communicator, const std::string& name, Index columns,
                             std::span<const T> own) {
  const Index rows = static_cast<Index>(own.size()) / std::max<Index>(columns, 1);
  const std::vector<Index> all = communicator.all_gather_one(rows);
  Index first = 0, total = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r < static_cast<std::size_t>(communicator.rank())) first += all[r];
    total += all[r];
  }
  constexpr ElementType type = hdf5::element_type<T>();
  return {name, type, total, columns, [&communicator, name, own, first, rows](const Handle& file, RowChecksums& sums) {
            collectively(communicator, [&] {
              if (rows == 0) return;
              hdf5::write_rows(hdf5::open_table(file, name), hdf5::element_type<T>(), {first, first + rows}, own.data(),
                               &sums);
            });
          }};
}

template SharedTable consecutive_rows(const Communicator&, const std::string&, Index, std::span<const float>);
template SharedTable consecutive_rows(const Communicator&, const std::string&, Index, std::span<const double>);
template SharedTable consecutive_rows(const Communicator&, const std::string&, Index, std::span<const Index>);
template SharedTable consecutive_rows(const Communicator&, const std::string&, Index, std::span<const std::int32_t>);
template SharedTable consecutive_rows(const Communicator&, const std::string&, Index, std::span<const std::uint16_t>);
template SharedTable consecutive_rows(const Communicator&, const std::string&, Index, std::span<const std::uint32_t>);

void create_tables(const Handle& file, const std::vector<SharedTable>& tables, Checksums checksums) {
  for (const SharedTable& table : tables) {
    if (table.tile_order > 0) {
      hdf5::create_tiles(file, table.name, table.type, table.rows, table.tile_order, table.compression);
    } else {
      static_cast<void>(hdf5::create_table(file, table.name, table.type, table.rows, table.columns));
    }
    if (checksums == Checksums::none) continue;
    hdf5::write_attribute(hdf5::open_table(file, table.name),
                          table.tile_order > 0 ? hdf5::checksum_tiles : hdf5::checksum_rows,
                          table.tile_order > 0 ? table.checksums() : table.checksum_rows());
    const std::string sums = hdf5::checksum_path(table.name);
    hdf5::create_groups_of(file, sums);
    static_cast<void>(hdf5::create_table(file, sums, hdf5::element_type<std::uint32_t>(), table.checksums(), -1));
  }
}

void place_tiles(const Handle& file, const std::vector<SharedTable>& tables) {
  for (const SharedTable& table : tables) {
    if (table.tile_order == 0 || table.compression != Compression::none) continue;
    hdf5::place_tiles(file, table.name, table.type, table.rows, table.tile_order);
  }
}

namespace {

// Collects the checksums of all ranks; rank 0 writes. Collective.
void write_checksums(const Communicator& communicator, const Handle& file, const SharedTable& table,
                     const RowChecksums& sums) {
  const std::vector<std::uint32_t> all = sums.gather(communicator, table.checksums());
  collectively(communicator, [&] {
    if (all.empty()) return;
    hdf5::write_rows(hdf5::open_table(file, hdf5::checksum_path(table.name)), hdf5::element_type<std::uint32_t>(),
                     {0, table.checksums()}, all.data());
  });
}

}  // namespace

Index write_tables(const Communicator& communicator, const std::string& path, const std::vector<SharedTable>& tables,
                   Checksums checksums) {
  Index bytes = 0;
  Index all_bytes = 0;
  std::vector<RowChecksums> sums;
  for (const SharedTable& table : tables) {
    sums.emplace_back(table.checksum_rows());
    if (table.write_closed) bytes += table.write_closed(path, sums.back());
  }
  // Not inside collectively(): HDF5 opens with all ranks at once, and if one rank fails, the others may wait for it
  // inside. The exception leaves the program on that rank, which then ends all ranks.
  Handle file = hdf5::open_shared(communicator, path);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const SharedTable& table = tables[t];
    if (!table.write_closed) table.write(file, sums[t]);
    if (checksums == Checksums::written) write_checksums(communicator, file, table, sums[t]);
    if (table.write_closed) continue;
    const Index own = RowPartition(table.rows, communicator.size()).range(communicator.rank()).size();
    bytes += table.tile_order > 0 ? table.bytes() / communicator.size()
                                  : own * std::max<Index>(table.columns, 1) * table.type.bytes();
    all_bytes += table.bytes();
    Watchdog::beat();
  }
  const Watchdog::Patience patience(longest_flush_seconds(all_bytes));
  hdf5::close_shared(communicator, std::move(file));
  return bytes;
}

template SharedTable factor_table(const Communicator&, const std::string&, const RowBlock<std::uint16_t>&);
template SharedTable factor_table(const Communicator&, const std::string&, const RowBlock<std::uint32_t>&);
template SharedTable factor_table(const Communicator&, const std::string&, const RowBlock<float>&);
template SharedTable factor_table(const Communicator&, const std::string&, const RowBlock<double>&);

}  // namespace cairn
