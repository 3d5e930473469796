#include "cairn/data/graph/positions.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/graph/point_list.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/osm/osm_places.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/text_homes.hpp"

namespace cairn {

namespace {

constexpr Index axes = 3;

// A vertex: its number in the file, and its position.
struct Placed {
  Index number = 0;
  std::array<double, 3> position{};
};

enum class Layout { in_order, numbered, embedding };

bool holds_embedding(const std::string& path) {
  (void)file_size(path);
  hdf5::keep_quiet();
  const hdf5::Handle file = hdf5::open_to_read(path);
  return file && H5Lexists(file.id(), "embedding", H5P_DEFAULT) > 0;  // read_points rejects a file that is not HDF5
}

// The first field of the first line.
std::string first_field(const std::string& path) {
  const std::vector<std::string> lines = TextBlocks(path).first_lines(1);
  if (lines.empty()) return {};
  std::string name = lines.front().substr(0, lines.front().find_first_of(",;\t "));
  std::erase(name, '"');
  return name;
}

// True if the first line names its first column as one of numbers.
bool first_column_is_id(const std::string& path) { return in_small_letters(first_field(path)).ends_with("id"); }

Layout layout_of(const std::string& path, const std::string& format) {
  if (format == "hdf5") return holds_embedding(path) ? Layout::embedding : Layout::in_order;
  return format == "csv" && first_column_is_id(path) ? Layout::numbered : Layout::in_order;
}

constexpr const char* dimacs = ".co";

std::string format_of(const std::string& path) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return "hdf5";
  return path.ends_with(".npy") ? "npy" : "csv";
}

// A row of the file as the number and the position of a vertex.
Placed placed(const std::string& path, Index row, std::span<const double> values) {
  constexpr double largest = 9007199254740992.0;  // 2^53: integers are exact below
  const double number = values[0];
  if (number != std::floor(number) || std::abs(number) >= largest) {
    throw Error(ErrorKind::input,
                fmt::format("{}: row {}: the number of a vertex is {}, which is not whole", path, row + 1, number));
  }
  Placed vertex{static_cast<Index>(number), {}};
  std::copy(values.begin() + 1, values.end(), vertex.position.begin());
  return vertex;
}

// Finds the rank that owns a vertex, by its number in the file.
class Owners {
 public:
  Owners(const Communicator& communicator, const RowPartition& partition, const NumbersInFile& numbers)
      : partition_(partition), numbers_(numbers) {
    constexpr Index none = std::numeric_limits<Index>::max();
    if (numbers.listed) firsts_ = communicator.all_gather_one(numbers.own.empty() ? none : numbers.own.front());
    for (std::size_t r = firsts_.size(); r-- > 1;) firsts_[r - 1] = std::min(firsts_[r - 1], firsts_[r]);
  }

  // @throws Error(input) if no vertex can have the number
  [[nodiscard]] int rank(Index number) const {
    if (numbers_.listed) {  // an unused number goes to a rank that detects it
      const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
      return std::max(0, static_cast<int>(after - firsts_.begin()) - 1);
    }
    const Index vertex = number - numbers_.first;
    if (vertex < 0 || vertex >= partition_.rows()) {
      throw Error(ErrorKind::input, fmt::format("there is no vertex {}; the data have those from {} to {}", number,
                                                numbers_.first, numbers_.first + partition_.rows() - 1));
    }
    return partition_.owner(vertex);
  }

