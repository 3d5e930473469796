#include "cairn/approximation/biharmonic/harmonic/harmonic_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/tall/vector_products.hpp"

namespace cairn {

namespace {

// An entry of S or G on its way to the owner of its row.
struct CoreEntry {
  std::int32_t row, column;
  double value;
};

constexpr const char* functions_loop = "harmonic functions";

// Calls visit(local row, local column, row, column) for each entry of this rank.
template <class Visit>
void for_each_entry(const BlockCyclicMatrix& matrix, Visit visit) {
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    for (Index i = 0; i < matrix.local_rows(); ++i) visit(i, j, matrix.global_row(i), matrix.global_column(j));
  }
}

MatrixView<const double> constant(MatrixView<double> values) {
  return {values.data, values.rows, values.columns, values.stride};
}

}  // namespace

HarmonicForm::HarmonicForm(const Execution& execution, const LaplacianRows& rows, LaplacianSolver& solver,
                           const std::vector<Index>& landmarks, double penalty, Index sample_of)
    : execution_(execution),
      rows_(rows),
      solver_(solver),
      landmarks_(landmarks),
      penalty_(penalty),
      sample_(sample_of > 0),
      kept_(keeps_functions(sample_ ? sample_of : std::ssize(landmarks))),
      grid_(std::make_shared<const ProcessGrid>(execution.communicator)) {
  if (kept_) functions_ = block(landmark_count());
  Matrices matrices = find_functions();
  make_core(std::move(matrices));
}

bool HarmonicForm::keeps_functions(Index landmarks) {
  constexpr Index most = 128;  // a product with more of them takes longer than a solve
  return landmarks <= most;
}

// Uninitialized.
RowBlock<double> HarmonicForm::block(Index columns) const {
  return collectively(execution_.communicator,
                      [&] { return RowBlock<double>(rows_.partition(), execution_.communicator.rank(), columns); });
}

RowBlock<double> HarmonicForm::zeros(Index columns) const {
  RowBlock<double> rows = block(columns);
  std::fill_n(rows.local().data, rows.range().size() * columns, 0.0);
  return rows;
}

// A block of those kept for reuse: new memory costs as much as a pass over it. Uninitialized.
RowBlock<double>& HarmonicForm::reused(Reused which, Index columns) {
  RowBlock<double>& kept = reused_[which];
  if (kept.columns() != columns) kept = block(columns);
  return kept;
}

// The values at the landmarks, l x the columns of the block, and 0 elsewhere.
RowBlock<double> HarmonicForm::at_landmarks(const Buffer<double>& values, Index columns) const {
  RowBlock<double> rows = zeros(columns);
  for (Index p = 0; p < landmark_count(); ++p) {
    if (owns(landmarks_[p])) std::copy_n(values.data() + p * columns, columns, rows.row(landmarks_[p]).data());
  }
  return rows;
}

// The harmonic functions with these values at the landmarks, which are 0 elsewhere.
RowBlock<double> HarmonicForm::extended(RowBlock<double> values) {
  RowBlock<double>& solution = reused(solutions, values.columns());
  rows_.multiply(constant(values.local()), solution.local());
  solver_.solve(solution.local());  // L_uu⁻¹ L_ub x_b
  for (Index v = values.range().begin; v < values.range().end; ++v) {
    for (Index k = 0; k < values.columns(); ++k) values.row(v)[k] -= solution.row(v)[k];
  }
  return values;
}

// Takes rows of S and G from an earlier run. @return positions of the others
std::vector<Index> HarmonicForm::restore(RowBlock<double>& stiffness, RowBlock<double>& mass) const {
  std::vector<std::int32_t> known(landmarks_.size());
  const Index l = landmark_count();
  if (!kept_) {
    collectively(execution_.communicator, [&] {
      execution_.ledger.begin(functions_loop, l);
      std::vector<double> both(2 * landmarks_.size());
      for (Index k = stiffness.range().begin; k < stiffness.range().end; ++k) {
        if (!execution_.ledger.get(k, std::as_writable_bytes(std::span(both)))) continue;
        known[k] = 1;
        std::copy_n(both.begin(), l, stiffness.row(k).begin());
        std::copy_n(both.begin() + l, l, mass.row(k).begin());
      }
    });
    execution_.communicator.sum(std::span(known));
  }
  std::vector<Index> left;
  for (Index k = 0; k < l; ++k) {
    if (known[k] == 0) left.push_back(k);
  }
  return left;
}

// Stores new rows of S and G.
void HarmonicForm::keep(const std::vector<Index>& members, const RowBlock<double>& stiffness,
                        const RowBlock<double>& mass) const {
  collectively(execution_.communicator, [&] {
    std::vector<double> both;
    for (const Index k : members) {
      if (!stiffness.range().contains(k)) continue;
      both.assign(stiffness.row(k).begin(), stiffness.row(k).end());
      both.insert(both.end(), mass.row(k).begin(), mass.row(k).end());
      execution_.ledger.put(k, std::as_bytes(std::span(both)));
    }
  });
}

