#include "cairn/data/io/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_reading.hpp"

namespace cairn {

namespace {

using Texts = std::vector<std::string>;
constexpr std::array<Texts ObjectTexts::*, 4> text_members = {&ObjectTexts::labels, &ObjectTexts::splits,
                                                              &ObjectTexts::groups, &ObjectTexts::identifiers};

// Data for each rank: row numbers, values, texts with a 0 after each, numbers in the file.
template <class T>
struct Outgoing {
  std::vector<std::vector<Index>> rows;
  std::vector<std::vector<T>> values;
  std::vector<std::vector<Index>> counts, columns;  // for sparse rows
  std::array<std::vector<std::vector<char>>, text_members.size()> texts;
  std::vector<std::vector<Index>> numbers;
  explicit Outgoing(std::size_t ranks) : rows(ranks), values(ranks), counts(ranks), columns(ranks), numbers(ranks) {
    for (auto& of_ranks : texts) of_ranks.resize(ranks);
  }
};

template <class T>
Outgoing<T> sort_by_owner(const ParsedRows<T>& parsed, const std::vector<Index>& first, const RowPartition& partition) {
  Outgoing<T> out(static_cast<std::size_t>(partition.ranks()));
  const auto width = static_cast<std::size_t>(parsed.width);
  std::vector<std::size_t> counts(out.rows.size(), 0);
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (Index k = 0; k < parsed.blocks[b].rows; ++k) ++counts[partition.owner(first[b] + k)];
  }
  for (std::size_t r = 0; r < counts.size(); ++r) {
    out.rows[r].reserve(counts[r]);
    out.values[r].reserve(parsed.sparse ? 0 : counts[r] * width);
  }
  std::size_t at = 0, first_entry = 0;
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (Index k = 0; k < parsed.blocks[b].rows; ++k, ++at) {
      const Index row = first[b] + k;
      const auto owner = static_cast<std::size_t>(partition.owner(row));
      out.rows[owner].push_back(row);
      const std::size_t values = parsed.sparse ? static_cast<std::size_t>(parsed.counts[at]) : width;
      const T* begin = parsed.values.data() + (parsed.sparse ? first_entry : at * width);
      out.values[owner].insert(out.values[owner].end(), begin, begin + values);
      if (parsed.sparse) {
        const Index* columns = parsed.columns.data() + first_entry;
        out.columns[owner].insert(out.columns[owner].end(), columns, columns + values);
        out.counts[owner].push_back(parsed.counts[at]);
        first_entry += values;
      }
      if (!parsed.numbers.empty()) out.numbers[owner].push_back(parsed.numbers[at]);
      for (std::size_t t = 0; t < text_members.size(); ++t) {
        const Texts& own = parsed.texts.*text_members[t];
        if (own.empty()) continue;
        out.texts[t][owner].insert(out.texts[t][owner].end(), own[at].c_str(), own[at].c_str() + own[at].size() + 1);
      }
    }
  }
  return out;
}

// Assigns texts, with a 0 after each, to their rows.
void place(const std::vector<char>& texts, const std::vector<Index>& rows, Range own, Texts& target) {
  if (texts.empty()) return;
  target.resize(own.size());
  const char* text = texts.data();
  for (const Index row : rows) {
    std::string& its = target[row - own.begin];
    its = text;
    text += its.size() + 1;
  }
}

// Entries of the rows of a rank, from the `counts`, `columns` and `values` that others have sent in the order of
// `rows`.
template <class T>
SparseRows<T> joined_entries(const RowPartition& partition, int rank, Index width,
                             const std::vector<std::vector<Index>>& rows, const std::vector<std::vector<Index>>& counts,
                             const std::vector<std::vector<Index>>& columns,
                             const std::vector<std::vector<T>>& values) {
  const Range own = partition.range(rank);
  std::vector<Index> starts(static_cast<std::size_t>(own.size()) + 1, 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < rows[r].size(); ++k) {
      starts[static_cast<std::size_t>(rows[r][k] - own.begin) + 1] = counts[r][k];
    }
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<Index> indices(starts.back());
  std::vector<T> entries(indices.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Index from = 0;
    for (std::size_t k = 0; k < rows[r].size(); ++k) {
      const Index to = starts[rows[r][k] - own.begin];
      std::copy_n(columns[r].begin() + from, counts[r][k], indices.begin() + to);
      std::copy_n(values[r].begin() + from, counts[r][k], entries.begin() + to);
      from += counts[r][k];
    }
  }
  return SparseRows<T>(partition, rank, width, std::move(starts), std::move(indices), std::move(entries));
}

