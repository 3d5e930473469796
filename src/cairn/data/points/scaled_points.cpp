#include "cairn/data/points/scaled_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr double far = 16;     // mean over standard deviation from which on points are moved: 4 of 24 bits
constexpr double lossy = 1e4;  // the same from which on few digits of 7 are left

// |mean| over the standard deviation of each coordinate; 0 of constant ones, whose differences are exact.
std::vector<double> distances_from_origin(const Scaling& standard) {
  std::vector<double> ratios(standard.shift.size());
  std::ranges::transform(standard.shift, standard.factor, ratios.begin(),
                         [](double mean, double factor) { return std::abs(mean) * factor; });
  return ratios;
}

std::string warning_of(const std::vector<double>& ratios, const std::string& source, const std::string& advice) {
  constexpr Index named = 8;
  std::string columns;
  Index count = 0;
  double largest = 0;
  for (std::size_t j = 0; j < ratios.size(); ++j) {
    if (ratios[j] < lossy) continue;
    largest = std::max(largest, ratios[j]);
    if (++count <= named) columns += fmt::format("{}{}", count == 1 ? "" : ", ", j + 1);
  }
  if (count == 0) return {};
  if (count > named) columns += fmt::format(", ... ({} of them)", grouped(count));
  return fmt::format(
      "{}single precision rounds the coordinates: the mean of {} {} is up to {:.1e} times the spread, and what is "
      "lost is up to {:.1g} of the spread; {}",
      source.empty() ? "" : source + ": ", count == 1 ? "coordinate" : "coordinates", columns, largest, largest * 6e-8,
      advice);
}

SparseRows<float> rounded(const SparseRows<double>& from, int rank) {
  return {from.partition(), rank,           from.columns(),
          from.starts(),    from.indices(), std::vector<float>(from.values().begin(), from.values().end())};
}

// The same points in single precision. Collective.
PointSet<float> rounded(const Communicator& communicator, const PointSet<double>& points) {
  return collectively(communicator, [&] {
    if (points.is_sparse()) {
      PointSet<float> set(rounded(points.entries(), communicator.rank()), communicator.rank(), {});
      set.set_texts(texts_of(points));
      return set;
    }
    const RowBlock<double>& from = points.coordinates();
    RowBlock<float> to(from.partition(), communicator.rank(), from.columns());
    for (Index i = points.range().begin; i < points.range().end; ++i) {
      std::ranges::transform(from.row(i), to.row(i).begin(), [](double value) { return static_cast<float>(value); });
    }
    PointSet<float> set(std::move(to), communicator.rank(), {});
    set.set_texts(texts_of(points));
    return set;
  });
}

// @throws Error(input) that names the first point with a coordinate beyond single precision. Collective.
void require_in_range(const Communicator& communicator, const PointSet<float>& points, const std::string& source) {
  collectively(communicator, [&] {
    for (Index i = points.range().begin; i < points.range().end; ++i) {
      const bool sparse = points.is_sparse();
      const std::span<const float> row = sparse ? points.entries().row(i).values : points.coordinates().row(i);
      const auto found = std::ranges::find_if_not(row, [](float value) { return std::isfinite(value); });
      if (found == row.end()) continue;
      throw Error(ErrorKind::input,
                  fmt::format("{}coordinate {} of point {} (both counted from 0) is too large for single precision",
                              source.empty() ? "" : source + ": ",
                              sparse ? points.entries().row(i).columns[static_cast<std::size_t>(found - row.begin())]
                                     : found - row.begin(),
                              i));
    }
  });
}

// A scaling that moves points to their mean, if that is worth it; else one that does nothing.
Scaling moved_to_mean(const Scaling& standard, const std::vector<double>& ratios) {
  if (std::ranges::none_of(ratios, [](double ratio) { return ratio > far; })) return {};
  return {.kind = "none", .shift = standard.shift, .factor = std::vector<double>(standard.shift.size(), 1.0)};
}

