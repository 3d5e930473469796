#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/landmark/diagonal.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "cairn/landmark/panel_updates.hpp"
#include "cairn/landmark/pivot_block.hpp"
#include "cairn/landmark/weighted_draws.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// A residual below this fraction of its diagonal entry is rounding and counts as 0.
template <class T>
constexpr double rounding = 256.0 * std::numeric_limits<T>::epsilon();
// A residual below minus this fraction of the largest diagonal entry is not rounding. Entries that were stored in
// single precision are positive semidefinite only to about 1e-7, whatever precision is used for computing.
template <class T>
constexpr double negative_residual = std::is_same_v<T, double> ? 1e-6 : 1e-3;

// Proposals per block: wide enough for level-3 BLAS; the b² evaluations among them then cost at most b / 64 columns.
Index block_size(Index n) { return std::clamp<Index>(n / 64, 1, 64); }

struct Residual {
  double value = std::numeric_limits<double>::infinity();
  Index index = -1;
};

// Factorizes B: K, or for a distance d of negative type B_ij = (d_i0 + d_0j - d_ij) / 2, which is positive semidefinite
// (Schoenberg 1935). Object 0 of this formula is the first landmark; row and column of B are 0 there, and so is the
// first column of the factor.
template <class T>
class PivotedCholesky final : public LandmarkGrowth<T> {
 public:
  PivotedCholesky(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                  EligibleObjects eligible, const KeyNames& keys);
  bool grow(Index count) override;
  RowBlock<T>* factor() override;
  std::span<const double> residual() const override { return residual_; }
  double trace() const override { return trace_; }
  [[noreturn]] void fail_exhausted() const;

 private:
  using LandmarkGrowth<T>::execution_;
  using LandmarkGrowth<T>::objects_;
  using LandmarkGrowth<T>::columns_;
  using LandmarkGrowth<T>::indices_;

  // Objects and their data, on every rank.
  struct Chosen {
    std::vector<Index> indices;
    std::vector<double> residual;  // diagonal
    std::vector<double> diagonal;  // of B
    Buffer<T> factor;              // proposals x held_, row-major: their rows of the factor
  };

  Chosen propose();
  Chosen describe(std::vector<Index> indices) const;
  PivotBlock accept(const Chosen& proposals, Index most);
  std::vector<double> residual_among(const Chosen& chosen, const ObjectBlock& block) const;
  void append(const Chosen& proposals, const PivotBlock& block);
  void update_rows(Range rows, const std::vector<double>& diagonal, MatrixView<const T> pivot_rows,
                   MatrixView<const T> pivot_factor);
  void settle_residual();
  void start_from_similarities();
  void start_from_distances();
  void require_no_residual() const;
  [[nodiscard]] Index one_beside() const;
  void append_without_residual(Index landmark);
  [[noreturn]] void fail_indefinite(const std::string& what) const;
  [[nodiscard]] double& residual_of(Index x) { return residual_[x - own_.begin]; }
  // B from an entry of K and entries of the diagonal of B.
  [[nodiscard]] double transformed(double entry, double of_row, double of_column) const {
    return distances_ ? 0.5 * (of_row + of_column - entry) : entry;
  }
  // A residual that counts as 0. Distances are rounded in units of the largest ones, not of those on the diagonal of B.
  [[nodiscard]] double floor_of(double diagonal) const {
    return rounding<T> * (distances_ ? largest_diagonal_ : diagonal);
  }

  const Communicator& communicator_;
  const Similarity<T>& similarity_;
  EligibleObjects eligible_;
  Range own_;
  Random random_;
  KeyNames keys_;
  bool distances_;
  bool exhausted_ = false;  // B is known, and another landmark was taken
  RowBlock<T> factor_;      // B ~ factor factorᵀ
  RowBlock<T> diagonal_;    // of B; for distances those from the first landmark
  double largest_diagonal_ = 0.0;
  double trace_ = 0.0;            // of B
  std::vector<double> residual_;  // own rows of the diagonal of B - factor factorᵀ
  Index held_ = 0;                // computed columns of the factor
  std::uint64_t proposed_ = 0;
};

