// Configs, values of single keys, and the tables that a sweep goes on from.
#include <algorithm>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/sweep_file.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

// A key of each type, in sections and in one within another; which keys the program has is nothing to the reader.
const std::vector<Parameter>& all_keys() {
  using enum ValueType;
  static const std::vector<Parameter> keys = {
      {.name = "data.kind", .type = choice, .fallback = "points", .choices = {"points", "matrix", "graph", "mesh"}},
      {.name = "data.path", .type = input_path},
      {.name = "data.label"},
      {.name = "data.weighted", .type = flag, .fallback = "true"},
      {.name = "data.points", .type = integer, .lowest = 1},
      {.name = "similarity.kind", .type = choice, .choices = {"rbf", "sum", "path-length"}},
      {.name = "similarity.gamma", .fallback = "scale"},
      {.name = "similarity.1.gamma", .fallback = "scale"},
      {.name = "similarity.sigma", .type = number, .fallback = "1", .lowest = 0},
      {.name = "landmarks.count", .type = integer, .lowest = 1},
      {.name = "landmarks.fraction", .type = number, .highest = 1, .above = 0},
      {.name = "approximation.method", .type = choice, .choices = {"nystrom", "biharmonic"}},
      {.name = "approximation.tolerance", .type = number, .lowest = 0, .below = 1},
      {.name = "run.threads", .type = integer, .fallback = "1", .lowest = 1, .highest = 4096},
      {.name = "run.memory", .type = size},
      {.name = "run.max-time", .type = duration},
      {.name = "run.checkpoint-interval", .type = duration, .fallback = "10m"},
      {.name = "output.path", .type = output_path},
  };
  return keys;
}

// All keys, none of them given: made once, for there are hundreds.
Settings& blank(Settings& settings) {
  for (const Parameter& option : all_keys()) {
    if (settings.given(option.name)) settings.clear(option.name);
  }
  return settings;
}

// What was accepted can be read as the type that the key has.
void use(const Settings& settings, const Parameter& option) {
  if (!settings.given(option.name)) return;
  switch (option.type) {
    case ValueType::integer:
    case ValueType::size:
    case ValueType::duration:
      (void)settings.integer(option.name);
      break;
    case ValueType::number:
      (void)settings.number(option.name);
      break;
    default:
      (void)settings.text(option.name);
  }
}

// A config, and again as the config that its values are written as.
void read_whole_config(std::string_view input) {
  static Settings first(all_keys()), second(all_keys());
  Settings& settings = blank(first);
  read_config_text(read_text_file(file_of(input), std::size_t{1} << 24), "a.cfg", "/a", settings);
  for (const Parameter& option : all_keys()) use(settings, option);
  const std::string written = settings.as_config();
  try {
    read_config_text(written, "written", "/", blank(second));
  } catch (const Error& error) {
    require(false,
            ("a config is not read that as_config wrote: " + std::string(error.what()) + "\n" + written).c_str());
  }
}

// The first character tells the key, the rest is its value; and all forms of numbers.
void read_value(std::string_view input) {
  const std::vector<Parameter>& keys = all_keys();
  const Parameter& option = keys[static_cast<unsigned char>(take_choice(input)) % keys.size()];
  const std::string text(input);
  (void)parse_integer(text);
  (void)parse_number(text);
  if (const auto bytes = parse_size(text)) require(*bytes >= 0, "a negative size");
  if (const auto seconds = parse_duration(text)) require(*seconds >= 0, "a negative duration");
  static Settings only(keys);
  Settings& settings = blank(only);
  settings.set(option.name, text, "the command line");
  use(settings, option);
}

}  // namespace

void read_config(std::string_view input) {
  switch (take_choice(input)) {
    case 'c':
      return read_whole_config(input);
    case 'v':
      return read_value(input);
    case 's': {
      const SweepFile sweep(alone(), file_of(input), {"landmarks.count", "run_seed", "message"},
                            SweepFile::Existing::restart, {});
      for (const SweepFile::Fields& line : sweep.lines()) (void)sweep.field(line, "message");
      break;
    }
    default:
      break;
  }
}

}  // namespace cairn::fuzz
