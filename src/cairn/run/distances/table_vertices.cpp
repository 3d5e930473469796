#include "cairn/run/distances/table_vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/root_reading.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/data/pair_list.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"

namespace cairn {

namespace {

const char* unit_of(const SnappedPoints& points) { return points.degrees ? " m" : ""; }

// The vertex of point k as text: its name, which rank 0 alone knows, or its number.
std::string vertex_text(const VertexList& list, Index k) {
  if (!list.named) return std::to_string(list.number(k));
  return list.names.empty() ? std::string() : list.names[k];
}

}  // namespace

const std::vector<Parameter>& snapping_options() {
  using enum ValueType;
  static const std::vector<Parameter> all = {
      {.name = "positions",
       .value = "FILE",
       .type = input_path,
       .help = "Coordinates of the vertices, for lists of points: .co (DIMACS), .osm.pbf, or a table with a line per "
               "vertex (id,longitude,latitude). By default those of the graph, if it is an .osm.pbf."},
      {.name = "coordinates",
       .value = "KIND",
       .type = choice,
       .fallback = "auto",
       .help = "What coordinates are: degrees (longitude and latitude; distances are meters on the sphere) or planar. "
               "auto: degrees in .co and .osm.pbf, and in a table whose header names longitude and latitude.",
       .choices = {"auto", "degrees", "planar"}},
      {.name = "snap-limit",
       .value = "NUMBER",
       .type = number,
       .help =
           "The largest distance of a point from its vertex, in meters for degrees: a point that is farther ends the "
           "run. By default there is none.",
       .lowest = 0},
      {.name = "snapped",
       .value = "FILE",
       .type = output_path,
       .help = "A CSV file with a line for each point: its vertex and the distance between them."}};
  return all;
}

TableVertexReader::TableVertexReader(const Execution& execution, const NumbersInFile& numbers,
                                     const RowPartition& partition, const std::string& own_positions,
                                     const Values& options)
    : execution_(execution),
      numbers_(numbers),
      partition_(partition),
      positions_(options.given("positions") ? options.text("positions") : own_positions),
      options_(options) {}

TableVertexReader::~TableVertexReader() = default;

TableVertices TableVertexReader::read(const std::string& path) {
  const Communicator& communicator = execution_.communicator;
  const bool named = have_names(communicator, numbers_);
  Index points = 0;
  read_on_root(communicator, path, [&] { points = Index{lists_points(path, named)}; });
  communicator.broadcast(std::span(&points, 1), 0);
  if (points == 0) return {.list = read_vertex_list(communicator, path, numbers_, partition_)};
  return snapped(path);
}

TableVertices TableVertexReader::snapped(const std::string& path) {
  const Communicator& communicator = execution_.communicator;
  prepare(path);
  SnappedPoints points{.path = path, .degrees = degrees_};
  PointList& list = points.list;
  read_on_root(communicator, path, [&] {
    list = read_point_list(path);
    check(points);
  });
  communicator.broadcast(list.points, 0);
  communicator.broadcast(list.lines, 0);
  const auto phase = execution_.phases.enter("snap");
  Snaps snaps = snapper_->snap(list.points, execution_.threads);
  points.distances = std::move(snaps.distances);
  TableVertices vertices{.list = list_of(communicator, std::move(snaps.vertices), numbers_, partition_)};
  vertices.points = std::move(points);
  if (!options_.given("snap-limit")) return vertices;
  const double limit = options_.number("snap-limit");
  const PointList& found = vertices.points->list;
  const std::vector<double>& distances = vertices.points->distances;
  const auto far = std::ranges::find_if(distances, [&](double distance) { return distance > limit; });
  if (far == distances.end()) return vertices;
  const Index k = far - distances.begin();
  const std::string vertex = text_of(communicator, vertices.list, k, numbers_, partition_);
  const Index others = std::ranges::count_if(distances, [&](double distance) { return distance > limit; }) - 1;
  refuse_line(
      path, found.lines[k],
      fmt::format("the point {}, {} is {:.6g}{} from the nearest vertex, {}: more than {} = {}{}", found.points[k][0],
                  found.points[k][1], *far, unit_of(*vertices.points), vertex, options_.where("snap-limit"), limit,
                  others == 0 ? "" : fmt::format(" (and so are those of {} more lines)", grouped(others))));
}

// Reads the positions of the vertices, once.
void TableVertexReader::prepare(const std::string& path) {
  if (snapper_) return;
  const Communicator& communicator = execution_.communicator;
  if (positions_.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} lists points: {} names a file with the coordinates of the vertices",
                                              path, options_.keys()("positions")));
  }
  const std::string& kind = options_.text("coordinates");
  degrees_ = kind == "auto" ? collectively(communicator, [&] { return positions_are_degrees(positions_); })
                            : kind == "degrees";
  const auto phase = execution_.phases.enter("positions");
  RowBlock<double> positions = read_positions(communicator, positions_, partition_, numbers_);
  snapper_ = std::make_unique<VertexSnapper>(communicator, std::move(positions), degrees_);
}

