#include "cairn/approximation/biharmonic/local/patch_factor.hpp"

#include <cholmod.h>
#include <fmt/format.h>

#include <memory>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

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

}  // namespace

PatchFactor factorize(LowerTriangle<int> matrix) {
  const auto owner = std::make_shared<Session>();
  Session& session = *owner;
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
  const Watchdog::Patience analysis(seconds_of_analysis(static_cast<double>(view.nzmax)));
  session.factor = cholmod_analyze(&view, &session.common);
  session.check(view.nrow);
  const Watchdog::Patience patience(silent_seconds(session.common.fl, 1));
  cholmod_factorize(&view, session.factor, &session.common);
  session.check(view.nrow);
  PatchFactor factor;
  factor.norm = matrix.norm;
  factor.starts = static_cast<const int*>(session.factor->p);
  factor.rows = static_cast<const int*>(session.factor->i);
  factor.values = static_cast<const double*>(session.factor->x);
  factor.place.resize(view.nrow);
  const auto* const permutation = static_cast<const int*>(session.factor->Perm);
  for (std::size_t k = 0; k < view.nrow; ++k) {
    const int diagonal = factor.starts[k];
    factor.inverse_diagonal.push_back(1.0 / factor.values[diagonal]);
    factor.parents.push_back(factor.starts[k + 1] - diagonal > 1 ? factor.rows[diagonal + 1] : -1);
    factor.place[static_cast<std::size_t>(permutation[k])] = static_cast<std::int32_t>(k);
  }
  factor.arrays_ = owner;
  return factor;
}

}  // namespace cairn
