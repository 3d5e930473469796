// Candidates of a search for nearest texts, and the distances found so far.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "cairn/similarity/neighbor.hpp"

namespace cairn {

/// Texts at distances that differ by no more than this share of them count as equally far: distances are exact within
/// 1e-12, and equal ones may differ by their rounding.
inline constexpr double same_distance = 1e-10;

/// A target and a lower bound of its distance; by bound, then by number.
struct TextCandidate {
  float bound = 0.0F;
  Index target = 0;
  friend bool operator<(const TextCandidate& a, const TextCandidate& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.target < b.target;
  }
};

/// The search of one query: candidates with the lowest bounds of a pass over the targets, and the nearest targets among
/// those that were compared. All functions are local.
class TextCandidates {
 public:
  /// Candidates that one pass over the targets keeps.
  static constexpr std::size_t most = 512;

  /// @param k  neighbors that are looked for, >= 1
  explicit TextCandidates(std::size_t k) : k_(k) {}

  /// Begins a pass. @return false if the neighbors are known
  bool begin_pass();
  /// Largest bound that take() has use for; below 0: none.
  [[nodiscard]] float limit() const { return limit_; }
  void take(TextCandidate candidate);
  /// Ends the pass: candidates are then in order.
  void end_pass();

  /// The next candidates to compare, in order: at most `count`, none if no other can be among the nearest.
  [[nodiscard]] std::span<const TextCandidate> next(std::size_t count) const;
  /// Distances of the first `distances.size()` of next(). They are then done.
  void compared(std::span<const double> distances);
  /// True if the neighbors are not known, and further candidates need another pass.
  [[nodiscard]] bool needs_pass() const;

  /// The nearest, ties by number.
  [[nodiscard]] std::vector<Neighbor> nearest() const;

 private:
  [[nodiscard]] double farthest() const;
  [[nodiscard]] bool useful(float bound) const;

  std::size_t k_;
  std::vector<TextCandidate> candidates_;
  std::size_t next_ = 0;
  TextCandidate last_{-1.0F, -1};  // all up to this one are done
  float limit_ = -1.0F;
  bool more_ = true;             // there may be candidates after those of the last pass
  std::vector<Neighbor> found_;  // ascending by distance
};

}  // namespace cairn
