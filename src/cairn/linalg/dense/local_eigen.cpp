#include "cairn/linalg/dense/local_eigen.hpp"

#include <fmt/format.h>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

void check(int info, const char* routine = "dsyevd") {
  if (info < 0) throw Error(ErrorKind::internal, fmt::format("{} rejects argument {}", routine, -info));
  if (info == 0) return;
  throw Error(ErrorKind::numeric,
              fmt::format("{} found no eigenvalues (it returns {}): does the matrix hold entries that are not finite?",
                          routine, info));
}

std::vector<double> solve(const char* job, Index size, double* a) {
  const int n = to_library_int(size, "rows of a matrix");
  std::vector<double> values(size);
  if (size == 0) return values;
  double queried = 0.0;
  int integers = 0, query = -1, info = 0;
  dsyevd_(job, "L", &n, a, &n, values.data(), &queried, &query, &integers, &query, &info);
  check(info);
  const bool vectors = *job == 'V';
  const int length = workspace_size(queried, vectors ? eigen_workspace(size) : 2 * size + 1, "dsyevd");
  const int integer_length = workspace_size(integers, vectors ? 3 + 5 * size : 1, "dsyevd");
  Buffer<double> work(length);
  Buffer<int> integer_work(integer_length);
  dsyevd_(job, "L", &n, a, &n, values.data(), work.data(), &length, integer_work.data(), &integer_length, &info);
  check(info);
  return values;
}

}  // namespace

std::vector<double> eigen_in_place(Index n, double* a) { return solve("V", n, a); }

std::vector<double> eigenvalues_in_place(Index n, double* a) { return solve("N", n, a); }

std::vector<double> largest_eigen_in_place(Index size, Index count, double* a, double* vectors) {
  const int n = to_library_int(size, "rows of a matrix"), first = to_library_int(size - count + 1, "rows of a matrix");
  std::vector<double> values(size);
  std::vector<int> support(2 * count);
  const double unused = 0.0, best = 0.0;
  double queried = 0.0;
  int integers = 0, query = -1, info = 0, found = 0;
  const auto call = [&](double* work, const int* length, int* integer_work, const int* integer_length) {
    dsyevr_("V", "I", "L", &n, a, &n, &unused, &unused, &first, &n, &best, &found, values.data(), vectors, &n,
            support.data(), work, length, integer_work, integer_length, &info);
    check(info, "dsyevr");
  };
  call(&queried, &query, &integers, &query);
  const int length = workspace_size(queried, 26 * size, "dsyevr");
  const int integer_length = workspace_size(integers, 10 * size, "dsyevr");
  Buffer<double> work(length);
  Buffer<int> integer_work(integer_length);
  call(work.data(), &length, integer_work.data(), &integer_length);
  if (found != count) check(1, "dsyevr");
  values.resize(count);
  return values;
}

}  // namespace cairn
