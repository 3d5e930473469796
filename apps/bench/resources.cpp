#include "resources.hpp"

#include <algorithm>

#include "cairn/base/buffer.hpp"

extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                       const int*, const double*, const int*, const double*, double*, const int*);

namespace cairn::bench {

double gemm_gflops(const Communicator& communicator) {
  constexpr int n = 2000;
  Buffer<double> a(Index{n} * n), b(Index{n} * n), c(Index{n} * n);
  for (Index i = 0; i < a.size(); ++i) a[i] = b[i] = c[i] = 1.0 / static_cast<double>(i + 1);
  const double one = 1.0, zero = 0.0;
  double best = 1e300;
  for (int repetition = 0; repetition < 4; ++repetition) {
    const Stopwatch watch(communicator);
    dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    best = std::min(best, watch.seconds());
  }
  return communicator.size() * 2e-9 * n * n * n / best;
}

double triad_gigabytes(const Communicator& communicator) {
  constexpr Index n = Index{32} << 20;
  Buffer<double> a(n), b(n), d(n);
  for (Index i = 0; i < n; ++i) a[i] = b[i] = d[i] = static_cast<double>(i);
  double best = 1e300;
  for (int repetition = 0; repetition < 4; ++repetition) {
    const Stopwatch watch(communicator);
    for (Index i = 0; i < n; ++i) a[i] = b[i] + 3.0 * d[i];
    best = std::min(best, watch.seconds());
  }
  return communicator.size() * 3e-9 * static_cast<double>(n * Index{sizeof(double)}) / best;
}

}  // namespace cairn::bench