Scaling scaling_of(const Communicator& communicator, const PointSet<double>& points, const ScalingChoice& choice,
                   std::vector<std::string>& notes) {
  if (choice.known != nullptr) return *choice.known;
  if (choice.kind != "none" || !choice.subtract || points.is_sparse())
    return fit_scaling(communicator, points, choice.kind, choice.keys);
  const Scaling standard = fit_scaling(communicator, points, "standard");
  const std::vector<double> ratios = distances_from_origin(standard);
  Scaling moved = moved_to_mean(standard, ratios);
  if (!moved.shift.empty()) {
    notes.push_back(
        fmt::format("the mean of the points is subtracted before they are rounded: a coordinate's mean is "
                    "{:.1e} times its spread",
                    *std::ranges::max_element(ratios)));
  }
  return moved;
}

// All coordinates of sparse points go by for the other form, unless they are too many. Collective.
template <class T>
std::uint64_t digest_or_known(const Communicator& communicator, const PointSet<T>& points, std::uint64_t known) {
  constexpr Index most = Index{1} << 28U;  // coordinates
  const std::uint64_t own = data_digest(communicator, points);
  if (known == 0 || known == own || points.size() > most / points.dimension()) return own;
  return digest_of_other_form(communicator, points) == known ? known : own;
}

// In precision T. Collective.
template <class T>
std::uint64_t digest_of(const Communicator& communicator, const PointSet<double>& points, std::uint64_t known) {
  if constexpr (std::is_same_v<T, double>) {
    return digest_or_known(communicator, points, known);
  } else {
    return digest_or_known(communicator, rounded(communicator, points), known);
  }
}

}  // namespace

std::string all_coordinates_note(const std::string& why, Index points, Index dimension, Index value_bytes) {
  return fmt::format("the points are held with all {} coordinates, which takes {}: {}", grouped(dimension),
                     format_bytes(static_cast<double>(points) * static_cast<double>(dimension * value_bytes)), why);
}

template <class T>
std::string lost_digits(const Communicator& communicator, const PointSet<T>& points, const std::string& source,
                        const std::string& advice) {
  if (points.is_sparse()) return {};
  return warning_of(distances_from_origin(fit_scaling(communicator, points, "standard")), source, advice);
}

std::string advice_on_digits(const KeyNames& keys) {
  return fmt::format("double precision keeps it, and so does {} = center, which moves the points", keys("scaling"));
}

template <class T>
ScaledPoints<T> scale_points(const Communicator& communicator, PointSet<double> points, const ScalingChoice& choice) {
  ScaledPoints<T> result;
  const std::string& kind = choice.known != nullptr ? choice.known->kind : choice.kind;
  const auto spread_out = [&] {
    const std::string why = fmt::format("{} = {} moves those that are 0", choice.keys("scaling"), kind);
    result.notes.push_back(
        all_coordinates_note(why, points.size(), points.dimension(), static_cast<Index>(sizeof(double))));
    points = with_all_coordinates(communicator, points);
  };
  if (points.is_sparse() && (kind == "center" || kind == "standard")) spread_out();
  result.scaling = scaling_of(communicator, points, choice, result.notes);
  if (points.is_sparse() && !keeps_zeros(result.scaling)) spread_out();
  const bool moves = result.scaling.kind == "none" && !result.scaling.shift.empty();
  if (!moves) result.digest = digest_of<T>(communicator, points, choice.digest);
  apply_scaling(communicator, result.scaling, points, choice.keys);
  if (moves) result.digest = digest_of<T>(communicator, points, choice.digest);
  if constexpr (std::is_same_v<T, double>) {
    result.points = std::make_unique<PointSet<double>>(std::move(points));
  } else {
    std::string lost = lost_digits(communicator, points, choice.source, advice_on_digits(choice.keys));
    if (!lost.empty()) result.warnings.push_back(std::move(lost));
    result.points = std::make_unique<PointSet<float>>(rounded(communicator, points));
    require_in_range(communicator, *result.points, choice.source);
  }
  return result;
}

template ScaledPoints<float> scale_points(const Communicator&, PointSet<double>, const ScalingChoice&);
template ScaledPoints<double> scale_points(const Communicator&, PointSet<double>, const ScalingChoice&);
template std::string lost_digits(const Communicator&, const PointSet<float>&, const std::string&, const std::string&);
template std::string lost_digits(const Communicator&, const PointSet<double>&, const std::string&, const std::string&);

}  // namespace cairn
