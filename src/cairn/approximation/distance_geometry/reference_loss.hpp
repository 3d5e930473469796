// The fit of points to the entries from which they were computed. Private to this folder.
#pragma once

#include <span>

#include "cairn/approximation/method.hpp"

namespace cairn {

/// The loss of points against the entries with the references.
struct ReferenceLoss {
  double loss = 0;  ///< mean of (v_i . v_j - G_ij)² over pairs of references i <= j, or a reference and another object
  double relative = 0;  ///< divided by the mean of G_ij²
};

/// [Khalife, Gonçalves and Liberti 2022, equation 13] @param columns  G(own rows, references), centered if it comes
/// from distances @param indices  of the references, replicated @param points  distributed as `columns` Memory: the
/// points of the references on every rank. Collective.
template <class T>
[[nodiscard]] ReferenceLoss reference_loss(const Execution& execution, const RowBlock<T>& columns,
                                           std::span<const Index> indices, const RowBlock<T>& points);

/// Adds loss and relative_loss to the metrics, and a note. Local.
void report_loss(const ReferenceLoss& loss, MethodReport& report);

}  // namespace cairn
