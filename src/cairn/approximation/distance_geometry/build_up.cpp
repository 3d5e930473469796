// Geometric build-up: points of all objects from their inner products with a few.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/distance_geometry/reference_loss.hpp"
#include "cairn/approximation/distance_geometry/sparse_operator.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

constexpr Index panel_rows = 256;  // of a sparse K, taken at once
constexpr Index dense_share = 8;   // rows with more than 1 / 8 of their entries are multiplied faster as dense ones

// True if entries of K with the references are computed a few rows at a time, when they are needed. The same on all
// ranks.
template <class T>
bool takes_sparse_rows(const Problem<T>& problem) {
  if (problem.landmarks.columns || !problem.landmarks.objects || problem.parameters.flag("loss")) return false;
  CompressedRows<T> none;
  const Index begin = problem.objects.range().begin;
  return problem.similarity.sparse_rows(problem.objects, {begin, begin}, *problem.landmarks.objects, none);
}

// Calls use(rows) for panels of own rows, unless wanted(range) is false.
template <class T, class Wanted, class Use>
void for_each_panel(const Problem<T>& problem, Wanted wanted, Use use) {
  const Range own = problem.objects.range();
  CompressedRows<T> rows;
  for (Index begin = own.begin; begin < own.end; begin += panel_rows) {
    const Range range{begin, std::min(begin + panel_rows, own.end)};
    if (!wanted(range)) continue;
    problem.similarity.sparse_rows(problem.objects, range, *problem.landmarks.objects, rows);
    use(rows);
    Watchdog::beat();
  }
}

// K among the references, m x m, from the ranks that have them. Collective.
template <class T>
RowBlock<double> reference_rows(const Problem<T>& problem) {
  const Communicator& communicator = problem.execution.communicator;
  const std::vector<Index>& references = problem.landmarks.indices;
  const RowPartition partition(std::ssize(references), communicator.size());
  struct Head {
    Index row, length;
  };
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<Head>> heads(ranks);
  std::vector<std::vector<std::int32_t>> places(ranks);
  std::vector<std::vector<T>> values(ranks);
  collectively(communicator, [&] {
    std::vector<std::pair<Index, Index>> own;  // objects of this rank, and their numbers as references
    for (Index r = 0; r < partition.rows(); ++r) {
      const Index object = references[r];
      if (problem.objects.range().contains(object)) own.emplace_back(object, r);
    }
    std::ranges::sort(own);
    const auto first_from = [&](Index object) { return std::ranges::lower_bound(own, std::pair(object, Index{0})); };
    for_each_panel(
        problem, [&](Range range) { return first_from(range.begin) != first_from(range.end); },
        [&](const CompressedRows<T>& rows) {
          for (auto at = first_from(rows.rows.begin); at != first_from(rows.rows.end); ++at) {
            const auto row = rows.row(at->first);
            const auto target = static_cast<std::size_t>(partition.owner(at->second));
            heads[target].push_back({at->second, std::ssize(row.columns)});
            places[target].insert(places[target].end(), row.columns.begin(), row.columns.end());
            values[target].insert(values[target].end(), row.values.begin(), row.values.end());
          }
        });
  });
  const auto all_heads = communicator.exchange(heads);
  const auto all_places = communicator.exchange(places);
  const auto all_values = communicator.exchange(values);
  return collectively(communicator, [&] {
    RowBlock<double> rows(partition, communicator.rank(), partition.rows());
    std::fill_n(rows.local().data, rows.range().size() * rows.columns(), 0.0);
    for (std::size_t r = 0; r < ranks; ++r) {
      std::size_t at = 0;
      for (const Head& head : all_heads[r]) {
        const std::span<double> row = rows.row(head.row);
        for (Index k = 0; k < head.length; ++k, ++at) {
          row[all_places[r][at]] = static_cast<double>(all_values[r][at]);
        }
      }
    }
    return rows;
  });
}

