// Identity of a run, from its config.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/parameters/settings.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"

namespace cairn {

/// Keys with special treatment.
struct IdentityRules {
  bool (*may_change)(const std::string& key);  ///< true: a resumed run may have another value
  std::string program;                         ///< key that holds a command, whose words may name files
};

/// The version, the data digest, and the given keys that affect what is computed: files by their content, a command
/// together with the programs that it names. Local.
[[nodiscard]] RunIdentity identity_of(const Settings& settings, const IdentityRules& rules, const std::string& version,
                                      std::uint64_t digest);

}  // namespace cairn
