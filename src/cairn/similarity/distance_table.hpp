// Evaluated distances, for similarities that are functions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Determines the random documents that wme draws: the words of document j follow from this, the vocabulary and j.
struct RandomDocuments {
  std::uint64_t seed = 0;
  Index longest = 0;  ///< words in one document, at most
  bool operator==(const RandomDocuments&) const = default;
};

/// Content of a DistanceTable in a result file.
template <class T>
struct StoredDistances {
  std::string distance;                   ///< EntryTraits::base
  std::vector<Index> indices;             ///< objects of the columns, without repeats; -1 - j: random document j
  std::optional<RandomDocuments> random;  ///< if there are random documents
  RowBlock<T> columns;                    ///< distances of all objects to these, n x indices.size()
  std::vector<Index> sample;              ///< other objects whose mutual distances are known; may be empty
  RowBlock<T> block;                      ///< their mutual distances, sample.size()²
};

/// Distances of one data set that a run has read or evaluated. For a similarity with a table
/// (Similarity::use_distances), evaluate_columns and evaluate_principal_submatrix take known distances from it,
/// evaluate the rest, and add them.
///
/// Memory: all distances that were ever requested, n numbers per column and s² per sample, in addition to the
/// similarities made from them. All ranks know the same objects. Collective members say so.
template <class T>
class DistanceTable {
 public:
  /// Makes an empty table. @param distance  as EntryTraits::base
  explicit DistanceTable(std::string distance) : distance_(std::move(distance)) {}
  /// Makes a table from the content of a file. @param of_similarity  for the key of the file (reuse)
  /// @param of_run  for the key of the seed of random documents
  explicit DistanceTable(StoredDistances<T> stored, KeyNames of_similarity = {}, KeyNames of_run = {});

  [[nodiscard]] const std::string& distance() const { return distance_; }
  /// Objects of the data whose columns came from a file, in file order. A second sample is drawn from these first.
  [[nodiscard]] const std::vector<Index>& read_columns() const { return read_; }

  /// Columns and block entries requested so far: known ones, and others, which were evaluated.
  struct Use {
    Index known_columns = 0, other_columns = 0, known_block = 0, other_block = 0;
  };
  [[nodiscard]] const Use& use() const { return use_; }
  void count_columns(Index known, Index others) { use_.known_columns += known, use_.other_columns += others; }
  void count_block(Index entries, bool known) { (known ? use_.known_block : use_.other_block) += entries; }

  [[nodiscard]] bool has_column(Index id) const { return place_.contains(id); }
  /// From now on negative ids are documents of `drawn`. @throws Error(usage) if columns of other documents are known
  void use_random_documents(const RandomDocuments& drawn);
  /// @param columns  n x ids.size(), of the objects `ids`; has_column() is false for each of them
  void add_columns(std::span<const Index> ids, RowBlock<T> columns);
  /// out[b] = distance of own row i and ids[b]. All of them are known.
  void copy_row(Index i, std::span<const Index> ids, T* out) const;

  /// Copies the mutual distances of `sample` to `out` if all of them are known. Rows follow RowPartition(sample.size(),
  /// ranks). @return true if they are known, the same on every rank. Collective. Memory: 2 s² / ranks numbers.
  [[nodiscard]] bool find_block(const Communicator& communicator, std::span<const Index> sample,
                                RowBlock<T>& out) const;
  /// Keeps the mutual distances of `sample` in place of those of an earlier sample.
  void keep_block(std::span<const Index> sample, const RowBlock<T>& block, int rank);

  /// Moves the whole content out, for a file. Memory: a second copy of the columns if they were added in several steps.
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

/// As evaluate_columns_into, from the table of the similarity. @pre the similarity has a table. The name of the loop
/// that evaluates distances ends in "-distances". @param others  whether the table keeps the columns that it lacks.
/// Collective.
template <class T>
void columns_from_distances(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                            const std::string& loop, OtherDistances others);

/// Likewise, as evaluate_principal_submatrix. Collective.
template <class T>
[[nodiscard]] RowBlock<T> block_from_distances(const Execution& execution, const Similarity<T>& similarity,
                                               const ObjectSet& objects, std::span<const Index> sample,
                                               const std::string& phase, const std::string& loop);

/// Likewise, as evaluate_submatrix; the table keeps none of the new distances. Memory: if all distances are known,
/// twice those among `rows` and `columns` together, over all ranks. Collective.
template <class T>
[[nodiscard]] RowBlock<T> submatrix_from_distances(const Execution& execution, const Similarity<T>& similarity,
                                                   const ObjectSet& objects, std::span<const Index> rows,
                                                   std::span<const Index> columns, const std::string& phase,
                                                   const std::string& loop);

}  // namespace cairn
