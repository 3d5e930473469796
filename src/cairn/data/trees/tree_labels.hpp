// Numbered node labels of trees.
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

/// The trees, texts and numbers that are read from a file.
struct TreeOrigin {
  std::string format, tree, text;
  std::string features{};                    ///< name of the vector whose numbers are read, or all; empty: none
  std::vector<std::string> feature_names{};  ///< of the vector's numbers, in the order of the columns
};

/// Different labels. A label's number is its position in ascending byte order. Every rank has all labels. Labels that
/// contain a word may have a vector.
///
/// Memory: the labels' bytes and 8 per label, 4 more with vectors.
class TreeLabels {
 public:
  static constexpr std::int32_t none = -1;

  TreeLabels() = default;
  /// @throws Error(internal) if the labels are not ascending and different. Local.
  explicit TreeLabels(std::span<const std::string> ascending);

  [[nodiscard]] Index size() const { return std::ssize(starts_) - 1; }
  [[nodiscard]] std::string_view name(std::int32_t number) const {
    const auto first = static_cast<std::size_t>(starts_[number]);
    return std::string_view(characters_)
        .substr(first, static_cast<std::size_t>(starts_[static_cast<std::size_t>(number) + 1]) - first);
  }
  /// The label's number, or none.
  [[nodiscard]] std::int32_t find(std::string_view name) const;

  /// Origin of the trees that have these labels.
  [[nodiscard]] const TreeOrigin& origin() const { return origin_; }
  void set_origin(TreeOrigin origin) { origin_ = std::move(origin); }
  /// Vectors of the words of lexical labels, or null.
  [[nodiscard]] const std::shared_ptr<const WordVectors>& vectors() const { return vectors_; }
  void use_vectors(std::shared_ptr<const WordVectors> vectors);
  /// The row of the label's word in vectors(), or none.
  [[nodiscard]] std::int32_t vector_of(std::int32_t number) const { return rows_.empty() ? none : rows_[number]; }

 private:
  std::string characters_;
  std::vector<Index> starts_{0};
  std::shared_ptr<const WordVectors> vectors_;
  std::vector<std::int32_t> rows_;
  TreeOrigin origin_;
};

/// A lexical label as written by parsers of grammatical relations: LEX##word::p.
struct LexicalLabel {
  std::string_view word;    ///< empty: the label is not lexical
  std::string_view speech;  ///< part of speech, the text after the last ::
};
[[nodiscard]] LexicalLabel lexical_label(std::string_view label);

/// Labels of one rank, numbered in order of appearance.
class LabelNumbers {
 public:
  /// @throws Error(input) for a new label that is not UTF-8; Error(resource) for more than 2^31 labels
  std::int32_t number(std::string_view label);
  [[nodiscard]] Index size() const { return std::ssize(names_); }
  [[nodiscard]] const std::string& name(Index number) const { return *names_[number]; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> names_;  // pointers to keys of numbers_, which are stable
};

/// Shared numbers of the labels of one rank.
struct SharedLabels {
  std::shared_ptr<TreeLabels> labels;
  std::vector<std::int32_t> numbers;  ///< indices into `labels`, one for each label of this rank
};

/// The labels of all ranks and those of `more` (equal on every rank, or null). They do not depend on the number of
/// ranks. Collective.
[[nodiscard]] SharedLabels share_labels(const Communicator& communicator, const LabelNumbers& own,
                                        const TreeLabels* more = nullptr);

/// A 64-bit digest of the labels and their vectors. Local.
[[nodiscard]] std::uint64_t labels_digest(const TreeLabels& labels);

/// @throws Error(input) naming the first byte, from 1, at which `text` is not UTF-8 or is 0. Local.
void require_utf8(std::string_view text, const char* what);

}  // namespace cairn
