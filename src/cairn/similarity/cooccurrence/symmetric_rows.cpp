#include "cairn/similarity/cooccurrence/symmetric_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/sparse/row_messages.hpp"

namespace cairn {

namespace {

// Number of entries of each row, over all ranks: up to the diagonal, and beyond it.
struct RowLengths {
  std::vector<Index> lower, upper;
  std::vector<std::int32_t> own_upper;  // part of `upper` from rows of this rank
};

// Collective.
RowLengths lengths_of(const Communicator& communicator, const CooccurrenceCounts& counts) {
  const auto words = static_cast<std::size_t>(counts.partition().rows());
  auto lengths = collectively(communicator, [&] {
    RowLengths own{std::vector<Index>(words, 0), {}, std::vector<std::int32_t>(words, 0)};
    for (Index i = counts.range().begin; i < counts.range().end; ++i) {
      const auto others = counts.row(i).others;
      own.lower[i] = std::ssize(others);
      const std::size_t below = others.size() - (!others.empty() && others.back() == i ? 1 : 0);
      for (const std::int32_t j : others.first(below)) ++own.own_upper[j];
    }
    own.upper.assign(own.own_upper.begin(), own.own_upper.end());
    return own;
  });
  communicator.sum(std::span<Index>(lengths.lower));
  communicator.sum(std::span<Index>(lengths.upper));
  return lengths;
}

// Position of the first of the ascending columns that is not below `column`.
std::size_t place_of(std::span<const std::int32_t> columns, Index column) {
  return static_cast<std::size_t>(std::ranges::lower_bound(columns, column) - columns.begin());
}

// Part of a row of the lower triangle.
template <class T>
struct Segment {
  std::int32_t row = 0;
  std::span<const std::int32_t> columns;
  const T* values = nullptr;
};

// Fills the rows of a rank. Rank r delivers its rows of `counts` one after the other, and the rows of rank r come
// before those of rank r + 1. As columns, they follow in the same order.
template <class T>
class Filling {
 public:
  // Collective.
  Filling(const Communicator& communicator, const CooccurrenceCounts& counts) {
    const RowLengths lengths = lengths_of(communicator, counts);
    std::vector<std::vector<std::int32_t>> upper(communicator.size());
    collectively(communicator, [&] {
      std::vector<Index> entries(lengths.lower);
      for (std::size_t i = 0; i < entries.size(); ++i) entries[i] += lengths.upper[i];
      result_.ends = balanced_ends(entries, communicator.size());
      result_.rows = rows_between(result_.ends, communicator.rank());
      for (int r = 0; r < communicator.size(); ++r) {
        const Range theirs = rows_between(result_.ends, r);
        upper[r].assign(lengths.own_upper.begin() + theirs.begin, lengths.own_upper.begin() + theirs.end);
      }
    });
    next_ = communicator.exchange(upper);
    collectively(communicator, [&] { place(lengths); });
  }

  [[nodiscard]] const std::vector<Index>& ends() const { return result_.ends; }
  // @param r  rank that has the row in `counts`
  void add(std::size_t r, const Segment<T>& segment) {
    const Range rows = result_.rows;
    if (rows.contains(segment.row)) {  // the whole row, from the first column on
      const Index at = start_of(segment.row);
      std::ranges::copy(segment.columns, result_.columns.data() + at);
      std::copy_n(segment.values, segment.columns.size(), result_.values.data() + at);
    }
    auto& next = next_[r];
    for (std::size_t k = place_of(segment.columns, rows.begin); k < segment.columns.size(); ++k) {
      const std::int32_t j = segment.columns[k];
      if (j == segment.row || j >= rows.end) break;
      const Index at = start_of(j) + next[j - rows.begin]++;
      result_.columns[at] = segment.row;
      result_.values[at] = segment.values[k];
    }
  }
  BalancedRows<T> take() { return std::move(result_); }

 private:
  [[nodiscard]] Index start_of(Index row) const { return result_.starts[row - result_.rows.begin]; }

