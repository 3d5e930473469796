// Whole columns of K on which candidates are compared if single entries are expensive.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

inline constexpr Index most_validation_columns = 64;

/// min(n, most_validation_columns) columns of K, drawn uniformly (Stream::validation_probe, which no other estimate
/// uses).
template <class T>
class ValidationColumns {
 public:
  /// Evaluates the columns. Memory: 64 numbers per own row. @throws Error as evaluate_columns. Collective.
  ValidationColumns(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects);

  /// ||K~ - K||_F / ||K||_F over the columns. Memory: another 64 doubles per own row.
  /// @throws Error(numeric) if the columns are 0. Collective.
  [[nodiscard]] double relative_error(const Execution& execution, const Approximation<T>& approximation) const;

 private:
  std::vector<Index> columns_;
  RowBlock<T> exact_;
};

}  // namespace cairn