template <class T>
PivotedCholesky<T>::PivotedCholesky(const Execution& execution, const Similarity<T>& similarity,
                                    const ObjectSet& objects, EligibleObjects eligible, const KeyNames& keys)
    : LandmarkGrowth<T>(execution, objects),
      communicator_(execution.communicator),
      similarity_(similarity),
      eligible_(std::move(eligible)),
      own_(objects.range()),
      random_(execution.seed, Stream::landmarks),
      keys_(keys),
      distances_(similarity.traits().meaning == Meaning::distance) {
  collectively(communicator_, [&] { residual_.resize(own_.size()); });
  if (distances_)
    start_from_distances();
  else
    start_from_similarities();
  for (Index x = own_.begin; x < own_.end; ++x) {
    residual_of(x) = static_cast<double>(diagonal_.row(x)[0]);
    largest_diagonal_ = std::max(largest_diagonal_, residual_of(x));
  }
  largest_diagonal_ = communicator_.maximum(largest_diagonal_);
  settle_residual();
  trace_ = sum_of_weights(communicator_, objects.partition(), residual_);
}

template <class T>
void PivotedCholesky<T>::start_from_similarities() {
  diagonal_ = evaluate_diagonal(execution_, similarity_, objects_, "landmarks-rpcholesky-diagonal");
}

// Takes a uniform landmark, whose column of distances is the diagonal of B.
template <class T>
void PivotedCholesky<T>::start_from_distances() {
  constexpr std::uint64_t address_of_first = 2;  // proposals are drawn at 0, and rejected at 1
  indices_ = eligible_.numbers({random_.below(eligible_.count(), 0, address_of_first)});
  columns_ = this->resized({}, 0, 1);
  factor_ = this->resized({}, 0, 1);
  const auto first = objects_.gather(communicator_, indices_);
  evaluate_columns_into(execution_, similarity_, objects_, *first, columns_, 0, "landmarks",
                        fmt::format("landmarks-rpcholesky-first-{}", indices_.front()));
  diagonal_ = collectively(communicator_, [&] { return RowBlock<T>(objects_.partition(), communicator_.rank(), 1); });
  for (Index x = own_.begin; x < own_.end; ++x) {
    diagonal_.row(x)[0] = x == indices_.front() ? T{0} : columns_.row(x)[0];
    factor_.row(x)[0] = T{0};
  }
  held_ = 1;
}

template <class T>
bool PivotedCholesky<T>::grow(Index count) {
  if (count <= held_) return true;
  columns_ = this->resized(columns_, held_, count);
  factor_ = this->resized(factor_, held_, count);
  const BlasThreads one(1);  // tiles are distributed over threads; and products do not depend on their number
  Progress progress("rpcholesky landmarks", count, communicator_.is_root(), "landmarks/s");
  progress.advance(held_);
  while (held_ < count) {
    const Index before = held_;
    const Chosen proposals = propose();
    if (!proposals.indices.empty()) {
      append(proposals, accept(proposals, count - held_));
    } else {
      require_no_residual();
      // The rank of d is at most that of B and 2: squared Euclidean distances. And K = 0 has a landmark, too.
      if ((!distances_ && held_ > 0) || exhausted_) return false;
      append_without_residual(one_beside());
      exhausted_ = true;
    }
    progress.advance(held_ - before);
  }
  return true;
}

template <class T>
RowBlock<T>* PivotedCholesky<T>::factor() {
  if (distances_) return nullptr;
  if (factor_.columns() > held_) factor_ = this->resized(factor_, held_, held_);
  return &factor_;
}

// Draws a block by the residual diagonal; nothing if that is 0.
template <class T>
typename PivotedCholesky<T>::Chosen PivotedCholesky<T>::propose() {
  const auto phase = execution_.phases.enter("landmarks");
  const Index size = block_size(objects_.size());
  if (eligible_.count() == objects_.size()) {
    return describe(draw_by_weight(communicator_, objects_.partition(), residual_, size, random_, proposed_));
  }
  std::vector<double> weights = residual_;
  for (Index x = own_.begin; x < own_.end; ++x) {
    if (!eligible_.contains(x)) weights[x - own_.begin] = 0.0;
  }
  return describe(draw_by_weight(communicator_, objects_.partition(), weights, size, random_, proposed_));
}

