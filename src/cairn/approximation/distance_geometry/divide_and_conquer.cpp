// Divide and conquer: points of consecutive blocks, aligned to each other.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/distance_geometry/alignment.hpp"
#include "cairn/approximation/distance_geometry/block_points.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

Index common_places(const Values& values) { return values.integer("dimension") + 1; }

struct Residuals {
  double sum = 0, largest = 0;
  Index free = 0;  // number of alignments whose rotation is not unique
};

// The last `common` rows of the first block, on every rank. Collective.
std::vector<double> tail_of_first(const Communicator& communicator, const RowBlock<double>& points, Index common) {
  const auto own = collectively(communicator, [&] {
    std::vector<double> rows;
    for (Index i = std::max(points.range().begin, points.rows() - common); i < points.range().end; ++i) {
      rows.insert(rows.end(), points.row(i).begin(), points.row(i).end());
    }
    return rows;
  });
  return communicator.all_gather(own);
}

// Target of the alignment of a rank's first own block: the last `common` rows of the block before it. Collective.
std::vector<double> tail_before(const Communicator& communicator, const BlockPoints& points, Index blocks, Index common,
                                Index dimension) {
  std::vector<double> of_first = tail_of_first(communicator, points.first, common);
  const auto outgoing = collectively(communicator, [&] {
    std::vector<std::vector<double>> tails(communicator.size());
    if (points.own.empty() || points.own.end == blocks) return tails;
    for (int r = communicator.rank() + 1; r < communicator.size(); ++r) {
      if (blocks_of(blocks, communicator.size(), r).empty()) continue;
      const LocalPoints& last = points.others.back();
      const auto tail = last.rows_of({last.rows - common, last.rows});
      tails[r].assign(tail.data, tail.data + common * dimension);
      break;
    }
    return tails;
  });
  for (auto& received : communicator.exchange(outgoing)) {
    if (!received.empty()) return std::move(received);
  }
  return of_first;
}

// The motion of each own block into the frame of the first. Alignments need adjacent blocks only, and motions compose:
// ranks align their own blocks in parallel and receive only the motions of the ranks before them. Collective.
std::vector<Motion> motions_of(const Communicator& communicator, const BlockPoints& points, Index blocks, Index common,
                               Index dimension, bool translate, Residuals& residuals) {
  const std::vector<double> before = tail_before(communicator, points, blocks, common, dimension);
  std::vector<Motion> motions;
  Motion whole = no_motion(dimension);  // of this rank's blocks, one after another
  collectively(communicator, [&] {
    MatrixView<const double> target{before.data(), common, dimension};
    for (const LocalPoints& block : points.others) {
      const Alignment alignment = align(target, block.rows_of({0, common}), translate);
      residuals.sum += alignment.residual;
      residuals.largest = std::max(residuals.largest, alignment.residual);
      residuals.free += alignment.rank < dimension ? 1 : 0;
      whole = composed(whole, alignment.motion);
      motions.push_back(whole);
      target = block.rows_of({block.rows - common, block.rows});
    }
  });
  const auto packed = collectively(communicator, [&] {
    std::vector<double> numbers = whole.rotation;
    numbers.insert(numbers.end(), whole.shift.begin(), whole.shift.end());
    return numbers;
  });
  const std::vector<double> all = communicator.all_gather(packed);
  collectively(communicator, [&] {
    Motion prefix = no_motion(dimension);
    for (std::size_t r = 0; r < static_cast<std::size_t>(communicator.rank()); ++r) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * packed.size());
      const auto middle = begin + dimension * dimension;
      prefix = composed(prefix, {{begin, middle}, {middle, middle + dimension}});
    }
    for (Motion& motion : motions) motion = composed(prefix, motion);
  });
  return motions;
}

