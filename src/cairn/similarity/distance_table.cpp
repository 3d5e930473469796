#include "cairn/similarity/distance_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

template <class T>
RowBlock<T> block_of_rank(const RowBlock<T>& block, int rank) {
  RowBlock<T> copy(block.partition(), rank, block.columns());
  for (Index i = block.range().begin; i < block.range().end; ++i) std::ranges::copy(block.row(i), copy.row(i).begin());
  return copy;
}

}  // namespace

template <class T>
DistanceTable<T>::DistanceTable(StoredDistances<T> stored, KeyNames of_similarity, KeyNames of_run)
    : distance_(std::move(stored.distance)),
      similarity_keys_(std::move(of_similarity)),
      run_keys_(std::move(of_run)),
      random_(stored.random),
      sample_(std::move(stored.sample)),
      block_(std::move(stored.block)) {
  std::ranges::copy_if(stored.indices, std::back_inserter(read_), [](Index id) { return id >= 0; });
  add_columns(stored.indices, std::move(stored.columns));
}

template <class T>
void DistanceTable<T>::use_random_documents(const RandomDocuments& drawn) {
  if (random_ && *random_ != drawn) {
    const std::string seed = run_keys_("seed", "seed");
    throw Error(ErrorKind::usage, fmt::format("{}: the stored distances belong to random documents of at most {} words "
                                              "with {} = {}; this run uses at most {} words with {} = {}",
                                              similarity_keys_("reuse", "known distances"), random_->longest, seed,
                                              random_->seed, drawn.longest, seed, drawn.seed));
  }
  random_ = drawn;
}

template <class T>
void DistanceTable<T>::add_columns(std::span<const Index> ids, RowBlock<T> columns) {
  for (std::size_t b = 0; b < ids.size(); ++b) place_.emplace(ids[b], Place{pieces_.size(), static_cast<Index>(b)});
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  pieces_.push_back(std::move(columns));
}

template <class T>
void DistanceTable<T>::copy_row(Index i, std::span<const Index> ids, T* out) const {
  for (const Index id : ids) {
    const Place place = place_.at(id);
    *out++ = pieces_[place.piece].row(i)[place.column];
  }
}

// Location of each entry of the block of a sample: in the kept block if that has the pair, else in the column of one of
// its objects, on the rank that owns the other. All ranks traverse the entries in the same order, so that only values
// are sent.
template <class T>
class DistanceTable<T>::BlockEntries {
 public:
  BlockEntries(const DistanceTable& table, std::span<const Index> sample, const RowPartition& rows)
      : table_(table), sample_(sample), rows_(rows) {
    std::unordered_map<Index, Index> kept;
    for (std::size_t k = 0; k < table.sample_.size(); ++k) kept.emplace(table.sample_[k], static_cast<Index>(k));
    for (const Index id : sample) {
      const auto at = kept.find(id);
      place_.push_back(at == kept.end() ? -1 : at->second);
      column_.push_back(table.has_column(id));
    }
  }

  [[nodiscard]] bool all_known() const {
    for (std::size_t k = 0; k < place_.size(); ++k) {
      if (place_[k] < 0 && !column_[k]) return false;
    }
    return true;
  }

  // Enumerates the entries that rank `from` holds of the rows that rank `to` makes. Calls visit(a, b, i, j) if entry
  // (a, b) is entry (i, j) of the kept block, visit_column(a, b, i, j) if it is in row i of the column of object j.
  template <class Visit, class VisitColumn>
  void for_each(int from, int to, Visit visit, VisitColumn visit_column) const {
    const auto size = static_cast<Index>(sample_.size());
    const Range made = rows_.range(to);
    for (Index a = made.begin; a < made.end; ++a) {
      if (in_block(a) && table_.block_.partition().owner(place(a)) == from) {
        for (Index b = 0; b < size; ++b) {
          if (in_block(b)) visit(a, b, place(a), place(b));
        }
      }
      if (!owns(from, a)) continue;
      for (Index b = 0; b < size; ++b) {
        if (has_column(b) && !both_in_block(a, b)) visit_column(a, b, id(a), id(b));
      }
    }
    for (Index b = 0; b < size; ++b) {
      if (has_column(b) || !owns(from, b)) continue;
      for (Index a = made.begin; a < made.end; ++a) {  // unless both are in the block, `a` is not, and has a column
        if (!both_in_block(a, b)) visit_column(a, b, id(b), id(a));
      }
    }
  }