// Each row's owner sends its data to the others.
template <class T>
typename PivotedCholesky<T>::Chosen PivotedCholesky<T>::describe(std::vector<Index> indices) const {
  Chosen chosen;
  const auto size = indices.size();
  chosen.residual.assign(size, 0.0);
  chosen.diagonal.assign(size, 0.0);
  chosen.factor = Buffer<T>(static_cast<Index>(size) * held_);
  std::ranges::fill(chosen.factor.span(), T{0});
  for (std::size_t a = 0; a < size; ++a) {
    const Index x = indices[a];
    if (!own_.contains(x)) continue;
    chosen.residual[a] = residual_[x - own_.begin];
    chosen.diagonal[a] = static_cast<double>(diagonal_.row(x)[0]);
    std::copy_n(factor_.row(x).data(), held_, chosen.factor.data() + static_cast<Index>(a) * held_);
  }
  communicator_.sum(std::span(chosen.residual));  // all but one term are 0
  communicator_.sum(std::span(chosen.diagonal));
  communicator_.sum(chosen.factor.span());
  chosen.indices = std::move(indices);
  return chosen;
}

// Rank 0 decides for all: processors of different kinds may round differently.
template <class T>
PivotBlock PivotedCholesky<T>::accept(const Chosen& proposals, Index most) {
  auto phase = execution_.phases.enter("landmarks");
  const Index before = similarity_.evaluations();
  const auto size = proposals.indices.size();
  const std::vector<Index> nothing;
  const auto block = objects_.gather(communicator_, communicator_.is_root() ? proposals.indices : nothing);
  const Watchdog::Patience patience(similarity_.longest_seconds(static_cast<Index>(size * size)));
  PivotBlock taken = collectively(communicator_, [&] {
    if (!communicator_.is_root()) return PivotBlock{};
    std::vector<double> among = residual_among(proposals, *block);
    std::vector<double> uniform(size);
    std::vector<double> floor(size);
    for (std::size_t a = 0; a < size; ++a) {
      uniform[a] = random_.uniform(proposed_ + a, 1);
      floor[a] = floor_of(proposals.diagonal[a]);
    }
    return take_pivots(among, uniform, floor, most);
  });
  communicator_.broadcast(taken.taken, 0);
  communicator_.broadcast(taken.factor, 0);
  proposed_ += size;
  phase.count_evaluations(similarity_.evaluations() - before);
  return taken;
}

template <class T>
std::vector<double> PivotedCholesky<T>::residual_among(const Chosen& chosen, const ObjectBlock& block) const {
  const auto size = static_cast<Index>(chosen.indices.size());
  Buffer<T> values(size * size);
  const MatrixView<T> view(values.data(), size, size);
  similarity_.tile(block, block, view);
  for (Index a = 0; a < size; ++a) {
    for (Index b = 0; b < size; ++b) {
      view(a, b) = static_cast<T>(transformed(static_cast<double>(view(a, b)), chosen.diagonal[a], chosen.diagonal[b]));
    }
  }
  const MatrixView<const T> rows(chosen.factor.data(), size, held_);
  landmark_blas::subtract_product(rows, rows, view);
  std::vector<double> among(values.span().begin(), values.span().end());
  for (std::size_t a = 0; a < chosen.residual.size(); ++a) {
    among[a * chosen.residual.size() + a] = chosen.residual[a];  // same up to rounding; used for the draws
  }
  return among;
}

// Evaluates the columns of the accepted pivots and extends the factor by them.
template <class T>
void PivotedCholesky<T>::append(const Chosen& proposals, const PivotBlock& block) {
  const auto size = static_cast<Index>(block.taken.size());
  std::vector<Index> indices;
  std::vector<double> diagonal;  // of B, at the new pivots
  Buffer<T> rows(size * held_);
  for (const Index a : block.taken) {
    std::copy_n(proposals.factor.data() + a * held_, held_, rows.data() + static_cast<Index>(indices.size()) * held_);
    indices.push_back(proposals.indices[a]);
    diagonal.push_back(proposals.diagonal[a]);
  }
  const auto pivots = objects_.gather(communicator_, indices);
  evaluate_columns_into(execution_, similarity_, objects_, *pivots, columns_, held_, "landmarks",
                        fmt::format("landmarks-rpcholesky-{}-{:08x}", held_,
                                    static_cast<std::uint32_t>(hash_bytes(std::as_bytes(std::span(indices)), 3))));

  const auto phase = execution_.phases.enter("landmarks");
  const std::vector<T> factor(block.factor.begin(), block.factor.end());
  const Index unit = RowPartition::unit(objects_.size());
  const Index units = (own_.size() + unit - 1) / unit;
#pragma omp parallel for schedule(dynamic) num_threads(execution_.threads)
  for (Index u = 0; u < units; ++u) {
    const Range unit_rows{own_.begin + u * unit, std::min(own_.begin + (u + 1) * unit, own_.end)};
    update_rows(unit_rows, diagonal, {rows.data(), size, held_}, {factor.data(), size, size});
  }
  for (const Index x : indices) {
    if (own_.contains(x)) residual_of(x) = 0.0;
  }
  held_ += size;
  indices_.insert(indices_.end(), indices.begin(), indices.end());
  settle_residual();
}