// Sends the points of all places to the owners of the objects there. Common places of two blocks take the point of the
// later block. Collective.
template <class T>
RowBlock<T> in_order_of_objects(const Communicator& communicator, const BlockPoints& points,
                                const std::vector<Range>& blocks, const std::vector<Index>& order,
                                const RowPartition& partition, Index dimension) {
  std::vector<std::vector<Index>> numbers(communicator.size());
  std::vector<std::vector<T>> values(numbers.size());
  const auto last_place = [&](Index b) {
    const auto next = static_cast<std::size_t>(b) + 1;
    return next < blocks.size() ? blocks[next].begin : blocks[b].end;
  };
  const auto send = [&](Index place, const double* point) {
    const Index object = order[place];
    const auto owner = static_cast<std::size_t>(partition.owner(object));
    numbers[owner].push_back(object);
    for (Index k = 0; k < dimension; ++k) values[owner].push_back(static_cast<T>(point[k]));
  };
  collectively(communicator, [&] {
    for (Index p = points.first.range().begin; p < std::min(points.first.range().end, last_place(0)); ++p) {
      send(p, points.first.row(p).data());
    }
    for (Index b = points.own.begin; b < points.own.end; ++b) {
      const LocalPoints& block = points.others[b - points.own.begin];
      const Index begin = blocks[b].begin;
      for (Index p = begin; p < last_place(b); ++p) send(p, block.values.data() + (p - begin) * dimension);
    }
  });
  const auto received = communicator.exchange(numbers);
  const auto arrived = communicator.exchange(values);
  auto result = collectively(communicator, [&] { return RowBlock<T>(partition, communicator.rank(), dimension); });
  for (std::size_t r = 0; r < received.size(); ++r) {
    for (std::size_t k = 0; k < received[r].size(); ++k) {
      std::copy_n(arrived[r].data() + k * static_cast<std::size_t>(dimension), dimension,
                  result.row(received[r][k]).data());
    }
  }
  return result;
}

void require_all(Index ordered, Index objects) {
  if (ordered == objects) return;
  throw Error(ErrorKind::usage,
              fmt::format("the method {} needs an order of all {} objects, and the selection gives {}",
                          divide_and_conquer_method().name, objects, ordered));
}

template <class T>
Approximation<T> divide_and_conquer(Problem<T> problem) {
  const Values& values = problem.parameters;
  const Communicator& communicator = problem.execution.communicator;
  const Index dimension = values.integer("dimension"), common = common_places(values);
  const std::vector<Index> order = std::move(problem.landmarks.indices);
  require_all(std::ssize(order), problem.objects.size());
  const std::vector<Range> blocks =
      consecutive_blocks(problem.objects.size(), values.integer("first-block"), values.integer("block"), common);
  MethodReport report;
  report.rank = dimension;
  BlockPoints points;
  {
    const auto phase = problem.execution.phases.enter("blocks");
    points = block_points(problem, blocks, order, dimension);
  }
  const auto phase = problem.execution.phases.enter("align");
  Residuals residuals;
  const std::vector<Motion> motions =
      motions_of(communicator, points, std::ssize(blocks), common, dimension, values.flag("translate"), residuals);
  collectively(communicator, [&] {
    for (std::size_t k = 0; k < motions.size(); ++k) move(points.others[k].view(), motions[k]);
  });
  RowBlock<T> rows =
      in_order_of_objects<T>(communicator, points, blocks, order, problem.objects.partition(), dimension);
  const auto alignments = std::ssize(blocks) - 1;
  const double mean = alignments > 0 ? communicator.sum(residuals.sum) / static_cast<double>(alignments) : 0.0;
  const double largest = communicator.maximum(residuals.largest);
  const Index free = communicator.sum(residuals.free);
  report.metrics = {{"blocks", static_cast<double>(blocks.size())},
                    {"alignment_residual_mean", mean},
                    {"alignment_residual_max", largest}};
  report.notes.push_back(
      alignments == 0 ? fmt::format("all {} objects are one block ({} = {})", order.size(),
                                    values.keys()("first-block"), values.integer("first-block"))
                      : fmt::format("{} blocks; relative residuals of their alignments: mean {:.3g}, largest {:.3g}",
                                    blocks.size(), mean, largest));
  if (points.deficient > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} blocks have fewer than {} positive eigenvalues; their other columns "
                    "are 0",
                    points.deficient, blocks.size(), dimension));
  }
  if (free > 0) {
    report.warnings.push_back(
        fmt::format("the common points of {} of {} alignments do not determine the rotation; the "
                    "rest of it is the one nearest to the identity",
                    free, alignments));
  }
  return gram_points::from_points(problem.execution, std::move(rows), problem.similarity.traits().meaning,
                                  std::move(report));
}