// Reads a number; infinity or 0 if its magnitude does not fit a double. False if the text is not a number.
bool scan(std::string_view field, double& value) {
  std::string_view text = trimmed(field);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // from_chars accepts no plus sign
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  if (code == std::errc::invalid_argument || end != last) return false;
  if (code == std::errc::result_out_of_range) {
    long double wide = std::numeric_limits<long double>::infinity();
    (void)std::from_chars(text.data(), last, wide);
    value = static_cast<double>(wide);
  }
  return true;
}

}  // namespace

std::vector<Index> first_rows(const Communicator& communicator, const std::vector<ParsedBlock>& own, Index& total) {
  std::vector<ParsedBlock> all = communicator.all_gather(own);
  std::sort(all.begin(), all.end(), [](const ParsedBlock& a, const ParsedBlock& b) { return a.number < b.number; });
  std::vector<Index> first;
  total = 0;
  for (const ParsedBlock& block : all) {
    if (first.size() < own.size() && own[first.size()].number == block.number) first.push_back(total);
    total += block.rows;
  }
  return first;
}

template <class T>
OwnedRows<T> send_to_owners(const Communicator& communicator, const std::string& path, ParsedRows<T> parsed) {
  Index total = 0;
  const std::vector<Index> first = first_rows(communicator, parsed.blocks, total);
  if (total == 0) throw Error(ErrorKind::input, path + ": has no rows of data");
  const RowPartition partition(total, communicator.size());
  Outgoing<T> out = read_collectively(communicator, path, [&] { return sort_by_owner(parsed, first, partition); });
  const Index width = parsed.width;
  const bool sparse = parsed.sparse;
  parsed = {};
  const auto rows = communicator.exchange(out.rows);
  const auto values = communicator.exchange(out.values);
  out.values = {};
  if (sparse) {
    out.counts = communicator.exchange(out.counts);
    out.columns = communicator.exchange(out.columns);
  }
  for (auto& of_ranks : out.texts) of_ranks = communicator.exchange(of_ranks);
  const auto numbers = communicator.exchange(out.numbers);
  return read_collectively(communicator, path, [&] {
    OwnedRows<T> owned;
    if (sparse) {
      owned.entries = joined_entries(partition, communicator.rank(), width, rows, out.counts, out.columns, values);
    } else {
      owned.values = RowBlock<T>(partition, communicator.rank(), width);
    }
    const Range range = partition.range(communicator.rank());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!numbers[r].empty()) owned.numbers.resize(range.size());
      for (std::size_t k = 0; k < numbers[r].size(); ++k) {
        owned.numbers[rows[r][k] - range.begin] = numbers[r][k];
      }
      for (std::size_t k = 0; !sparse && k < rows[r].size(); ++k) {
        const Index row = rows[r][k];
        std::copy_n(values[r].data() + k * static_cast<std::size_t>(width), width, owned.values.row(row).data());
      }
      for (std::size_t k = 0; k < text_members.size(); ++k)
        place(out.texts[k][r], rows[r], range, owned.texts.*text_members[k]);
    }
    return owned;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string excerpt(std::string_view field) {
  std::string text;
  for (const char c : field.substr(0, 40)) {  // a zero byte would end the message
    if (c == '\0') text += "\\x00";
    if (c != '\0') text += c;
  }
  return text;
}

template <class T>
T parse_number(std::string_view field) {
  double value = 0.0;
  if (!scan(field, value)) throw Error(ErrorKind::input, fmt::format("'{}' is not a number", excerpt(field)));
  const auto result = static_cast<T>(value);
  if (std::isfinite(result)) return result;
  throw Error(ErrorKind::input,
              fmt::format("'{}' is {}", excerpt(field),
                          std::isfinite(value) ? "out of the range of single precision" : "not a finite number"));
}

void check_label(std::string_view label) {
  if (label.find('\0') != std::string_view::npos) throw Error(ErrorKind::input, "a label holds a byte 0");
}

bool is_number(std::string_view field) {
  double value = 0.0;
  return scan(field, value);
}

#define CAIRN_INSTANTIATE(T)                                                                    \
  template OwnedRows<T> send_to_owners(const Communicator&, const std::string&, ParsedRows<T>); \
  template T parse_number<T>(std::string_view);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
