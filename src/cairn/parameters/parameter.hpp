// Description of one parameter: of a method or similarity, a key of a config, or a command-line option.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

/// Type of a value: how its text is checked and read.
enum class ValueType {
  text,
  choice,      ///< one of `choices`
  integer,     ///< an integer, 1e7 allowed
  number,      ///< a floating-point number
  flag,        ///< true or false
  size,        ///< bytes, with a suffix kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB
  duration,    ///< seconds, 90s, 10m, 2h, H:MM:SS or D-HH:MM:SS
  input_path,  ///< an input file; in a config relative to the config's folder
  output_path  ///< an output file; relative to the working directory
};

[[nodiscard]] inline bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Name, type and constraints of a parameter. Config keys have a dot in their name (section.key); options of one
/// command and the parameters of a descriptor have none.
struct Parameter {
  std::string name;
  std::string value = {};  ///< placeholder for the value in --help: N, FILE, SIZE
  ValueType type = ValueType::text;
  std::string fallback = {};  ///< the default as text; empty: none
  std::string help = {};      ///< a complete sentence, with units
  std::vector<std::string> choices = {};
  std::optional<double> lowest = {};  ///< smallest value that is accepted (integer, number)
  bool repeatable = false;
  std::optional<double> highest = {};  ///< largest value that is accepted (integer, number)
  std::optional<double> above = {};    ///< values are larger than this (integer, number)
  std::optional<double> below = {};    ///< values are smaller than this (integer, number)
  bool rare = false;                   ///< only `help all`, `help NAME` and the page of keys show it
};

}  // namespace cairn
