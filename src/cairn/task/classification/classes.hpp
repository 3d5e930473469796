// Converts labels to classes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

inline constexpr std::int32_t no_class = -1;

/// The classes of a distributed set of labels.
struct Classes {
  std::vector<std::string> names;  ///< ascending as texts, the same on every rank
  std::vector<std::int32_t> own;   ///< for each of this rank's rows: position in `names`, or no_class without a label
  /// Sentences on words that count as missing labels, and on different names of the same number; the same on every
  /// rank.
  std::vector<std::string> notices{};

  [[nodiscard]] Index count() const { return static_cast<Index>(names.size()); }
};

/// A set of more distinct labels than this is regarded as values instead of classes.
inline constexpr std::size_t most_classes = 1000;

/// A label that is_missing counts as no label, unless a known class has this name.
/// @param known  names that come first, in this order (the classes of a model); others follow, ascending
/// @return nothing if there are more than most_classes. Collective.
[[nodiscard]] std::optional<Classes> find_classes(const Communicator& communicator, std::span<const std::string> labels,
                                                  const std::vector<std::string>& known);

/// As find_classes. @throws Error(input) if there are more than most_classes. Collective.
[[nodiscard]] Classes classes_of(const Communicator& communicator, std::span<const std::string> labels,
                                 const std::vector<std::string>& known = {});

/// @param identifiers  of this rank's rows, if they have any, such as texts of a folder @param key  for their labels
/// @throws Error(input) that names the remedy if no rank's rows of the result `path` have labels. Collective.
void require_labels(const Communicator& communicator, const std::string& path, std::span<const std::string> labels,
                    std::span<const std::string> identifiers, const std::string& key);

/// The notices, and a sentence if there are many classes and all of them are numbers. Local.
[[nodiscard]] std::vector<std::string> notices_of(const Classes& classes);

/// The name of a class of which a label is another spelling: the same number (6 and 6.0), or different capitalization;
/// nothing if there is none. Local.
[[nodiscard]] std::optional<std::string> other_spelling(const std::string& label,
                                                        const std::vector<std::string>& names);

/// Shortens a list with one sentence per class: if there are more than five, keeps three and adds the number of the
/// others. Local.
[[nodiscard]] std::vector<std::string> first_sentences(std::vector<std::string> sentences);

/// Number of rows of each class over all ranks. @param rows  positions in classes.own. Collective.
[[nodiscard]] std::vector<Index> class_sizes(const Communicator& communicator, const Classes& classes,
                                             std::span<const Index> rows);

}  // namespace cairn
