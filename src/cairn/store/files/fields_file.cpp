#include "cairn/store/files/fields_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/output_target.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/seal_file.hpp"
#include "cairn/store/hdf5/shared_table.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/text_file.hpp"

namespace cairn {

namespace {

// XDMF 3, the text that describes the data sets of a file of fields to ParaView and VisIt.
namespace xdmf {

// Groups and data sets of a file of fields.
constexpr const char* fields = "fields";
constexpr const char* landmark = "landmark";
constexpr const char* geometry = "geometry";
constexpr const char* positions = "positions";
constexpr const char* triangles = "triangles";
constexpr const char* edges = "edges";
constexpr const char* points = "points";

std::string in_geometry(const std::string& name) { return std::string(geometry) + "/" + name; }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string item(const std::string& hdf5, const std::string& dataset, const std::string& dimensions, const char* type) {
  return fmt::format(
      "        <DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"8\" Format=\"HDF\">{}:/{}</DataItem>\n",
      dimensions, type, escaped(hdf5), dataset);
}

std::string attribute(const std::string& hdf5, const std::string& name, Index vertices, const char* type) {
  return fmt::format("      <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n{}      </Attribute>\n",
                     escaped(name), item(hdf5, std::string(fields) + "/" + name, std::to_string(vertices), type));
}

// A document of one uniform grid: `vertices` positions, `count` cells of this kind (triangles, edges, points), and the
// fields (float64) and landmark numbers (int64) on vertices, all by reference to the HDF5 file `hdf5` beside it.
// Local.
std::string text(const std::string& hdf5, Index vertices, const std::string& cells, Index count,
                 const std::vector<std::string>& names) {
  const int corners = cells == triangles ? 3 : cells == edges ? 2 : 1;
  const std::string kind = corners == 3   ? "TopologyType=\"Triangle\""
                           : corners == 2 ? "TopologyType=\"Polyline\" NodesPerElement=\"2\""
                                          : "TopologyType=\"Polyvertex\" NodesPerElement=\"1\"";
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
      "    <Grid Name=\"cairn\" GridType=\"Uniform\">\n";
  out += fmt::format("      <Topology {} NumberOfElements=\"{}\">\n{}      </Topology>\n", kind, count,
                     item(hdf5, in_geometry(cells), fmt::format("{} {}", count, corners), "Int"));
  out += fmt::format("      <Geometry GeometryType=\"XYZ\">\n{}      </Geometry>\n",
                     item(hdf5, in_geometry(positions), fmt::format("{} 3", vertices), "Float"));
  for (const std::string& name : names) out += attribute(hdf5, name, vertices, "Float");
  out += attribute(hdf5, landmark, vertices, "Int");
  return out + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace xdmf

using hdf5::Handle;

constexpr const char* fields_format = "cairn-fields";
constexpr Index fields_format_version = 1;

const char* name_of(FieldScale scale) {
  switch (scale) {
    case FieldScale::diverging:
      return "diverging";
    case FieldScale::logarithmic:
      return "logarithmic";
    case FieldScale::sequential:
      break;
  }
  return "sequential";
}

const char* cells_name(Index corners) {
  return corners == 3 ? xdmf::triangles : corners == 2 ? xdmf::edges : xdmf::points;
}

// Landmark number of each own vertex, -1 if it is not a landmark.
std::vector<Index> landmark_numbers(const FieldSet& set) {
  const Range own = set.geometry.positions.range();
  std::vector<Index> numbers(own.size(), -1);
  for (std::size_t j = 0; j < set.landmarks.size(); ++j) {
    if (own.contains(set.landmarks[j])) numbers[set.landmarks[j] - own.begin] = Index(j);
  }
  return numbers;
}

bool says_fields(const hdf5::InputFile& file) {
  return file.has_attribute("/", "format") && file.text_attribute("/", "format") == fields_format;
}

std::string field_path(const std::string& name) { return std::string(xdmf::fields) + "/" + name; }

void describe(const Handle& file, const FieldSet& set) {
  std::string names;
  for (const Field& field : set.fields) {
    names += (names.empty() ? "" : " ") + field.name;
    const Handle table = hdf5::open_table(file, field_path(field.name));
    hdf5::write_attribute(table, "title", field.title);
    hdf5::write_attribute(table, "unit", field.unit);
    hdf5::write_attribute(table, "scale", std::string(name_of(field.scale)));
    hdf5::write_attribute(table, "vertex", field.vertex);
  }
  hdf5::write_attribute(file, "names", names);
}

void lay_out(const std::string& path, const FieldSet& set, const std::vector<SharedTable>& tables) {
  Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(fields_format));
  hdf5::write_attribute(file, "format_version", fields_format_version);
  hdf5::write_attribute(file, "cells", std::string(cells_name(set.geometry.corners)));
  static_cast<void>(hdf5::create_group(file, xdmf::fields));
  static_cast<void>(hdf5::create_group(file, xdmf::geometry));
  create_tables(file, tables);
  hdf5::write_numbers(file, "landmarks", std::span<const Index>(set.landmarks));
  describe(file, set);
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

}  // namespace

void write_fields(const Execution& execution, const OutputPath& path, const std::string& xdmf, const FieldSet& set) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  const RowBlock<double>& positions = set.geometry.positions;
  const std::vector<Index> numbers = landmark_numbers(set);
  std::vector<SharedTable> tables{
      consecutive_rows(communicator, xdmf::in_geometry(xdmf::positions), 3,
                       std::span(positions.local().data, static_cast<std::size_t>(3 * positions.range().size()))),
      consecutive_rows(communicator, xdmf::in_geometry(cells_name(set.geometry.corners)), set.geometry.corners,
                       std::span<const Index>(set.geometry.own_cells))};
  const Index cells = tables.back().rows;
  tables.push_back(consecutive_rows(communicator, field_path(xdmf::landmark), -1, std::span<const Index>(numbers)));
  for (const Field& field : set.fields) {
    tables.push_back(consecutive_rows(communicator, field_path(field.name), -1, std::span<const double>(field.values)));
  }

