#include "cairn/approximation/biharmonic/local/patch_factor.hpp"

#include <fmt/format.h>

#include <memory>

#include "cairn/linalg/sparse/cholmod_factor.hpp"

namespace cairn {

PatchFactor factorize(LowerTriangle<int> matrix) {
  const std::size_t size = matrix.starts.size() - 1;
  const auto owner = std::make_shared<CholmodFactor<int>>(
      fmt::format("the biharmonic operator on a patch of {} vertices", size), "take more landmarks");
  cholmod_common& settings = owner->settings();
  settings.supernodal = CHOLMOD_SIMPLICIAL;
  settings.final_ll = settings.final_pack = settings.final_monotonic = 1;
  settings.nmethods = 1;
  settings.method[0].ordering = CHOLMOD_AMD;
  const cholmod_sparse view = cholmod_view(matrix.starts, matrix.rows, matrix.values, StoredHalf::lower);
  owner->analyze(view);
  owner->factorize(view);
  const cholmod_factor& made = owner->factor();
  PatchFactor factor;
  factor.norm = matrix.norm;
  factor.starts = static_cast<const int*>(made.p);
  factor.rows = static_cast<const int*>(made.i);
  factor.values = static_cast<const double*>(made.x);
  factor.place.resize(size);
  const auto* const permutation = static_cast<const int*>(made.Perm);
  for (std::size_t k = 0; k < size; ++k) {
    const int diagonal = factor.starts[k];
    factor.inverse_diagonal.push_back(1.0 / factor.values[diagonal]);
    factor.parents.push_back(factor.starts[k + 1] - diagonal > 1 ? factor.rows[diagonal + 1] : -1);
    factor.place[permutation[k]] = static_cast<std::int32_t>(k);
  }
  factor.arrays_ = owner;
  return factor;
}

}  // namespace cairn