 private:
  [[nodiscard]] Index id(Index k) const { return sample_[k]; }
  [[nodiscard]] Index place(Index k) const { return place_[k]; }
  [[nodiscard]] bool in_block(Index k) const { return place(k) >= 0; }
  [[nodiscard]] bool both_in_block(Index a, Index b) const { return in_block(a) && in_block(b); }
  [[nodiscard]] bool has_column(Index k) const { return column_[k]; }
  // True if the rank owns the row of object k in all columns.
  [[nodiscard]] bool owns(int rank, Index k) const {
    return !table_.pieces_.empty() && table_.pieces_.front().partition().owner(id(k)) == rank;
  }

  const DistanceTable& table_;
  std::span<const Index> sample_;
  RowPartition rows_;
  std::vector<Index> place_;  // position in the block; -1: not there
  std::vector<bool> column_;
};

template <class T>
bool DistanceTable<T>::find_block(const Communicator& communicator, std::span<const Index> sample,
                                  RowBlock<T>& out) const {
  const BlockEntries entries(*this, sample, out.partition());
  if (!entries.all_known()) return false;
  const int me = communicator.rank();
  const auto send = collectively(communicator, [&] {
    std::vector<std::vector<T>> values(communicator.size());
    for (int to = 0; to < communicator.size(); ++to) {
      auto& part = values[to];
      std::size_t count = 0;
      const auto add = [&](Index, Index, Index, Index) { ++count; };
      entries.for_each(me, to, add, add);
      part.reserve(count);
      entries.for_each(
          me, to, [&](Index, Index, Index i, Index j) { part.push_back(block_.row(i)[j]); },
          [&](Index, Index, Index i, Index j) {
            part.emplace_back();
            copy_row(i, std::span(&j, 1), &part.back());
          });
    }
    return values;
  });
  const auto received = communicator.exchange(send);
  for (int from = 0; from < communicator.size(); ++from) {
    const T* next = received[from].data();
    const auto take = [&](Index a, Index b, Index, Index) { out.row(a)[b] = *next++; };
    entries.for_each(from, me, take, take);
  }
  return true;
}

template <class T>
void DistanceTable<T>::keep_block(std::span<const Index> sample, const RowBlock<T>& block, int rank) {
  sample_.assign(sample.begin(), sample.end());
  block_ = block_of_rank(block, rank);
}

template <class T>
StoredDistances<T> DistanceTable<T>::take(const RowPartition& partition, int rank) {
  StoredDistances<T> all;
  all.distance = distance_;
  all.indices = ids_;
  if (std::ranges::any_of(ids_, [](Index id) { return id < 0; })) all.random = random_;
  if (pieces_.size() == 1) {
    all.columns = std::move(pieces_.front());
  } else {
    all.columns = RowBlock<T>(partition, rank, static_cast<Index>(ids_.size()));
    for (Index i = all.columns.range().begin; i < all.columns.range().end; ++i)
      copy_row(i, ids_, all.columns.row(i).data());
  }
  all.sample = std::move(sample_);
  all.block = std::move(block_);
  *this = DistanceTable(distance_);
  return all;
}

// Works in place.
template <class T>
void turn_into_similarities(const Similarity<T>& similarity, Index row, std::span<const Index> columns, T* values) {
  if (similarity.base_distance()->from_base(values, static_cast<Index>(columns.size()))) return;
  similarity.report_not_finite(row, columns, values);
}

template <class T>
void columns_from_distances(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                            const std::string& loop, OtherDistances others) {
  const Communicator& communicator = execution.communicator;
  DistanceTable<T>& table = *similarity.distances();
  std::vector<Index> missing;
  std::ranges::copy_if(columns.ids, std::back_inserter(missing), [&](Index id) { return !table.has_column(id); });
  table.count_columns(columns.size() - static_cast<Index>(missing.size()), static_cast<Index>(missing.size()));
  DistanceTable<T> not_kept(table.distance());
  if (!missing.empty()) {
    const auto gathered = missing.size() == columns.ids.size() ? nullptr : objects.gather(communicator, missing);
    auto evaluated =
        evaluate_distances(execution, similarity, objects, gathered ? *gathered : columns, phase, loop + "-distances");
    (others == OtherDistances::kept ? table : not_kept).add_columns(missing, std::move(evaluated));
  }
  const auto scope = execution.phases.enter(phase);
  collectively(communicator, [&] {
    for (Index i = out.range().begin; i < out.range().end; ++i) {
      T* values = out.row(i).data() + first_column;
      for (std::size_t b = 0; b < columns.ids.size(); ++b) {
        const auto id = std::span(columns.ids).subspan(b, 1);
        (table.has_column(id.front()) ? table : not_kept).copy_row(i, id, values + b);
      }
      turn_into_similarities(similarity, i, columns.ids, values);
    }
  });
}

