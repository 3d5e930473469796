// Keys that were given and would have no effect, and those that do not go together.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn::app {

/// Collects keys that were given and have no effect in a run, with the sentence that says why.
class IdleKeys {
 public:
  struct Key {
    std::string name;
    std::string message;  ///< "--approximation.alpha has no effect if approximation.method is nystrom; ..."
  };

  explicit IdleKeys(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<Key>& list() const { return list_; }

  /// If `name` was given: it has no effect if `why`.
  void add(const std::string& name, const std::string& why);
  /// If `name` was given and `chosen`, the value of `chooser`, is none of the `owners` that have this key.
  void add_unless(const std::string& name, const std::string& chooser, const std::string& chosen,
                  const std::vector<std::string>& owners);
  /// If both were given, the first of which then counts for nothing.
  void add_beside(const std::string& name, const std::string& other);

 private:
  const Settings& settings_;
  std::vector<Key> list_;
};

/// Keys that would have no effect in the run that the settings describe: those of another kind of data, similarity,
/// method, operator or solver.
/// @param request  that of the settings
/// @throws Error(usage) that names key and reason for a value out of range and for values that do not go together.
/// Local.
[[nodiscard]] std::vector<IdleKeys::Key> idle_keys(const Settings& settings, const RunRequest& request);

/// @throws as idle_keys, and for the first key that would have no effect. Local.
void refuse_idle_keys(const Settings& settings, const RunRequest& request);

/// The request of the settings, none of which is idle. @throws as request_of and refuse_idle_keys. Local.
[[nodiscard]] RunRequest checked_request(const Settings& settings);

/// The same for [data] alone: a command that knows no other section.
void refuse_idle_data_keys(const Settings& settings);

/// The same of --overwrite, where no option names a file that is written.
void refuse_idle_overwrite(const Settings& settings);

/// The part of idle_keys that is of [data].
void add_idle_data_keys(IdleKeys& idle);

}  // namespace cairn::app
