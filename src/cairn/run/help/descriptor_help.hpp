// What the tables of descriptors say, as help.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// How help calls the keys of each section.
struct HelpNames {
  KeyNames data, similarity, landmarks, approximation, output;
};

/// What has a table of descriptors.
struct DescribedTopic {
  std::string name;  ///< method, similarity, data, selection, task
  std::string (*list)();
  std::vector<std::string> (*names)();
  /// @throws Error(usage) for an unknown name; it suggests the nearest
  std::string (*describe)(const std::string& name, const HelpNames& keys);
};

/// In the order of help. Local.
[[nodiscard]] const std::vector<DescribedTopic>& described_topics();

/// Words that help takes beside commands and keys: "keys", the tables, the sections, all names of the tables. Local.
[[nodiscard]] std::vector<std::string> topics_of_help(const std::vector<Section>& sections);

}  // namespace cairn
