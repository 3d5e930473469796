// Threads of the BLAS within a scope.
#pragma once

namespace cairn {

/// While it lives, the BLAS of this process works with `threads` threads; then with as many as before.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

}  // namespace cairn
