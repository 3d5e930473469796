// Sparse Cholesky factors by CHOLMOD, with 32- or 64-bit integers.
#pragma once

#include <cholmod.h>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

/// The functions of CHOLMOD's interface with integers of type I.
template <class I>
struct CholmodFunctions;
template <>
struct CholmodFunctions<int> {
  static constexpr auto start = cholmod_start, finish = cholmod_finish;
  static constexpr auto analyze = cholmod_analyze;
  static constexpr auto factorize = cholmod_factorize;
  static constexpr auto free_factor = cholmod_free_factor;
  static constexpr int integers = CHOLMOD_INT;
};
template <>
struct CholmodFunctions<SuiteSparse_long> {
  static constexpr auto start = cholmod_l_start, finish = cholmod_l_finish;
  static constexpr auto analyze = cholmod_l_analyze;
  static constexpr auto factorize = cholmod_l_factorize;
  static constexpr auto free_factor = cholmod_l_free_factor;
  static constexpr int integers = CHOLMOD_LONG;
};

/// The half of a symmetric matrix that is stored by columns.
enum class StoredHalf { lower = -1, upper = 1 };

/// CHOLMOD's view of a symmetric matrix. The caller keeps the arrays. Local.
template <class I>
[[nodiscard]] cholmod_sparse cholmod_view(std::vector<I>& starts, std::vector<I>& rows, std::vector<double>& values,
                                          StoredHalf half) {
  cholmod_sparse view{};
  view.nrow = view.ncol = starts.size() - 1;
  view.nzmax = rows.size();
  view.p = starts.data();
  view.i = rows.data();
  view.x = values.data();
  view.stype = static_cast<int>(half);
  view.itype = CholmodFunctions<I>::integers;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  return view;
}

/// @param matrix  its name in the message: "the biharmonic operator on 100 vertices" @param advice  at its end, or
/// empty
/// @throws Error(numeric) after a factorization of a matrix that is not positive definite, Error(resource) if memory
///   was insufficient, Error(internal) for another failure. Local.
inline void require_cholmod_success(const cholmod_common& common, const std::string& matrix,
                                    const std::string& advice) {
  if (common.status == CHOLMOD_OK) return;
  const std::string end = advice.empty() ? "" : "; " + advice;
  if (common.status == CHOLMOD_NOT_POSDEF) {
    throw Error(ErrorKind::numeric, fmt::format("{} is singular to double precision{}", matrix, end));
  }
  if (common.status == CHOLMOD_OUT_OF_MEMORY || common.status == CHOLMOD_TOO_LARGE) {
    throw Error(ErrorKind::resource, fmt::format("the factor of {} does not fit into memory{}", matrix, end));
  }
  if (common.status < 0) throw Error(ErrorKind::internal, fmt::format("CHOLMOD failed with status {}", common.status));
}

/// One factorization: CHOLMOD's settings, its memory and the factor, freed with this object. Local.
template <class I>
class CholmodFactor {
  using Functions = CholmodFunctions<I>;

 public:
  /// @param matrix, advice as in require_cholmod_success()
  explicit CholmodFactor(std::string matrix, std::string advice = "")
      : matrix_(std::move(matrix)), advice_(std::move(advice)) {
    Functions::start(&common_);
    common_.print = 0;
  }
  ~CholmodFactor() {
    Functions::free_factor(&factor_, &common_);
    Functions::finish(&common_);
  }
  CholmodFactor(const CholmodFactor&) = delete;
  CholmodFactor& operator=(const CholmodFactor&) = delete;

  /// Orderings and forms; set them before analyze().
  [[nodiscard]] cholmod_common& settings() { return common_; }
  /// Orders the pattern. @throws as require_cholmod_success().
  void analyze(cholmod_sparse pattern) {
    const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(pattern.nzmax)));
    factor_ = Functions::analyze(&pattern, &common_);
    require_cholmod_success(common_, matrix_, advice_);
  }
  /// Entries of the factor, after analyze().
  [[nodiscard]] double entries() const { return common_.lnz; }
  /// Factors a matrix of that pattern. @throws as require_cholmod_success().
  void factorize(cholmod_sparse matrix) {
    const Watchdog::Patience patience(silent_seconds(common_.fl, 1));
    Functions::factorize(&matrix, factor_, &common_);
    require_cholmod_success(common_, matrix_, advice_);
  }
  [[nodiscard]] cholmod_factor& factor() { return *factor_; }

 private:
  std::string matrix_, advice_;
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
};

}  // namespace cairn
