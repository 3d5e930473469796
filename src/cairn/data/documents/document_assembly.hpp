// Documents parsed in any order, sent to the ranks that own them. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// The documents of one block of a file, on the rank that parsed it.
struct DocumentPiece {
  Index block = 0;                      ///< its number, ascending over all files
  DocumentBags bags{};                  ///< words: any numbers >= 0, ascending in a document
  std::vector<std::int32_t> lines{};    ///< of each document, from 0 in the block
  Index first_number = 0;               ///< of the first document that was read in the block, over all blocks
  std::vector<std::int32_t> offsets{};  ///< of each document: how many were read before it in the block
  std::string labels{};                 ///< one a document, a byte 0 after each; empty: there are none
  std::string splits{};                 ///< likewise
  std::string groups{};                 ///< likewise
  std::string identifiers{};            ///< likewise
};

/// What all pieces have in common, on every rank.
struct DocumentTraits {
  bool labels = false, splits = false, groups = false, identifiers = false, texts = false;
  bool numbers = false;  ///< some documents were left out: the others keep their numbers in the file
};

/// The documents of all ranks in the order of their blocks. Pieces are sent and freed a few at a time: the documents of
/// this rank are held twice at the most. @throws Error(input) if there are none: `path` is named. Collective.
[[nodiscard]] std::unique_ptr<DocumentSet> assemble_documents(const Communicator& communicator, const std::string& path,
                                                              std::vector<DocumentPiece> pieces,
                                                              const DocumentTraits& traits,
                                                              std::shared_ptr<const WordVectors> vectors);

}  // namespace cairn
