#include "cairn/similarity/points/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/points/sparse_pairs.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

constexpr Index median_sample = 1000;
constexpr Index median_columns = 25;  // columns of a block

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double inverse(double value, const char* word, const char* what) {
  if (value > 0.0 && std::isfinite(value)) return 1.0 / value;
  throw Error(ErrorKind::numeric, std::string("gamma = ") + word + ": the " + what + " is " + std::to_string(value) +
                                      "; give a number, or scale the data");
}

// Sum of f(coordinate + origin) over all points.
template <class T, class F>
double sum_in_global_order(const Communicator& communicator, const PointSet<T>& points, std::vector<double> origin,
                           F f) {
  origin.resize(points.dimension(), 0.0);
  const Index unit = RowPartition::unit(points.size());
  const Range mine = points.range();
  std::vector<double> sums;
  for (Index begin = mine.begin; begin < mine.end; begin += unit) {
    double sum = 0;
    for (Index i = begin; i < std::min(begin + unit, mine.end); ++i) {
      if (points.is_sparse()) {  // sparse points are not shifted
        const std::span<const T> values = points.entries().row(i).values;
        for (const T x : values) sum += f(static_cast<double>(x));
        sum += static_cast<double>(points.dimension() - std::ssize(values)) * f(0.0);
        continue;
      }
      const std::span<const T> point = points.coordinates().row(i);
      for (std::size_t j = 0; j < point.size(); ++j) sum += f(static_cast<double>(point[j]) + origin[j]);
    }
    sums.push_back(sum);
  }
  double total = 0;
  for (const double sum : communicator.all_gather(sums)) total += sum;
  return total;
}

}  // namespace

template <class T>
double median_gamma(const Execution& execution, const PointSet<T>& points, PointMetric metric) {
  if (points.size() < 2) throw Error(ErrorKind::usage, "gamma = median needs at least 2 points");
  const Index d = points.dimension();
  const std::vector<Index> ids = sample_without_replacement(points.size(), std::min(points.size(), median_sample),
                                                            Random(execution.seed, Stream::scaling));
  const auto drawn = points.gather(execution.communicator, ids);
  const PointBlock<T>& block = compared_points<T>(*drawn, d);
  const MatrixView<const T> x = block.coordinates;
  const auto distance = [&](Index i, Index j) -> double {
    if (block.sparse) {
      const SparseRow<T> first = block.sparse->row(i), second = block.sparse->row(j);
      return metric == PointMetric::manhattan ? sparse_manhattan_distance(first, second)
                                         : sparse_squared_distance(first, second);
    }
    return metric == PointMetric::manhattan ? vector_math::manhattan_distance(x.row(i), x.row(j), d)
                                       : vector_math::squared_distance(x.row(i), x.row(j), d);
  };
  std::vector<double> distances;
  distances.reserve(block.size() * (block.size() - 1) / 2);
  for (Index i = 0; i < block.size(); ++i) {
    for (Index j = 0; j < i; ++j) distances.push_back(distance(i, j));
  }
  // Processors of different levels round differently: the value of rank 0 is used.
  double value = median(distances);
  execution.communicator.broadcast(std::span(&value, 1), 0);
  return inverse(value, "median", "median distance between points");
}