// Moves the columns' values at the landmarks to the rows of the members: the matrices are symmetric.
void HarmonicForm::send_columns(const RowBlock<double>& columns, const std::vector<Index>& members,
                                RowBlock<double>& out) const {
  const Communicator& communicator = execution_.communicator;
  std::vector<std::vector<CoreEntry>> entries(communicator.size());
  collectively(communicator, [&] {
    for (Index p = 0; p < landmark_count(); ++p) {
      if (!owns(landmarks_[p])) continue;
      for (std::size_t k = 0; k < members.size(); ++k) {
        entries[out.partition().owner(members[k])].push_back(
            {static_cast<std::int32_t>(members[k]), static_cast<std::int32_t>(p), columns.row(landmarks_[p])[k]});
      }
    }
  });
  for (const auto& part : communicator.exchange(entries)) {
    for (const CoreEntry& entry : part) out.row(entry.row)[entry.column] = entry.value;
  }
}

// Rows of S = L_bb + L_bu H, and of G = D_b - L_bu L_uu⁻¹ D_u H if H is not kept.
void HarmonicForm::find_block(const std::vector<Index>& members, RowBlock<double>& stiffness, RowBlock<double>& mass) {
  const auto width = std::ssize(members);
  RowBlock<double> ends = zeros(width);
  RowBlock<double>& products = reused(laplacians, width);
  for (Index k = 0; k < width; ++k) {
    if (owns(landmarks_[members[k]])) ends.row(landmarks_[members[k]])[k] = 1.0;
  }
  RowBlock<double> functions = extended(std::move(ends));
  rows_.multiply(constant(functions.local()), products.local());
  send_columns(products, members, stiffness);
  if (kept_) {
    for (Index v = functions.range().begin; v < functions.range().end; ++v)
      std::copy_n(functions.row(v).data(), width, functions_.row(v).data() + members.front());
    return;
  }
  scale_rows(functions, [](double inverse_mass) { return 1.0 / inverse_mass; });
  RowBlock<double>& loads = reused(solutions, width);
  std::copy_n(functions.local().data, functions.range().size() * width, loads.local().data);
  solver_.solve(loads.local());
  rows_.multiply(constant(loads.local()), products.local());
  for (Index v = products.range().begin; v < products.range().end; ++v) {  // at landmarks; D e_k there
    for (Index k = 0; k < width; ++k) products.row(v)[k] = functions.row(v)[k] - products.row(v)[k];
  }
  send_columns(products, members, mass);
}

HarmonicForm::Matrices HarmonicForm::find_functions() {
  const Communicator& communicator = execution_.communicator;
  const Index l = landmark_count();
  const auto core_rows = [&] {
    return collectively(communicator,
                        [&] { return RowBlock<double>(RowPartition(l, communicator.size()), communicator.rank(), l); });
  };
  RowBlock<double> stiffness = core_rows(), mass = kept_ ? RowBlock<double>() : core_rows();
  const std::vector<Index> left = restore(stiffness, mass);
  Progress progress(functions_loop, std::ssize(left), communicator.is_root(), "functions/s");
  for (Index begin = 0; begin < std::ssize(left); begin += solver_.width()) {
    const Index width = std::min(solver_.width(), std::ssize(left) - begin);
    const std::vector<Index> members(left.begin() + begin, left.begin() + begin + width);
    find_block(members, stiffness, mass);
    if (!kept_) keep(members, stiffness, mass);
    progress.advance(width);
  }
  if (kept_ && !sample_) normalize();
  Matrices matrices{to_block_cyclic(grid_, stiffness), std::nullopt};
  if (!kept_) matrices.mass = to_block_cyclic(grid_, mass);
  return matrices;
}

void HarmonicForm::normalize() {
  constexpr double limit = 1e-4;
  double largest = 0.0;
  for (Index v = functions_.range().begin; v < functions_.range().end; ++v) {
    double sum = 0.0;
    for (const double value : functions_.row(v)) sum += value;
    largest = std::max(largest, std::isfinite(sum) ? std::abs(sum - 1.0) : limit * 1e4);
    for (double& value : functions_.row(v)) value /= sum;
  }
  row_sum_error_ = largest = execution_.communicator.maximum(largest);
  if (largest <= limit) return;
  throw Error(ErrorKind::numeric,
              fmt::format("the harmonic functions, and with them the rows of P, sum to 1 within {:.1e} only; take a "
                          "smaller tolerance, more landmarks or another solver",
                          largest));
}

void HarmonicForm::symmetrize(BlockCyclicMatrix& matrix) {
  const BlockCyclicMatrix mirrored = transpose(matrix);
  for_each_entry(matrix, [&](Index i, Index j, Index, Index) {
    matrix.local(i, j) = 0.5 * (matrix.local(i, j) + mirrored.local(i, j));
  });
}

// G = (D^½ H)ᵀ (D^½ H) over all vertices, landmarks included.
BlockCyclicMatrix HarmonicForm::mass_of_kept() {
  scale_rows(functions_, [](double inverse_mass) { return 1.0 / std::sqrt(inverse_mass); });
  BlockCyclicMatrix g = gram(grid_, functions_, functions_, execution_.threads);
  scale_rows(functions_, [](double inverse_mass) { return std::sqrt(inverse_mass); });
  return g;
}

