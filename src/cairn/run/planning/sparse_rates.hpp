// How fast sparse factors like those of biharmonic interpolation are made and multiplied here.
#pragma once

#include "cairn/base/execution.hpp"

namespace cairn {

/// n rows of p-row entries, of l columns.
struct FactorShape {
  Index rows = 1, columns = 1, row_entries = 1;
};

/// Measured while all ranks work.
struct SparseRates {
  double stored = 0;    ///< entries of P a second and rank, from columns to rows
  double products = 0;  ///< of entries of P with columns of W Pᵀ, a second and rank
};

/// On a P of that shape with up to 4e6 entries and 4,096 columns, whose columns are intervals of rows, and a W of as
/// many columns. Memory: 0.3 GB over all ranks. Collective.
[[nodiscard]] SparseRates measure_sparse(const Execution& execution, const FactorShape& shape);

}  // namespace cairn
