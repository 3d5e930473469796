// Where documents stand in the files that were read: for messages that name some of them. Private to the folders that
// read texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

/// A document: its block, counted over all files, and its line there, from 0.
struct DocumentPlace {
  Index block = 0;
  Index line = 0;
};

/// Files that were read, and where their blocks' lines begin.
struct ReadFiles {
  static constexpr Index blocks_of_a_file = Index{1} << 40;  ///< block b of file f is number f * this + b

  std::vector<std::unique_ptr<DocumentFile>> files{};
  std::vector<std::vector<ParsedBlock>> blocks{};  ///< of this rank, by file: numbers in the file, and lines
};

/// The first of this rank's documents of which something is true.
class FirstPlace {
 public:
  /// Of a document in the block in hand. Local.
  void meet(Index line) {
    if (!line_) line_ = line;
  }
  /// Blocks end in ascending order. Local.
  void end_block(Index block) {
    if (line_ && places_.empty()) places_.push_back({block, *line_});
  }
  /// One, or none.
  [[nodiscard]] const std::vector<DocumentPlace>& places() const { return places_; }

 private:
  std::optional<Index> line_;
  std::vector<DocumentPlace> places_;
};

/// The names of the first of all ranks' places, `most` of them, in the order of the files. Collective.
[[nodiscard]] std::vector<std::string> name_places(const Communicator& communicator, const ReadFiles& read,
                                                   const std::vector<DocumentPlace>& own, std::size_t most);

/// A note on texts that hold bytes that are not UTF-8: which is the first, and the remedy.
/// @param what  one of them is called: document, text  @param effect  what becomes of such bytes. Local.
[[nodiscard]] std::string not_utf8_note(Index count, const std::string& what, const std::string& effect,
                                        const std::string& first);

}  // namespace cairn