// Rows of a panel that are treated as dense, multiplied together.
template <class T>
class DenseRows {
 public:
  explicit DenseRows(Index columns) : values_(panel_rows * columns), columns_(columns) {}

  void add(const typename CompressedRows<T>::Row& row, T* target) {
    T* dense = values_.data() + std::ssize(targets_) * columns_;
    std::fill_n(dense, columns_, T(0));
    for (std::size_t k = 0; k < row.columns.size(); ++k) dense[row.columns[k]] = row.values[k];
    targets_.push_back(target);
  }
  void multiply(MatrixView<const T> map) {
    const Index count = std::ssize(targets_), width = map.columns;
    if (count == 0) return;
    products_.resize(count * width);
    cairn::multiply<T>({values_.data(), count, columns_}, map, {products_.data(), count, width});
    for (Index k = 0; k < count; ++k) {
      std::copy_n(products_.data() + k * width, width, targets_[k]);
    }
    targets_.clear();
  }

 private:
  Buffer<T> values_;
  Index columns_;
  std::vector<T*> targets_;
  std::vector<T> products_;
};

// The columns of the references times the first scales.size() vectors, scaled; the vectors are distributed over ranks.
// Collective.
template <class T>
RowBlock<T> product_of(const Problem<T>& problem, const RowBlock<double>& vectors, const std::vector<double>& scales) {
  const Communicator& communicator = problem.execution.communicator;
  const Index width = std::ssize(scales), m = vectors.rows();
  const auto own = collectively(communicator, [&] {
    std::vector<T> scaled;
    for (Index i = 0; i < vectors.local().rows; ++i) {
      for (Index k = 0; k < width; ++k) {
        scaled.push_back(static_cast<T>(vectors.local()(i, k) * scales[k]));
      }
    }
    return scaled;
  });
  const std::vector<T> whole = communicator.all_gather(own);
  const MatrixView<const T> map{whole.data(), m, width};
  const BlasThreads threads(problem.execution.threads);
  return collectively(communicator, [&] {
    RowBlock<T> points(problem.objects.partition(), communicator.rank(), width);
    DenseRows<T> dense(m);
    for_each_panel(
        problem, [](Range /*range*/) { return true; },
        [&](const CompressedRows<T>& rows) {
          const auto is_dense = [&](Index i) { return dense_share * std::ssize(rows.row(i).columns) > m; };
#pragma omp parallel for num_threads(problem.execution.threads) schedule(dynamic, 16)
          for (Index i = rows.rows.begin; i < rows.rows.end; ++i) {
            if (is_dense(i)) continue;
            std::ranges::fill(points.row(i), T(0));
            add_row_product<T>(rows.row(i), map, points.row(i).data());
          }
          for (Index i = rows.rows.begin; i < rows.rows.end; ++i) {
            if (is_dense(i)) dense.add(rows.row(i), points.row(i).data());
          }
          dense.multiply(map);
        });
    return points;
  });
}

