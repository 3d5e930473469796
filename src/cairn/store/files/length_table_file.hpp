// A large table that is written row by row in any order, by all ranks, and gone on with after a stop.
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

/// What a table is, and how it is cut.
struct LengthTableLayout {
  OutputPath path;
  Index rows = 0, columns = 0;
  hdf5::ElementType type;
  Index blocks = 0;                                                 ///< parts that are written as a whole
  std::function<std::vector<Index>()> row_numbers, column_numbers;  ///< written beside the table in HDF5; rank 0 calls
  const std::vector<std::string>* row_names = nullptr;  ///< the same, if there are any; null: there are none
  const std::vector<std::string>* column_names = nullptr;
  double scale = 1.0;  ///< an attribute of it there
  /// What the values depend on, by the names that messages have for it: a run goes on only where all are the same.
  std::vector<std::pair<std::string, std::uint64_t>> identity;
};

/// rows x columns numbers, contiguous, row-major, in a file of NumPy (.npy) or HDF5 (data set `distances`, beside it
/// `sources` and `targets`, and of named vertices `source_names` and `target_names`), by the name's ending. It is
/// written as PATH.partial, beside which PATH.partial.blocks says which blocks are there, with their digests and what
/// was found in them; complete() gives it its name. Whatever ends the run leaves both, but for discard(). Behind a
/// symbolic link both are beside its target, and the link stays.
class LengthTableFile {
 public:
  /// Takes the disk space of the whole table. @param resume  go on with what is there, if anything is; anew if the
  /// partial file was cut or replaced, or its list is missing
  /// @throws Error(usage) if there is a partial file and no `resume`, or the folder cannot be written; Error(input) if
  /// the partial file is of another table, which says in what they differ; Error(resource) if there is no room.
  /// Collective; `communicator` must outlive it.
  LengthTableFile(const Communicator& communicator, LengthTableLayout layout, bool resume);
  ~LengthTableFile() = default;
  LengthTableFile(const LengthTableFile&) = delete;
  LengthTableFile& operator=(const LengthTableFile&) = delete;

  /// Whether it goes on with what an earlier run has written.
  [[nodiscard]] bool resumed() const { return resumed_; }
  /// What is wrong with a partial file that was there, so that it began anew; empty if nothing is.
  [[nodiscard]] const std::string& began_anew() const { return began_anew_; }
  /// What was found in the block, if the list has it, and the file the same bytes as were written: reads them.
  /// @param rows, columns  as they were written. @throws Error(resource). Local.
  [[nodiscard]] std::optional<LengthsFound> held(Index block, std::span<const Index> rows, Range columns) const;
  /// Writes a block: the values of these columns of each row, one row after another, and that it is there.
  /// @param found  in it; no length was too long @throws Error(resource) if the disk is full or fails. Local, any rank.
  void write(Index block, std::span<const Index> rows, Range columns, std::span<const std::byte> values,
             const LengthsFound& found);

  /// Flushes it and gives it its name. @throws Error(resource). Collective.
  void complete();
  /// Removes what was written. Local, rank 0.
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
  // The mode of a file that is replaced may be meant to hide what is in it; the table takes it at the end.
  [[nodiscard]] mode_t mode() const { return std::filesystem::exists(target_) ? 0600 : 0666; }
  [[noreturn]] void fail_to_take(int reason) const;
  [[nodiscard]] Header header() const;
  [[nodiscard]] Index place(Index row, Index column) const;

  const Communicator& communicator_;
  LengthTableLayout layout_;
  std::string target_, partial_, blocks_path_, began_anew_;
  std::optional<LeftBehind> left_;  // until the table is there
  Index offset_ = 0;                // of the values in the file
  bool resumed_ = false;
  OpenFile table_, list_;
};

}  // namespace cairn
