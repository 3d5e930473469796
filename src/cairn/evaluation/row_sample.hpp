// Selects the rows of K on which an error is measured. Private to error_over_rows.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// `rows` of n rows, drawn uniformly without replacement (Stream::evaluation_rows). If rows >= n, all rows in strides,
/// so that the first few are spread over the whole range. A sample that is examined in stages (`in_looks`) is in random
/// order even if it contains all rows. Equal on every rank.
class RowSample {
 public:
  /// @param keys  name of the parameter `rows`
  /// @throws Error(usage) unless rows >= 2 (or n = 1)
  RowSample(Index n, Index rows, std::uint64_t seed, const KeyNames& keys, bool in_looks = false)
      : all_(rows >= n && !in_looks), count_(std::min(rows, n)) {
    if (rows < std::min<Index>(n, 2)) {
      throw Error(ErrorKind::usage, keys("rows") + " is " + std::to_string(rows) +
                                        "; an error with a standard error needs at least 2 rows");
    }
    if (all_) {
      // A stride coprime to n visits every row once; the golden section spreads the rows.
      stride_ = std::max<Index>(1, static_cast<Index>(0.6180339887 * static_cast<double>(n)));
      while (std::gcd(stride_, n) > 1) ++stride_;
    }
    if (!all_) drawn_ = sample_without_replacement(n, count_, Random(seed, Stream::evaluation_rows));
  }

  [[nodiscard]] Index count() const { return count_; }
  /// The next `most` rows from number `begin` on, or as many as remain.
  [[nodiscard]] std::vector<Index> part(Index begin, Index most) const {
    std::vector<Index> picks(std::min(most, count_ - begin));
    if (all_) {
      for (std::size_t k = 0; k < picks.size(); ++k) picks[k] = (begin + static_cast<Index>(k)) * stride_ % count_;
    } else {
      std::copy_n(drawn_.begin() + begin, picks.size(), picks.begin());
    }
    return picks;
  }

 private:
  bool all_;
  Index count_;
  Index stride_ = 1;
  std::vector<Index> drawn_;
};

}  // namespace cairn
