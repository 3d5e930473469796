#include "data/numbers_in_file.hpp"

#include <limits>
#include <numeric>

namespace cairn {

std::vector<Index> NumbersInFile::of(Range rows) const {
  if (listed || !differ_from_rows()) return own;
  std::vector<Index> numbers(static_cast<std::size_t>(rows.size()));
  std::iota(numbers.begin(), numbers.end(), first + rows.begin);
  return numbers;
}

NumbersInFile listed_numbers(const Communicator& communicator, Range rows, std::vector<Index> own) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index lowest = communicator.minimum(own.empty() ? none : own.front() - rows.begin);
  if (lowest == none) return {};
  bool consecutive = true;
  for (std::size_t i = 0; i < own.size(); ++i) {
    consecutive = consecutive && own[i] == lowest + rows.begin + static_cast<Index>(i);
  }
  if (communicator.minimum(consecutive ? 1 : 0) == 1) return {.first = lowest};
  return {.first = 0, .listed = true, .own = std::move(own)};
}

}  // namespace cairn
