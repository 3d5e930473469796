#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/points/text_points.hpp"

namespace cairn {

namespace {

struct SparseEntry {
  Index column = 0;
  double value = 0.0;
};

// One line: its label, and its entries in ascending order of columns, counted from 0. False for a line without data.
bool parse_line(std::string_view line, std::string_view& label, std::vector<SparseEntry>& entries) {
  entries.clear();
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return false;
  std::size_t at = std::min(line.find_first_of(" \t"), line.size());
  label = line.substr(0, at);
  if (label.find(':') != std::string_view::npos)
    throw Error(ErrorKind::input, "a label is missing before the first index:value");
  check_label(label);
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view pair = line.substr(at, end - at);
    const std::size_t colon = pair.find(':');
    Index index = 0;
    const char* begin = pair.data();
    const char* stop = begin + std::min(colon, pair.size());
    const auto [parsed, code] = std::from_chars(begin, stop, index);
    if (colon == std::string_view::npos || code != std::errc{} || parsed != stop || index < 1) {
      throw Error(ErrorKind::input, fmt::format("'{}' is no index:value with an index from 1", excerpt(pair)));
    }
    if (!entries.empty() && entries.back().column >= index - 1) {
      throw Error(ErrorKind::input, fmt::format("index {} does not ascend", index));
    }
    entries.push_back({index - 1, parse_number<double>(pair.substr(colon + 1))});
    at = end;
  }
  return true;
}

// Points are held with their zeros: a single large index makes many of them, and no more than these for a byte of the
// file, or in all, are taken as meant. (Real data have some hundreds a byte at most.)
constexpr Index most_values_a_byte = 1024;
constexpr Index few_values = Index{1} << 22;

// The largest index of the file: one pass of its own, so that rows are made at their full width.
Index find_dimension(const Communicator& communicator, const TextBlocks& text) {
  Index dimension = 0, rows = 0, bytes = 0;
  std::vector<SparseEntry> entries;
  std::string_view label;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        bytes += std::ssize(line) + 1;
        if (!parse_line(line, label, entries)) return;
        ++rows;
        if (!entries.empty()) dimension = std::max(dimension, entries.back().column + 1);
      },
      [](Index, Index) {});
  dimension = communicator.maximum(dimension);
  rows = communicator.sum(rows);
  const Index most = std::max(few_values, most_values_a_byte * communicator.sum(bytes));
  if (rows > 0 && dimension > most / rows) {
    throw Error(ErrorKind::input,
                fmt::format("{}: its largest index, {}, makes {} points of so many values, nearly all "
                            "of them 0; number the features anew",
                            text.path(), dimension, rows));
  }
  return dimension;
}

}  // namespace

template <class T>
OwnedRows<T> read_svm(const Communicator& communicator, const PointSource& source) {
  const auto text = collectively(communicator, [&] { return TextBlocks(source.path); });
  ParsedRows<T> parsed;
  parsed.width = std::max(source.dimension, find_dimension(communicator, text));
  if (parsed.width == 0) throw Error(ErrorKind::input, source.path + ": has no values");
  std::vector<SparseEntry> entries;
  std::string_view label;
  Index rows = 0;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        if (!parse_line(line, label, entries)) return;
        const std::size_t begin = parsed.values.size();
        parsed.values.resize(begin + static_cast<std::size_t>(parsed.width), T(0));
        for (const SparseEntry& e : entries) {
          const auto value = static_cast<T>(e.value);
          if (!std::isfinite(value)) {
            throw Error(ErrorKind::input, fmt::format("{} is too large for single precision", e.value));
          }
          parsed.values[begin + static_cast<std::size_t>(e.column)] = value;
        }
        parsed.texts.labels.emplace_back(label);
        ++rows;
      },
      [&](Index block, Index) {
        parsed.blocks.push_back({block, rows});
        rows = 0;
      });
  return send_to_owners(communicator, source.path, std::move(parsed));
}

template OwnedRows<float> read_svm(const Communicator&, const PointSource&);
template OwnedRows<double> read_svm(const Communicator&, const PointSource&);

}  // namespace cairn