// @throws Error(input) for coordinates that are not of the same kind as those of the vertices
void TableVertexReader::check(const SnappedPoints& points) const {
  constexpr double most_longitude = 180.0, most_latitude = 90.0;
  const PointList& list = points.list;
  if (list.degrees && !degrees_) {
    throw Error(
        ErrorKind::input,
        fmt::format("{}: its header names longitude and latitude, and the coordinates in {} are taken as planar: "
                    "{} = degrees if they are not",
                    points.path, positions_, options_.keys()("coordinates")));
  }
  for (std::size_t k = 0; degrees_ && k < list.points.size(); ++k) {
    const auto [longitude, latitude] = list.points[k];
    if (std::abs(longitude) <= most_longitude && std::abs(latitude) <= most_latitude) continue;
    refuse_line(
        points.path, list.lines[k],
        fmt::format("longitude {} and latitude {} are no degrees (-180 to 180 and -90 to 90){}", longitude, latitude,
                    list.degrees ? "" : "; the longitude comes first, unless a header names the columns"));
  }
}

void TableVertexReader::require_use() const {
  if (snapper_) return;
  for (const Parameter& option : snapping_options()) {
    if (!options_.given(option.name)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} has no effect: no list has points, which are two coordinates a line",
                                              options_.where(option.name)));
  }
}

std::string snapping_text(const TableVertices& vertices) {
  const SnappedPoints& points = *vertices.points;
  std::vector<Index> distinct = vertices.list.vertices;
  std::ranges::sort(distinct);
  const auto count = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  const auto& distances = points.distances;
  const auto farthest = std::ranges::max_element(distances) - distances.begin();
  const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
  return fmt::format("{} points to {} vertices, {:.4g}{} apart on average and {:.4g}{} at most ({}:{}, to {})",
                     grouped(std::ssize(distances)), grouped(count), mean, unit_of(points), distances[farthest],
                     unit_of(points), points.path, points.list.lines[farthest], vertex_text(vertices.list, farthest));
}

Metric::Record snapping_record(const TableVertices& vertices) {
  const VertexList& list = vertices.list;
  Metric named;
  if (list.named)
    named = Metric(list.names);
  else
    named = Metric(list.all_numbers());
  return {{"lines", Metric(vertices.points->list.lines)},
          {"vertices", named},
          {"distances", Metric(vertices.points->distances)},
          {"unit", vertices.points->degrees ? Metric("m") : Metric()}};
}

void add_snapping_lists(const std::string& side, const TableVertices& vertices,
                        std::vector<std::pair<std::string, std::vector<double>>>& lists) {
  if (!vertices.points) return;
  const bool degrees = vertices.points->degrees;
  std::vector<double> x, y;
  for (const auto& point : vertices.points->list.points) {
    x.push_back(point[0]);
    y.push_back(point[1]);
  }
  lists.emplace_back(side + (degrees ? "_longitudes" : "_x"), std::move(x));
  lists.emplace_back(side + (degrees ? "_latitudes" : "_y"), std::move(y));
  lists.emplace_back(side + "_snaps", vertices.points->distances);
}

std::string snapping_heading(bool degrees) {
  return degrees ? "vertex,meters,list,line,longitude,latitude\n" : "vertex,distance,list,line,x,y\n";
}

std::string snapping_lines(const std::string& side, const TableVertices& vertices) {
  std::string lines;
  if (!vertices.points) return lines;
  const PointList& list = vertices.points->list;
  for (std::size_t k = 0; k < list.points.size(); ++k) {
    const std::string vertex = vertex_text(vertices.list, static_cast<Index>(k));
    lines += fmt::format("{},{},{},{},{},{}\n", next_csv_field(vertex).substr(1), vertices.points->distances[k], side,
                         list.lines[k], list.points[k][0], list.points[k][1]);
  }
  return lines;
}

}  // namespace cairn
