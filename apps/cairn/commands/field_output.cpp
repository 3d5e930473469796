#include "commands/field_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

constexpr const char* xdmf_ending = ".xdmf";

// Path of the HDF5 file that accompanies x.xdmf.
std::string hdf5_beside(const std::string& xdmf) {
  return xdmf.substr(0, xdmf.size() - std::string(xdmf_ending).size()) + ".h5";
}

// Points of 2 or 3 dimensions as x, y, z, with their mean added back if it was subtracted. Local.
template <class T>
RowBlock<double> in_space(const PointSet<T>& points, const Scaling& scaling, int rank) {
  RowBlock<double> positions(points.partition(), rank, 3);
  const auto dimension = static_cast<std::size_t>(points.dimension());
  for (Index v = positions.range().begin; v < positions.range().end; ++v) {
    const auto target = positions.row(v);
    std::fill(target.begin(), target.end(), 0.0);
    points.copy_point(v, target.first(dimension));
    for (std::size_t k = 0; scaling.kind == "none" && k < scaling.shift.size(); ++k) target[k] += scaling.shift[k];
  }
  return positions;
}

template <class T>
RowBlock<double> own_positions(const Communicator& communicator, const Data<T>& data) {
  if (const auto* mesh = data.template as<TriangleMesh>()) {
    RowBlock<double> positions(mesh->partition(), communicator.rank(), 3);
    for (Index v = positions.range().begin; v < positions.range().end; ++v) {
      std::copy_n(mesh->vertex(v), 3, positions.row(v).begin());
    }
    return positions;
  }
  const PointSet<T>* points = data.points();
  if (points != nullptr && (points->dimension() == 2 || points->dimension() == 3)) {
    return in_space(*points, data.scaling, communicator.rank());
  }
  const std::string what = points != nullptr
                               ? fmt::format("points of {} dimensions cannot be drawn as they are", points->dimension())
                               : fmt::format("{} have no positions", data.kind->objects.name);
  throw Error(ErrorKind::usage, fmt::format("{}; name a file of them with --positions (coordinates, or an embedding by "
                                            "cairn embed), or write a .csv file, which needs none",
                                            what));
}

void own_triangles(const TriangleMesh& mesh, const Communicator& communicator, std::vector<Index>& cells) {
  const Range own = RowPartition(mesh.triangle_count(), communicator.size()).range(communicator.rank());
  for (Index t = own.begin; t < own.end; ++t) cells.insert(cells.end(), mesh.triangle(t), mesh.triangle(t) + 3);
}

// Adds every edge once, on the rank of its lower vertex.
void own_edges(const Graph& graph, std::vector<Index>& cells) {
  const Range own = graph.range();
  for (Index v = own.begin; v < own.end; ++v) {
    const auto at = static_cast<std::size_t>(v - own.begin);
    for (Index k = graph.starts()[at]; k < graph.starts()[at + 1]; ++k) {
      const Index u = graph.neighbors()[k];
      if (v < u) cells.insert(cells.end(), {v, u});
    }
  }
}

void write_csv(const Communicator& communicator, const std::string& path, const RowPartition& partition,
               const std::string& column, const std::vector<Field>& fields, const RowNames& names) {
  const Range own = partition.range(communicator.rank());
  std::string heading = column;
  for (const Field& field : fields) heading += "," + field.name;
  write_csv_lines(communicator, path, heading + names.heading(), partition.rows(), [&](Range window) {
    std::string text;
    for (Index v = std::max(window.begin, own.begin); v < std::min(window.end, own.end); ++v) {
      text += std::to_string(v);
      for (const Field& field : fields) {
        text += fmt::format(",{}", field.values[v - own.begin]);
      }
      text += names.csv_fields(v) + "\n";
    }
    return text;
  });
}

}  // namespace

