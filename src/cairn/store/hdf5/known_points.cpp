#include "cairn/store/hdf5/known_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn {

void write_known_points(const hdf5::Handle& parent, const KnownPoints& points) {
  const hdf5::Handle group = hdf5::create_group(parent, "points");
  hdf5::write_attribute(group, "scaling", points.scaling.kind);
  hdf5::write_numbers(group, "shift", std::span<const double>(points.scaling.shift));
  hdf5::write_numbers(group, "factor", std::span<const double>(points.scaling.factor));
  if (!points.columns) return;
  hdf5::write_texts(group, "columns", points.columns->names);
  hdf5::write_texts(group, "choice", {points.columns->label, points.columns->chosen, points.columns->ignored});
}

KnownPoints read_known_points(const hdf5::InputFile& file, Index dimension) {
  KnownPoints points;
  points.dimension = dimension;
  points.path = file.path();
  points.scaling = {file.text_attribute("points", "scaling"), file.numbers("points/shift"),
                    file.numbers("points/factor")};
  const std::size_t scaled = points.scaling.shift.size();
  const auto finite = [](double value) { return std::isfinite(value); };
  if ((scaled != 0 && static_cast<Index>(scaled) != dimension) || points.scaling.factor.size() != scaled ||
      !std::ranges::all_of(points.scaling.shift, finite) || !std::ranges::all_of(points.scaling.factor, finite)) {
    file.refuse(fmt::format("/points does not hold the scaling of {} coordinates", dimension));
  }
  if (file.has("points/columns")) {
    const std::vector<std::string> choice = file.texts("points/choice");
    if (choice.size() != 3) file.refuse("/points/choice is not three texts");
    points.columns = {file.texts("points/columns"), choice[0], choice[1], choice[2]};
  }
  return points;
}

}  // namespace cairn
