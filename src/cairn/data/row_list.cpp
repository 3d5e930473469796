#include "cairn/data/row_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/pair_list.hpp"

namespace cairn {

namespace {

struct Listed {
  Index row, line;
};

Index row_of(const LineReader& reader, std::string_view text, Index rows) {
  Index row = 0;
  try {
    row = parse_integer(text, "a file of rows holds one row number from 0 a line");
  } catch (const Error& error) {
    reader.fail(error.what() + if_heading(reader.number(), true));
  }
  if (row < 0 || row >= rows) reader.fail(fmt::format("row {} does not exist; rows go from 0 to {}", row, rows - 1));
  return row;
}

}  // namespace

std::vector<Index> read_row_list(const Communicator& communicator, const std::string& path,
                                 const RowPartition& partition) {
  return read_collectively(communicator, path, [&] {
    const Range own = partition.range(communicator.rank());
    LineReader reader(path);
    std::vector<Listed> listed;
    bool any = false;
    for (std::string_view line; reader.next_filled(line, '#'); any = true) {
      const Index row = row_of(reader, line, partition.rows());
      if (own.contains(row)) listed.push_back({row, reader.number()});
    }
    if (!any) throw Error(ErrorKind::input, path + ": holds no row number");
    std::stable_sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) { return a.row < b.row; });
    std::vector<Index> rows;
    for (const Listed& entry : listed) {
      if (!rows.empty() && rows.back() == entry.row) {
        throw Error(ErrorKind::input, fmt::format("{}:{}: row {} is a duplicate", path, entry.line, entry.row));
      }
      rows.push_back(entry.row);
    }
    return rows;
  });
}

std::vector<std::string> read_row_texts(const Communicator& communicator, const std::string& path,
                                        const RowPartition& partition) {
  return read_collectively(communicator, path, [&] {
    const Range own = partition.range(communicator.rank());
    std::vector<std::string> texts;
    LineReader reader(path);
    Index row = 0;
    for (std::string_view line; reader.next(line); ++row) {
      if (row >= partition.rows())
        reader.fail(fmt::format("there are only {} rows; this line is too many", partition.rows()));
      if (own.contains(row)) texts.emplace_back(trimmed(line));
    }
    if (row < partition.rows()) {
      throw Error(ErrorKind::input,
                  fmt::format("{} has lines for {} rows, but there are {} rows", path, row, partition.rows()));
    }
    return texts;
  });
}

std::vector<RowUse> read_split(const Communicator& communicator, const std::string& path,
                               const RowPartition& partition) {
  const std::vector<std::string> texts = read_row_texts(communicator, path, partition);
  return collectively(communicator, [&] {
    std::vector<RowUse> uses;
    for (const std::string& text : texts) {
      if (text != "train" && text != "test" && text != "-") {
        const Index row = partition.range(communicator.rank()).begin + static_cast<Index>(uses.size());
        throw Error(ErrorKind::input, fmt::format("{}:{}: '{}' is neither train nor test, nor - for neither", path,
                                                  row + 1, text.substr(0, 40)));
      }
      uses.push_back(text == "train" ? RowUse::train : text == "test" ? RowUse::test : RowUse::none);
    }
    return uses;
  });
}

}  // namespace cairn
