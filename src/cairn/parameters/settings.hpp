// The values of a run: from a config, from the command line, or the defaults of the table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/parameter.hpp"

namespace cairn {

/// @throws Error(usage) that begins with `where` unless `text` has the form and range that the parameter asks for.
/// Local.
void check_value(const Parameter& parameter, const std::string& text, const std::string& where);

/// The integer, size or duration that a checked text is. Local.
[[nodiscard]] Index parse_as_integer(const Parameter& parameter, const std::string& text);

/// Checked values by name. Later values of the same name win; repeatable options collect.
class Settings {
 public:
  explicit Settings(std::vector<Parameter> known);

  [[nodiscard]] bool knows(const std::string& name) const { return known_.contains(name); }
  [[nodiscard]] std::vector<std::string> known_names() const;
  [[nodiscard]] const Parameter& option(const std::string& name) const { return known_.at(name); }

  /// Checks and keeps a value.
  /// @param origin  where it stands, for messages: "x.cfg:12" or "the command line"
  /// @param folder  what a relative input path is relative to; empty: the working directory
  /// @throws Error(usage) for an unknown name (suggests the nearest) or a value of the wrong form
  void set(const std::string& name, const std::string& text, const std::string& origin, const std::string& folder = "");
  /// Takes a value that is a text for the path of a file that is read: relative to the config that it stands in. It is
  /// an absolute path from then on.
  void take_for_path(const std::string& name);
  /// Forgets a value: the default holds again.
  void clear(const std::string& name) { values_.erase(name); }

  /// Whether a value was given (not the default).
  [[nodiscard]] bool given(const std::string& name) const { return values_.contains(name); }
  /// Where the value of `name` stands: "x.cfg:12: landmarks.count", "--landmarks.count", or the name where it is a
  /// default. Begins a message about it.
  [[nodiscard]] std::string where(const std::string& name) const;

  /// The value, or the default; empty if there is neither.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  /// All values of a repeatable option.
  [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
  /// @throws Error(usage) if there is neither a value nor a default
  [[nodiscard]] Index integer(const std::string& name) const;  ///< integers, sizes, durations
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  /// The value where there is one or a default, else `otherwise`.
  [[nodiscard]] Index integer_or(const std::string& name, Index otherwise) const;
  [[nodiscard]] double number_or(const std::string& name, double otherwise) const;
  /// @throws Error(usage) that says what to give, if there is neither a value nor a default
  const std::string& required(const std::string& name) const;

  /// The keys (names with a dot) that were given, as a config; input paths made absolute. It gives the same run
  /// anywhere on this machine. @param options  that have no section, and belong before all of them
  [[nodiscard]] std::string as_config(const std::vector<Parameter>& options = {}) const;

 private:
  [[nodiscard]] std::string config_line(const std::string& name, const std::string& key) const;

  struct Value {
    std::vector<std::string> texts;
    std::string origin;
    std::string folder;  // of the config that it stands in; empty: the working directory
  };

  std::map<std::string, Parameter> known_;
  std::map<std::string, Value> values_;
};

}  // namespace cairn
