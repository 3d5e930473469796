#include "cairn/store/checkpoint/run_identity.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "cairn/data/io/same_files.hpp"

namespace cairn {

namespace {

std::string fingerprint(const std::string& path) { return fmt::format("{:016x}", file_fingerprint(path)); }

// Fingerprints of the words of a command that name files; the program is found as a shell finds it. A script that was
// edited gives other scores.
std::string program_fingerprints(const std::string& command) {
  std::string text;
  std::istringstream words(command);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    std::vector<std::string> places{word};
    if (first && word.find('/') == std::string::npos) {
      const char* path = std::getenv("PATH");
      std::istringstream folders(path == nullptr ? "" : path);
      for (std::string folder; std::getline(folders, folder, ':');) places.push_back(folder + "/" + word);
      places.erase(places.begin());
    }
    for (const std::string& place : places) {
      std::error_code unknown;
      if (!std::filesystem::is_regular_file(place, unknown)) continue;
      text += fmt::format(" ({} {})", word, fingerprint(place));
      break;
    }
  }
  return text;
}

}  // namespace

RunIdentity identity_of(const Settings& settings, const IdentityRules& rules, const std::string& version,
                        std::uint64_t digest) {
  constexpr const char* tiling = "4";  // increase it if the same config is divided into other tiles
  RunIdentity identity{{"version", version}, {"tiling", tiling}, {"data digest", fmt::format("{:016x}", digest)}};
  for (const std::string& name : settings.known_names()) {
    if (!settings.given(name) || rules.may_change(name)) continue;
    const Parameter& option = settings.option(name);
    if (settings.text(name) == option.fallback) continue;  // same as not given
    if (option.type == ValueType::input_path)
      identity[name] = "a file of digest " + fingerprint(settings.text(name));  // independent of its name
    else if (name == rules.program)
      identity[name] = settings.text(name) + program_fingerprints(settings.text(name));
    else if (option.type == ValueType::number && !option.repeatable)
      identity[name] = fmt::format("{}", settings.number(name));
    else
      identity[name] = settings.text(name);
  }
  return identity;
}

}  // namespace cairn
