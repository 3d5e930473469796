#include "cairn/parameters/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr std::size_t most_text_bytes = std::size_t{16} << 20;  // a pipe may never end

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// '#' starts a comment after a blank, a ']' or at the start of a line. Within a word (a file name) it is an ordinary
// character; hash_letter replaces it while Boost, which treats every '#' as a comment, reads the text.

std::string with_letter_hashes(std::string text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '#' && std::strchr(" \t\r\n]", text[i - 1]) == nullptr && text[i - 1] != '#') text[i] = hash_letter;
  }
  return text;
}

std::string with_plain_hashes(std::string text) {
  std::replace(text.begin(), text.end(), hash_letter, '#');
  return text;
}

// The line of each key: Boost reads the values but does not report lines. Rejects lines that Boost could not report
// with a line number.
std::map<std::string, int> find_lines(const std::string& text, const std::string& origin) {
  std::map<std::string, int> lines;
  std::istringstream stream(text);
  std::string section;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (line.front() == '[' && line.back() == ']') {
      section = line.substr(1, line.size() - 2) + ".";
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, fmt::format("{}:{}: '{}' is neither [section] nor key = value", origin, number,
                                                with_plain_hashes(line)));
    }
    const std::string key = section + trimmed(line.substr(0, equals));
    if (const auto [first, is_new] = lines.emplace(key, number); !is_new) {
      throw Error(ErrorKind::usage, fmt::format("{}:{}: {} is given twice, first on line {}", origin, number,
                                                with_plain_hashes(key), first->second));
    }
  }
  return lines;
}

}  // namespace

void read_config_text(const std::string& text, const std::string& origin, const std::string& folder,
                      Settings& settings) {
  namespace po = boost::program_options;
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw Error(ErrorKind::usage, origin + " is UTF-16; save it as UTF-8");
  }
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // some editors put a byte order mark in front of UTF-8
  const std::string readable = with_letter_hashes(text.starts_with(mark) ? text.substr(mark.size()) : text);
  const std::map<std::string, int> lines = find_lines(readable, origin);
  std::istringstream stream(readable);
  try {
    for (const auto& entry : po::parse_config_file(stream, po::options_description(), true).options) {
      const auto line = lines.find(entry.string_key);
      const std::string place = line == lines.end() ? origin : fmt::format("{}:{}", origin, line->second);
      settings.set(with_plain_hashes(entry.string_key),
                   entry.value.empty() ? "" : with_plain_hashes(entry.value.front()), place, folder);
    }
  } catch (const po::error& error) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", origin, error.what()));
  }
}

std::string read_text_file(const std::string& path, std::size_t most_bytes) {
  errno = 0;
  std::ifstream file(path);
  std::string text, piece(std::size_t{1} << 16, '\0');
  while (file && text.size() <= most_bytes) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > most_bytes)
    throw Error(ErrorKind::input, fmt::format("{} has more than {} MiB: it is no config", path, most_bytes >> 20));
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::input,
                fmt::format("cannot read {}: {}", path, errno != 0 ? std::strerror(errno) : "it is not a file"));
  }
  return text;
}

std::string read_config_bytes(const std::string& path) { return read_text_file(path, most_text_bytes); }

void read_config_as(const std::string& path, const std::string& text, Settings& settings) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  read_config_text(text, path, folder.empty() ? "." : folder, settings);
}

}  // namespace cairn
