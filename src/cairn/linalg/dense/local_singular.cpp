#include "cairn/linalg/dense/local_singular.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

void check(int info) {
  if (info < 0) throw Error(ErrorKind::internal, fmt::format("dgesdd rejects argument {}", -info));
  if (info == 0) return;
  throw Error(
      ErrorKind::numeric,
      fmt::format("dgesdd found no singular values (it returns {}): does the matrix hold entries that are not finite?",
                  info));
}

}  // namespace

LocalSingular local_singular_values(Index rows, Index columns, double* a) {
  if (std::min(rows, columns) == 0) return {};
  const int m = to_library_int(rows, "rows of a matrix"), n = to_library_int(columns, "columns of a matrix");
  const int r = std::min(m, n);
  LocalSingular result{std::vector<double>(static_cast<std::size_t>(r)), Buffer<double>(rows * r),
                       Buffer<double>(columns * r)};
  Buffer<int> integer_work(8 * static_cast<Index>(r));
  int info = 0;
  const auto solve = [&](double* work, int length) {
    dgesdd_("S", &m, &n, a, &m, result.values.data(), result.u.data(), &m, result.vt.data(), &r, work, &length,
            integer_work.data(), &info);
    check(info);
  };
  double queried = 0.0;
  solve(&queried, -1);
  Buffer<double> work(workspace_size(queried, singular_workspace(rows, columns), "dgesdd"));
  solve(work.data(), static_cast<int>(work.size()));
  return result;
}

}  // namespace cairn
