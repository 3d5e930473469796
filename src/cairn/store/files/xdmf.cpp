#include "cairn/store/files/xdmf.hpp"

#include <fmt/format.h>

namespace cairn::xdmf {

namespace {

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

}  // namespace

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

}  // namespace cairn::xdmf
