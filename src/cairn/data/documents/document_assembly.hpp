// Sends documents, parsed in any order, to the ranks that own them. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// The documents of one block of a file, on the rank that parsed it.
struct DocumentPiece {
  Index block = 0;                      ///< number of the block, ascending over all files
  DocumentBags bags{};                  ///< word numbers >= 0, ascending within a document
  std::vector<std::int32_t> lines{};    ///< line of each document, from 0 in the block
  Index first_number = 0;               ///< number of the first document read in the block, counted over all blocks
  std::vector<std::int32_t> offsets{};  ///< per document: number of documents read before it in the block
  std::string labels{};                 ///< one label per document, each followed by a byte 0; empty: no labels
  std::string splits{};                 ///< as `labels`
  std::string groups{};                 ///< as `labels`
  std::string identifiers{};            ///< as `labels`
};

/// Properties that all pieces share, equal on every rank.
struct DocumentTraits {
  bool labels = false, splits = false, groups = false, identifiers = false, texts = false;
  bool numbers = false;  ///< some documents were left out; the others keep their numbers in the file
};

/// Assembles the documents of all ranks in the order of their blocks. Pieces are sent and freed in small groups, so
/// that at most two copies of this rank's documents exist at a time.
/// @throws Error(input) naming `path` if there are no documents. Collective.
[[nodiscard]] std::unique_ptr<DocumentSet> assemble_documents(const Communicator& communicator, const std::string& path,
                                                              std::vector<DocumentPiece> pieces,
                                                              const DocumentTraits& traits,
                                                              std::shared_ptr<const WordVectors> vectors);

}  // namespace cairn
