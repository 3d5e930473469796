#include "cairn/data/graph/edge_lines.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/graph/graph_formats.hpp"

namespace cairn {

namespace {

EdgeLayout::Format text_format(const GraphSource& source) {
  const EdgeLayout::Format format = edge_format(source, {});
  if (format == EdgeLayout::Format::hdf5 || format == EdgeLayout::Format::osm) {
    throw Error(ErrorKind::usage, fmt::format("{}: new lengths are read from lines of text, not from {}", source.path,
                                              format == EdgeLayout::Format::osm ? "osm.pbf" : "HDF5"));
  }
  return format;
}

void require_lengths_of_numbers(const GraphSource& source, const EdgeLayout& layout) {
  if (!layout.lengths) throw Error(ErrorKind::input, source.path + ": has no lengths of edges");
  if (!layout.named) return;
  throw Error(ErrorKind::input, fmt::format("{}: has names of vertices; new lengths are for graphs whose vertices have "
                                            "numbers",
                                            source.path));
}

}  // namespace

void for_each_edge(const Communicator& communicator, const GraphSource& source, bool zeros,
                   const std::function<void(Index u, Index v, double length)>& take) {
  const auto format = collectively(communicator, [&] { return text_format(source); });
  const auto text = collectively(communicator, [&] { return TextBlocks(source.path); });
  EdgeLayout layout = read_collectively(communicator, source.path, [&] {
    EdgeLayout found = find_edge_layout(text, format, source);
    require_lengths_of_numbers(source, found);
    return found;
  });
  layout.zero_lengths = zeros ? ZeroLengths::taken : ZeroLengths::refused;
  Index lines = 0;
  EdgeParser parser(layout, true, communicator.is_root());
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        Edge edge;
        if (!parser.parse(line, edge)) return;
        ++lines;
        take(edge.u, edge.v, edge.length);
      },
      [](Index, Index) {});
  if (const Index refused = communicator.sum(parser.refused_lengths()); refused > 0) {
    EdgeParser again(layout, true, communicator.is_root(), refused);
    Edge edge;
    text.for_each_line(
        communicator, [&](std::string_view line, Index) { static_cast<void>(again.parse(line, edge)); },
        [](Index, Index) {});
  }
  lines = communicator.sum(lines);
  if (layout.edges && *layout.edges != lines) {
    throw Error(ErrorKind::input,
                fmt::format("{}: its header counts {} edges, but there are {}", source.path, *layout.edges, lines));
  }
}

}  // namespace cairn
