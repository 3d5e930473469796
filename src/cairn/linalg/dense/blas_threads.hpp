// Number of BLAS threads within a scope.
#pragma once

namespace cairn {

/// Sets the number of BLAS threads of this process to `threads` during its lifetime, then restores the earlier number.
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