void check(const Values& values, const ProblemShape& shape) {
  gram_points::check_references(values, {.objects = shape.objects});
  if (shape.objects > 0 && shape.landmarks > 0) require_all(shape.landmarks, shape.objects);
  for (const char* name : {"first-block", "block"}) {
    if (values.integer(name) >= 2 * common_places(values)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} = {} is below 2 ({} + 1) = {}: neighbors have {} objects in common",
                                              values.where(name), values.integer(name), values.keys()("dimension"),
                                              2 * common_places(values), common_places(values)));
  }
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index dimension = values.integer("dimension");
  const auto block = static_cast<double>(values.integer("block")), n = static_cast<double>(input.data.objects);
  MethodCost cost{.left = dimension,
                  .embedding = true,
                  .core_matrix = dimension,
                  .eigen_flops = 2 * block * block * n / input.ranks};
  if (input.data.count_pairs == 0) {
    // The same blocks as consecutive_blocks, but only counted: a plan may have more blocks than can be listed.
    const Index objects = input.data.objects, size = values.integer("block"), common = common_places(values);
    Index first = std::min(values.integer("first-block"), objects);
    if (objects - first < common) first = objects;
    require_few_in_block(first, "first-block", values);
    const Index further = (objects - first) / (size - common), rest = (objects - first) % (size - common);
    cost.others = first * first + further * size * size;
    if (rest >= common) cost.others += (rest + common) * (rest + common);
    if (rest < common) cost.others += rest * (2 * size + rest);  // the last block contains them
    cost.dense = {gram_points::dense_size(first, dimension)};
    cost.core_bytes = method_parameters::symmetric_core_bytes(first, input.ranks, false);
    if (first == objects) return cost;
    // Each further block is decomposed on one rank, in double precision, besides its similarities.
    const Index largest = further == 0 ? rest + common : rest < common ? size + rest : size;
    require_few_in_block(largest, "block", values);
    const Index points = (further + 1) / input.ranks + 1;  // of own blocks, until they are aligned
    cost.core_bytes = std::max(cost.core_bytes, largest * (largest * (8 + input.value_bytes) + dimension * 8)) +
                      points * size * dimension * 8;
    return cost;
  }
  // For a sparse K: both triangles, and the entries in blocks, in the worst case all of them; then a copy by blocks of
  // columns, in single precision.
  const Index entries = 2 * input.data.count_pairs / input.ranks;
  cost.core_bytes = entries * (4 + input.value_bytes) * 3;  // blocks grow besides the matrix
  return cost;
}

}  // namespace

const MethodDescriptor& divide_and_conquer_method() {
  using enum ValueType;
  static const MethodDescriptor method{
      .name = "dc",
      .summary =
          "Divide and conquer: consecutive blocks of an order of all objects, decomposed by themselves and brought "
          "onto each other by rotations and translations; K may be a distance.",
      .source = "Khalife, Gonçalves and Liberti 2022, algorithm 2",
      .parameters = {gram_points::dimension(),
                     gram_points::tolerance("1e-3"),
                     {.name = "first-block",
                      .value = "N",
                      .type = integer,
                      .fallback = "20000",
                      .help = "Objects of the first block; all if there are fewer.",
                      .lowest = 2},
                     {.name = "block",
                      .value = "N",
                      .type = integer,
                      .fallback = "800",
                      .help = "Objects of each further block; dimension + 1 of them are those of the block before it.",
                      .lowest = 2},
                     {.name = "translate",
                      .value = "BOOL",
                      .type = flag,
                      .fallback = "true",
                      .help = "Blocks are translated, too; false: they are only rotated about the origin.",
                      .rare = true}},
      .output = gram_points::outputs(),
      .needs = {.order = true},
      .default_count = [](const Values& /*values*/, Index objects) { return objects; },
      .check = check,
      .cost = cost,
      .run_single = divide_and_conquer<float>,
      .run_double = divide_and_conquer<double>};
  return method;
}

}  // namespace cairn
