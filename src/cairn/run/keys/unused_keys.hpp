// Given keys that would have no effect, and incompatible keys.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

/// Collects given keys that have no effect in a run, with a sentence that states the reason.
class UnusedKeys {
 public:
  struct Key {
    std::string name;
    std::string message;  ///< "--approximation.alpha has no effect if approximation.method is nystrom; ..."
  };

  explicit UnusedKeys(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<Key>& list() const { return list_; }

  /// Adds `name` if it was given: it has no effect if `why`.
  void add(const std::string& name, const std::string& why);
  /// Adds `name` if it was given and `chosen`, the value of `chooser`, is not among the `owners` that have this key.
  void add_unless(const std::string& name, const std::string& chooser, const std::string& chosen,
                  const std::vector<std::string>& owners);
  /// Adds `name` if both were given: it then has no effect.
  void add_beside(const std::string& name, const std::string& other);

 private:
  const Settings& settings_;
  std::vector<Key> list_;
};

/// Keys that would have no effect in the run that the settings describe: those of another kind of data, similarity,
/// method, operator or solver.
/// @param request  request made from the settings
/// @throws Error(usage) that names key and reason for a value out of range and for incompatible values. Local.
[[nodiscard]] std::vector<UnusedKeys::Key> unused_keys(const Settings& settings, const RunRequest& request);

/// @throws as unused_keys, and for the first key that would have no effect. Local.
void refuse_unused_keys(const Settings& settings, const RunRequest& request);

/// The request of the settings, if none of them is unused. @throws as request_of and refuse_unused_keys. Local.
[[nodiscard]] RunRequest checked_request(const Settings& settings);

/// The same for [data] alone, for a command without other sections.
void refuse_unused_data_keys(const Settings& settings);

/// The same for --overwrite, if no option names an output file.
void refuse_unused_overwrite(const Settings& settings);

/// Adds the unused keys of [data].
void add_unused_data_keys(UnusedKeys& idle);

}  // namespace cairn
