#include "cairn/run/checks.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"

namespace cairn {

void require_pairs(Index row_objects, Index column_objects, std::span<const Index> rows,
                   std::span<const Index> columns) {
  if (rows.size() != columns.size()) {
    throw Error(ErrorKind::usage, fmt::format("pairs of {} rows and {} columns", rows.size(), columns.size()));
  }
  require_objects(row_objects, rows);
  require_objects(column_objects, columns);
}

void require_objects(Index size, std::span<const Index> numbers) {
  for (const Index object : numbers) {
    if (object >= 0 && object < size) continue;
    throw Error(ErrorKind::usage, fmt::format("there is no object {}; they count from 0 to {}", object, size - 1));
  }
}

void require_size(const char* what, Index own, Index expected) {
  if (own == expected) return;
  throw Error(ErrorKind::usage, fmt::format("{} {} objects, and the approximation is of {}", what, own, expected));
}

}  // namespace cairn
