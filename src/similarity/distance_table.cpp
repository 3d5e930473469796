#include "similarity/distance_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "similarity/columns.hpp"

namespace cairn {

namespace {

template <class T>
RowBlock<T> copy_of(const RowBlock<T>& block, int rank) {
  RowBlock<T> copy(block.partition(), rank, block.columns());
  for (Index i = block.range().begin; i < block.range().end; ++i) std::ranges::copy(block.row(i), copy.row(i).begin());
  return copy;
}

}  // namespace

template <class T>
DistanceTable<T>::DistanceTable(StoredDistances<T> stored)
    : distance_(std::move(stored.distance)),
      random_(stored.random),
      sample_(std::move(stored.sample)),
      block_(std::move(stored.block)) {
  std::ranges::copy_if(stored.indices, std::back_inserter(read_), [](Index id) { return id >= 0; });
  add_columns(stored.indices, std::move(stored.columns));
}

template <class T>
void DistanceTable<T>::use_random_documents(const RandomDocuments& drawn) {
  if (random_ && *random_ != drawn) {
    throw Error(ErrorKind::usage,
                fmt::format("similarity.reuse: the distances there are those of random documents of at most {} words "
                            "drawn with run.seed = {}; this run draws them of at most {} with run.seed = {}",
                            random_->longest, random_->seed, drawn.longest, drawn.seed));
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
    *out++ = pieces_[place.piece].row(i)[static_cast<std::size_t>(place.column)];
  }
}

// Each rank knows the rows of the columns that it owns, and of the block those of its share: all are put together, and
// every rank takes its own rows.
template <class T>
bool DistanceTable<T>::find_block(const Communicator& communicator, std::span<const Index> sample,
                                  RowBlock<T>& out) const {
  std::unordered_map<Index, Index> in_block;
  for (std::size_t k = 0; k < sample_.size(); ++k) in_block.emplace(sample_[k], static_cast<Index>(k));
  std::vector<Index> known;  // objects of the sample that have columns
  for (const Index id : sample) {
    if (has_column(id)) {
      known.push_back(id);
    } else if (!in_block.contains(id)) {
      return false;
    }
  }
  const auto width = static_cast<Index>(known.size());
  const auto size = static_cast<Index>(sample.size());
  std::vector<T> values;
  std::vector<Index> owners_rows;
  for (Index r = 0; r < size && width > 0; ++r) {
    const Index id = sample[static_cast<std::size_t>(r)];
    if (!pieces_.front().range().contains(id)) continue;
    owners_rows.push_back(r);
    values.resize(values.size() + known.size());
    copy_row(id, known, values.data() + values.size() - known.size());
  }
  const std::vector<Index> rows = communicator.all_gather(owners_rows);
  const std::vector<T> to_known = communicator.all_gather(values);
  std::vector<T> own_block;
  for (Index r = block_.range().begin; r < block_.range().end; ++r) {
    own_block.insert(own_block.end(), block_.row(r).begin(), block_.row(r).end());
  }
  const std::vector<T> block = communicator.all_gather(own_block);
  std::vector<Index> row_at(sample.size());
  for (std::size_t k = 0; k < rows.size(); ++k) row_at[static_cast<std::size_t>(rows[k])] = static_cast<Index>(k);
  std::unordered_map<Index, Index> column_of;
  for (std::size_t k = 0; k < known.size(); ++k) column_of.emplace(known[k], static_cast<Index>(k));
  const auto from_columns = [&](Index row, Index id) {
    return to_known[static_cast<std::size_t>(row_at[static_cast<std::size_t>(row)] * width + column_of.at(id))];
  };
  for (Index a = out.range().begin; a < out.range().end; ++a) {
    const Index i = sample[static_cast<std::size_t>(a)];
    for (Index b = 0; b < size; ++b) {
      const Index j = sample[static_cast<std::size_t>(b)];
      T& value = out.row(a)[static_cast<std::size_t>(b)];
      // A pair that is not in the block has an object with a column.
      if (in_block.contains(i) && in_block.contains(j)) {
        value = block[static_cast<std::size_t>(in_block.at(i) * static_cast<Index>(sample_.size()) + in_block.at(j))];
      } else {
        value = column_of.contains(j) ? from_columns(a, j) : from_columns(b, i);
      }
    }
  }
  return true;
}

template <class T>
void DistanceTable<T>::keep_block(std::span<const Index> sample, const RowBlock<T>& block, int rank) {
  sample_.assign(sample.begin(), sample.end());
  block_ = copy_of(block, rank);
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

// In place.
template <class T>
void turn_into_similarities(const Similarity<T>& similarity, Index row, std::span<const Index> columns, T* values) {
  if (similarity.from_base(values, static_cast<Index>(columns.size()))) return;
  similarity.refuse_not_finite(row, columns, values);
}

template <class T>
void columns_from_distances(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                            const std::string& loop) {
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
    (table.keeps_columns() ? table : not_kept).add_columns(missing, std::move(evaluated));
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
    out = evaluate_block(execution, similarity, objects, sample, phase, loop + "-distances", true);
    table.keep_block(sample, out, communicator.rank());
  }
  collectively(communicator, [&] {
    for (Index a = out.range().begin; a < out.range().end; ++a) {
      turn_into_similarities(similarity, sample[static_cast<std::size_t>(a)], sample, out.row(a).data());
    }
  });
  return out;
}

#define CAIRN_INSTANTIATE(T)                                                                                         \
  template class DistanceTable<T>;                                                                                   \
  template void columns_from_distances(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&, \
                                       RowBlock<T>&, Index, const std::string&, const std::string&);                 \
  template RowBlock<T> block_from_distances(const Execution&, const Similarity<T>&, const ObjectSet&,                \
                                            std::span<const Index>, const std::string&, const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
