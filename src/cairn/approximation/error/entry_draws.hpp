// Random entries of K, from a mixture of distributions over a sample of objects.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/approximation/factor.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Squared Euclidean norms of this rank's rows of a factor, over the largest of all ranks; nothing if they are all
/// alike up to rounding. A factor that is not stored is evaluated once. Collective.
template <class T>
[[nodiscard]] std::optional<std::vector<double>> row_energies(const Execution& execution, const Factor<T>& factor);

/// The numbers that all ranks know of the objects `ids`: those of `own`, this rank's part. Collective.
[[nodiscard]] std::vector<double> values_at(const Communicator& communicator, const RowPartition& partition,
                                            const std::vector<double>& own, const std::vector<Index>& ids);

/// Objects whose pairs are compared, the same on every rank.
struct SampledObjects {
  std::vector<Index> ids;
  std::vector<double> weights;  ///< of each, 1 on average: 1 / (n times its probability in a draw)
  double population = 0.0;      ///< n, if they were drawn without replacement; infinity, if with it
};

/// `count` of the objects, or all of them. @param energies  of the own objects: a third of the draws is proportional to
/// them, and a third to their squares; nothing: all draws are uniform, without replacement. Collective.
[[nodiscard]] SampledObjects sample_objects(const Communicator& communicator, const RowPartition& partition,
                                            const std::optional<std::vector<double>>& energies, Index count,
                                            const Random& random);

/// A distribution over 0 .. n - 1. All functions are local.
class Distribution {
 public:
  /// Uniform.
  explicit Distribution(Index n) : size_(n) {}
  /// Proportional to weights, finite and >= 0.
  explicit Distribution(std::vector<double> weights);

  /// False if, without some number, nothing is left.
  [[nodiscard]] bool has_several() const;
  /// The number at `point` of [0, 1).
  [[nodiscard]] Index at(double point) const { return without(point, -1); }
  /// The same in the distribution without number `excluded` (none: -1).
  [[nodiscard]] Index without(double point, Index excluded) const;
  [[nodiscard]] double probability(Index number) const;
  /// Of `number`, given that it is not `excluded`.
  [[nodiscard]] double probability_without(Index number, Index excluded) const;

 private:
  Index size_;
  std::vector<double> weights_, cumulative_;  // empty: uniform
};

/// Draws of entries from a mixture of distributions in runs: a run has a row, and up to `length` columns that are drawn
/// independently of each other, so that a row of L J serves several entries. The runs of a part are independent and
/// alike. Local.
class EntryDraws {
 public:
  struct Part {
    Distribution rows, columns;
  };
  /// @param parts         from each the same number of entries is drawn
  /// @param off_diagonal  the column is another number than the row
  EntryDraws(std::vector<Part> parts, Index length, bool off_diagonal, const Random& random)
      : parts_(std::move(parts)), length_(length), off_diagonal_(off_diagonal), random_(random) {}

  struct Drawn {
    EntryList entries;              ///< run after run
    std::vector<double> densities;  ///< of each entry in the mixture
  };
  [[nodiscard]] Index parts() const { return std::ssize(parts_); }
  [[nodiscard]] Index length() const { return length_; }
  /// Draws number `numbers` from part `t`; draw a belongs to run a / length. @pre numbers begin with a run
  [[nodiscard]] Drawn draw(Index t, Range numbers) const;

 private:
  std::vector<Part> parts_;
  Index length_;
  bool off_diagonal_;
  Random random_;
};

}  // namespace cairn
