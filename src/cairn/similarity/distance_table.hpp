// Distances that were evaluated, for similarities that are other functions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Which random documents wme draws: the words of number j follow from these, the vocabulary and j.
struct RandomDocuments {
  std::uint64_t seed = 0;
  Index longest = 0;  ///< words in one, at most
  bool operator==(const RandomDocuments&) const = default;
};

/// What a result file holds of them.
template <class T>
struct StoredDistances {
  std::string distance;        ///< EntryTraits::base
  std::vector<Index> indices;  ///< objects that the columns belong to, without repeats; -1 - j: random document j
  std::optional<RandomDocuments> random;  ///< where there are such
  RowBlock<T> columns;                    ///< of all objects to these, n x indices.size()
  std::vector<Index> sample;              ///< other objects, whose distances among themselves are known; or none
  RowBlock<T> block;                      ///< those, sample.size()²
};

/// The distances of one data set that a run has read or evaluated. evaluate_columns and evaluate_principal_submatrix
/// take from it what a similarity that has one needs (Similarity::use_distances), evaluate the rest, and add it.
///
/// Memory: all distances that were ever asked for, n numbers a column and s² a sample, beside the similarities that are
/// made of them. Members that say so are collective; all ranks know the same objects.
template <class T>
class DistanceTable {
 public:
  /// Empty. @param distance  as EntryTraits::base
  explicit DistanceTable(std::string distance) : distance_(std::move(distance)) {}
  /// With what a file held. @param similarity_keys  of the file (reuse) @param run_keys  of the seed of random
  /// documents
  explicit DistanceTable(StoredDistances<T> stored, KeyNames similarity_keys = {}, KeyNames run_keys = {});

  [[nodiscard]] const std::string& distance() const { return distance_; }
  /// Objects of the data whose columns came from a file, in its order: a second sample is drawn from them first.
  [[nodiscard]] const std::vector<Index>& read_columns() const { return read_; }

  /// Columns, and entries of blocks, that were asked for so far: known ones, and others, which were evaluated.
  struct Use {
    Index known_columns = 0, other_columns = 0, known_block = 0, other_block = 0;
  };
  [[nodiscard]] const Use& use() const { return use_; }
  void count_columns(Index known, Index others) { use_.known_columns += known, use_.other_columns += others; }
  void count_block(Index entries, bool known) { (known ? use_.known_block : use_.other_block) += entries; }

  [[nodiscard]] bool has_column(Index id) const { return place_.contains(id); }
  /// Numbers below 0 are those of `drawn` from now on. @throws Error(usage) if columns of others are known
  void use_random_documents(const RandomDocuments& drawn);
  /// @param columns  of the objects `ids`, of which has_column() is false, n x ids.size()
  void add_columns(std::span<const Index> ids, RowBlock<T> columns);
  /// out[b] = distance of row i (own) and ids[b]. All of them are known.
  void copy_row(Index i, std::span<const Index> ids, T* out) const;

  /// The distances of `sample` among itself, rows as RowPartition(sample.size(), ranks) says, into `out`, where all of
  /// them are known. @return whether they are, the same on every rank. Collective. Memory: 2 s² / ranks numbers.
  [[nodiscard]] bool find_block(const Communicator& communicator, std::span<const Index> sample,
                                RowBlock<T>& out) const;
  /// Keeps those of one sample: of the last.
  void keep_block(std::span<const Index> sample, const RowBlock<T>& block, int rank);

  /// All of it, for a file; nothing is left here. Memory: the columns once more where they came in several steps.
  [[nodiscard]] StoredDistances<T> take(const RowPartition& partition, int rank);

 private:
  struct Place {
    std::size_t piece;
    Index column;
  };
  class BlockEntries;
  std::string distance_;
  KeyNames similarity_keys_, run_keys_;
  Use use_;
  std::optional<RandomDocuments> random_;
  std::vector<Index> read_;
  std::vector<Index> ids_;  // in the order of the columns
  std::vector<RowBlock<T>> pieces_;
  std::unordered_map<Index, Place> place_;
  std::vector<Index> sample_;
  RowBlock<T> block_;
};

/// As evaluate_columns_into, from the table of the similarity, which it has; the loop's name ends in "-distances" then.
/// @param others  whether the table keeps columns that it has not. Collective.
template <class T>
void columns_from_distances(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                            const std::string& loop, OtherDistances others);

/// As evaluate_principal_submatrix, likewise. Collective.
template <class T>
[[nodiscard]] RowBlock<T> block_from_distances(const Execution& execution, const Similarity<T>& similarity,
                                               const ObjectSet& objects, std::span<const Index> sample,
                                               const std::string& phase, const std::string& loop);

/// As evaluate_submatrix, likewise; the table keeps nothing of it. Memory: where it is known, twice the distances among
/// `rows` and `columns` together over all ranks. Collective.
template <class T>
[[nodiscard]] RowBlock<T> submatrix_from_distances(const Execution& execution, const Similarity<T>& similarity,
                                                   const ObjectSet& objects, std::span<const Index> rows,
                                                   std::span<const Index> columns, const std::string& phase,
                                                   const std::string& loop);

}  // namespace cairn
