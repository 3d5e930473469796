#include "cairn/data/points/scaled_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr double far = 16;     // |mean| / standard deviation above which points are shifted: 4 of 24 bits
constexpr double lossy = 1e4;  // the same, above which few of 7 digits are left

// Mean and |mean| / standard deviation of some coordinates; 0 for constant ones, whose differences are exact.
struct Offsets {
  std::vector<Index> columns;
  std::vector<double> means, ratios;
};

Offsets offsets_of(const Scaling& standard) {
  Offsets offsets{.columns = std::vector<Index>(standard.shift.size()), .means = standard.shift, .ratios = {}};
  std::iota(offsets.columns.begin(), offsets.columns.end(), Index{0});
  for (std::size_t j = 0; j < standard.shift.size(); ++j) {
    offsets.ratios.push_back(std::abs(standard.shift[j]) * standard.factor[j]);
  }
  return offsets;
}

// Coordinates that are 0 in fewer than one in 256 of the sparse points, ascending. If a share p of the points have a
// coordinate, its mean squared is at most p / (1 - p) times its variance, so that no others can be far from the origin.
// Each of them is in one of the first n / 256 + 1 points. Collective.
template <class T>
std::vector<Index> nearly_full_columns(const Communicator& communicator, const PointSet<T>& points) {
  constexpr Index share = 256;
  const Index n = points.size(), first = std::min(n, n / share + 1);
  const Range own = points.range();
  std::vector<Index> candidates;
  const auto unique = [&] {
    std::ranges::sort(candidates);
    candidates.erase(std::ranges::unique(candidates).begin(), candidates.end());
  };
  for (Index i = own.begin; i < std::min(own.end, first); ++i) {
    const auto columns = points.entries().row(i).columns;
    candidates.insert(candidates.end(), columns.begin(), columns.end());
  }
  unique();
  candidates = communicator.all_gather(candidates);
  unique();
  std::vector<Index> counts(candidates.size(), 0);
  for (Index i = own.begin; i < own.end; ++i) {
    for (const Index column : points.entries().row(i).columns) {
      const auto found = std::ranges::lower_bound(candidates, column);
      if (found != candidates.end() && *found == column) ++counts[found - candidates.begin()];
    }
  }
  communicator.sum(std::span(counts));
  std::vector<Index> full;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (n - counts[k] < n / share + 1) full.push_back(candidates[k]);
  }
  return full;
}

// Points with all coordinates, restricted to these columns of sparse points. Collective.
template <class T>
PointSet<T> points_of_columns(const Communicator& communicator, const PointSet<T>& points,
                              const std::vector<Index>& columns) {
  return collectively(communicator, [&] {
    RowBlock<T> rows(points.partition(), communicator.rank(), std::ssize(columns));
    for (Index i = rows.range().begin; i < rows.range().end; ++i) {
      const SparseRow<T> from = points.entries().row(i);
      const std::span<T> to = rows.row(i);
      std::size_t e = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        while (e < from.columns.size() && from.columns[e] < columns[k]) ++e;
        to[k] = e < from.columns.size() && from.columns[e] == columns[k] ? from.values[e] : T(0);
      }
    }
    return PointSet<T>(std::move(rows), communicator.rank(), {});
  });
}

// Offsets of all coordinates; for sparse points, of those that may be far from the origin. Collective.
template <class T>
Offsets offsets_of(const Communicator& communicator, const PointSet<T>& points) {
  if (!points.is_sparse()) return offsets_of(fit_scaling(communicator, points, "standard"));
  std::vector<Index> columns = nearly_full_columns(communicator, points);
  if (columns.empty()) return {};
  Offsets offsets = offsets_of(fit_scaling(communicator, points_of_columns(communicator, points, columns), "standard"));
  offsets.columns = std::move(columns);
  return offsets;
}

std::string warning_of(const Offsets& offsets, const std::string& source, const std::string& advice) {
  constexpr Index named = 8;
  std::string columns;
  Index count = 0;
  double largest = 0;
  for (std::size_t j = 0; j < offsets.ratios.size(); ++j) {
    if (!(offsets.ratios[j] >= lossy)) continue;  // the ratio is NaN if squares overflow
    largest = std::max(largest, offsets.ratios[j]);
    if (++count <= named) columns += fmt::format("{}{}", count == 1 ? "" : ", ", offsets.columns[j] + 1);
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
                              sparse ? points.entries().row(i).columns[found - row.begin()] : found - row.begin(), i));
    }
  });
}

