// What one key of a config, or one option of the command line, is.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace cairn::app {

/// How the text of a value is checked and read.
enum class ValueType {
  text,
  choice,      ///< one of `choices`
  integer,     ///< an integer, 1e7 allowed
  number,      ///< a floating-point number
  flag,        ///< true or false
  size,        ///< bytes, with a suffix kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB
  duration,    ///< seconds, 90s, 10m, 2h, H:MM:SS or D-HH:MM:SS
  input_path,  ///< a file that is read; in a config relative to the config's folder
  output_path  ///< a file that is written; relative to the working directory
};

[[nodiscard]] inline bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// One row of the table of options. Keys of a config have a dot in their name (section.key), options of one command
/// none.
struct Option {
  std::string name;
  std::string value;  ///< what stands for the value in --help: N, FILE, SIZE
  ValueType type = ValueType::text;
  std::string fallback;  ///< the default as text; empty: none
  std::string help;      ///< a complete sentence, with units
  std::vector<std::string> choices = {};
  std::optional<double> lowest = {};  ///< smallest value that is accepted (integer, number)
  bool repeatable = false;
  std::optional<double> highest = {};  ///< largest value that is accepted (integer, number)
};

}  // namespace cairn::app
