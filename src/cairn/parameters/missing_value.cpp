#include "cairn/parameters/missing_value.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/joined.hpp"

namespace cairn {

std::vector<MissingKey> missing_keys(Settings settings, const std::function<void(const Settings&)>& check,
                                     const std::function<std::string(const Settings&, const Parameter&)>& example) {
  std::vector<MissingKey> missing;
  for (;;) {
    try {
      check(settings);
      return missing;
    } catch (const MissingValue& error) {
      const std::string& name = error.name();
      if (!settings.knows(name) || settings.given(name)) return missing;
      missing.push_back({name, example(settings, settings.option(name))});
      settings.set(name, missing.back().example, "an example");
    } catch (const Error&) {
      return missing;  // other errors are reported when nothing is missing
    }
  }
}

std::string missing_text(const std::vector<MissingKey>& keys) {
  std::vector<std::string> names, options;
  for (const MissingKey& key : keys) {
    names.push_back(key.name);
    options.push_back(fmt::format("--{} {}", key.name, key.example));
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {} are missing; give for example {}", joined(names, ", "), last, joined(options, " "));
}

}  // namespace cairn
