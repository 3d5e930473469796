#include "cairn/store/files/sweep_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/store/text_file.hpp"

namespace cairn {

namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string csv_line(const SweepFile::Fields& fields) {
  std::string line;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0) line += ',';
    line += quoted(fields[k]);
  }
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + '\n';
}

// Inverse of csv_line.
SweepFile::Fields fields_of(std::string_view line) {
  SweepFile::Fields fields(1);
  bool inside = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"' && inside && k + 1 < line.size() && line[k + 1] == '"') {
      fields.back() += line[++k];
    } else if (line[k] == '"') {
      inside = !inside;
    } else if (line[k] == ',' && !inside) {
      fields.emplace_back();
    } else if (line[k] != '\r') {
      fields.back() += line[k];
    }
  }
  return fields;
}

// Text of the file; empty if there is no file. On one rank.
std::string text_of(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  return read_text_file(path, std::numeric_limits<std::size_t>::max());
}

bool begins_with(const SweepFile::Fields& line, const SweepFile::Fields& values) {
  return std::equal(values.begin(), values.end(), line.begin());
}

}  // namespace

SweepFile::SweepFile(const Communicator& communicator, OutputPath path, Fields columns, Existing existing,
                     const std::vector<Fields>& own)
    : communicator_(communicator), path_(std::move(path)), columns_(std::move(columns)) {
  collectively(communicator_, [&] {
    if (communicator_.is_root()) written_ = text_of(path_.file);
  });
  if (existing == Existing::overwrite) return;
  std::string text = written_;
  communicator_.broadcast(text, 0);
  existing == Existing::restart ? take_lines(text) : require_own(text, own);
}

void SweepFile::require_own(const std::string& text, const std::vector<Fields>& own) const {
  const std::set<Fields> keys(own.begin(), own.end());
  std::istringstream stream(text);
  std::string line;
  for (Index number = 1; std::getline(stream, line); ++number) {
    Fields fields = fields_of(line);
    const bool shaped = number == 1 ? fields == columns_ : fields.size() == columns_.size();
    fields.resize(own.front().size());
    if (shaped && (number == 1 || keys.contains(fields))) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{}:{}: is not a run of this sweep, and would be lost. Give another file, --overwrite true "
                            "to replace the file, or --restart true to resume one of the same config",
                            path_.file, number));
  }
}

void SweepFile::take_lines(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  for (Index number = 1; std::getline(stream, line); ++number) {
    Fields fields = fields_of(line);
    if (number == 1 ? fields != columns_ : fields.size() != columns_.size()) {
      throw Error(ErrorKind::input,
                  fmt::format("{}:{}: is no line of this sweep: --restart goes on with a file of the same varied keys "
                              "and the same version of cairn",
                              path_.file, number));
    }
    if (number > 1) lines_.push_back(std::move(fields));
  }
}

const SweepFile::Fields* SweepFile::find(const Fields& values) const {
  const auto found =
      std::find_if(lines_.begin(), lines_.end(), [&](const Fields& line) { return begins_with(line, values); });
  return found == lines_.end() ? nullptr : &*found;
}

const std::string& SweepFile::field(const Fields& line, const std::string& name) const {
  const auto column = std::find(columns_.begin(), columns_.end(), name);
  return line.at(static_cast<std::size_t>(column - columns_.begin()));
}

void SweepFile::add(Fields line, std::size_t keys) {
  const Fields key(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(keys));
  const auto old =
      std::find_if(lines_.begin(), lines_.end(), [&](const Fields& other) { return begins_with(other, key); });
  if (old != lines_.end())
    *old = std::move(line);
  else
    lines_.push_back(std::move(line));
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    const std::string found = text_of(path_.file);
    if (found.empty() || found == written_) return;
    throw Error(ErrorKind::resource,
                fmt::format("{} was written by another program while this sweep ran; it stays as it is, without the "
                            "run that ended last. Give each sweep a file of its own",
                            path_.file));
  });
  std::string text = csv_line(columns_);
  for (const Fields& fields : lines_) text += csv_line(fields);
  write_text_file(communicator_, path_, text);
  written_ = std::move(text);
}

}  // namespace cairn
