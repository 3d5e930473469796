#include "cairn/data/numbers_in_file.hpp"

#include <numeric>

namespace cairn {

std::vector<Index> NumbersInFile::of(Range rows) const {
  if (!differ_from_rows()) return {};
  if (listed) return own;
  std::vector<Index> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), first + rows.begin);
  return numbers;
}

NumbersInFile listed_numbers(const Communicator& communicator, Range rows, std::vector<Index> own) {
  if (communicator.maximum(own.empty() ? 0 : 1) == 0) return {};
  bool as_rows = true;
  for (std::size_t i = 0; i < own.size(); ++i) as_rows = as_rows && own[i] == rows.begin + static_cast<Index>(i);
  const bool all_as_rows = communicator.minimum(as_rows ? 1 : 0) == 1;
  return {.first = 0, .listed = true, .own = std::move(own), .listed_rows = all_as_rows};
}

}  // namespace cairn
