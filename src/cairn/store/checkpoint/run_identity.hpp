// What a run is a run of, from its config.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/parameters/settings.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"

namespace cairn {

/// Which keys are special.
struct IdentityRules {
  bool (*may_change)(const std::string& key);  ///< when a run goes on: they do not decide what it computes
  std::string program;                         ///< holds a command, whose words may name files
};

/// The version, the data's digest, and the keys that were given and decide what is computed: files by what they hold, a
/// command with the programs that it names. Local.
[[nodiscard]] RunIdentity identity_of(const Settings& settings, const IdentityRules& rules, const std::string& version,
                                      std::uint64_t digest);

}  // namespace cairn
