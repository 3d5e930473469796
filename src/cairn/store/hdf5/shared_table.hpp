// Tables of a file that all ranks fill, each with its own rows.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// A table of a file that is about to be written: what it is, and how this rank writes its rows.
struct SharedTable {
  std::string name;
  hdf5::ElementType type;
  Index rows = 0;
  Index columns = -1;  ///< negative: a list
  /// Collective; nothing if write_closed writes all. It tells `sums` of this rank's rows.
  std::function<void(const hdf5::Handle& file, hdf5::RowChecksums& sums)> write;
  Index tile_order = 0;  ///< > 0: the lower triangle in square chunks of this order
  Compression compression = Compression::none;
  /// Where chunks are deflated, whose places only one rank can give out: writes into the file, which nobody has open.
  /// @return bytes that came from this rank. Collective.
  std::function<Index(const std::string& path, hdf5::RowChecksums& sums)> write_closed = {};

  /// In the file, its alignment included, before anything is written by write_closed.
  [[nodiscard]] Index bytes() const;
  /// Rows that one checksum is of, and how many there are: of tiles one each.
  [[nodiscard]] Index checksum_rows() const;
  [[nodiscard]] Index checksums() const;

 private:
  [[nodiscard]] Index row_bytes() const { return (columns < 0 ? 1 : columns) * type.bytes(); }
};

/// The tables below refer to what they are made of: it must live until they are written. All are collective.
template <class T>
[[nodiscard]] SharedTable factor_table(const Communicator& communicator, const std::string& name,
                                       const RowBlock<T>& factor);
/// A block-cyclic matrix goes over rows of every rank, so that none holds more than its share.
[[nodiscard]] SharedTable matrix_table(const Communicator& communicator, const std::string& name,
                                       const BlockCyclicMatrix& matrix);
/// As many bytes a label as the longest on any rank has. Nothing if no rank has labels.
[[nodiscard]] std::optional<SharedTable> label_table(const Communicator& communicator, const std::string& name,
                                                     const RowPartition& partition,
                                                     const std::vector<std::string>& labels);

/// A table whose rows the ranks hold one after another, as many as each has. @param columns  negative: a list
template <class T>
[[nodiscard]] SharedTable consecutive_rows(const Communicator& communicator, const std::string& name, Index columns,
                                           std::span<const T> own);

/// Whether tables get checksums: those of Cairn's own formats do; data for other programs are tables and nothing else.
enum class Checksums { written, none };

/// Makes the tables, empty, in a new file, and room for their checksums. One rank.
void create_tables(const hdf5::Handle& file, const std::vector<SharedTable>& tables,
                   Checksums checksums = Checksums::written);
/// Gives the tiles of tables that are not compressed their places, when all else in the file has its place. One rank.
void place_tiles(const hdf5::Handle& file, const std::vector<SharedTable>& tables);
/// Fills them in the file, closed by its maker, and their checksums. @return bytes that this rank wrote. Collective.
Index write_tables(const Communicator& communicator, const std::string& path, const std::vector<SharedTable>& tables,
                   Checksums checksums = Checksums::written);

}  // namespace cairn
