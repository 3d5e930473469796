// Reads HDF5 without trust: every size is compared with the file size before memory is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn::hdf5 {

/// Size and type of a table, as create_table created it.
struct TableShape {
  Index rows = 0;
  Index columns = -1;  ///< -1: a list
  ElementType type;
};

/// Element type of a stored type; nothing if ElementType has no such kind.
[[nodiscard]] std::optional<ElementType> known_type(const Handle& type);

/// A symmetric matrix in square chunks, as create_tiles created it.
struct TileShape {
  Index size = 0;
  Index order = 1;
  ElementType type;
  Compression compression = Compression::none;
};

/// An HDF5 file opened by one rank for itself. All functions are local. They throw Error(input), with the file name and
/// advice, if what they read is missing, has another type, does not fit into the file, or does not match its checksum
/// (store/seal_file.hpp, store/row_checksums.hpp). Files without the group crc32 have no checksums.
class InputFile {
 public:
  /// @param maker  the command that creates such files, for messages
  explicit InputFile(const std::string& path, std::string maker = "cairn approximate");
  [[nodiscard]] const std::string& path() const { return path_; }
  /// True if data are compared with checksums.
  [[nodiscard]] bool has_checksums() const { return has_checksums_; }

  /// Throws Error(input): `path`: `what`; advice.
  [[noreturn]] void refuse(const std::string& what) const;

  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] bool is_group(const std::string& name) const;
  [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
  /// Paths of all data sets except those of checksums.
  [[nodiscard]] std::vector<std::string> data_sets() const;
  /// Reads this rank's share of a data set, only to verify its checksums; shares of `ranks` ranks have about as many
  /// rows or tiles. @return bytes
  [[nodiscard]] Index verify(const std::string& name, int rank, int ranks) const;
  /// Number of data sets that were removed since the file was created. @param found  number of existing data sets
  /// @return 0 if the file does not state how many there were
  [[nodiscard]] Index removed_data_sets(Index found) const;
  /// True if a data set has a checksum.
  [[nodiscard]] bool is_protected(const std::string& name) const;
  /// Names in a group, in alphabetical order.
  [[nodiscard]] std::vector<std::string> children(const std::string& group) const;

  [[nodiscard]] std::string text_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] double number_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] Index index_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::vector<Index> index_list_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::uint64_t unsigned_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] bool flag_attribute(const std::string& object, const std::string& name) const;

  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const;
  [[nodiscard]] std::vector<Index> indices(const std::string& name) const;

  /// @throws Error(input) also for numbers of types that ElementType does not know
  [[nodiscard]] TableShape table(const std::string& name) const;
  /// Reads rows of a table of known shape into contiguous memory: numbers as they are stored, texts padded with zeros.
  void read_rows(const std::string& name, const TableShape& shape, Range rows, void* out) const;

  /// Rows of a list of texts of one length, without the padding zeros. @throws Error(input) also if it is not such a
  /// list
  [[nodiscard]] std::vector<std::string> row_texts(const std::string& name, Range rows) const;

  /// Shape of a symmetric matrix as create_tiles created it; checks that it has as many chunks as its lower triangle.
  [[nodiscard]] TileShape tiles(const std::string& name) const;
  /// Reads the entries of `rows` x `columns`, within one chunk of the lower triangle, row-major.
  void read_tile(const std::string& name, const TileShape& shape, Range rows, Range columns, void* out) const;

 private:
  [[nodiscard]] Handle open_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] Handle open_dataset(const std::string& name) const;
  void read_scalar(const std::string& object, const std::string& name, bool text, Identifier memory_type,
                   void* out) const;
  [[nodiscard]] std::vector<std::string> read_texts(const Handle& dataset, const std::string& name, Index count) const;
  [[nodiscard]] Index list_size(const Handle& dataset, const std::string& name) const;
  void check_chunks(const Handle& dataset, const std::string& name, const TileShape& shape) const;
  [[nodiscard]] bool has_link(const std::string& path) const;
  void check_text_blocks() const;
  [[nodiscard]] Index verify_rows(const std::string& name, int rank, int ranks) const;
  [[nodiscard]] Index verify_tiles(const std::string& name, int rank, int ranks) const;
  void require_sound(const Handle& dataset, const std::string& name) const;
  /// Number in an attribute of a data set; 0 if there is none, or the file has no checksums.
  [[nodiscard]] Index checksum_attribute(const Handle& dataset, const std::string& name, const char* attribute) const;
  [[nodiscard]] std::vector<std::uint32_t> stored_checksums(const std::string& name, Index all, Range range) const;
  void check_tile(const Handle& dataset, const std::string& name, const TileShape& shape, Range rows, Range columns,
                  const void* values) const;
  void read_stored_rows(const Handle& dataset, const std::string& name, const TableShape& shape, Range rows,
                        void* out) const;
  void read_checked_rows(const Handle& dataset, const std::string& name, const TableShape& shape, Index chunk_rows,
                         Range rows, std::byte* out) const;
  void check_place(const Handle& dataset, const std::string& name, Index bytes) const;

  std::string path_;
  std::string maker_;
  Handle file_;
  Index bytes_ = 0;
  bool has_checksums_ = false;
};

/// Logs that damage to a file would not be noticed, if it has no checksums. Rank 0 logs. Local.
void note_missing_checksums(const Communicator& communicator, const InputFile& file);

}  // namespace cairn::hdf5
