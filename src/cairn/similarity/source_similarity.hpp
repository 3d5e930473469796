// Single-source similarities: one object against all others, or against chosen ones.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Chosen targets, with data that a similarity prepared for them (a restricted search). The same on every rank.
struct TargetSet {
  std::vector<Index> targets;  ///< in any order, without repeats
  virtual ~TargetSet() = default;
};

/// Constants of a single-source similarity.
struct SourceTraits {
  std::string name;  ///< the same as in the descriptor
  Meaning meaning = Meaning::distance;
  Index size = 0;         ///< number of vertices
  bool integral = false;  ///< every value is an integer below 2^32 and is stored as such
  /// False: the values of (i, j) from source i and from source j differ by more than rounding, and the similarity is
  /// their mean.
  bool symmetric_by_construction = true;
  Index batch = 1;  ///< best number of sources per call
  friend bool operator==(const SourceTraits&, const SourceTraits&) = default;
};

/// A symmetric function of two vertices of a graph or mesh (path lengths, geodesic distances).
///
/// Made collectively, then used by every rank alone. Data needed as a whole are held once per node. The public
/// functions count evaluations (values delivered), are thread-safe and do not communicate.
class SourceSimilarity {
 public:
  virtual ~SourceSimilarity() = default;
  SourceSimilarity(const SourceSimilarity&) = delete;
  SourceSimilarity& operator=(const SourceSimilarity&) = delete;

  [[nodiscard]] const SourceTraits& traits() const { return traits_; }
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;
  /// Number of vertices.
  [[nodiscard]] Index size() const { return traits_.size; }

  /// Prepares for many sources with the same targets. Local, deterministic.
  [[nodiscard]] virtual std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const;

  /// out(a, b) = value of sources[a] and targets.targets[b].
  /// @throws Error(numeric) that names both vertices if there is no path
  void to_targets(std::span<const Index> sources, const TargetSet& targets, MatrixView<double> out) const;
  /// out(a, v) = value of sources[a] and vertex v, for all n vertices.
  void to_all(std::span<const Index> sources, MatrixView<double> out) const;

  /// out[k] = value of first[k] and second[k], from source first[k]. @throws as to_targets()
  void pairs(std::span<const Index> first, std::span<const Index> second, std::span<double> out) const;
  /// Announces so many pairs, over all ranks, beyond those announced before: a similarity may prepare for them.
  /// Collective.
  virtual void expect_pairs(const Communicator& /*communicator*/, Index /*pairs*/) const {}
  /// nearest[v] = min(nearest[v], value of `source` and v) for all n vertices; for distances. `nearest` holds the
  /// result of earlier calls (infinity at first; a smaller value keeps a vertex as it is). A path search skips what it
  /// cannot lower. Counts the values that it found.
  void lower(Index source, std::span<double> nearest) const;

  /// Values delivered through this object on this rank so far.
  [[nodiscard]] Index evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  /// Counts values that an earlier run delivered and a ledger restored; restored() returns all of these.
  void count_restored(Index values) const { restored_ += values; }
  [[nodiscard]] Index restored() const { return restored_.load(std::memory_order_relaxed); }

 protected:
  explicit SourceSimilarity(SourceTraits traits) : traits_(std::move(traits)) {}
  /// Counts values that functions other than those above deliver.
  void count(Index values) const { evaluations_.fetch_add(values, std::memory_order_relaxed); }

  virtual void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                                  MatrixView<double> out) const = 0;
  virtual void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const = 0;
  /// pairs() without counting; by default pairs of one source are computed together.
  virtual void compute_pairs(std::span<const Index> first, std::span<const Index> second, std::span<double> out) const;
  /// Calls `values` once for each different source, with the targets that it is paired with, and distributes what it
  /// writes. @param values  fills a row of values, from one source to these targets
  void pairs_by_source(
      std::span<const Index> first, std::span<const Index> second, std::span<double> out,
      const std::function<void(std::span<const Index>, const TargetSet&, MatrixView<double>)>& values) const;
  /// lower() without counting. @return number of values found; all n by default
  [[nodiscard]] virtual Index compute_lower(Index source, std::span<double> nearest) const;

 private:
  SourceTraits traits_;
  mutable std::atomic<Index> evaluations_{0}, restored_{0};
};

}  // namespace cairn
