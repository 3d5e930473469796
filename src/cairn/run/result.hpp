// An approximation with its properties: entries, error, file, and rows of new objects.
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
#include "cairn/run/outcome/run_metrics.hpp"
#include "cairn/run/similarity_matrix.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

class Session;

/// K ~ g(L J Rᵀ); each rank has its rows of L and R. Copies share the same result.
template <class T = double>
class Result {
 public:
  /// The approximation is destroyed before the session in which it was created.
  struct State : ObjectTexts {  // texts of this rank's rows
    std::shared_ptr<const void> session;
    std::shared_ptr<const void> base;  ///< session of the result that it extends
    Approximation<T> approximation;
    ResultDescription description;          ///< content of its file besides the factors
    std::vector<Index> numbers;             ///< numbers of this rank's rows in the data file, if different
    std::vector<std::string> right_labels;  ///< this rank's labels of the objects that the columns represent, or empty
    std::optional<StoredHierarchy> hierarchy;    ///< this rank's part, if K is path lengths from a hierarchy
    std::shared_ptr<const NearEntries<T>> near;  ///< S, or null
    std::string file;                            ///< file from which it was read
    std::optional<RunMetrics> metrics;           ///< metrics of a run by config keys
    std::shared_ptr<const Settings> settings;    ///< keys of that run
  };
  explicit Result(std::shared_ptr<State> state) : state_(std::move(state)) {}

  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] const Approximation<T>& approximation() const { return state_->approximation; }
  [[nodiscard]] const ResultDescription& description() const { return state_->description; }
  /// Lets a program add to the description in its file.
  [[nodiscard]] ResultDescription& description() { return state_->description; }
  [[nodiscard]] Index size() const { return approximation().left.rows(); }
  /// Rows of this rank.
  [[nodiscard]] Range range() const { return approximation().left.range(); }
  /// Findings of the method; its warnings are meant for the user.
  [[nodiscard]] const MethodReport& report() const { return approximation().report; }
  [[nodiscard]] MethodReport& report() { return state_->approximation.report; }
  /// Lets functions add to the state.
  [[nodiscard]] State& state_of() { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Entries (rows[a], columns[a]) of K~, or of K~ + S after keep_near(), for this rank's pairs (each rank has its own
/// list).
/// @throws Error(usage) for lists of unequal length or an invalid object number. Collective.
template <class T>
[[nodiscard]] std::vector<double> entries(const Session& session, const Result<T>& result, std::span<const Index> rows,
                                          std::span<const Index> columns);

/// J, whole on every rank, row-major, columns of L x columns of R. Collective. Memory: twice its size.
template <class T>
[[nodiscard]] Buffer<double> core_matrix(const Session& session, const Result<T>& result);

/// ||K~ - K||_F / ||K||_F of the factors with its standard error, from entries of K that are evaluated for this: pairs,
/// or whole rows if K is single-source. The result stores it, for save().
/// @param effort  by default until the standard error is 2 % of the estimate, without a time limit: the same on any
/// number of ranks
/// @throws Error(usage) for a matrix of another size; as probe_error() and error_over_rows(). Collective.
template <class T>
ErrorEstimate probe_error(const Session& session, Result<T>& result, const SimilarityMatrix<T>& matrix,
                          const EstimateEffort& effort = {});

/// Keeps the exact entries for the `near` nearest objects of each object, and the diagonal: K ~ g(L J Rᵀ) + S.
/// entries(), save() and readers of the file use them; probe_error() measures the factors alone. Adds their measured
/// benefit to the report.
/// @param exact  find the nearest objects by K itself, so that none is missed (word mover's distance)
/// @throws Error(usage) for a matrix of another size, one whose columns represent other objects, or a single-source
/// one, and unless near < n; for `exact`, a similarity whose nearest objects are not found without all entries; as
/// find_near_entries(). Collective.
template <class T>
void keep_near(const Session& session, Result<T>& result, const SimilarityMatrix<T>& matrix, Index near,
               bool exact = false);

/// Writes the result with its description. @throws as write_result(). Collective.
template <class T>
void save(const Session& session, const std::string& path, const Result<T>& result);

/// Reads a result that save() or the program wrote. @throws Error(usage) if it has another precision than T; as
/// read_result(). Collective.
template <class T = double>
[[nodiscard]] Result<T> load(const Session& session, const std::string& path);

/// Options of extend(). Texts, whose rows are means of rows of words, take none.
struct ExtendOptions {
  FactorSide side = FactorSide::rows;  ///< columns: only for a result whose columns represent other objects
  Index pairs = 0;                     ///< pairs of new objects on which the error is measured; the result stores it
};

/// The factors' rows for other objects under the same J: an approximation of the similarities among these. If the
/// columns of the result represent other objects than its rows, only one factor is extended; the other is unchanged.
/// @param unseen  the similarity that the result approximates, between the new objects
/// @throws Error(usage) if the factors do not follow from similarities with landmarks, or the similarity is not defined
/// for new objects, is another one, or has other parameters; for `columns`, if the columns represent the same objects
/// as the rows. Collective.
template <class T>
[[nodiscard]] Result<T> extend(const Session& session, const Result<T>& result, const SimilarityMatrix<T>& unseen,
                               const ExtendOptions& options = {});
/// The same for points, by the similarity with the parameters of the result. They are scaled as the points of the
/// result. @throws Error(usage) also if the similarity was a function of a program. Collective.
template <class T>
[[nodiscard]] Result<T> extend(const Session& session, const Result<T>& result, const Objects<T>& unseen,
                               const ExtendOptions& options = {});
/// The same for objects in a file, read as those of the result: with the same columns and scaling, split into the same
/// words. @param source  parameters of their kind: {{"path", "new.csv"}} @throws as read_objects(). Collective.
template <class T>
[[nodiscard]] Result<T> extend(const Session& session, const Result<T>& result, const GivenValues& source,
                               const ExtendOptions& options = {});

}  // namespace cairn
