// What two objects have in common, as a number.
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
/// The public functions count evaluations and refuse values that are not finite; a new similarity hands its traits to
/// the constructor and implements compute_tile(), compute_pairs() and parameters(). All are thread-safe and none
/// communicates; BLAS runs on one thread inside them. The objects are of the kind that the similarity was made for
/// (make_similarity checks it once).
template <class T>
class Similarity {
 public:
  virtual ~Similarity() = default;
  Similarity(const Similarity&) = delete;
  Similarity& operator=(const Similarity&) = delete;

  [[nodiscard]] const EntryTraits& traits() const { return traits_; }
  /// The resolved parameters by name ("gamma" -> "0.25"; a sum gives those of its parts): they make it again.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;
  /// If it comes by source: whole columns are then evaluated through this. Else null.
  [[nodiscard]] virtual const SourceSimilarity* by_source() const { return nullptr; }
  /// The distance that it is a function of; null if traits().base is empty.
  [[nodiscard]] virtual const BaseDistance<T>* base_distance() const { return nullptr; }
  /// If K is 0 for most pairs of its objects: its other entries, in rows dealt to ranks by entries. They are not
  /// counted as evaluations. Else nothing. Collective.
  [[nodiscard]] virtual std::optional<BalancedRows<T>> nonzeros(const Communicator& /*communicator*/) const {
    return std::nullopt;
  }
  /// If K is 0 for most pairs: its entries that are not, of some own objects with `columns`, which are numbered as they
  /// stand there, in an order that depends on the row alone. They are not counted as evaluations. `out` keeps its
  /// memory from call to call. @return false, always, for other similarities. Local.
  virtual bool sparse_rows(const ObjectSet& /*objects*/, Range /*rows*/, const ObjectBlock& /*columns*/,
                           CompressedRows<T>& /*out*/) const {
    return false;
  }
  /// Predicted cost of comparing the objects `rows` with one other object, in any unit; for dealing tiles. Local.
  [[nodiscard]] virtual double cost(const ObjectBlock& rows) const { return static_cast<double>(rows.size()); }
  /// How long `entries` of them may take a thread at most while nobody hears of it, in seconds; 0: not worth speaking
  /// of. Ranks that wait for others have patience for so long.
  [[nodiscard]] virtual double longest_seconds(Index /*entries*/) const { return 0.0; }

  /// What messages call its parameters; make_similarity sets it.
  [[nodiscard]] const KeyNames& keys() const { return keys_; }
  void set_keys(KeyNames keys) { keys_ = std::move(keys); }
  /// The distances that it takes if they are known, and adds others to; null if there is no such table.
  [[nodiscard]] DistanceTable<T>* distances() const { return distances_.get(); }
  /// @pre traits().base is the table's
  void use_distances(std::shared_ptr<DistanceTable<T>> table) { distances_ = std::move(table); }

  /// out(a, b) = similarity of rows[a] and columns[b].
  /// @throws Error(numeric) that names the pair if a value is NaN or infinite
  void tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  /// out[a] = similarity of first[a] and second[a].
  void pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// The same of the distance that traits().base names. @throws Error(internal), too, if there is none
  void base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const;
  void base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const;

  /// Throws Error(numeric) that names the first of values[b], the similarities of object `row` and columns[b], that is
  /// NaN or infinite. One of them is.
  [[noreturn]] void report_not_finite(Index row, std::span<const Index> columns, const T* values) const;

  /// Evaluations made through this object on this rank so far.
  [[nodiscard]] Index evaluations() const { return counts_->evaluations.load(std::memory_order_relaxed); }
  /// Counts evaluations beside those of the entries that are delivered: some were made again, or for the parameters.
  void count_more(Index evaluations) const { counts_->evaluations.fetch_add(evaluations, std::memory_order_relaxed); }
  /// Counts entries that an earlier run evaluated and a ledger had; restored() are the evaluations that this saved.
  void count_restored(Index entries) const { counts_->restored += entries * traits_.evaluations_per_entry; }
  [[nodiscard]] Index restored() const { return counts_->restored.load(std::memory_order_relaxed); }

 protected:
  /// @param traits  of the similarity; that float rounds to single precision is added here
  explicit Similarity(EntryTraits traits);
  /// One that is made of `wrapped`, whose entries it takes through tile_of() and pairs_of(): both count as one.
  Similarity(EntryTraits traits, const Similarity& wrapped);

  /// tile() without counting. Every value written is finite: the test belongs where the values are still in cache
  /// (vector_math returns it for nothing), and report_not_finite throws.
  virtual void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const = 0;
  /// pairs() without counting; it tests the values itself.
  virtual void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const = 0;

  /// compute_tile() and compute_pairs() of a part, which counts nothing.
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
