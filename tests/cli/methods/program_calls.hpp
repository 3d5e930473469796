// Commands of the program, called in this process on all ranks: their code, their message and what they say in JSON.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cairn/parameters/missing_value.hpp"
#include "cli/command_line.hpp"
#include "cli/server/redirected.hpp"
#include "store/sample_result.hpp"

namespace cairn::test {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// How a command ended.
struct CommandEnd {
  int code = 0;
  std::string message{};
  bool missing = false;  ///< a value that it cannot do without was not given
};

/// Runs `cairn WORDS`. Collective.
inline CommandEnd call(const Words& words) {
  const Redirected silence(STDOUT_FILENO, "/dev/null");
  try {
    ConfigTexts no_configs;
    const app::Invocation invocation = app::parse_command_line(words, no_configs);
    app::Job job{world(), invocation.settings.value(), invocation.arguments, "cairn " + text_of(words)};
    invocation.command->run(job);
    return {};
  } catch (const MissingValue& error) {
    return {error.exit_code(), error.what(), true};
  } catch (...) {
    const Error error = current_error();
    return {error.exit_code(), error.what()};
  }
}

/// The JSON that the last command wrote to `path`. Local.
inline nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

}  // namespace cairn::test