// A scaling that shifts points by their mean if a coordinate is far from 0; else one that does nothing.
Scaling moved_to_mean(const Offsets& offsets, Index dimension) {
  if (std::ranges::none_of(offsets.ratios, [](double ratio) { return ratio > far; })) return {};
  const auto d = static_cast<std::size_t>(dimension);
  Scaling moved{.kind = "none", .shift = std::vector<double>(d, 0.0), .factor = std::vector<double>(d, 1.0)};
  for (std::size_t j = 0; j < offsets.columns.size(); ++j) {
    moved.shift[offsets.columns[j]] = offsets.means[j];
  }
  return moved;
}

Scaling scaling_of(const Communicator& communicator, const PointSet<double>& points, const ScalingChoice& choice,
                   std::vector<std::string>& notes) {
  if (choice.known != nullptr) return *choice.known;
  if (choice.kind != "none" || !choice.subtract) return fit_scaling(communicator, points, choice.kind, choice.keys);
  const Offsets offsets = offsets_of(communicator, points);
  Scaling moved = moved_to_mean(offsets, points.dimension());
  if (!moved.shift.empty()) {
    notes.push_back(
        fmt::format("the mean of the points is subtracted before they are rounded: a coordinate's mean is "
                    "{:.1e} times its spread",
                    *std::ranges::max_element(offsets.ratios)));
  }
  return moved;
}

// The digest of the points, or `known` if it belongs to their other form. That form is hashed unless it has too many
// coordinates. Collective.
template <class T>
std::uint64_t digest_or_known(const Communicator& communicator, const PointSet<T>& points, std::uint64_t known) {
  constexpr Index most = Index{1} << 28U;  // coordinates
  const std::uint64_t own = data_digest(communicator, points);
  if (known == 0 || known == own || points.size() > most / points.dimension()) return own;
  return digest_of_other_form(communicator, points) == known ? known : own;
}

// Digest of the points as read. A known digest in single precision may be that of the rounded points, as in versions up
// to 0.2.0. Collective.
template <class T>
std::uint64_t digest_of(const Communicator& communicator, const PointSet<double>& points, std::uint64_t known) {
  const std::uint64_t own = digest_or_known(communicator, points, known);
  if (std::is_same_v<T, double> || known == 0 || own == known) return own;
  return digest_or_known(communicator, rounded(communicator, points), known) == known ? known : own;
}

}  // namespace

std::string all_coordinates_note(const std::string& why, Index points, Index dimension, Index value_bytes) {
  return fmt::format("the points are held with all {} coordinates, which takes {}: {}", grouped(dimension),
                     format_bytes(static_cast<double>(points) * static_cast<double>(dimension * value_bytes)), why);
}

template <class T>
std::string lost_digits(const Communicator& communicator, const PointSet<T>& points, const std::string& source,
                        const std::string& advice) {
  return warning_of(offsets_of(communicator, points), source, advice);
}

std::string advice_on_digits(const KeyNames& keys) {
  return fmt::format("double precision keeps it, and so does {} = center, which moves the points", keys("scaling"));
}

template <class T>
ScaledPoints<T> scale_points(const Communicator& communicator, PointSet<double> points, const ScalingChoice& choice) {
  ScaledPoints<T> result;
  const std::string& kind = choice.known != nullptr ? choice.known->kind : choice.kind;
  const auto spread_out = [&] {
    const std::string why =
        kind == "none" ? fmt::format("the mean that is subtracted moves those that are 0 ({} = keep leaves it)",
                                     choice.keys("offset"))
                       : fmt::format("{} = {} moves those that are 0", choice.keys("scaling"), kind);
    result.notes.push_back(
        all_coordinates_note(why, points.size(), points.dimension(), static_cast<Index>(sizeof(double))));
    try {
      points = with_all_coordinates(communicator, points);
    } catch (const Error& error) {  // on all ranks
      throw Error(error.kind(), fmt::format("{}: {}", why, error.what()));
    }
  };
  result.digest = digest_of<T>(communicator, points, choice.digest);
  if (points.is_sparse() && (kind == "center" || kind == "standard")) spread_out();
  result.scaling = scaling_of(communicator, points, choice, result.notes);
  if (points.is_sparse() && !keeps_zeros(result.scaling)) spread_out();
  apply_scaling(communicator, result.scaling, points, choice.keys);
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
