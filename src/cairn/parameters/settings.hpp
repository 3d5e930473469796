// The values of a run: from a config, the command line, or the defaults of the table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/parameter.hpp"

namespace cairn {

/// @throws Error(usage) that begins with `where` unless `text` has the form and range of the parameter. Local.
void check_value(const Parameter& parameter, const std::string& text, const std::string& where);

/// Converts a checked text to its integer, size or duration. Local.
[[nodiscard]] Index parse_as_integer(const Parameter& parameter, const std::string& text);

/// Checked values by name. A later value replaces an earlier one of the same name; repeatable options collect.
class Settings {
 public:
  explicit Settings(std::vector<Parameter> known);

  [[nodiscard]] bool knows(const std::string& name) const { return known_.contains(name); }
  [[nodiscard]] std::vector<std::string> known_names() const;
  [[nodiscard]] const Parameter& option(const std::string& name) const { return known_.at(name); }

  /// Checks and stores a value.
  /// @param origin  place of the value, for messages: "x.cfg:12" or "the command line"
  /// @param folder  base of a relative input path; empty: the working directory
  /// @throws Error(usage) for an unknown name (suggests the nearest) or a value of the wrong form
  void set(const std::string& name, const std::string& text, const std::string& origin, const std::string& folder = "");
  /// Treats a text value as the path of an input file, relative to the config that contains it, and makes it absolute.
  void take_for_path(const std::string& name);
  /// Removes a value: the default applies again.
  void clear(const std::string& name) { values_.erase(name); }

  /// True if a value was given (not the default).
  [[nodiscard]] bool given(const std::string& name) const { return values_.contains(name); }
  /// Place of the value of `name`: "x.cfg:12: landmarks.count", "--landmarks.count", or the name itself for a default.
  /// Messages about the value begin with it.
  [[nodiscard]] std::string where(const std::string& name) const;

  /// The value, or the default; empty if there is neither.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  /// All values of a repeatable option.
  [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
  /// @throws Error(usage) if there is neither a value nor a default
  [[nodiscard]] Index integer(const std::string& name) const;  ///< integers, sizes, durations
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  /// The value or default if there is one, else `otherwise`.
  [[nodiscard]] Index integer_or(const std::string& name, Index otherwise) const;
  [[nodiscard]] double number_or(const std::string& name, double otherwise) const;
  /// @throws Error(usage) that states what to give, if there is neither a value nor a default
  const std::string& required(const std::string& name) const;

  /// The given keys (names with a dot) as a config, with absolute input paths. It gives the same run anywhere on this
  /// machine. @param options  options without a section, written before all sections
  [[nodiscard]] std::string as_config(const std::vector<Parameter>& options = {}) const;

 private:
  [[nodiscard]] std::string config_line(const std::string& name, const std::string& key) const;

  struct Value {
    std::vector<std::string> texts;
    std::string origin;
    std::string folder;  // of the config that contains it; empty: the working directory
  };

  std::map<std::string, Parameter> known_;
  std::map<std::string, Value> values_;
};

}  // namespace cairn
