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

/// A table of a file that is about to be written: its description, and how this rank writes its rows.
struct SharedTable {
  std::string name;
  hdf5::ElementType type;
  Index rows = 0;
  Index columns = -1;  ///< negative: a list
  /// Collective; empty if write_closed writes everything. Adds this rank's rows to `sums`.
  std::function<void(const hdf5::Handle& file, hdf5::RowChecksums& sums)> write;
  Index tile_order = 0;  ///< > 0: the lower triangle in square chunks of this order
  Compression compression = Compression::none;
  /// For deflated chunks, which HDF5 lets only one rank place: writes into the file while nobody has it open. @return
  /// bytes that came from this rank. Collective.
  std::function<Index(const std::string& path, hdf5::RowChecksums& sums)> write_closed = {};

  /// Bytes in the file, its alignment included, before write_closed writes anything.
  [[nodiscard]] Index bytes() const;
  /// Rows per checksum, and the number of checksums: tiles have one each.
  [[nodiscard]] Index checksum_rows() const;
  [[nodiscard]] Index checksums() const;

 private:
  [[nodiscard]] Index row_bytes() const { return (columns < 0 ? 1 : columns) * type.bytes(); }
};

/// The tables below refer to their sources, which must live until they are written. All are collective.
template <class T>
[[nodiscard]] SharedTable factor_table(const Communicator& communicator, const std::string& name,
                                       const RowBlock<T>& factor);
/// A block-cyclic matrix is redistributed by rows over all ranks, so that no rank holds more than its share.
[[nodiscard]] SharedTable matrix_table(const Communicator& communicator, const std::string& name,
                                       const BlockCyclicMatrix& matrix);
/// A label takes as many bytes as the longest label of any rank. Nothing if no rank has labels.
[[nodiscard]] std::optional<SharedTable> label_table(const Communicator& communicator, const std::string& name,
                                                     const RowPartition& partition,
                                                     const std::vector<std::string>& labels);

/// A table whose rows the ranks hold one after another, any number each. @param columns  negative: a list
template <class T>
[[nodiscard]] SharedTable consecutive_rows(const Communicator& communicator, const std::string& name, Index columns,
                                           std::span<const T> own);

/// Checksums of tables: Cairn's own formats have them; data for other programs consist of tables only.
enum class Checksums { written, none };

/// Creates the tables, empty, in a new file, and space for their checksums. One rank.
void create_tables(const hdf5::Handle& file, const std::vector<SharedTable>& tables,
                   Checksums checksums = Checksums::written);
/// Allocates the tiles of tables that are not compressed, after everything else in the file is allocated. One rank.
void place_tiles(const hdf5::Handle& file, const std::vector<SharedTable>& tables);
/// Fills the tables and their checksums in the file, which its creator has closed. @return bytes that this rank wrote.
/// Collective.
Index write_tables(const Communicator& communicator, const std::string& path, const std::vector<SharedTable>& tables,
                   Checksums checksums = Checksums::written);

}  // namespace cairn
