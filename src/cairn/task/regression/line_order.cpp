#include "cairn/task/regression/line_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/text_homes.hpp"

namespace cairn {

namespace {

std::string text_of(double value) {
  constexpr double most = 1e15;  // integers up to this have an exact text
  if (!(std::abs(value) < most) || value != std::floor(value)) return {};
  return std::to_string(static_cast<std::int64_t>(value));
}

// This rank's texts in the first column. In a column of numbers: the texts of integers, empty for other numbers.
std::vector<std::string> first_column(const Communicator& communicator, const ColumnSource& source,
                                      const ColumnTable& table, bool chosen) {
  if (!chosen) {
    ColumnSource again = source;
    again.columns = {table.names.front()};
    again.key = "1";
    return read_columns(communicator, again).rows.labels();
  }
  const auto place = std::ranges::find(table.positions, std::size_t{0});
  const MatrixView<const double> rows = table.rows.coordinates().local();
  const Index column = place - table.positions.begin();
  std::vector<std::string> texts;
  for (Index i = 0; i < rows.rows; ++i) texts.push_back(text_of(rows(i, column)));
  return texts;
}

// Sums over texts, independent of their order: two sums of 31-bit hashes, which 2^32 texts do not overflow.
std::array<Index, 2> sums_of(std::span<const std::string> texts) {
  std::array<Index, 2> sums{};
  for (const std::string& text : texts) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<Index>(hash_text(text, k) >> 33U);
  }
  return sums;
}

// True if no two texts are equal, over all ranks. Collective.
bool are_distinct(const Communicator& communicator, std::span<const std::string> texts) {
  const TextsAtHome home(communicator, texts);
  std::vector<std::string_view> met;
  home.for_each([&](std::size_t, std::size_t, std::string_view text) { met.push_back(text); });
  std::ranges::sort(met);
  return communicator.maximum(Index{std::ranges::adjacent_find(met) != met.end()}) == 0;
}

// True if all ranks together have the same texts, but in another order. Collective.
bool permuted(const Communicator& communicator, std::span<const std::string> texts,
              std::span<const std::string> names) {
  const std::array<Index, 2> found = sums_of(texts), wanted = sums_of(names);
  std::array<Index, 3> difference{found[0] - wanted[0], found[1] - wanted[1], std::ranges::equal(texts, names) ? 0 : 1};
  communicator.sum(std::span<Index>(difference));
  return difference[0] == 0 && difference[1] == 0 && difference[2] > 0 && are_distinct(communicator, names);
}

}  // namespace

LineOrder line_order(const Communicator& communicator, const ColumnSource& source, const ColumnTable& table, Range own,
                     std::span<const std::string> names) {
  constexpr Index few = 3;  // fewer rows may be in another order by chance
  const bool chosen = std::ranges::find(table.positions, std::size_t{0}) != table.positions.end();
  if (table.positions.empty() || table.rows.size() < few || (chosen && table.positions.size() == 1))
    return LineOrder::unknown;
  const LineOrder other = chosen ? LineOrder::other_values : LineOrder::other;
  std::vector<std::string> texts;
  try {
    texts = first_column(communicator, source, table, chosen);
  } catch (const Error& error) {  // the same on every rank: names of columns are not unique
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::input) throw;
    return LineOrder::unknown;
  }
  if (communicator.maximum(static_cast<Index>(names.size())) > 0) {
    return permuted(communicator, texts, names) ? other : LineOrder::unknown;
  }
  for (const Index first : {Index{0}, Index{1}}) {
    std::vector<std::string> numbers;
    for (Index i = own.begin; i < own.end; ++i) numbers.push_back(std::to_string(first + i));
    if (permuted(communicator, texts, numbers)) return other;
  }
  return LineOrder::unknown;
}

}  // namespace cairn