void HarmonicForm::make_core(Matrices matrices) {
  const auto factorize = [](BlockCyclicMatrix& matrix, const char* name, const char* advice) {
    if (cholesky(matrix)) return;
    throw Error(ErrorKind::numeric, fmt::format("the {} of harmonic functions is not positive definite to double "
                                                "precision; take {}",
                                                name, advice));
  };
  BlockCyclicMatrix g = matrices.mass ? std::move(*matrices.mass) : mass_of_kept();
  symmetrize(g);
  factorize(g, "mass matrix", "fewer landmarks or another solver");
  BlockCyclicMatrix& s = matrices.stiffness;
  symmetrize(s);
  const std::vector<double> sums = multiply_vector(s, false, std::vector<double>(landmark_count(), 1.0));
  for_each_entry(s, [&](Index i, Index j, Index row, Index column) {
    if (row == column) s.local(i, j) -= sums[row];
  });
  BlockCyclicMatrix coefficients = s.copy();
  cholesky_solve(g, coefficients);
  if (penalty_ > 0.0) {
    BlockCyclicMatrix soft = multiply(s, false, coefficients, false);
    for_each_entry(soft, [&](Index i, Index j, Index row, Index column) {
      if (row == column) soft.local(i, j) += penalty_;
    });
    factorize(soft, "energy with its penalty", "a larger weight of soft landmarks (soft-landmarks)");
    BlockCyclicMatrix values(grid_, s.rows(), s.rows());
    values.fill([&](Index row, Index column) { return row == column ? penalty_ : 0.0; });
    cholesky_solve(soft, values);
    coefficients_.push_back(multiply(coefficients, false, values, false));
    coefficients_.push_back(std::move(values));
  } else {
    coefficients_.push_back(std::move(coefficients));
  }
}

RowBlock<double> HarmonicForm::columns(const std::vector<Index>& members) {
  return kept_ ? by_products(members) : by_solves(members);
}

BlockCyclicMatrix HarmonicForm::columns_of(const BlockCyclicMatrix& matrix, const std::vector<Index>& members) {
  return scale_columns(matrix, members, std::vector<double>(members.size(), 1.0));
}

// P = H X + L_uu⁻¹ D_u H Z, where Z = G⁻¹ S X, and X is the identity if landmarks are hard.
RowBlock<double> HarmonicForm::by_products(const std::vector<Index>& members) {
  const auto combined = [&](const BlockCyclicMatrix& of) {
    return multiply_tall(functions_, columns_of(of, members), execution_.threads);
  };
  RowBlock<double> result = combined(coefficients_.front());
  scale_rows(result, [](double inverse_mass) { return 1.0 / inverse_mass; });
  solver_.solve(result.local());
  const RowBlock<double> values = penalty_ > 0.0 ? combined(coefficients_.back()) : RowBlock<double>();
  for (Index v = result.range().begin; v < result.range().end; ++v) {
    for (std::size_t k = 0; k < members.size(); ++k) {
      result.row(v)[k] += penalty_ > 0.0 ? values.row(v)[k] : functions_.row(v)[members[k]];
    }
  }
  return result;
}

// The same without H: P_u = L_uu⁻¹ (D_u (H Z) - L_ub X), and H Z extends Z.
RowBlock<double> HarmonicForm::by_solves(const std::vector<Index>& members) {
  const auto width = std::ssize(members);
  const auto whole = [&](const BlockCyclicMatrix& matrix) {
    return at_landmarks(replicate_columns(columns_of(matrix, members), {0, width}), width);
  };
  RowBlock<double> result = extended(whole(coefficients_.front()));
  scale_rows(result, [](double inverse_mass) { return 1.0 / inverse_mass; });
  RowBlock<double> ends = penalty_ > 0.0 ? whole(coefficients_.back()) : zeros(width);
  for (Index k = 0; k < width && penalty_ == 0.0; ++k) {
    if (owns(landmarks_[members[k]])) ends.row(landmarks_[members[k]])[k] = 1.0;
  }
  RowBlock<double>& products = reused(laplacians, width);
  rows_.multiply(constant(ends.local()), products.local());
  for (Index v = result.range().begin; v < result.range().end; ++v) {
    for (Index k = 0; k < width; ++k) result.row(v)[k] -= products.row(v)[k];
  }
  solver_.solve(result.local());
  for (Index v = result.range().begin; v < result.range().end; ++v) {
    for (Index k = 0; k < width; ++k) result.row(v)[k] += ends.row(v)[k];
  }
  return result;
}

// Multiplies each row by a function of 1 / D_ii.
template <class Factor>
void HarmonicForm::scale_rows(RowBlock<double>& values, Factor factor) const {
  if (rows_.view().inverse_masses == nullptr) return;
  for (Index v = values.range().begin; v < values.range().end; ++v) {
    const double by = factor(rows_.view().inverse_mass(v));
    for (double& value : values.row(v)) value *= by;
  }
}

}  // namespace cairn
