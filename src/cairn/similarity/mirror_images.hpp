// Equality up to rounding of an entry of K and its mirror image.
#pragma once

namespace cairn {

/// Largest allowed difference of K_ij and K_ji where K is symmetric: 1e-8 of the larger magnitude (1e-5 for values in
/// single precision), or some roundings of the largest entries of K, beside which small ones are noise.
class MirrorRule {
 public:
  /// @param largest  largest known magnitude of the entries of K
  /// @param roundings  number of roundings of the largest entry by which sums in another order may differ
  MirrorRule(bool single, double largest, double roundings);
  [[nodiscard]] bool allows(double there, double back) const;

 private:
  double relative_, absolute_;
};

}  // namespace cairn
