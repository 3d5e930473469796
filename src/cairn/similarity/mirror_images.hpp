// When an entry of K and its mirror image are equal, but for rounding.
#pragma once

namespace cairn {

/// How far K_ij and K_ji may be apart where K is symmetric: 1e-8 of the larger magnitude (of values in single precision
/// 1e-5), or some roundings of the largest entries of K, beside which small ones are noise.
class MirrorRule {
 public:
  /// @param largest  magnitude of the entries of K that are known
  /// @param roundings  of the largest entry: what sums in another order may come to
  MirrorRule(bool single, double largest, double roundings);
  [[nodiscard]] bool allows(double there, double back) const;

 private:
  double relative_, absolute_;
};

}  // namespace cairn
