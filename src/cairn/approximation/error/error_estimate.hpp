// The estimated error of an approximation, and the effort of the estimate.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Reason why an estimate stopped.
enum class StoppedBy {
  count,      ///< the requested number was compared
  precision,  ///< the standard error is small enough
  time,       ///< the time budget is spent
  limit,      ///< the maximum number of an estimate
  all,        ///< all entries were compared: the error is exact
};

/// count, precision, time, limit, all.
[[nodiscard]] std::string name_of(StoppedBy reason);
/// Empty if no reason has this name.
[[nodiscard]] std::optional<StoppedBy> stopped_by(const std::string& name);

/// ||K~ - K||_F / ||K||_F, its square, the error of the best constant, and their standard errors (delta method on
/// ratios of means of one sample; widened if squared errors are skewed).
struct ErrorEstimate {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double relative_error = 0.0;
  double relative_error_standard_error = 0.0;
  double relative_squared_error = 0.0;
  double relative_squared_error_standard_error = 0.0;
  double largest_entry_error = 0.0;  ///< over the compared entries
  Index pairs = 0;                   ///< number of off-diagonal entries compared
  Index diagonal = 0;                ///< number of diagonal entries compared
  Index evaluations = 0;             ///< of the similarity, for the estimate, over all ranks
  double constant_error = unknown;   ///< relative error of the mean of K in place of every entry; NaN: not measured
  double constant_error_standard_error = unknown;
  StoppedBy stopped_by = StoppedBy::count;
  double mean_squared_ratio = unknown;  ///< of ((K~ - K) / K)²; NaN: not measured, or an entry of K is 0. Not stored

  static constexpr double confidence = 0.95;
  /// Limits between which relative_error lies with probability `confidence`: 2.2 standard errors on both sides, more
  /// than the 1.96 of a normal estimate, because the estimate decides itself when it ends. Equal if all entries were
  /// compared.
  [[nodiscard]] std::array<double, 2> interval() const {
    constexpr double width = 2.2;
    return {std::max(0.0, relative_error - width * relative_error_standard_error),
            relative_error + width * relative_error_standard_error};
  }
};

/// Share of the entries of L that a run compares at most, unless a precision or a time is asked of it.
inline constexpr double share_of_run = 0.1;

/// Effort of an estimate: a fixed number of pairs or rows, or until one of the limits is reached.
struct EstimateEffort {
  static constexpr double no_limit = std::numeric_limits<double>::infinity();

  std::optional<Index> count{};
  double precision = 0.02;    ///< standard error over estimate
  double seconds = no_limit;  ///< for the whole estimate, by the clock of rank 0
  double share = no_limit;    ///< largest number of entries over the number of entries of L; there are bounds on it
  KeyNames keys{};            ///< name of the count (pairs, rows) in messages
};

/// Stopping rule of an estimate that doubles its sample in each look. Every look costs about as much as all before it.
class EstimateLooks {
 public:
  EstimateLooks(const Communicator& communicator, const EstimateEffort& effort)
      : communicator_(communicator), effort_(effort), start_(std::chrono::steady_clock::now()) {}

  /// Called after a look. @param trusted  true if the sample is large enough that its spread measures the uncertainty.
  /// The same on every rank: the clock of rank 0 decides. Collective.
  [[nodiscard]] std::optional<StoppedBy> stop(const ErrorEstimate& estimate, bool trusted) const;

 private:
  const Communicator& communicator_;
  EstimateEffort effort_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace cairn
