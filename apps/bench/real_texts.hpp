// The texts that benchmarks read.
#pragma once

#include <filesystem>
#include <string>

#include "cairn/data/documents/document_reader.hpp"

namespace cairn::bench {

/// @param kind  tweets, recipes, abstracts or messages @param data  folder of the data
/// @throws Error(usage) for another kind; Error(input) for files that are missing. Collective.
[[nodiscard]] DocumentSource texts_of_kind(const std::string& kind, const std::filesystem::path& data,
                                           const Communicator& world);

}  // namespace cairn::bench
