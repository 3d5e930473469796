// What two objects have in common, as a number.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Which end of the scale is near: it decides what "nearest" is.
enum class Meaning { similarity, distance };

class SourceSimilarity;
template <class T>
class DistanceTable;

/// A symmetric function of two objects, computed in precision T (float or double).
///
/// The public functions count evaluations; a new similarity implements the protected ones, which refuse values that are
/// not finite. All are thread-safe and none communicates; BLAS runs on one thread inside them. The objects are of the
/// kind that the similarity was made for (make_similarity checks it once).
template <class T>
class Similarity {
 public:
  virtual ~Similarity() = default;
  Similarity() = default;
  Similarity(const Similarity&) = delete;
  Similarity& operator=(const Similarity&) = delete;

  /// Its name, as that of its descriptor.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Meaning meaning() const { return Meaning::similarity; }
  /// False where it is defined between the objects of the data set only (a precomputed matrix, noise).
  [[nodiscard]] virtual bool defined_for_unseen() const { return true; }
  /// Where it comes by source: whole columns are then evaluated through this. Else null.
  [[nodiscard]] virtual const SourceSimilarity* by_source() const { return nullptr; }
  /// True where (i, j) and (j, i) may differ by more than rounding and their mean is meant: column j holds the values
  /// from j, and blocks of which both directions are known are averaged.
  [[nodiscard]] virtual bool one_sided() const { return false; }
  /// Whether its values are rounded to single precision, or worse: (i, j) and (j, i) then agree no better.
  [[nodiscard]] virtual bool rounds_to_single() const { return std::is_same_v<T, float>; }
  /// Evaluations that one entry takes: 2 where both directions are averaged.
  [[nodiscard]] virtual int evaluations_per_entry() const { return 1; }
  /// Predicted cost of comparing the objects `rows` with one other object, in any unit; for dealing tiles. Local.
  [[nodiscard]] virtual double cost(const ObjectBlock& rows) const;
  /// Entries that a tile of more than one row holds at most, where one is so expensive that a tile of
  /// RowPartition::unit rows would keep other ranks waiting for a share of the work, or a run that is to stop. Follows
  /// from the parameters and the data: it is the same on every rank, for any number of ranks.
  [[nodiscard]] virtual Index most_entries_in_tile() const { return std::numeric_limits<Index>::max(); }
  /// How long `entries` of them may take a thread at most where nobody hears of it meanwhile, in seconds; 0: not worth
  /// speaking of. Ranks that wait for others have patience for so long.
  [[nodiscard]] virtual double longest_seconds(Index /*entries*/) const { return 0.0; }
  /// Where it is a function of a distance that does not depend on its parameters: a name that says all about this
  /// distance but the data ("manhattan", "wmd"). Else empty.
  [[nodiscard]] virtual std::string base_name() const { return {}; }
  /// That function, in place; false where a result is not finite. @throws Error(internal) where base_name() is empty
  virtual bool from_base(T* values, Index n) const;
  /// The distances that it takes where they are known, and adds others to; null where there is no such table.
  [[nodiscard]] virtual DistanceTable<T>* distances() const { return distances_.get(); }
  /// What messages call its parameters; make_similarity sets it.
  [[nodiscard]] const KeyNames& keys() const { return keys_; }
  void set_keys(KeyNames keys) { keys_ = std::move(keys); }
  /// @pre base_name() is the table's
  void use_distances(std::shared_ptr<DistanceTable<T>> table) { distances_ = std::move(table); }
  /// The resolved parameters by name ("gamma" -> "0.25"; a sum gives those of its parts): they make it again.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;

  /// out(a, b) = similarity of rows[a] and columns[b].
  /// @throws Error(numeric) that names the pair where a value is NaN or infinite
  void tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  /// out[a] = similarity of first[a] and second[a].
  void pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// out(a, b) = the distance of rows[a] and columns[b] that base_name() names; counted as tile().
  void base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  /// out[a] = the distance of first[a] and second[a]; counted as pairs().
  void base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// Throws Error(numeric) that names the first of values[b], the similarities of object `row` and columns[b], that is
  /// NaN or infinite. One of them is.
  [[noreturn]] void refuse_not_finite(Index row, std::span<const Index> columns, const T* values) const {
    report_not_finite(row, columns, values);
  }

  /// Evaluations made through this object on this rank so far.
  [[nodiscard]] virtual Index evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  /// Counts evaluations beside those of the entries that are delivered: some were made again, or for the parameters.
  virtual void count_more(Index evaluations) const { evaluations_.fetch_add(evaluations, std::memory_order_relaxed); }
  /// Counts entries that an earlier run evaluated and a ledger had; restored() are the evaluations that this saved.
  void count_restored(Index entries) const { restored_ += entries * evaluations_per_entry(); }
  /// The same for the pairs of objects first[a] and second[a], by number, and their values.
  virtual void take_restored(std::span<const Index> /*first*/, std::span<const Index> /*second*/,
                             std::span<const T> values) const {
    count_restored(static_cast<Index>(values.size()));
  }
  [[nodiscard]] Index restored() const { return restored_.load(std::memory_order_relaxed); }

 protected:
  template <class U>
  friend class CompositeSimilarity;  // sums and products reach their parts without counting twice

  /// tile() without counting. Every value written is finite: the test belongs where the values are still in cache
  /// (vector_math returns it for nothing), and report_not_finite throws.
  virtual void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const = 0;
  /// pairs() without counting; it tests the values itself.
  virtual void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const = 0;

  /// base_tile() and base_pairs() without counting; finite as above. @throws Error(internal) where base_name() is empty
  virtual void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  virtual void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// Throws Error(numeric) that names the first of values[b], the similarities of object `row` and columns[b], that is
  /// NaN or infinite. One of them is.
  [[noreturn]] void report_not_finite(Index row, std::span<const Index> columns, const T* values) const;

 private:
  void count(Index entries) const {
    evaluations_.fetch_add(entries * evaluations_per_entry(), std::memory_order_relaxed);
  }
  void require_shape(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  void require_shape(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;
  void require_finite(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  std::shared_ptr<DistanceTable<T>> distances_;
  KeyNames keys_;
  mutable std::atomic<Index> evaluations_{0}, restored_{0};
};

}  // namespace cairn