// factor(rows, new) = (B(rows, pivots) - factor(rows, old) factor(pivots, old)ᵀ) pivot_factor^(-T).
template <class T>
void PivotedCholesky<T>::update_rows(Range rows, const std::vector<double>& diagonal, MatrixView<const T> pivot_rows,
                                     MatrixView<const T> pivot_factor) {
  const Index size = pivot_factor.rows;
  T* const first = factor_.row(rows.begin).data();
  const MatrixView<const T> old(first, rows.size(), held_, factor_.columns());
  const MatrixView<T> fresh(first + held_, rows.size(), size, factor_.columns());
  for (Index x = rows.begin; x < rows.end; ++x) {
    const T* const entries = columns_.row(x).data() + held_;
    const auto of_row = static_cast<double>(diagonal_.row(x)[0]);
    for (Index j = 0; j < size; ++j) {
      fresh(x - rows.begin, j) = static_cast<T>(transformed(static_cast<double>(entries[j]), of_row, diagonal[j]));
    }
  }
  landmark_blas::subtract_product(old, pivot_rows, fresh);
  landmark_blas::solve_rows(pivot_factor, fresh);
  for (Index x = rows.begin; x < rows.end; ++x) {
    const T* const values = fresh.row(x - rows.begin);
    double squares = 0.0;
    for (Index j = 0; j < size; ++j) squares += static_cast<double>(values[j]) * static_cast<double>(values[j]);
    residual_of(x) -= squares;
  }
}

// Sets rounding errors to 0. @throws Error(numeric) if a residual is negative beyond rounding.
template <class T>
void PivotedCholesky<T>::settle_residual() {
  Residual lowest;
  for (Index x = own_.begin; x < own_.end; ++x) {
    if (residual_of(x) < lowest.value) lowest = {residual_of(x), x};
    if (residual_of(x) <= floor_of(static_cast<double>(diagonal_.row(x)[0]))) residual_of(x) = 0.0;
  }
  Residual overall;
  for (const Residual& candidate : communicator_.all_gather_one(lowest)) {
    if (candidate.value < overall.value) overall = candidate;
  }
  if (overall.value >= -negative_residual<T> * largest_diagonal_) return;
  fail_indefinite(
      fmt::format("the residual of object {} (counted from 0) on the diagonal is {:.3g}, and the largest "
                  "diagonal entry is {:.3g}",
                  overall.index, overall.value, largest_diagonal_));
}

template <class T>
void PivotedCholesky<T>::fail_indefinite(const std::string& what) const {
  const std::string& name = similarity_.traits().name;
  if (distances_) {
    throw Error(ErrorKind::numeric,
                fmt::format("the distance {} is not of negative type: after {} pivots of rpcholesky on (d_i0 + d_0j - "
                            "d_ij) / 2 {}; use {} = farthest or uniform",
                            name, held_, what, keys_("selection")));
  }
  throw Error(ErrorKind::numeric,
              fmt::format("similarity {} is not positive semidefinite: after {} pivots of rpcholesky {}; use {} = "
                          "uniform or farthest",
                          name, held_, what, keys_("selection")));
}

