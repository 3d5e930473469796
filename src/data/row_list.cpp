#include "data/row_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/collective_guard.hpp"
#include "data/line_reader.hpp"
#include "data/text_table.hpp"

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
    reader.fail(error.what());
  }
  if (row < 0 || row >= rows) reader.fail(fmt::format("row {} does not exist; rows go from 0 to {}", row, rows - 1));
  return row;
}

}  // namespace

std::vector<Index> read_row_list(const Communicator& communicator, const std::string& path,
                                 const RowPartition& partition) {
  return collectively(communicator, [&] {
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
        throw Error(ErrorKind::input, fmt::format("{}:{}: row {} is there twice", path, entry.line, entry.row));
      }
      rows.push_back(entry.row);
    }
    return rows;
  });
}

}  // namespace cairn
