#include "approximation/patch_factor.hpp"

#include <cholmod.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace cairn {

namespace {

// CHOLMOD's state and factor, released at the end whatever happens.
struct Session {
  Session() {
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.final_ll = common.final_pack = common.final_monotonic = 1;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_AMD;
  }
  ~Session() {
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void check(std::size_t size) const {
    if (common.status == CHOLMOD_NOT_POSDEF) {
      throw Error(ErrorKind::numeric, fmt::format("the biharmonic operator on a patch of {} vertices is singular to "
                                                  "double precision; take more landmarks",
                                                  size));
    }
    if (common.status < 0) {
      throw Error(ErrorKind::resource, fmt::format("no memory for the factor of a patch of {} vertices", size));
    }
  }

  cholmod_common common{};
  cholmod_factor* factor = nullptr;
};

// L without its diagonal, and its elimination tree.
void copy_columns(const cholmod_factor& from, PatchFactor& to) {
  const auto size = from.n;
  const auto* const starts = static_cast<const int*>(from.p);
  const auto* const counts = static_cast<const int*>(from.nz);
  const auto* const rows = static_cast<const int*>(from.i);
  const auto* const values = static_cast<const double*>(from.x);
  to.starts.assign(1, 0);
  to.starts.reserve(size + 1);
  to.rows.reserve(static_cast<std::size_t>(starts[size]) - size);
  to.values.reserve(to.rows.capacity());
  for (std::size_t j = 0; j < size; ++j) {
    const int diagonal = starts[j], end = diagonal + counts[j];
    to.inverse_diagonal.push_back(1.0 / values[diagonal]);
    to.rows.insert(to.rows.end(), rows + diagonal + 1, rows + end);
    to.values.insert(to.values.end(), values + diagonal + 1, values + end);
    to.parents.push_back(counts[j] > 1 ? rows[diagonal + 1] : -1);
    to.starts.push_back(static_cast<std::int32_t>(to.rows.size()));
  }
}

}  // namespace

PatchFactor factorize(LowerTriangle<int> matrix) {
  Session session;
  cholmod_sparse view{};
  view.nrow = view.ncol = matrix.starts.size() - 1;
  view.nzmax = matrix.rows.size();
  view.p = matrix.starts.data();
  view.i = matrix.rows.data();
  view.x = matrix.values.data();
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  session.factor = cholmod_analyze(&view, &session.common);
  session.check(view.nrow);
  cholmod_factorize(&view, session.factor, &session.common);
  session.check(view.nrow);
  PatchFactor factor;
  factor.norm = matrix.norm;
  copy_columns(*session.factor, factor);
  factor.place.resize(view.nrow);
  const auto* const permutation = static_cast<const int*>(session.factor->Perm);
  for (std::size_t k = 0; k < view.nrow; ++k) {
    factor.place[static_cast<std::size_t>(permutation[k])] = static_cast<std::int32_t>(k);
  }
  return factor;
}

}  // namespace cairn