  // Sets the start of each row and, within it, of the entries that each rank delivers.
  void place(const RowLengths& lengths) {
    for (Index i = result_.rows.begin; i < result_.rows.end; ++i) {
      const auto local = static_cast<std::size_t>(i - result_.rows.begin);
      auto end = static_cast<std::int32_t>(lengths.lower[i]);
      for (auto& of_rank : next_) end += std::exchange(of_rank[local], end);
      result_.starts.push_back(result_.starts.back() + end);
    }
    result_.columns = Buffer<std::int32_t>(result_.own_entries());
    result_.values = Buffer<T>(result_.own_entries());
  }

  BalancedRows<T> result_;
  std::vector<std::vector<std::int32_t>> next_;  // position of the next entry beyond the diagonal: [rank][own row]
};

// Segments for each rank: row and length of each, their columns and values.
template <class T>
struct Messages : RowMessages<T> {
  using RowMessages<T>::RowMessages;
  void add(std::size_t target, const Segment<T>& segment) {
    this->heads[target].push_back(segment.row);
    this->heads[target].push_back(static_cast<std::int32_t>(segment.columns.size()));
    this->columns[target].insert(this->columns[target].end(), segment.columns.begin(), segment.columns.end());
    this->values[target].insert(this->values[target].end(), segment.values, segment.values + segment.columns.size());
    this->entries += std::ssize(segment.columns);
  }
  // Calls use(rank, segment) for each received segment.
  template <class Use>
  void for_each_received(Use use) const {
    for (std::size_t r = 0; r < this->received_heads.size(); ++r) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < this->received_heads[r].size(); k += 2) {
        const auto length = static_cast<std::size_t>(this->received_heads[r][k + 1]);
        use(r, Segment<T>{this->received_heads[r][k], this->received_columns[r].subspan(at, length),
                          this->received_values[r].data() + at});
        at += length;
      }
    }
  }
};

// Sends a row to the rank that holds it, and parts of it to the ranks that hold rows of its columns.
template <class T>
void address(const Segment<T>& row, const std::vector<Index>& ends, std::size_t self, Filling<T>& filling,
             Messages<T>& messages) {
  const auto give = [&](std::size_t r, const Segment<T>& part) {
    if (!part.columns.empty()) r == self ? filling.add(self, part) : messages.add(r, part);
  };
  std::size_t r = 0, at = 0;
  for (; row.row >= ends[r]; ++r) {
    const std::size_t begin = std::exchange(at, place_of(row.columns, ends[r]));
    give(r, {row.row, row.columns.subspan(begin, at - begin), row.values + begin});
  }
  give(r, row);
}

}  // namespace

template <class T>
BalancedRows<T> symmetric_rows(const Communicator& communicator, const CooccurrenceCounts& counts,
                               const std::function<void(Index i, const CountRow& row, T* out)>& values,
                               Index most_sent) {
  auto filling = Filling<T>(communicator, counts);
  const auto self = static_cast<std::size_t>(communicator.rank());
  Messages<T> messages(static_cast<std::size_t>(communicator.size()));
  std::vector<T> of_row;
  Index next = counts.range().begin;
  for (bool last = false; !last;) {
    collectively(communicator, [&] {
      messages.clear();
      for (; next < counts.range().end && messages.has_room(most_sent); ++next) {
        const CountRow row = counts.row(next);
        of_row.resize(std::max(of_row.size(), row.others.size()));
        values(next, row, of_row.data());
        address({static_cast<std::int32_t>(next), row.others, of_row.data()}, filling.ends(), self, filling, messages);
      }
    });
    last = communicator.minimum(next < counts.range().end ? Index{0} : Index{1}) == 1;
    if (communicator.size() > 1) messages.exchange(communicator);
    messages.for_each_received([&](std::size_t r, const Segment<T>& segment) { filling.add(r, segment); });
    Watchdog::beat();
  }
  return filling.take();
}

template BalancedRows<float> symmetric_rows(const Communicator&, const CooccurrenceCounts&,
                                            const std::function<void(Index, const CountRow&, float*)>&, Index);
template BalancedRows<double> symmetric_rows(const Communicator&, const CooccurrenceCounts&,
                                             const std::function<void(Index, const CountRow&, double*)>&, Index);

}  // namespace cairn