FieldFormat field_format(const Settings& settings, const std::string& option) {
  const std::string& path = settings.text(option);
  if (path.ends_with(".csv")) return FieldFormat::csv;
  if (path.ends_with(".h5")) return FieldFormat::hdf5;
  if (path.ends_with(xdmf_ending)) return FieldFormat::xdmf;
  throw Error(ErrorKind::usage,
              fmt::format("--{} {}: the name must end in .csv (only numbers), .h5 (with the shape of the data, for "
                          "cairn-plot) or .xdmf (the same and a text file for ParaView)",
                          option, path));
}

bool wants_geometry(const Settings& settings, const std::string& option) {
  return settings.given(option) && field_format(settings, option) != FieldFormat::csv;
}

void check_field_output(const Job& job, const std::string& option) {
  if (!job.settings.given(option)) return;
  const FieldFormat format = field_format(job.settings, option);
  const std::string& path = job.settings.text(option);
  if (format == FieldFormat::csv) return check_output(job, option);
  check_output(job, option, format == FieldFormat::hdf5 ? OutputForm::fields : OutputForm::xdmf);
  if (format != FieldFormat::xdmf) return;
  const OutputPath beside(hdf5_beside(path), option);
  require_other_outputs(job, option, beside.file);
  check_writable(job.communicator, beside);
  require_own_or_overwrite(job, beside, OutputForm::fields);
  require_no_input(job, job.settings.where(option), beside.file);  // also checked with --overwrite
}

void refuse_unused_positions(const Settings& settings, const std::vector<std::string>& options) {
  if (!settings.given("positions")) return;
  for (const std::string& option : options) {
    if (wants_geometry(settings, option)) return;
  }
  throw Error(ErrorKind::usage, "--positions has no effect without an output in .h5 or .xdmf");
}

template <class T>
Geometry geometry_of(const Execution& execution, const Data<T>& data, const std::string& positions) {
  const Communicator& communicator = execution.communicator;
  const auto* mesh = data.template as<TriangleMesh>();
  Geometry geometry;
  if (positions.empty()) {
    geometry.positions = collectively(communicator, [&] { return own_positions(communicator, data); });
  } else {
    const auto phase = execution.phases.enter("positions");
    geometry.positions = read_positions(communicator, positions, data.objects->partition(), data.numbers);
  }
  collectively(communicator, [&] {
    if (mesh != nullptr) own_triangles(*mesh, communicator, geometry.own_cells);
    if (const auto* graph = data.template as<Graph>()) own_edges(*graph, geometry.own_cells);
  });
  const bool joined = communicator.maximum(static_cast<Index>(geometry.own_cells.size())) > 0;
  geometry.corners = !joined ? 1 : mesh != nullptr ? 3 : 2;
  if (!joined) {
    const Range own = geometry.positions.range();
    for (Index v = own.begin; v < own.end; ++v) geometry.own_cells.push_back(v);
  }
  return geometry;
}

template <class T>
std::string unit_of(const RunRequest& request, const Data<T>& data) {
  const auto* graph = data.template as<Graph>();
  const bool steps = graph != nullptr && !graph->weighted() && request.similarity.descriptor->traits.single_source;
  return steps ? "edges" : "";
}

std::string write_field_output(const Job& job, const Execution& execution, const std::string& option,
                               const RowPartition& partition, const std::string& column, std::vector<Field> fields,
                               FieldSet set, const RowNames& names) {
  const std::string& path = job.settings.text(option);
  const FieldFormat format = field_format(job.settings, option);
  if (format == FieldFormat::csv) {
    write_csv(job.communicator, path, partition, column, fields, names);
    return path;
  }
  set.fields = std::move(fields);
  const bool xdmf = format == FieldFormat::xdmf;
  const std::string hdf5 = xdmf ? hdf5_beside(path) : path;
  write_fields(execution, hdf5, xdmf ? path : "", set);
  return xdmf ? fmt::format("{} and {}", path, hdf5) : path;
}

#define CAIRN_INSTANTIATE(T)                                                           \
  template Geometry geometry_of(const Execution&, const Data<T>&, const std::string&); \
  template std::string unit_of(const RunRequest&, const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app
