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

// Points with all coordinates are stored with their zeros, and a single large index creates many of them. At most this
// many values per byte of the file, or in all, are accepted. (Real data have at most some hundreds per byte.)
constexpr Index most_values_a_byte = 1024;
constexpr Index few_values = Index{1} << 22;
constexpr Index most_columns = Index{1} << 31U;  // for sparse points, too

struct SvmSize {
  Index dimension = 0;  // the largest index
  Index rows = 0;
  Index entries = 0;  // nonzeros
  Index bytes = 0;
};

// A separate pass, so that rows are created with their full width.
SvmSize find_size(const Communicator& communicator, const TextBlocks& text) {
  SvmSize size;
  std::vector<SparseEntry> entries;
  std::string_view label;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        size.bytes += std::ssize(line) + 1;
        if (!parse_line(line, label, entries)) return;
        ++size.rows;
        size.entries += std::ranges::count_if(entries, [](const SparseEntry& e) { return e.value != 0; });
        if (!entries.empty()) size.dimension = std::max(size.dimension, entries.back().column + 1);
      },
      [](Index, Index) {});
  size.dimension = communicator.maximum(size.dimension);
  for (Index* count : {&size.rows, &size.entries, &size.bytes}) *count = communicator.sum(*count);
  return size;
}

void require_budget(const std::string& path, const SvmSize& size) {
  const Index most = std::max(few_values, most_values_a_byte * size.bytes);
  if (size.rows > 0 && size.dimension > most / size.rows) {
    throw Error(ErrorKind::input, fmt::format("{}: with its largest index, {}, each of the {} points has that many "
                                              "values, nearly all of them 0; renumber the features",
                                              path, size.dimension, size.rows));
  }
}

// @throws Error(input) if it is beyond the range of T
template <class T>
T narrowed(double value) {
  const auto narrow = static_cast<T>(value);
  if (std::isfinite(narrow)) return narrow;
  throw Error(ErrorKind::input, fmt::format("{} is too large for single precision", value));
}

template <class T>
void append(const std::vector<SparseEntry>& entries, ParsedRows<T>& parsed) {
  const std::size_t begin = parsed.values.size();
  if (!parsed.sparse) parsed.values.resize(begin + static_cast<std::size_t>(parsed.width), T(0));
  for (const SparseEntry& e : entries) {
    const T value = narrowed<T>(e.value);
    if (!parsed.sparse) {
      parsed.values[begin + static_cast<std::size_t>(e.column)] = value;
    } else if (value != T(0)) {
      parsed.values.push_back(value);
      parsed.columns.push_back(e.column);
    }
  }
  if (parsed.sparse) parsed.counts.push_back(static_cast<Index>(parsed.values.size() - begin));
}

}  // namespace

template <class T>
SparseTextRows<T> read_svm(const Communicator& communicator, const PointSource& source) {
  const auto text = collectively(communicator, [&] { return TextBlocks(source.path); });
  ParsedRows<T> parsed;
  const SvmSize size = find_size(communicator, text);
  parsed.width = std::max(source.dimension, size.dimension);
  if (size.dimension > most_columns) {
    throw Error(ErrorKind::input,
                fmt::format("{}: its largest index, {}, is beyond 2^31", source.path, size.dimension));
  }
  if (parsed.width == 0) throw Error(ErrorKind::input, source.path + ": has no values");
  parsed.sparse = source.sparse && sparse_enough(size.entries, size.rows, parsed.width);
  if (!parsed.sparse) require_budget(source.path, size);
  std::vector<SparseEntry> entries;
  std::string_view label;
  Index rows = 0;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        if (!parse_line(line, label, entries)) return;
        append(entries, parsed);
        parsed.texts.labels.emplace_back(label);
        ++rows;
      },
      [&](Index block, Index) {
        parsed.blocks.push_back({block, rows});
        rows = 0;
      });
  return {send_to_owners(communicator, source.path, std::move(parsed)), size.entries};
}

template SparseTextRows<float> read_svm(const Communicator&, const PointSource&);
template SparseTextRows<double> read_svm(const Communicator&, const PointSource&);

}  // namespace cairn
