#include "cairn/store/files/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // limit of the system

// Target of a link, one step; nothing if `path` is not a link.
std::optional<fs::path> next(const fs::path& path) {
  std::error_code unknown;
  if (fs::symlink_status(path, unknown).type() != fs::file_type::symlink) return std::nullopt;
  const fs::path link = fs::read_symlink(path, unknown);
  if (unknown) return std::nullopt;
  return path.parent_path() / link;
}

// One canonical path of the file that would be written.
fs::path whole(fs::path path) {
  for (int links = 0; links < most_links; ++links) {
    const auto step = next(path);
    if (!step) break;
    path = *step;
  }
  std::error_code unknown;
  const fs::path absolute = fs::absolute(path, unknown);
  fs::path canonical = fs::weakly_canonical(absolute, unknown);
  return unknown ? absolute.lexically_normal() : canonical;
}

std::string head_of(const std::string& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(std::max<std::streamsize>(file.gcount(), 0));
  return text;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Values that the attribute `format` of an HDF5 file of this form may have.
std::vector<std::string> formats_of(OutputForm form) {
  switch (form) {
    case OutputForm::result:
      return {"cairn-approximation"};
    case OutputForm::model:
      return {"cairn-model"};
    case OutputForm::plan:
      return {"cairn-transport"};
    case OutputForm::completed_graph:
      return {"cairn-completed-graph"};
    case OutputForm::sparse_operator:
      return {"cairn-operator"};
    case OutputForm::data:
      return {"cairn-embedding", "cairn-table"};
    case OutputForm::fields:
      return {"cairn-fields"};
    default:
      return {};
  }
}

// A damaged file is recognized by its first bytes.
bool is_hdf5(const std::string& path, const std::vector<std::string>& formats) {
  if (!head_of(path, 8).starts_with("\x89HDF\r\n\x1a\n")) return false;
  try {
    const hdf5::InputFile file(path);
    return file.has_attribute("/", "format") &&
           std::ranges::find(formats, file.text_attribute("/", "format")) != formats.end();
  } catch (const Error&) {
    const std::string head = head_of(path, std::size_t{1} << 20);
    return std::ranges::any_of(formats, [&](const std::string& format) { return contains(head, format); });
  }
}

// First lines of a text file, without a last line that the piece cuts off.
std::vector<std::string> first_lines(const std::string& path) {
  constexpr std::size_t piece = 1 << 13;
  const std::string head = head_of(path, piece);
  std::istringstream stream(head);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  if (head.size() == piece && lines.size() > 1) lines.pop_back();
  return lines;
}

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
  return fields;
}

bool is_table(const std::string& line) {
  static constexpr std::array<std::string_view, 5> first = {"row", "column", "vertex", "object", "y1"};
  const std::vector<std::string> heading = fields_of(line, ',');
  if (!heading.empty() && std::ranges::find(first, heading.front()) != first.end()) return true;
  constexpr std::size_t semeval = 5;  // question, comment, rank, score, true or false
  const std::vector<std::string> prediction = fields_of(line, '\t');
  return prediction.size() == semeval && (prediction.back() == "true" || prediction.back() == "false");
}

bool is_number(const std::string& text) {
  return parse_number(text).has_value() || text == "inf" || text == "-inf" || text == "nan" || text == "-nan";
}

const char* what(OutputForm form) {
  switch (form) {
    case OutputForm::result:
      return "result";
    case OutputForm::model:
      return "model";
    case OutputForm::plan:
      return "transport plan";
    case OutputForm::completed_graph:
      return "hierarchy";
    case OutputForm::sparse_operator:
      return "operator";
    case OutputForm::data:
      return "data";
    case OutputForm::fields:
      return "fields";
    case OutputForm::xdmf:
      return "grid";
    case OutputForm::json:
      return "JSON";
    case OutputForm::table:
      return "table";
    case OutputForm::values:
      return "values";
    case OutputForm::vectors:
      return "vectors";
    case OutputForm::numpy:
      return "NumPy data";
  }
  return "file";
}

}  // namespace

