// Landmark documents and their words in a result file. Private to this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// The words that the landmark documents of both factors use, numbered anew in their order. Nothing where the landmarks
/// are no documents or have no words. Refers to the blocks, which must live.
class LandmarkWords {
 public:
  LandmarkWords(const std::optional<FactorOrigin>& left, const std::optional<FactorOrigin>& right);

  /// Bytes in the file.
  [[nodiscard]] Index bytes() const;
  /// /words: names and vectors. One rank.
  void write(const hdf5::Handle& file) const;
  /// starts, words and counts, and texts where there are any. One rank.
  void write_documents(const hdf5::Handle& group, const DocumentBlock& documents) const;

 private:
  const WordVectors* vectors_ = nullptr;
  std::vector<std::int32_t> words_;  // their numbers in vectors_, ascending
};

/// Bytes of the documents in the file, but for their words' names and vectors.
[[nodiscard]] Index document_bytes(const DocumentBlock& documents);

/// The words of a result; null where it has none. Every rank reads them. @param dimension  of their vectors
/// @throws Error(input) for names or vectors that cannot be. Collective.
[[nodiscard]] std::shared_ptr<const WordVectors> read_landmark_words(const Communicator& communicator,
                                                                     const hdf5::InputFile& file, Index dimension);

/// The documents in the group `name`. @param words  what they number, or null where they are texts alone
/// @throws Error(input) where they are not sound. Local.
[[nodiscard]] std::unique_ptr<DocumentBlock> read_landmark_documents(const hdf5::InputFile& file,
                                                                     const std::string& name,
                                                                     const std::vector<Index>& indices,
                                                                     const std::shared_ptr<const WordVectors>& words);

}  // namespace cairn
