// Similarities that come by source: one object against all others, or against chosen ones.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Chosen targets, with what a similarity prepared for them (a restricted search). The same on every rank.
struct TargetSet {
  std::vector<Index> targets;  ///< in any order, without repeats
  virtual ~TargetSet() = default;
};

/// Constants of a similarity that comes by source.
struct SourceTraits {
  std::string name;  ///< as that of its descriptor
  Meaning meaning = Meaning::distance;
  Index size = 0;         ///< vertices
  bool integral = false;  ///< every value is an integer below 2^32; they are then kept as such
  /// False: the value of (i, j) from source i and that from source j differ by more than rounding; the similarity is
  /// then their mean.
  bool symmetric_by_construction = true;
  Index batch = 1;  ///< sources that are best taken at a time
  friend bool operator==(const SourceTraits&, const SourceTraits&) = default;
};

/// A symmetric function of two vertices of a graph or mesh (path lengths, geodesic distances).
///
/// Made collectively, then used by every rank alone: what it needs whole is held once per node. The public functions
/// count evaluations (values delivered), are thread-safe and do not communicate.
class SourceSimilarity {
 public:
  virtual ~SourceSimilarity() = default;
  SourceSimilarity(const SourceSimilarity&) = delete;
  SourceSimilarity& operator=(const SourceSimilarity&) = delete;

  [[nodiscard]] const SourceTraits& traits() const { return traits_; }
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;
  /// Vertices.
  [[nodiscard]] Index size() const { return traits_.size; }

  /// Prepares for many sources against the same targets. Local, deterministic.
  [[nodiscard]] virtual std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const;

  /// out(a, b) = value of sources[a] and targets.targets[b].
  /// @throws Error(numeric) that names both vertices if there is no path
  void to_targets(std::span<const Index> sources, const TargetSet& targets, MatrixView<double> out) const;
  /// out(a, v) = value of sources[a] and vertex v, for all n vertices.
  void to_all(std::span<const Index> sources, MatrixView<double> out) const;

  /// nearest[v] = min(nearest[v], value of `source` and v) for all n vertices, of a distance. `nearest` holds what
  /// earlier calls have left there (infinity at first; less, to keep a vertex as it is): a search of paths passes over
  /// what it cannot lower. Counts the values that it found.
  void lower(Index source, std::span<double> nearest) const;

  /// Values delivered by this object on this rank so far.
  [[nodiscard]] Index evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  /// Counts values that an earlier run delivered and a ledger had; restored() are all of these.
  void count_restored(Index values) const { restored_ += values; }
  [[nodiscard]] Index restored() const { return restored_.load(std::memory_order_relaxed); }

 protected:
  explicit SourceSimilarity(SourceTraits traits) : traits_(std::move(traits)) {}
  /// Counts values that are delivered by other functions than those above.
  void count(Index values) const { evaluations_.fetch_add(values, std::memory_order_relaxed); }

  virtual void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                                  MatrixView<double> out) const = 0;
  virtual void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const = 0;
  /// lower() without counting: returns how many values it found. By default it takes all n.
  [[nodiscard]] virtual Index compute_lower(Index source, std::span<double> nearest) const;

 private:
  SourceTraits traits_;
  mutable std::atomic<Index> evaluations_{0}, restored_{0};
};

}  // namespace cairn
