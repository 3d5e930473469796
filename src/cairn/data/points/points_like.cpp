#include "cairn/data/points/points_like.hpp"

#include <utility>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/data/matrix/matrix_file.hpp"

namespace cairn {

template <class T>
Data<T> read_points_like(const Execution& execution, const Values& points, const Data<T>& first,
                         const OtherPoints& other) {
  KnownObjects known;
  known.points = {.scaling = first.scaling,
                  .dimension = first.dimension(),
                  .columns = first.columns,
                  .path = points.given("path") ? points.text("path") : "the first points"};
  known.new_objects = true;
  std::vector<std::pair<std::string, std::string>> given{{"path", other.path}};
  const auto take = [&](const char* name) {
    if (points.given(name)) given.emplace_back(name, points.text(name));
  };
  for (const char* name : {"columns", "ignore", "missing", "separator"}) take(name);
  if (!other.format.empty()) given.emplace_back("format", other.format);
  if (!other.dataset) {
    take("dataset");
  } else if (!other.dataset->empty()) {
    given.emplace_back("dataset", *other.dataset);
  }
  const std::string format = resolve_format(other.path, other.format, other.keys);
  if (other.label) {
    given.emplace_back("label", *other.label);
  } else if (points.given("path") && !labels_are_a_file({.path = other.path, .format = format}) &&
             resolve_format(points.text("path"), points.text("format"), points.keys()) == format) {
    take("label");  // its meaning depends on the format
  }
  // The largest index of sparse rows may be smaller in this file, and raw files do not contain their dimension.
  if (points.given("dimension") && points.given("path")) {
    take("dimension");
  } else if (format == "svm" || (format.starts_with("raw") && !points.given("columns") && !points.given("ignore"))) {
    given.emplace_back("dimension", std::to_string(first.dimension()));
  }
  return read_data<T>(point_data(), {execution, Values(point_data().parameters, given).named(other.keys), &known});
}

template Data<float> read_points_like(const Execution&, const Values&, const Data<float>&, const OtherPoints&);
template Data<double> read_points_like(const Execution&, const Values&, const Data<double>&, const OtherPoints&);

}  // namespace cairn
