// Graphs in text files, and in extracts of OpenStreetMap.
#include <cctype>
#include <cmath>

#include "cairn/data/graph/graph.hpp"
#include "checks.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

void read_graph_text(std::string_view input) {
  const char choice = take_choice(input);
  GraphSource source;
  source.path = file_of(input);
  source.weighted = std::islower(static_cast<unsigned char>(choice)) != 0;
  switch (std::tolower(static_cast<unsigned char>(choice))) {
    case 'e':
      source.format = "edges";
      break;
    case 'g':
      source.format = "gr";
      break;
    case 'm':
      source.format = "mtx";
      break;
    case 'c':
      source.format = "cedge";
      break;
    case 'o':
      source.format = "osm.pbf";
      break;
    case 'l':
      source.format = "edges";
      source.largest_component = true;
      break;
    default:
      return;
  }
  check(read_graph(alone(), source));
}

}  // namespace cairn::fuzz
