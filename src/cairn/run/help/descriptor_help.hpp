// Help generated from the tables of descriptors.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Names of the keys of each section in help.
struct HelpNames {
  KeyNames data, similarity, landmarks, approximation, output;
};

/// Help topic with a table of descriptors.
struct DescribedTopic {
  std::string name;  ///< method, similarity, data, selection, task
  std::string (*list)();
  std::vector<std::string> (*names)();
  /// @throws Error(usage) for an unknown name; the message suggests the nearest
  std::string (*describe)(const std::string& name, const HelpNames& keys);
};

/// All topics, in the order of help. Local.
[[nodiscard]] const std::vector<DescribedTopic>& described_topics();

/// Words that help accepts besides commands and keys: "keys", the tables, the sections, all names of the tables. Local.
[[nodiscard]] std::vector<std::string> topics_of_help(const std::vector<Section>& sections);

}  // namespace cairn
