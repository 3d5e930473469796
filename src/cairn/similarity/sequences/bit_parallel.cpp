#include "cairn/similarity/sequences/bit_parallel.hpp"

namespace cairn {

namespace {

constexpr std::size_t bits = 64;

// One column of 64 rows: what it becomes, and by how much its last row differs from that of the column before.
struct Column {
  std::uint64_t up = ~std::uint64_t{0}, down = 0;
};

// `enters`: by how much the row above differs from the column before: -1, 0 or 1. `last` is the bit of the row that the
// result is of.
inline int advance(Column& column, std::uint64_t equal, int enters, std::uint64_t last) {
  const std::uint64_t falls = enters < 0 ? 1 : 0, rises = enters > 0 ? 1 : 0;
  const std::uint64_t vertical = equal | column.down;
  equal |= falls;
  const std::uint64_t diagonal = (((equal & column.up) + column.up) ^ column.up) | equal;
  std::uint64_t higher = column.down | ~(diagonal | column.up);
  std::uint64_t lower = column.up & diagonal;
  const int leaves = ((higher & last) != 0 ? 1 : 0) - ((lower & last) != 0 ? 1 : 0);
  higher = (higher << 1) | rises;
  lower = (lower << 1) | falls;
  column.up = lower | ~(vertical | higher);
  column.down = higher & vertical;
  return leaves;
}

}  // namespace

void BitParallel::prepare(std::span<const std::int32_t> x, Index symbols) {
  for (const std::int32_t symbol : x_) slots_[static_cast<std::size_t>(symbol)] = 0;
  if (std::ssize(slots_) < symbols) slots_.resize(static_cast<std::size_t>(symbols), 0);
  x_.assign(x.begin(), x.end());
  words_ = (x.size() + bits - 1) / bits;
  std::int32_t used = 0;
  for (const std::int32_t symbol : x) {
    std::int32_t& slot = slots_[static_cast<std::size_t>(symbol)];
    if (slot == 0) slot = ++used;
  }
  masks_.assign((static_cast<std::size_t>(used) + 1) * words_, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto slot = static_cast<std::size_t>(slots_[static_cast<std::size_t>(x[i])]);
    masks_[slot * words_ + i / bits] |= std::uint64_t{1} << (i % bits);
  }
}

Index BitParallel::distance(std::span<const std::int32_t> y) {
  if (x_.empty()) return std::ssize(y);
  return words_ == 1 ? in_one_word(y) : in_words(y);
}

Index BitParallel::in_one_word(std::span<const std::int32_t> y) const {
  const std::uint64_t last = std::uint64_t{1} << ((x_.size() - 1) % bits);
  Column column;
  Index distance = std::ssize(x_);
  for (const std::int32_t symbol : y) {
    const auto slot = static_cast<std::size_t>(slots_[static_cast<std::size_t>(symbol)]);
    distance += advance(column, masks_[slot], 1, last);
  }
  return distance;
}

Index BitParallel::in_words(std::span<const std::int32_t> y) {
  constexpr std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t last = std::uint64_t{1} << ((x_.size() - 1) % bits);
  up_.assign(words_, ~std::uint64_t{0});
  down_.assign(words_, 0);
  Index distance = std::ssize(x_);
  for (const std::int32_t symbol : y) {
    const std::uint64_t* masks =
        masks_.data() + static_cast<std::size_t>(slots_[static_cast<std::size_t>(symbol)]) * words_;
    int enters = 1;
    for (std::size_t w = 0; w < words_; ++w) {
      Column column{up_[w], down_[w]};
      enters = advance(column, masks[w], enters, w + 1 < words_ ? top : last);
      up_[w] = column.up;
      down_[w] = column.down;
    }
    distance += enters;
  }
  return distance;
}

}  // namespace cairn
