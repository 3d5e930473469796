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

// How many entries of each own row come from above the diagonal: [rank that sends them][local row]. Collective.
std::vector<std::vector<Index>> mirrored_counts(const Communicator& communicator, const CooccurrenceCounts& counts) {
  std::vector<std::vector<Index>> sent(static_cast<std::size_t>(communicator.size()));
  for (int r = 0; r < communicator.size(); ++r) {
    sent[static_cast<std::size_t>(r)].assign(static_cast<std::size_t>(counts.partition().range(r).size()), 0);
  }
  for (Index i = counts.range().begin; i < counts.range().end; ++i) {
    for (const std::int32_t j : counts.row(i).others) {
      if (j == i) continue;
      const int owner = counts.partition().owner(j);
      ++sent[static_cast<std::size_t>(owner)][static_cast<std::size_t>(j - counts.partition().range(owner).begin)];
    }
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
  Index next = counts.range().begin;
  for (bool last = false; !last;) {
    std::vector<std::vector<Mirrored<T>>> outgoing(static_cast<std::size_t>(communicator.size()));
    for (Index sent = 0; next < counts.range().end && sent < most_sent; ++next) {
      const CountRow row = counts.row(next);
      for (std::size_t k = 0; k < row.others.size(); ++k) {
        const Index j = row.others[k];
        const T entry = value(next, j, row.count(k));
        filling.add_own(next, j, entry);
        if (j == next) continue;
        outgoing[static_cast<std::size_t>(partition.owner(j))].push_back(
            {static_cast<std::int32_t>(j), static_cast<std::int32_t>(next), entry});
        ++sent;
      }
    }
    last = communicator.minimum(next < counts.range().end ? Index{0} : Index{1}) == 1;
    const auto received = communicator.exchange(outgoing);
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
