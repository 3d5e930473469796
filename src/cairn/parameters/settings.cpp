#include "cairn/parameters/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/parameters/missing_value.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

const std::string command_line = "the command line";

std::string place(const std::string& name, const std::string& origin) {
  return origin == command_line ? "--" + name : origin + ": " + name;
}

[[noreturn]] void refuse(const std::string& where, const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{} = {} {}", where, text, why));
}

void check_range(const Parameter& option, const std::string& text, double value, const std::string& where) {
  if (option.lowest && value < *option.lowest) refuse(where, text, fmt::format("is below {}", *option.lowest));
  if (option.highest && value > *option.highest) refuse(where, text, fmt::format("is above {}", *option.highest));
  if (option.above && !(value > *option.above)) refuse(where, text, fmt::format("is not above {}", *option.above));
  if (option.below && !(value < *option.below)) refuse(where, text, fmt::format("is not below {}", *option.below));
}

}  // namespace

void check_value(const Parameter& option, const std::string& text, const std::string& where) {
  if (text.empty()) throw Error(ErrorKind::usage, where + " has no value");
  switch (option.type) {
    case ValueType::choice:
      if (std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end()) {
        const std::string near = suggestion(text, option.choices);
        refuse(where, text,
               "is not known" + (near.empty() ? fmt::format("; known are {}", joined(option.choices, ", ")) : near));
      }
      break;
    case ValueType::integer: {
      const auto value = parse_integer(text);
      if (!value) refuse(where, text, "is not an integer");
      check_range(option, text, static_cast<double>(*value), where);
      break;
    }
    case ValueType::number: {
      const auto value = parse_number(text);
      if (!value) refuse(where, text, "is not a finite number");
      check_range(option, text, *value, where);
      break;
    }
    case ValueType::flag:
      if (text != "true" && text != "false") {
        refuse(where, text, "is neither true nor false" + suggestion(text, {"true", "false"}));
      }
      break;
    case ValueType::size:
      if (!parse_size(text) && !contains(option.choices, text)) {
        refuse(where, text,
               "is not a size in bytes, such as 512MB, 4GB or 4GiB" +
                   (option.choices.empty() ? "" : fmt::format(", nor {}", joined(option.choices, ", "))));
      }
      break;
    case ValueType::duration:
      if (!parse_duration(text)) refuse(where, text, "is not a time, such as 90s, 10m, 2h or 23:30:00");
      break;
    case ValueType::text:
    case ValueType::input_path:
    case ValueType::output_path:
      break;
  }
}

Index parse_as_integer(const Parameter& parameter, const std::string& text) {
  switch (parameter.type) {
    case ValueType::size:
      return contains(parameter.choices, text) ? 0 : parse_size(text).value();
    case ValueType::duration:
      return parse_duration(text).value();
    default:
      return parse_integer(text).value();
  }
}

Settings::Settings(std::vector<Parameter> known) {
  for (Parameter& option : known) {
    const std::string name = option.name;
    known_.emplace(name, std::move(option));
  }
}

std::vector<std::string> Settings::known_names() const {
  std::vector<std::string> names;
  for (const auto& [name, option] : known_) names.push_back(name);
  return names;
}

void Settings::set(const std::string& name, const std::string& text, const std::string& origin,
                   const std::string& folder) {
  const auto found = known_.find(name);
  if (found == known_.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: no key is called '{}'{}", origin, name, suggestion(name, known_names())));
  }
  const Parameter& option = found->second;
  const std::string where = place(name, origin);
  check_value(option, text, where);
  // A stored config has one value per line.
  if (text.find_first_of("\n\r") != std::string::npos) {
    throw Error(ErrorKind::usage, where + " has more than one line");
  }
  std::string kept = text;
  if (option.type == ValueType::input_path && !folder.empty() && std::filesystem::path(text).is_relative()) {
    kept = (std::filesystem::path(folder) / text).lexically_normal().string();
  }
  Value& value = values_[name];
  if (!option.repeatable) value.texts.clear();
  value.texts.push_back(std::move(kept));
  value.origin = origin;
  value.folder = folder;
}

void Settings::take_for_path(const std::string& name) {
  Value& value = values_.at(name);
  for (std::string& text : value.texts) {
    text = std::filesystem::absolute(std::filesystem::path(value.folder) / text).lexically_normal().string();
  }
}

std::string Settings::where(const std::string& name) const {
  const auto value = values_.find(name);
  return value == values_.end() ? name : place(name, value->second.origin);
}

const std::string& Settings::text(const std::string& name) const {
  const auto value = values_.find(name);
  return value == values_.end() ? known_.at(name).fallback : value->second.texts.back();
}

std::vector<std::string> Settings::all(const std::string& name) const {
  const auto value = values_.find(name);
  return value == values_.end() ? std::vector<std::string>{} : value->second.texts;
}

const std::string& Settings::required(const std::string& name) const {
  const std::string& value = text(name);
  if (value.empty()) {
    const Parameter& option = known_.at(name);
    const std::string choices = option.choices.empty() ? "" : fmt::format(" (one of {})", joined(option.choices, ", "));
    throw MissingValue(name, fmt::format("{0} is missing; give --{0} {1}{2}", name, option.value, choices));
  }
  return value;
}

Index Settings::integer(const std::string& name) const { return parse_as_integer(known_.at(name), required(name)); }

double Settings::number(const std::string& name) const { return parse_number(required(name)).value(); }
bool Settings::flag(const std::string& name) const { return required(name) == "true"; }

Index Settings::integer_or(const std::string& name, Index otherwise) const {
  return text(name).empty() ? otherwise : integer(name);
}

double Settings::number_or(const std::string& name, double otherwise) const {
  return text(name).empty() ? otherwise : number(name);
}

std::string Settings::config_line(const std::string& name, const std::string& key) const {
  const Value& value = values_.at(name);
  std::string text = value.texts.back();
  if (known_.at(name).type == ValueType::input_path) text = std::filesystem::absolute(text).lexically_normal().string();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '#' && (text[i - 1] == ' ' || text[i - 1] == ']')) text[i] = hash_letter;
  }
  if (text.starts_with('#')) text.front() = hash_letter;
  return fmt::format("{} = {}\n", key, text);
}

std::string Settings::as_config(const std::vector<Parameter>& options) const {
  std::string config, section;  // names of a section are adjacent
  for (const Parameter& option : options) {
    if (values_.contains(option.name) && option.name.find('.') == std::string::npos) {
      config += config_line(option.name, option.name);
    }
  }
  for (const auto& [name, value] : values_) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    if (section.empty() || section != name.substr(0, dot)) {
      section = name.substr(0, dot);
      config += fmt::format("{}[{}]\n", config.empty() ? "" : "\n", section);
    }
    config += config_line(name, name.substr(dot + 1));
  }
  return config;
}

}  // namespace cairn
