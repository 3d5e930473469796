// Sends words to the ranks that own them. Private to the folders that read texts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

[[nodiscard]] inline std::uint64_t hash_of_word(std::string_view word) {
  return hash_bytes(std::as_bytes(std::span(word)), 1);
}

/// The rank that counts and numbers a word, independent of which rank read it.
[[nodiscard]] inline int owner_of_word(std::string_view word, int ranks) {
  return static_cast<int>(hash_of_word(word) % static_cast<std::uint64_t>(ranks));
}

/// Words of this rank, each with a number (a count, a place in a file), grouped by owner. After exchange(): the words
/// that other ranks have sent to this one.
class WordMessage {
 public:
  explicit WordMessage(int ranks) : heads_(static_cast<std::size_t>(ranks)), characters_(heads_.size()) {}

  /// @return the owner
  std::size_t add(std::string_view word, Index number) {
    const auto owner = static_cast<std::size_t>(owner_of_word(word, static_cast<int>(heads_.size())));
    heads_[owner].push_back({number, std::ssize(word)});
    characters_[owner].insert(characters_[owner].end(), word.begin(), word.end());
    return owner;
  }
  /// Collective.
  void exchange(const Communicator& communicator) {
    heads_ = communicator.exchange(heads_);
    characters_ = communicator.exchange(characters_);
  }
  /// Number of words to a rank, or from a rank.
  [[nodiscard]] std::size_t size(std::size_t rank) const { return heads_[rank].size(); }
  [[nodiscard]] std::size_t ranks() const { return heads_.size(); }
  /// Calls use(rank, k, word, number) for the received words, in the order in which each rank sent them.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t r = 0; r < heads_.size(); ++r) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < heads_[r].size(); ++k) {
        const auto bytes = static_cast<std::size_t>(heads_[r][k].bytes);
        use(r, k, std::string_view(characters_[r].data() + at, bytes), heads_[r][k].number);
        at += bytes;
      }
    }
  }

 private:
  struct Head {  // the characters are stored separately
    Index number = 0;
    Index bytes = 0;
  };
  std::vector<std::vector<Head>> heads_;
  std::vector<std::vector<char>> characters_;
};

}  // namespace cairn