 private:
  const RowPartition& partition_;
  const NumbersInFile& numbers_;
  std::vector<Index> firsts_;  // smallest number of each rank, or of those after it if it has none
};

// The own vertex with this number in the file, negative if it was left out. Local.
Index own_vertex(Index number, Range own, const NumbersInFile& numbers) {
  if (!numbers.listed) return number - numbers.first;
  const auto found = std::lower_bound(numbers.own.begin(), numbers.own.end(), number);
  const bool there = found != numbers.own.end() && *found == number;
  return there ? own.begin + (found - numbers.own.begin()) : -1;
}

// Sets the positions of the vertices that this rank received; every vertex must have one. Local.
void place(const std::string& path, const std::vector<std::vector<Placed>>& received, const NumbersInFile& numbers,
           RowBlock<double>& positions) {
  const Range own = positions.range();
  std::vector<bool> seen(own.size(), false);
  for (const auto& part : received) {
    for (const Placed& vertex : part) {
      const Index v = own_vertex(vertex.number, own, numbers);
      if (v < 0) continue;
      const auto at = static_cast<std::size_t>(v - own.begin);
      if (seen[at]) {
        const std::string name = numbers.names.empty() ? std::to_string(vertex.number) : numbers.names[at];
        throw Error(ErrorKind::input, fmt::format("{}: vertex {} is a duplicate", path, name));
      }
      seen[at] = true;
      std::copy(vertex.position.begin(), vertex.position.end(), positions.row(v).begin());
    }
  }
  const auto missing = std::count(seen.begin(), seen.end(), false);
  if (missing == 0) return;
  const Index first = std::find(seen.begin(), seen.end(), false) - seen.begin();
  const auto at = static_cast<std::size_t>(first);
  const std::string name = !numbers.names.empty()
                               ? numbers.names[at]
                               : std::to_string(numbers.listed ? numbers.own[at] : numbers.first + own.begin + first);
  throw Error(ErrorKind::input, fmt::format("{}: has no position for vertex {}{}", path, name,
                                            missing > 1 ? fmt::format(" and {} others", missing - 1) : ""));
}

// The vertex that each row of the file names; -1 if the graph does not have the name. Collective.
std::vector<Index> named_vertices(const Communicator& communicator, const std::string& path,
                                  const PointSet<double>& rows, const RowPartition& partition,
                                  const NumbersInFile& numbers) {
  RowKeys keys(communicator, path, numbers.names, partition.range(communicator.rank()).begin);
  return keys.find(rows.labels());
}

// Places vertices that are sent to their owners. @param parts  for each rank. Collective.
RowBlock<double> deliver(const Communicator& communicator, const std::string& path,
                         const std::vector<std::vector<Placed>>& parts, const RowPartition& partition,
                         const NumbersInFile& numbers) {
  const auto received = communicator.exchange(parts);
  return collectively(communicator, [&] {
    RowBlock<double> positions(partition, communicator.rank(), axes);
    place(path, received, numbers, positions);
    return positions;
  });
}

// Sends rows to the owners of their vertices. @param vertices  vertices of the rows; negative: none; empty: a row
// begins with the number of its vertex in the file. Collective.
RowBlock<double> by_number(const Communicator& communicator, const std::string& path, const PointSet<double>& rows,
                           const std::vector<Index>& vertices, const RowPartition& partition,
                           const NumbersInFile& numbers) {
  const Owners owners(communicator, partition, numbers);
  const auto parts = collectively(communicator, [&] {
    std::vector<std::vector<Placed>> to(communicator.size());
    for (Index i = rows.range().begin; i < rows.range().end; ++i) {
      const auto values = rows.coordinates().row(i);
      Placed vertex;
      if (vertices.empty()) {
        vertex = placed(path, i, values);
      } else {
        vertex.number = vertices[i - rows.range().begin];
        if (vertex.number < 0) continue;
        std::ranges::copy(values, vertex.position.begin());
      }
      try {
        to[owners.rank(vertex.number)].push_back(vertex);
      } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: row {}: {}", path, i + 1, error.what()));
      }
    }
    return to;
  });
  return deliver(communicator, path, parts, partition, numbers);
}

void refuse_names(const Communicator& communicator, const std::string& path, const NumbersInFile& numbers) {
  if (communicator.maximum(std::ssize(numbers.names)) == 0) return;
  throw Error(ErrorKind::input, path + ": has numbers of vertices, but those of the graph have names");
}

// Lines of DIMACS: `v number x y`, in units of 1e-6 degrees. Collective.
RowBlock<double> read_dimacs(const Communicator& communicator, const std::string& path, const RowPartition& partition,
                             const NumbersInFile& numbers) {
  constexpr double unit = 1e-6, most_x = 180e6, most_y = 90e6;
  refuse_names(communicator, path, numbers);
  const Owners owners(communicator, partition, numbers);
  const auto text = collectively(communicator, [&] { return TextBlocks(path); });
  std::vector<std::vector<Placed>> parts(communicator.size());
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        const std::string_view kind = take_field(line);
        if (kind.empty() || kind == "c" || kind == "p") return;
        if (kind != "v") throw Error(ErrorKind::input, "a line is `v number longitude latitude` in a file of DIMACS");
        Placed vertex{take_integer(line, "the number of a vertex"), {}};
        vertex.position[0] = take_number(line, "the longitude");
        vertex.position[1] = take_number(line, "the latitude");
        if (std::abs(vertex.position[0]) > most_x || std::abs(vertex.position[1]) > most_y) {
          throw Error(ErrorKind::input,
                      "longitude and latitude are in units of 1e-6 degrees, up to 180 and 90 degrees");
        }
        for (double& value : vertex.position) value *= unit;
        parts[owners.rank(vertex.number)].push_back(vertex);
      },
      [](Index, Index) {});
  return deliver(communicator, path, parts, partition, numbers);
}