  {
    AtomicFile target(communicator, path);
    Index bytes = (Index{1} << 14) + static_cast<Index>(set.landmarks.size() * sizeof(Index));  // with HDF5's own
    for (const SharedTable& table : tables) bytes += table.bytes();
    target.require_space(bytes);
    collectively(communicator, [&] {
      if (communicator.is_root()) lay_out(target.partial_path(), set, tables);
    });
    target.reserve();
    phase.count_bytes(write_tables(communicator, target.partial_path(), tables));
    target.commit();
  }
  if (xdmf.empty()) return;
  std::vector<std::string> names;
  for (const Field& field : set.fields) names.push_back(field.name);
  const std::string beside = std::filesystem::path(path.file).filename().string();
  write_text_file(communicator, xdmf,
                  xdmf::text(beside, positions.rows(), cells_name(set.geometry.corners), cells, names));
}

bool is_fields(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return says_fields(hdf5::InputFile(path)); });
}

StoredFields read_fields_description(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    const hdf5::InputFile file(path, "cairn query or evaluate");
    if (!says_fields(file)) throw Error(ErrorKind::input, fmt::format("{} holds no fields of cairn", path));
    if (const Index version = file.index_attribute("/", "format_version"); version > fields_format_version) {
      throw Error(ErrorKind::input, fmt::format("{} has format {}, and this program reads formats up to {}", path,
                                                version, fields_format_version));
    }
    StoredFields stored;
    stored.cells = file.text_attribute("/", "cells");
    stored.vertices = file.table(std::string(xdmf::geometry) + "/positions").rows;
    stored.landmarks = static_cast<Index>(file.indices("landmarks").size());
    std::istringstream names(file.text_attribute("/", "names"));
    for (std::string name; names >> name;) {
      stored.fields.push_back({.name = name,
                               .title = file.text_attribute(field_path(name), "title"),
                               .unit = file.text_attribute(field_path(name), "unit"),
                               .vertex = file.index_attribute(field_path(name), "vertex"),
                               .values = {}});
    }
    return stored;
  });
}

}  // namespace cairn
