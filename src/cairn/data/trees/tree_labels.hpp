// The labels of the nodes of trees, numbered.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/word_vectors/word_vectors.hpp"

namespace cairn {

/// Which trees, texts and numbers of a file are read.
struct TreeOrigin {
  std::string format, tree, text;
  std::string features{};                    ///< the vector whose numbers are read, by name, or all; empty: none
  std::vector<std::string> feature_names{};  ///< of its numbers, in the order of the columns
};

/// Different labels in ascending order of their bytes, whose places there are their numbers; every rank has all of
/// them. Labels that hold a word may have a vector.
///
/// Memory: the labels' bytes and 8 a label, 4 more with vectors.
class TreeLabels {
 public:
  static constexpr std::int32_t none = -1;

  TreeLabels() = default;
  /// @throws Error(internal) if they are not ascending and different. Local.
  explicit TreeLabels(std::span<const std::string> ascending);

  [[nodiscard]] Index size() const { return std::ssize(starts_) - 1; }
  [[nodiscard]] std::string_view name(std::int32_t number) const {
    const auto first = static_cast<std::size_t>(starts_[static_cast<std::size_t>(number)]);
    return std::string_view(characters_)
        .substr(first, static_cast<std::size_t>(starts_[static_cast<std::size_t>(number) + 1]) - first);
  }
  /// Its number, or none.
  [[nodiscard]] std::int32_t find(std::string_view name) const;

  /// Where the trees are from that have these labels.
  [[nodiscard]] const TreeOrigin& origin() const { return origin_; }
  void set_origin(TreeOrigin origin) { origin_ = std::move(origin); }
  /// Vectors of the words of lexical labels, or null.
  [[nodiscard]] const std::shared_ptr<const WordVectors>& vectors() const { return vectors_; }
  void use_vectors(std::shared_ptr<const WordVectors> vectors);
  /// The row of the label's word in vectors(), or none.
  [[nodiscard]] std::int32_t vector_of(std::int32_t number) const {
    return rows_.empty() ? none : rows_[static_cast<std::size_t>(number)];
  }

 private:
  std::string characters_;
  std::vector<Index> starts_{0};
  std::shared_ptr<const WordVectors> vectors_;
  std::vector<std::int32_t> rows_;
  TreeOrigin origin_;
};

/// A lexical label, as parsers of grammatical relations write it: LEX##word::p.
struct LexicalLabel {
  std::string_view word;    ///< empty: the label is no lexical one
  std::string_view speech;  ///< the part of speech, what stands after the last ::
};
[[nodiscard]] LexicalLabel lexical_label(std::string_view label);

/// Labels numbered as they come, on one rank.
class LabelNumbers {
 public:
  /// @throws Error(input) for a new label that is not UTF-8; Error(resource) for more than 2^31 labels
  std::int32_t number(std::string_view label);
  [[nodiscard]] Index size() const { return std::ssize(names_); }
  [[nodiscard]] const std::string& name(Index number) const { return *names_[static_cast<std::size_t>(number)]; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> names_;  // keys of numbers_, which stay where they are
};

/// What labels of one rank are for all.
struct SharedLabels {
  std::shared_ptr<TreeLabels> labels;
  std::vector<std::int32_t> numbers;  ///< in `labels`, of each that this rank numbered
};

/// The labels of all ranks, and those of `more` (the same on every rank, or null), the same on any number of ranks.
/// Collective.
[[nodiscard]] SharedLabels share_labels(const Communicator& communicator, const LabelNumbers& own,
                                        const TreeLabels* more = nullptr);

/// 64 bits of the labels and their vectors. Local.
[[nodiscard]] std::uint64_t labels_digest(const TreeLabels& labels);

/// @throws Error(input) that says at which byte, from 1, `text` is not UTF-8, or holds a byte 0. Local.
void require_utf8(std::string_view text, const char* what);

}  // namespace cairn