// The m references have G_0 = U Λ Uᵀ, and the points A = U_K Λ_K^(1/2). Its columns are orthogonal, so that A = Q R has
// Q = U_K and R = Λ_K^(1/2): the least-squares solution R v = Qᵀ b of an object is v = Λ_K^(-1/2) U_Kᵀ b, and of a
// reference its row of A. No further factorization or solve is needed; all points are one product.
template <class T>
Approximation<T> build_up(Problem<T> problem) {
  constexpr bool single = std::is_same_v<T, float>;
  const Meaning meaning = problem.similarity.traits().meaning;
  const Index wanted = problem.parameters.integer("dimension");
  const double residual = problem.parameters.number("residual");
  const Execution& execution = problem.execution;
  const std::span<const Index> references = problem.landmarks.indices;
  const bool sparse = takes_sparse_rows(problem);
  RowBlock<T> columns;
  if (!sparse) columns = landmark_columns(problem);
  auto phase = execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  gram_points::TopPairs pairs;
  if (sparse) {
    const Index evaluated = problem.objects.range().size() * std::ssize(references);
    problem.similarity.count_more(evaluated);
    phase.count_evaluations(evaluated);
    pairs = gram_points::top_pairs(execution, reference_rows(problem), wanted, residual, single);
  } else {
    gram_points::center(execution.communicator, columns, references, meaning);
    pairs = gram_points::top_pairs(execution, landmark_block(grid, columns, references, problem.similarity), wanted,
                                   residual, single);
  }
  MethodReport report;
  report.s1 = std::ssize(references);
  const Index kept =
      gram_points::kept_pairs(pairs, wanted, problem.parameters, fmt::format("the {} references", report.s1), report);
  std::vector<Index> keep;
  std::vector<double> scales;
  for (Index k = 0; k < kept; ++k) {
    keep.push_back(k);
    scales.push_back(1.0 / std::sqrt(pairs.values[k]));
  }
  BlockCyclicMatrix map = scale_columns(to_block_cyclic(grid, pairs.vectors), keep, scales);
  RowBlock<T> points =
      sparse ? product_of(problem, pairs.vectors, scales) : multiply_tall(columns, map, execution.threads);
  if (problem.parameters.flag("loss")) report_loss(reference_loss(execution, columns, references, points), report);
  Approximation<T> result = gram_points::from_points(execution, std::move(points), meaning, std::move(report));
  if (meaning == Meaning::similarity) {
    FactorOrigin origin = landmark_origin(problem);
    origin.map = std::make_shared<const BlockCyclicMatrix>(std::move(map));
    result.left_origin = std::move(origin);
  }
  return result;
}

// Bytes of the columns of the references, on the rank that has most: for a sparse K a panel, twice, and the map; or,
// before that, all rows of the references in transit, if one rank has them.
Index column_bytes(const Values& values, const CostInput& input) {
  const Index rows = RowPartition(input.data.objects, input.ranks).range(0).size(), m = input.landmarks;
  if (input.data.count_pairs == 0 || values.flag("loss")) return rows * m * input.value_bytes;
  const Index sent = m * m * (4 + input.value_bytes);
  return std::max(
      sent, panel_rows * m * (4 + 2 * input.value_bytes) + m * values.integer("dimension") * (8 + input.value_bytes));
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index m = input.landmarks, dimension = values.integer("dimension");
  const auto order = static_cast<double>(m);
  std::vector<DenseSize> dense;
  const bool by_rows = input.data.count_pairs > 0 && !values.flag("loss");
  if (const DenseSize whole = gram_points::dense_size(m, dimension); !by_rows || whole.use == DenseUse::eigen) {
    dense.push_back(whole);
  }
  return {.left = dimension,
          .columns = m,
          .copies_columns = false,
          .embedding = true,
          .core_matrix = m,
          .dense = dense,
          .core_bytes = method_parameters::symmetric_core_bytes(m, input.ranks, false) + column_bytes(values, input),
          .eigen_flops = 9 * order * order * order / input.ranks};
}

}  // namespace

const MethodDescriptor& build_up_method() {
  static const MethodDescriptor method{
      .name = "gbu",
      .summary =
          "Geometric build-up: vectors v_i with v_i . v_j = K_ij for the references j, the landmarks, in the sense "
          "of least squares; K may be a distance.",
      .source = "Khalife, Gonçalves and Liberti 2022, algorithm 1",
      .parameters = {gram_points::dimension(),
                     gram_points::truncate(),
                     gram_points::tolerance("1e-7"),
                     {"loss", "BOOL", ValueType::flag, "false",
                      "Also compute the mean of the squared differences v_i . v_j - K_ij of the entries that it takes: "
                      "what adam minimizes. It takes as long as the vectors."}},
      .output = gram_points::outputs(),
      .default_for = {objects::words},
      .default_count = gram_points::default_references,
      .check = gram_points::check_references,
      .cost = cost,
      .run_single = build_up<float>,
      .run_double = build_up<double>};
  return method;
}

}  // namespace cairn
