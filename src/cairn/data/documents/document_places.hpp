// Positions of documents in the files that were read, for messages that name some of them. Private to the folders that
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

/// Position of a document: its block, counted over all files, and its line in the block, from 0.
struct DocumentPlace {
  Index block = 0;
  Index line = 0;
};

/// Files that were read, and the number of lines of their blocks.
struct ReadFiles {
  static constexpr Index blocks_of_a_file = Index{1} << 40;  ///< block b of file f has number f * blocks_of_a_file + b

  std::vector<std::unique_ptr<DocumentFile>> files{};
  std::vector<std::vector<ParsedBlock>> blocks{};  ///< of this rank, per file: block numbers in the file, and lines
};

/// The first of this rank's documents with some property.
class FirstPlace {
 public:
  /// Records a document of the current block. Local.
  void meet(Index line) {
    if (!line_) line_ = line;
  }
  /// Ends the current block. Blocks end in ascending order. Local.
  void end_block(Index block) {
    if (line_ && places_.empty()) places_.push_back({block, *line_});
  }
  /// At most one place.
  [[nodiscard]] const std::vector<DocumentPlace>& places() const { return places_; }

 private:
  std::optional<Index> line_;
  std::vector<DocumentPlace> places_;
};

/// Names of the first `most` places of all ranks, in the order of the files. Collective.
[[nodiscard]] std::vector<std::string> name_places(const Communicator& communicator, const ReadFiles& read,
                                                   const std::vector<DocumentPlace>& own, std::size_t most);

/// A note on texts that contain bytes that are not UTF-8: names the first one and the remedy.
/// @param what    noun for one of them: document, text
/// @param effect  what is done with such bytes. Local.
[[nodiscard]] std::string not_utf8_note(Index count, const std::string& what, const std::string& effect,
                                        const std::string& first);

}  // namespace cairn