double median_gamma(const Execution& execution, const Similarity<double>& distance, const ObjectSet& objects) {
  if (objects.size() < 2) throw Error(ErrorKind::usage, "gamma = median needs at least 2 objects");
  const Communicator& communicator = execution.communicator;
  const std::vector<Index> ids = sample_without_replacement(objects.size(), std::min(objects.size(), median_objects),
                                                            Random(execution.seed, Stream::scaling));
  const auto count = std::ssize(ids);
  Progress progress("gamma", count, communicator.is_root(), "columns/s");
  std::vector<double> distances;  // below the diagonal: a block of columns, and the rows below its first
  for (Index first = 0; first < count; first += median_columns) {
    const auto columns =
        objects.gather(communicator, std::span(ids).subspan(first, std::min(median_columns, count - first)));
    std::vector<Index> own, places;
    for (Index a = first + 1; a < count; ++a) {
      if (a % communicator.size() != communicator.rank()) continue;
      own.push_back(ids[a]);
      places.push_back(a - first);
    }
    const auto rows = objects.gather(communicator, own);
    collectively(communicator, [&] {
      std::vector<double> tile(own.size() * static_cast<std::size_t>(columns->size()));
      distance.tile(*rows, *columns, MatrixView<double>(tile.data(), rows->size(), columns->size()));
      for (std::size_t a = 0; a < own.size(); ++a) {
        const double* const row = tile.data() + a * static_cast<std::size_t>(columns->size());
        distances.insert(distances.end(), row, row + std::min(places[a], columns->size()));
      }
    });
    progress.advance(columns->size());
    Watchdog::beat();
  }
  std::vector<double> all = communicator.all_gather(distances);
  return inverse(median(all), "median", "median distance between objects");
}

template <class T>
double scale_gamma(const Execution& execution, const PointSet<T>& points, const std::vector<double>& origin) {
  const auto count = static_cast<double>(points.size()) * static_cast<double>(points.dimension());
  const double mean = sum_in_global_order(execution.communicator, points, origin, [](double x) { return x; }) / count;
  const double squares =
      sum_in_global_order(execution.communicator, points, origin, [=](double x) { return (x - mean) * (x - mean); });
  return inverse(static_cast<double>(points.dimension()) * squares / count, "scale", "variance of the coordinates");
}

void check_median_gamma(const SimilarityChoice& choice) {
  const std::string& text = choice.values.text("gamma");
  if (text == "median") return;
  const auto number = parse_number(text);
  if (!number || *number < 0) choice.values.refuse("gamma", "is neither a number of at least 0 nor median");
}

Index evaluations_for_median_gamma(const Values& values, Index objects) {
  if (values.text("gamma") != "median") return 0;
  const Index drawn = std::min(objects, median_objects);
  Index evaluations = 0;
  for (Index first = 0; first < drawn; first += median_columns) {
    evaluations += (drawn - first - 1) * std::min(median_columns, drawn - first);
  }
  return evaluations;
}

template double median_gamma<float>(const Execution&, const PointSet<float>&, PointMetric);
template double median_gamma<double>(const Execution&, const PointSet<double>&, PointMetric);
template double scale_gamma<float>(const Execution&, const PointSet<float>&, const std::vector<double>&);
template double scale_gamma<double>(const Execution&, const PointSet<double>&, const std::vector<double>&);

Parameter gamma_parameter() {
  return {.name = "gamma",
          .value = "NUMBER",
          .fallback = "scale",
          .help =
              "A number >= 0, 'median' (1 / the median squared distance of 1000 points; laplacian: of L1 distances) or "
              "'scale' (1 / (dimension x variance))."};
}

void check_gamma(const SimilarityChoice& choice) {
  const Values& values = choice.values;
  const std::string& text = values.text("gamma");
  if (text == "scale" || text == "median") return;
  const auto number = parse_number(text);
  if (!number || *number < 0) values.refuse("gamma", "is neither a number of at least 0 nor scale nor median");
}

template <class T>
const PointSet<T>& points_in(const SimilarityInput<T>& input) {
  if (const auto* points = dynamic_cast<const PointSet<T>*>(&input.objects)) return *points;
  throw Error(ErrorKind::usage,
              "the similarity " + input.choice.name() + " compares points, and these objects are others");
}

template <class T>
double resolved_gamma(const SimilarityInput<T>& input, PointMetric metric) {
  const std::string& text = input.choice.values.text("gamma");
  if (text == "scale") return scale_gamma(input.execution, points_in(input));
  if (text == "median") return median_gamma(input.execution, points_in(input), metric);
  return parse_number(text).value();
}

template const PointSet<float>& points_in(const SimilarityInput<float>&);
template const PointSet<double>& points_in(const SimilarityInput<double>&);
template double resolved_gamma(const SimilarityInput<float>&, PointMetric);
template double resolved_gamma(const SimilarityInput<double>&, PointMetric);

}  // namespace cairn