bool is_hdf5(OutputForm form) { return !formats_of(form).empty(); }

OutputForm form_of_name(const std::string& path) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return OutputForm::data;
  if (path.ends_with(".xdmf")) return OutputForm::xdmf;
  if (path.ends_with(".npy")) return OutputForm::numpy;
  return path.ends_with(".json") ? OutputForm::json : OutputForm::table;
}

std::optional<int> own_descriptor(const std::string& path) {
  const fs::path own = "/proc/" + std::to_string(::getpid()) + "/fd";
  std::error_code unknown;
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    if (at.has_parent_path() && fs::canonical(at.parent_path(), unknown) == own && !unknown) {
      const auto number = parse_integer(at.filename().string());
      if (number && ::fcntl(static_cast<int>(*number), F_GETFD) >= 0) return static_cast<int>(*number);
    }
    const auto step = next(at);
    if (!step) break;
    at = *step;
  }
  return std::nullopt;
}

bool is_stream(const std::string& path) {
  std::error_code unknown;
  const fs::file_type type = fs::status(path, unknown).type();
  return type == fs::file_type::character || type == fs::file_type::fifo || own_descriptor(path).has_value();
}

bool same_output(const std::string& one, const std::string& other) {
  if (is_stream(one) && is_stream(other)) return false;
  std::error_code missing;
  return fs::equivalent(one, other, missing) || whole(one) == whole(other);
}

bool is_of_cairn(const std::string& path, OutputForm form) {
  if (::access(path.c_str(), R_OK) != 0) return false;
  if (is_hdf5(form)) return is_hdf5(path, formats_of(form));
  if (form == OutputForm::numpy) return head_of(path, 6) == "\x93NUMPY";
  const std::vector<std::string> lines = first_lines(path);
  if (lines.empty()) return true;  // an empty file: nothing is lost
  const std::string head = joined(lines, "\n");
  const std::string& first = lines.front();
  switch (form) {
    case OutputForm::xdmf:
      return contains(head, "<Xdmf ") && contains(head, "Grid Name=\"cairn\"");
    case OutputForm::json:
      return first.starts_with('{') && (contains(head, fmt::format("\"{}\": \"cairn", json_mark)) ||
                                        contains(head, "\"command\": \"cairn ") ||  // of versions before json_mark
                                        contains(head, "\"cairn_calibration\":"));
    case OutputForm::values:
      return std::ranges::all_of(lines, is_number);
    case OutputForm::vectors: {
      const std::vector<std::string> sizes = fields_of(first, ' ');
      return sizes.size() == 2 && parse_integer(sizes[0]) && parse_integer(sizes[1]);
    }
    default:
      return is_table(first);
  }
}

void require_replaceable(const Communicator& communicator, const OutputPath& path, OutputForm form) {
  collectively(communicator, [&] {
    std::error_code unknown;
    if (!communicator.is_root() || is_stream(path.file) || !fs::exists(path.file, unknown)) return;
    if (fs::file_size(path.file, unknown) == 0 && !unknown) return;
    if (is_of_cairn(path.file, form)) return;
    throw Error(ErrorKind::usage,
                fmt::format("{} exists and holds no {} of cairn, so it is not replaced; give another name, remove it, "
                            "or say --overwrite true",
                            path.file, what(form)));
  });
}

void check_stream_or_file(const Communicator& communicator, const OutputPath& path) {
  const bool stream = collectively(communicator, [&] {
    if (!communicator.is_root() || !is_stream(path.file)) return false;
    const auto own = own_descriptor(path.file);
    const bool open = own ? (::fcntl(*own, F_GETFL) & O_ACCMODE) != O_RDONLY : ::access(path.file.c_str(), W_OK) == 0;
    if (open) return true;
    throw Error(ErrorKind::usage, fmt::format("cannot write to {}: {}; change {}", path.file,
                                              std::strerror(own ? EBADF : errno), path.name));
  });
  if (communicator.maximum(static_cast<Index>(stream)) == 0) check_writable(communicator, path);
}

}  // namespace cairn
