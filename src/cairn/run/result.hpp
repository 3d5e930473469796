// An approximation with what is known of it: its entries, its error, its file, its rows of new objects.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/run/computation/extension.hpp"
#include "cairn/run/similarity_matrix.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

class Session;

/// K ~ g(L J Rᵀ), each rank with its rows of L and R. Copies are the same one.
template <class T = double>
class Result {
 public:
  /// The approximation is destroyed before the session that it was made in.
  struct State : ObjectTexts {  // of this rank's rows
    std::shared_ptr<const void> session;
    std::shared_ptr<const void> base;  ///< session of the result that it extends
    Approximation<T> approximation;
    ResultDescription description;          ///< what its file says beside the factors
    std::vector<Index> numbers;             ///< this rank's: of the rows in the file of the data, if these are others
    std::vector<std::string> right_labels;  ///< this rank's, of the objects that columns stand for, or none
    std::optional<StoredHierarchy> hierarchy;    ///< this rank's part, if K is path lengths that a hierarchy gives
    std::shared_ptr<const NearEntries<T>> near;  ///< S, or null
    std::string file;                            ///< that it was read from
  };
  explicit Result(std::shared_ptr<State> state) : state_(std::move(state)) {}

  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] const Approximation<T>& approximation() const { return state_->approximation; }
  [[nodiscard]] const ResultDescription& description() const { return state_->description; }
  /// For what a program wants its file to say beside.
  [[nodiscard]] ResultDescription& description() { return state_->description; }
  [[nodiscard]] Index size() const { return approximation().left.rows(); }
  /// Rows of this rank.
  [[nodiscard]] Range range() const { return approximation().left.range(); }
  /// What the method found out; its warnings are for the user.
  [[nodiscard]] const MethodReport& report() const { return approximation().report; }
  [[nodiscard]] MethodReport& report() { return state_->approximation.report; }
  /// For what adds to it.
  [[nodiscard]] State& state_of() { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Entries (rows[a], columns[a]) of K~, or of K~ + S after keep_near(), of the pairs that this rank asks for (another
/// list on every rank).
/// @throws Error(usage) for lists of unequal length or a number that is not an object's. Collective.
template <class T>
[[nodiscard]] std::vector<double> entries(const Session& session, const Result<T>& result, std::span<const Index> rows,
                                          std::span<const Index> columns);

/// J whole on every rank, row-major, columns of L x columns of R. Collective. Memory: that twice.
template <class T>
[[nodiscard]] Buffer<double> joining_matrix(const Session& session, const Result<T>& result);

/// ||K~ - K||_F / ||K||_F of the factors with its standard error, from entries of K that are evaluated for this: pairs,
/// or whole rows where K comes from one object to all others. The result keeps it, for save().
/// @param effort  by default until the standard error is 2 % of the estimate, whatever time that takes: the same on any
///   number of ranks
/// @throws Error(usage) for a matrix of another size; as probe_error() and error_over_rows(). Collective.
template <class T>
ErrorEstimate probe_error(const Session& session, Result<T>& result, const SimilarityMatrix<T>& matrix,
                          const EstimateEffort& effort = {});

/// Keeps the exact entries of the `near` nearest objects of each, and the diagonal: K ~ g(L J Rᵀ) + S. entries(),
/// save() and what reads the file know of them; probe_error() measures the factors alone. Its report gets what they are
/// worth.
/// @throws Error(usage) for a matrix of another size, of columns that stand for other objects, or that comes from one
///   object to all others, and unless near < n; as find_near_entries(). Collective.
template <class T>
void keep_near(const Session& session, Result<T>& result, const SimilarityMatrix<T>& matrix, Index near);

/// Writes the result and what is known of it. @throws as write_result(). Collective.
template <class T>
void save(const Session& session, const std::string& path, const Result<T>& result);

/// Reads what save() or the program wrote. @throws Error(usage) if it is in another precision than T; as
/// read_result(). Collective.
template <class T = double>
[[nodiscard]] Result<T> load(const Session& session, const std::string& path);

/// Options of extend(); texts, whose rows are means of rows of words, take none.
struct ExtendOptions {
  FactorSide side = FactorSide::rows;  ///< columns: only for a result whose columns stand for other objects
  Index pairs = 0;                     ///< pairs of new objects on which the error is measured; the result keeps it
};

/// The factors' rows of other objects under the same J: an approximation of the similarities among these. If the
/// columns of the result stand for other objects than its rows, those of one factor; the other stays as it is.
/// @param unseen  the similarity that the result approximates, of the new objects
/// @throws Error(usage) if factors do not follow from similarities with landmarks, or the similarity is not defined
///   for new objects, is another one, or has other parameters; for columns that stand for the same objects as the rows.
///   Collective.
template <class T>
[[nodiscard]] Result<T> extend(const Session& session, const Result<T>& result, const SimilarityMatrix<T>& unseen,
                               const ExtendOptions& options = {});
/// The same of points, by the similarity with the parameters that the result was made with. They are scaled as the
/// points of the result were. @throws Error(usage) also where that was a function of a program. Collective.
template <class T>
[[nodiscard]] Result<T> extend(const Session& session, const Result<T>& result, const Objects<T>& unseen,
                               const ExtendOptions& options = {});
/// The same of objects in a file, read as those of the result were: in the same columns and scaling, cut into the same
/// words. @param source  parameters of their kind: {{"path", "new.csv"}} @throws as read_objects(). Collective.
template <class T>
[[nodiscard]] Result<T> extend(const Session& session, const Result<T>& result, const GivenValues& source,
                               const ExtendOptions& options = {});

}  // namespace cairn