// A positive semidefinite matrix is 0 if its diagonal is 0: the residual of B among some objects shows whether it is
// semidefinite.
template <class T>
void PivotedCholesky<T>::require_no_residual() const {
  const Index few = std::min<Index>(eligible_.count(), 64);
  const Chosen chosen = describe(eligible_.numbers(sample_without_replacement(eligible_.count(), few, random_)));
  const std::vector<Index> nothing;
  const auto block = objects_.gather(communicator_, communicator_.is_root() ? chosen.indices : nothing);
  const Watchdog::Patience patience(similarity_.longest_seconds(few * few));
  double largest = collectively(communicator_, [&] {
    if (!communicator_.is_root()) return 0.0;
    return std::ranges::max(residual_among(chosen, *block), {}, [](double value) { return std::abs(value); });
  });
  largest = communicator_.maximum(std::abs(largest));
  if (largest <= negative_residual<T> * largest_diagonal_) return;
  fail_indefinite(fmt::format("its residual is 0 on the diagonal and up to {:.3g} off it", largest));
}

// A uniform object that is no landmark yet.
template <class T>
Index PivotedCholesky<T>::one_beside() const {
  const std::vector<Index> some = eligible_.numbers(sample_without_replacement(eligible_.count(), held_ + 1, random_));
  return *std::ranges::find_if(some, [&](Index x) { return std::ranges::find(indices_, x) == indices_.end(); });
}

// Takes a landmark where B is known: its column of the factor is 0.
template <class T>
void PivotedCholesky<T>::append_without_residual(Index landmark) {
  const auto object = objects_.gather(communicator_, std::span(&landmark, 1));
  evaluate_columns_into(execution_, similarity_, objects_, *object, columns_, held_, "landmarks",
                        fmt::format("landmarks-rpcholesky-last-{}", landmark));
  for (Index x = own_.begin; x < own_.end; ++x) factor_.row(x)[held_] = T{0};
  indices_.push_back(landmark);
  ++held_;
}

template <class T>
void PivotedCholesky<T>::fail_exhausted() const {
  throw Error(ErrorKind::numeric,
              fmt::format("rpcholesky stopped after {0} landmarks because the residual of K is 0: the numerical rank "
                          "of K is {1}{0}; set {2} to at most {0}, or use {3} = uniform or farthest",
                          held_, distances_ ? "at most " : "", keys_("count"), keys_("selection")));
}

}  // namespace

namespace {

template <class T>
Landmarks<T> pivots_of(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                       const EligibleObjects& eligible, Index count, const KeyNames& keys) {
  eligible.require(count, keys);
  PivotedCholesky<T> pivots(execution, similarity, objects, eligible, keys);
  if (!pivots.grow(count)) pivots.fail_exhausted();
  return pivots.finish();
}

}  // namespace

template <class T>
Landmarks<T> select_rpcholesky(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                               Index count, const KeyNames& keys) {
  const EligibleObjects all(execution.communicator, objects);
  return pivots_of(execution, similarity, objects, all, count, keys);
}

template Landmarks<float> select_rpcholesky(const Execution&, const Similarity<float>&, const ObjectSet&, Index,
                                            const KeyNames&);
template Landmarks<double> select_rpcholesky(const Execution&, const Similarity<double>&, const ObjectSet&, Index,
                                             const KeyNames&);

namespace {

template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  const EligibleObjects eligible(input.execution.communicator, input.objects, input.values);
  return pivots_of<T>(input.execution, input.entries, input.objects, eligible, input.count, input.values.keys());
}

template <class T>
std::unique_ptr<LandmarkGrowth<T>> grow(const SelectionInput<T>& input) {
  return std::make_unique<PivotedCholesky<T>>(
      input.execution, input.entries, input.objects,
      EligibleObjects(input.execution.communicator, input.objects, input.values), input.values.keys());
}

}  // namespace

const LandmarkSelection& rpcholesky_selection() {
  static const LandmarkSelection selection = {
      .name = "rpcholesky",
      .summary =
          "Pivots of a randomly pivoted Cholesky factorization, of a positive semidefinite similarity or a distance of "
          "negative type: more landmarks in regions where the data have more weight.",
      .source = "Chen, Epperly, Tropp, Webber 2022; Epperly, Tropp, Webber 2024; Schoenberg 1935",
      .parameters = {landmark_split()},
      .evaluates = true,
      .entries = true,
      .factors = true,
      .work_bytes = [](Index rows, Index landmarks, Index value_bytes) { return rows * landmarks * value_bytes; },
      .run_single = run<float>,
      .run_double = run<double>,
      .grow_single = grow<float>,
      .grow_double = grow<double>};
  return selection;
}

}  // namespace cairn
