// A large table that all ranks write row by row in any order, and that can be resumed after a stop.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/signals.hpp"
#include "cairn/similarity/shortest_paths/length_rows.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Shape of a table and its division into blocks.
struct LengthTableLayout {
  OutputPath path;
  Index rows = 0, columns = 0;
  hdf5::ElementType type;
  Index blocks = 0;                                                 ///< number of blocks, each written as a whole
  std::function<std::vector<Index>()> row_numbers, column_numbers;  ///< written beside the table in HDF5; rank 0 calls
  const std::vector<std::string>* row_names = nullptr;              ///< names of rows and columns, likewise; null: none
  const std::vector<std::string>* column_names = nullptr;
  std::vector<std::pair<std::string, std::vector<double>>> lists{};  ///< more data sets of numbers beside the table
  double scale = 1.0;                                                ///< stored as an attribute of the table
  /// Digests of everything that the values depend on, by their names in messages: a run is resumed only if all are
  /// equal.
  std::vector<std::pair<std::string, std::uint64_t>> identity;
};

/// A contiguous row-major table of rows x columns numbers in a file of NumPy (.npy) or HDF5 (data set `distances`,
/// beside it `sources` and `targets`, for named vertices `source_names` and `target_names`, and further lists),
/// depending on the file extension. It is written as PATH.partial; PATH.partial.blocks lists the finished blocks with
/// their digests and LengthsFound. complete() renames it. Both files remain however the run ends, unless discard() is
/// called. For a symbolic link, both are created beside its target, and the link stays.
class LengthTableFile {
 public:
  /// Allocates the disk space of the whole table. @param resume  resume from existing files, if any; starts from
  /// scratch if the partial file was truncated or replaced, or its list is missing
  /// @throws Error(usage) if a partial file exists and `resume` is false, or the folder is not writable; Error(input)
  /// if the partial file belongs to another table (the message states the difference); Error(resource) if there is not
  /// enough space. Collective; `communicator` must outlive the object.
  LengthTableFile(const Communicator& communicator, LengthTableLayout layout, bool resume);
  ~LengthTableFile() = default;
  LengthTableFile(const LengthTableFile&) = delete;
  LengthTableFile& operator=(const LengthTableFile&) = delete;

  /// True if the output of an earlier run is resumed.
  [[nodiscard]] bool resumed() const { return resumed_; }
  /// Defect of an existing partial file because of which the table was started from scratch; empty if none.
  [[nodiscard]] const std::string& began_anew() const { return began_anew_; }
  /// Metrics of the block, if the list has it and its bytes in the file are unchanged; reads them.
  /// @param rows, columns  as they were written. @throws Error(resource). Local.
  [[nodiscard]] std::optional<LengthsFound> held(Index block, std::span<const Index> rows, Range columns) const;
  /// Writes a block, the values of these columns row after row, and records it in the list.
  /// @param found  metrics of the block; no length was too long @throws Error(resource) if the disk is full or fails.
  /// Local, any rank.
  void write(Index block, std::span<const Index> rows, Range columns, std::span<const std::byte> values,
             const LengthsFound& found);

  /// Flushes the table and renames it to its final name. @throws Error(resource). Collective.
  void complete();
  /// Removes the partial files. Local, rank 0.
  void discard();

  [[nodiscard]] static bool is_name(const std::string& path);

 private:
  struct Header;
  struct Record;
  struct OpenFile {
    int number = -1;
    OpenFile() = default;
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    operator int() const { return number; }
  };
  void create();
  void take_list();
  void take_up();
  [[nodiscard]] bool is_whole() const;
  // The mode of a replaced file may be meant to hide its content; the table takes that mode at the end.
  [[nodiscard]] mode_t mode() const { return std::filesystem::exists(target_) ? 0600 : 0666; }
  [[noreturn]] void fail_to_take(int reason) const;
  [[nodiscard]] Header header() const;
  [[nodiscard]] Index place(Index row, Index column) const;

  const Communicator& communicator_;
  LengthTableLayout layout_;
  std::string target_, partial_, blocks_path_, began_anew_;
  std::optional<LeftBehind> left_;  // until the table is complete
  Index offset_ = 0;                // offset of the values in the file
  bool resumed_ = false;
  OpenFile table_, list_;
};

}  // namespace cairn