// Nodes of an extract whose ids are the numbers of the vertices. Collective.
RowBlock<double> read_osm(const Communicator& communicator, const std::string& path, const RowPartition& partition,
                          const NumbersInFile& numbers) {
  refuse_names(communicator, path, numbers);
  const OsmFile file(communicator, path);
  const Range own = partition.range(communicator.rank());
  std::vector<Index> ids = numbers.own;
  for (Index v = own.begin; v < own.end && !numbers.listed; ++v) ids.push_back(numbers.first + v);
  const std::vector<OsmPlace> places = read_osm_places(communicator, file, ids, partition);
  return collectively(communicator, [&] {
    std::vector<std::vector<Placed>> known(1);
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (places[k].known()) known[0].push_back({ids[k], {places[k].longitude(), places[k].latitude(), 0.0}});
    }
    RowBlock<double> positions(partition, communicator.rank(), axes);
    place(path, known, numbers, positions);
    return positions;
  });
}

// Puts the coordinates that a header has in another order into that of x, y, and what follows. @param before  columns
// before the coordinates. Local.
void put_in_order(const CoordinateColumns& columns, std::size_t before, RowBlock<double>& positions) {
  const std::size_t x = columns.x - before, y = columns.y - before, other = axes - x - y;
  for (Index v = positions.range().begin; v < positions.range().end; ++v) {
    const auto row = positions.row(v);
    const std::array<double, axes> read{row[0], row[1], row[2]};
    row[0] = read[x], row[1] = read[y], row[2] = read[other];
  }
}

RowBlock<double> in_order(const Communicator& communicator, const std::string& path, const PointSet<double>& rows,
                          const RowPartition& partition) {
  if (rows.size() != partition.rows()) {
    throw Error(ErrorKind::input,
                fmt::format("{}: has {} rows for {} vertices; a header line that names the first column id lets the "
                            "lines carry the numbers of their vertices",
                            path, rows.size(), partition.rows()));
  }
  return collectively(communicator, [&] {
    RowBlock<double> positions(partition, communicator.rank(), axes);
    for (Index v = positions.range().begin; v < positions.range().end; ++v) {
      const auto values = rows.coordinates().row(v);
      const auto target = positions.row(v);
      std::fill(target.begin(), target.end(), 0.0);
      std::copy_n(values.begin(), std::min(values.size(), target.size()), target.begin());
    }
    return positions;
  });
}

}  // namespace

RowBlock<double> read_positions(const Communicator& communicator, const std::string& path,
                                const RowPartition& partition, const NumbersInFile& numbers) {
  const std::string format = format_of(path);
  if (is_osm_name(path)) return read_osm(communicator, path, partition, numbers);
  if (without_compression(path).ends_with(dimacs)) return read_dimacs(communicator, path, partition, numbers);
  const Layout layout = collectively(communicator, [&] { return layout_of(path, format); });
  PointSource source;
  source.path = path;
  source.format = format;
  if (layout == Layout::embedding) source.dataset = "embedding";
  const bool named = layout == Layout::numbered && communicator.maximum(std::ssize(numbers.names)) > 0;
  if (named) source.label = collectively(communicator, [&] { return first_field(path); });
  const PointSet<double> rows = read_points<double>(communicator, source);
  const Index dimension = rows.dimension() - (layout == Layout::numbered && !named ? 1 : 0);
  if (dimension < 2 || (dimension > axes && layout != Layout::embedding)) {
    throw Error(ErrorKind::input,
                fmt::format("{}: positions have 2 or 3 coordinates, here {}{}", path, dimension,
                            dimension > axes ? "" : "; one column more may hold the vertices' numbers, named id"));
  }
  const auto columns = collectively(
      communicator, [&] { return format == "csv" ? coordinate_columns(first_fields(path)) : std::nullopt; });
  RowBlock<double> positions =
      layout != Layout::numbered
          ? in_order(communicator, path, rows, partition)
          : by_number(communicator, path, rows,
                      named ? named_vertices(communicator, path, rows, partition, numbers) : std::vector<Index>(),
                      partition, numbers);
  if (columns) put_in_order(*columns, layout == Layout::numbered ? 1 : 0, positions);
  return positions;
}

bool graph_holds_positions(const std::string& path) { return is_osm_name(path); }

bool positions_are_degrees(const std::string& path) {
  if (is_osm_name(path) || without_compression(path).ends_with(dimacs)) return true;
  if (format_of(path) != "csv") return false;
  const auto columns = coordinate_columns(first_fields(path));
  return columns && columns->degrees;
}

}  // namespace cairn
