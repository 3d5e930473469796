// Similarity of two objects, as a number.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/linalg/sparse/balanced_rows.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/entry_traits.hpp"

namespace cairn {

class SourceSimilarity;
template <class T>
class BaseDistance;
template <class T>
class DistanceTable;

/// A symmetric function of two objects, computed in precision T (float or double).
///
/// The public functions count evaluations and reject values that are not finite. A new similarity passes its traits to
/// the constructor and implements compute_tile(), compute_pairs() and parameters(). All of these are thread-safe and do
/// not communicate; BLAS runs on one thread inside them. The objects are of the kind that the similarity was made for
/// (make_similarity checks this once).
template <class T>
class Similarity {
 public:
  virtual ~Similarity() = default;
  Similarity(const Similarity&) = delete;
  Similarity& operator=(const Similarity&) = delete;

  [[nodiscard]] const EntryTraits& traits() const { return traits_; }
  /// Resolved parameters by name ("gamma" -> "0.25"; a sum includes those of its parts). They determine the similarity.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;
  /// The single-source similarity through which whole columns are evaluated; null if there is none.
  [[nodiscard]] virtual const SourceSimilarity* by_source() const { return nullptr; }
  /// The base distance; null if traits().base is empty.
  [[nodiscard]] virtual const BaseDistance<T>* base_distance() const { return nullptr; }
  /// Nonzeros of K if K is 0 for most pairs of its objects, in rows assigned to ranks by number of entries; else
  /// nothing. They do not count as evaluations. Collective.
  [[nodiscard]] virtual std::optional<BalancedRows<T>> nonzeros(const Communicator& /*communicator*/) const {
    return std::nullopt;
  }
  /// If K is 0 for most pairs: writes the nonzeros of the own objects `rows` with `columns`, numbered by position in
  /// `columns`, in an order that depends on the row alone. They do not count as evaluations. `out` keeps its memory
  /// from call to call. @return always false for other similarities. Local.
  virtual bool sparse_rows(const ObjectSet& /*objects*/, Range /*rows*/, const ObjectBlock& /*columns*/,
                           CompressedRows<T>& /*out*/) const {
    return false;
  }
  /// Predicted cost of comparing the objects `rows` with one other object, in any unit; used to assign tiles. Local.
  [[nodiscard]] virtual double cost(const ObjectBlock& rows) const { return static_cast<double>(rows.size()); }
  /// Upper bound of the seconds that one thread takes for `entries` entries without a sign of progress; 0: negligible.
  /// It is the grace period of ranks that wait for others.
  [[nodiscard]] virtual double longest_seconds(Index /*entries*/) const { return 0.0; }

  /// Names of its parameters in messages; make_similarity sets them.
  [[nodiscard]] const KeyNames& keys() const { return keys_; }
  void set_keys(KeyNames keys) { keys_ = std::move(keys); }
  /// Table from which known distances are taken and to which others are added; null if there is none.
  [[nodiscard]] DistanceTable<T>* distances() const { return distances_.get(); }
  /// @pre traits().base is that of the table
  void use_distances(std::shared_ptr<DistanceTable<T>> table) { distances_ = std::move(table); }

  /// out(a, b) = similarity of rows[a] and columns[b].
  /// @throws Error(numeric) that names the pair if a value is NaN or infinite
  void tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  /// out[a] = similarity of first[a] and second[a].
  void pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// The same for the distance that traits().base names. @throws also Error(internal) if there is none
  void base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  void base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// Throws Error(numeric) that names the first NaN or infinite value in `values`, the similarities of object `row` and
  /// columns[b]. @pre there is one
  [[noreturn]] void report_not_finite(Index row, std::span<const Index> columns, const T* values) const;

  /// Evaluations made through this object on this rank so far.
  [[nodiscard]] Index evaluations() const { return counts_->evaluations.load(std::memory_order_relaxed); }
  /// Counts evaluations beyond those of delivered entries: repeated ones, or those for the parameters.
  void count_more(Index evaluations) const { counts_->evaluations.fetch_add(evaluations, std::memory_order_relaxed); }
  /// Counts entries that an earlier run evaluated and a ledger restored; restored() returns the evaluations saved.
  void count_restored(Index entries) const { counts_->restored += entries * traits_.evaluations_per_entry; }
  [[nodiscard]] Index restored() const { return counts_->restored.load(std::memory_order_relaxed); }

 protected:
  /// @param traits  of the similarity; for float, rounds_to_single is set here
  explicit Similarity(EntryTraits traits);
  /// Makes a wrapper of `wrapped` that takes its entries through tile_of() and pairs_of(). Both share their counts.
  Similarity(EntryTraits traits, const Similarity& wrapped);

  /// tile() without counting. Implementations check that every value is finite while it is still in cache (vector_math
  /// returns the check at no cost), and call report_not_finite otherwise.
  virtual void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const = 0;
  /// pairs() without counting; implementations check the values themselves.
  virtual void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const = 0;

  /// compute_tile() and compute_pairs() of a part, without counting.
  static void tile_of(const Similarity& part, const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) {
    part.compute_tile(rows, columns, out);
  }
  static void pairs_of(const Similarity& part, const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) {
    part.compute_pairs(first, second, out);
  }
  /// @throws Error(numeric) that names the first pair whose value is NaN or infinite
  void require_finite(const ObjectBlock& first, const ObjectBlock& second, std::span<const T> values) const;

 private:
  struct Counts {
    std::atomic<Index> evaluations{0}, restored{0};
  };
  void count(Index entries) const { count_more(entries * traits_.evaluations_per_entry); }
  [[nodiscard]] const BaseDistance<T>& base() const;

  EntryTraits traits_;
  std::shared_ptr<Counts> counts_;
  std::shared_ptr<DistanceTable<T>> distances_;
  KeyNames keys_;
};

}  // namespace cairn
