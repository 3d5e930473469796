#include "cairn/similarity/cooccurrence/symmetric_rows.hpp"

#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

template <class T>
struct Mirrored {
  std::int32_t row = 0;
  std::int32_t column = 0;
  T value{};
};

// Calls use(owner, j) for the columns of a row below the diagonal, which ascend.
template <class Use>
void for_each_below(const RowPartition& partition, Index row, const CountRow& entries, Use use) {
  int owner = 0;
  Index end = partition.range(0).end;
  for (std::size_t k = 0; k < entries.others.size(); ++k) {
    const Index j = entries.others[k];
    if (j == row) return;
    while (j >= end) end = partition.range(++owner).end;
    use(static_cast<std::size_t>(owner), k);
  }
}

// How many entries of each own row come from above the diagonal: [rank that sends them][local row]. Collective.
std::vector<std::vector<Index>> mirrored_counts(const Communicator& communicator, const CooccurrenceCounts& counts) {
  const RowPartition& partition = counts.partition();
  std::vector<std::vector<Index>> sent(static_cast<std::size_t>(communicator.size()));
  std::vector<Index> first;
  for (int r = 0; r < communicator.size(); ++r) {
    sent[static_cast<std::size_t>(r)].assign(static_cast<std::size_t>(partition.range(r).size()), 0);
    first.push_back(partition.range(r).begin);
  }
  for (Index i = counts.range().begin; i < counts.range().end; ++i) {
    const CountRow row = counts.row(i);
    for_each_below(partition, i, row, [&](std::size_t owner, std::size_t k) {
      ++sent[owner][static_cast<std::size_t>(row.others[k] - first[owner])];
    });
  }
  return communicator.exchange(sent);
}

// Fills the rows of a rank.
template <class T>
class Filling {
 public:
  Filling(const Communicator& communicator, const CooccurrenceCounts& counts)
      : range_(counts.range()), next_(mirrored_counts(communicator, counts)) {
    Index end = 0;
    starts_.push_back(0);
    for (Index i = range_.begin; i < range_.end; ++i) {
      const auto local = static_cast<std::size_t>(i - range_.begin);
      own_.push_back(end);
      end += std::ssize(counts.row(i).others);
      for (auto& of_rank : next_) end += std::exchange(of_rank[local], end);
      starts_.push_back(end);
    }
    indices_.resize(static_cast<std::size_t>(end));
    values_.resize(static_cast<std::size_t>(end));
  }

  void add_own(Index i, Index j, T value) { put(own_[static_cast<std::size_t>(i - range_.begin)]++, j, value); }
  // Rank r sends the entries of a row in ascending order of their columns, which are rows of its own.
  void add_mirrored(std::size_t r, const Mirrored<T>& entry) {
    put(next_[r][static_cast<std::size_t>(entry.row - range_.begin)]++, entry.column, entry.value);
  }
  SparseRows<T> take(const RowPartition& partition, int rank) {
    return SparseRows<T>(partition, rank, partition.rows(), std::move(starts_), std::move(indices_),
                         std::move(values_));
  }

 private:
  void put(Index place, Index column, T value) {
    indices_[static_cast<std::size_t>(place)] = column;
    values_[static_cast<std::size_t>(place)] = value;
  }

  Range range_;
  std::vector<std::vector<Index>> next_;  // place of the next entry: [rank][local row]
  std::vector<Index> own_;                // the same of entries up to the diagonal
  std::vector<Index> starts_, indices_;
  std::vector<T> values_;
};

}  // namespace

template <class T>
SparseRows<T> symmetric_rows(const Communicator& communicator, const CooccurrenceCounts& counts,
                             const std::function<T(Index i, Index j, Index count)>& value, Index most_sent) {
  auto filling = Filling<T>(communicator, counts);
  const RowPartition& partition = counts.partition();
  const auto self = static_cast<std::size_t>(communicator.rank());
  std::vector<std::vector<Mirrored<T>>> outgoing(static_cast<std::size_t>(communicator.size()));
  ReusedArrays<Mirrored<T>> received;
  Index next = counts.range().begin;
  for (bool last = false; !last;) {
    for (auto& part : outgoing) part.clear();
    for (Index sent = 0; next < counts.range().end && sent < most_sent; ++next) {
      const CountRow row = counts.row(next);
      const auto i = static_cast<std::int32_t>(next);
      for_each_below(partition, next, row, [&](std::size_t owner, std::size_t k) {
        const std::int32_t j = row.others[k];
        const Mirrored<T> entry{j, i, value(next, j, row.count(k))};
        filling.add_own(next, j, entry.value);
        if (owner == self) {
          filling.add_mirrored(self, entry);
        } else {
          outgoing[owner].push_back(entry);
          ++sent;
        }
      });
      if (!row.others.empty() && row.others.back() == i) {
        filling.add_own(next, next, value(next, next, row.count(row.others.size() - 1)));
      }
    }
    last = communicator.minimum(next < counts.range().end ? Index{0} : Index{1}) == 1;
    if (communicator.size() > 1) communicator.exchange(outgoing, received);
    for (std::size_t r = 0; r < received.size(); ++r) {
      for (const Mirrored<T>& entry : received[r]) filling.add_mirrored(r, entry);
    }
    Watchdog::beat();
  }
  return filling.take(partition, communicator.rank());
}

template SparseRows<float> symmetric_rows(const Communicator&, const CooccurrenceCounts&,
                                          const std::function<float(Index, Index, Index)>&, Index);
template SparseRows<double> symmetric_rows(const Communicator&, const CooccurrenceCounts&,
                                           const std::function<double(Index, Index, Index)>&, Index);

}  // namespace cairn