template <class T>
RowBlock<T> block_from_distances(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                                 std::span<const Index> sample, const std::string& phase, const std::string& loop) {
  const Communicator& communicator = execution.communicator;
  DistanceTable<T>& table = *similarity.distances();
  const auto size = static_cast<Index>(sample.size());
  auto out = collectively(
      communicator, [&] { return RowBlock<T>(RowPartition(size, communicator.size()), communicator.rank(), size); });
  const bool known = table.find_block(communicator, sample, out);
  table.count_block(size * size, known);
  if (!known) {
    out = evaluate_block(execution, similarity, objects, sample, sample, phase, loop + "-distances", true);
    table.keep_block(sample, out, communicator.rank());
  }
  collectively(communicator, [&] {
    for (Index a = out.range().begin; a < out.range().end; ++a) {
      turn_into_similarities(similarity, sample[a], sample, out.row(a).data());
    }
  });
  return out;
}

template <class T>
RowBlock<T> submatrix_from_distances(const Execution& execution, const Similarity<T>& similarity,
                                     const ObjectSet& objects, std::span<const Index> rows,
                                     std::span<const Index> columns, const std::string& phase,
                                     const std::string& loop) {
  const Communicator& communicator = execution.communicator;
  DistanceTable<T>& table = *similarity.distances();
  std::vector<Index> sample(rows.begin(), rows.end());
  sample.insert(sample.end(), columns.begin(), columns.end());
  auto block = collectively(communicator, [&] {
    return RowBlock<T>(RowPartition(std::ssize(sample), communicator.size()), communicator.rank(), std::ssize(sample));
  });
  const bool known = table.find_block(communicator, sample, block);
  table.count_block(std::ssize(rows) * std::ssize(columns), known);
  auto out = known ? collectively(communicator,
                                  [&] {
                                    return RowBlock<T>(RowPartition(std::ssize(rows), communicator.size()),
                                                       communicator.rank(), std::ssize(columns));
                                  })
                   : evaluate_block(execution, similarity, objects, rows, columns, phase, loop + "-distances", true);
  if (known) {
    const std::vector<Index> own = numbers_of(out.range());
    const auto answers = ask_owners<T>(communicator, block.partition(), own, [&](std::span<const Index> asked) {
      std::vector<T> values;
      for (const Index a : asked) {
        const auto row = block.row(a).last(columns.size());
        values.insert(values.end(), row.begin(), row.end());
      }
      return values;
    });
    std::vector<std::size_t> next(answers.size(), 0);
    for (const Index a : own) {
      const auto owner = static_cast<std::size_t>(block.partition().owner(a));
      std::ranges::copy(answers[owner].subspan(next[owner], columns.size()), out.row(a).begin());
      next[owner] += columns.size();
    }
  }
  collectively(communicator, [&] {
    for (Index a = out.range().begin; a < out.range().end; ++a) {
      turn_into_similarities(similarity, rows[a], columns, out.row(a).data());
    }
  });
  return out;
}

#define CAIRN_INSTANTIATE(T)                                                                                         \
  template class DistanceTable<T>;                                                                                   \
  template void columns_from_distances(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&, \
                                       RowBlock<T>&, Index, const std::string&, const std::string&, OtherDistances); \
  template RowBlock<T> block_from_distances(const Execution&, const Similarity<T>&, const ObjectSet&,                \
                                            std::span<const Index>, const std::string&, const std::string&);         \
  template RowBlock<T> submatrix_from_distances(const Execution&, const Similarity<T>&, const ObjectSet&,            \
                                                std::span<const Index>, std::span<const Index>, const std::string&,  \
                                                const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
