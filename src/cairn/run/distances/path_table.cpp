#include "cairn/run/distances/path_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/data/graph/vertex_list.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/distances/path_table_rows.hpp"
#include "cairn/run/distances/table_vertices.hpp"
#include "cairn/store/files/length_table_file.hpp"
#include "cairn/store/files/row_names.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/text_file.hpp"

namespace cairn {

namespace {

using Kind = hdf5::ElementType::Kind;

constexpr Index longer = 4;  // ratio of sources to targets above which searches should start at the targets

// Digest of the vertices and of their numbers: in a renumbered graph, the same numbers denote other rows.
std::uint64_t digest_of(const VertexList& list) {
  const std::array<Index, 2> all{list.all, list.first};
  std::uint64_t digest = hash_bytes(std::as_bytes(std::span(all)), 1);
  for (const std::vector<Index>* part : {&list.vertices, &list.numbers}) {
    digest = hash_bytes(std::as_bytes(std::span(*part)), digest);
  }
  return digest;
}

// Digest of the points that vertices were found by.
std::uint64_t digest_of(const std::vector<std::pair<std::string, std::vector<double>>>& lists) {
  std::uint64_t digest = 0;
  for (const auto& [name, values] : lists) digest = hash_bytes(std::as_bytes(std::span(values)), digest + 1);
  return digest;
}

// Number type for the option `bits`.
hdf5::ElementType number_of(const PathLength& lengths, const Values& options) {
  const std::string& bits = options.text("bits");
  const bool rounded = options.given("scale"), whole = lengths.whole() || rounded;
  if (bits == "auto" && (lengths.traits().integral || rounded)) {
    const bool small = lengths.longest() / options.number("scale") <= longest_written<std::uint16_t>;
    return {small ? Kind::uint16 : Kind::uint32};
  }
  if (bits == "16" && !whole) {
    throw Error(ErrorKind::usage, fmt::format("{} = 16 holds integers, but the lengths of this graph are not integers: "
                                              "give {} to round them to its multiples",
                                              options.where("bits"), options.keys()("scale")));
  }
  if (bits == "16") return {Kind::uint16};
  if (bits == "32") return {whole ? Kind::uint32 : Kind::float32};
  return {Kind::float64};
}

std::string number_name(const hdf5::ElementType& number) {
  switch (number.kind) {
    case Kind::uint16:
      return "unsigned integers of 16 bits";
    case Kind::uint32:
      return "unsigned integers of 32 bits";
    case Kind::float32:
      return "floating-point numbers of 32 bits";
    default:
      return "floating-point numbers of 64 bits";
  }
}

std::string short_name_of(const hdf5::ElementType& number) {
  return fmt::format("{}{}", number.is_float() ? "float" : "uint", 8 * number.bytes());
}

double no_path_of(const hdf5::ElementType& number) {
  if (number.is_float()) return no_path<double>;
  return number.kind == Kind::uint16 ? no_path<std::uint16_t> : no_path<std::uint32_t>;
}

std::string list_text(const VertexList& list, const std::string& file) {
  if (list.vertices.empty()) return grouped(list.size()) + ": all vertices";
  std::vector<Index> sorted = list.vertices;
  std::ranges::sort(sorted);
  const auto distinct = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
  const std::string repeated =
      distinct == std::ssize(sorted) ? "" : fmt::format(", {} of them distinct", grouped(distinct));
  return grouped(list.size()) + repeated + " in " + file;
}

// @param pair  pair whose length is too large @param source, target  names of its vertices
[[noreturn]] void refuse_length(const LengthsFound::Pair& pair, const std::string& source, const std::string& target,
                                const PathTable& table, const Values& options) {
  const double scale = options.number("scale");
  const double most = table.number.kind == Kind::uint16   ? longest_written<std::uint16_t>
                      : table.number.kind == Kind::uint32 ? longest_written<std::uint32_t>
                                                          : longest_written<float>;
  const bool small = table.number.kind == Kind::uint16;
  throw Error(ErrorKind::numeric,
              fmt::format("the path between the vertices {} and {} has the length {}, and {}{} hold {:.0f} at most: "
                          "take {}{} {:.3g} or more",
                          source, target, pair.length, number_name(table.number),
                          scale == 1.0 ? "" : fmt::format(" of {} each", scale), most,
                          small ? fmt::format("{} = 32, or ", options.keys()("bits")) : "", options.keys()("scale"),
                          std::max(pair.length / most, scale * 1.01)));
}

}  // namespace

const std::vector<Parameter>& path_table_options() {
  using enum ValueType;
  static const std::vector<Parameter> all = {
      {.name = "sources",
       .value = "FILE",
       .type = input_path,
       .help =
           "The vertices that rows stand for: one number a line, as the file of the graph has them ('#' starts a "
           "comment; may be .gz or .xz), or one point a line, for which its nearest vertex is taken: columns that a "
           "header calls longitude and latitude (or x and y), or these two numbers. They may repeat."},
      {.name = "targets",
       .value = "FILE",
       .type = input_path,
       .help =
           "The vertices that columns stand for, likewise. By default all vertices, in the order of their numbers."},
      {.name = "pairs",
       .value = "FILE",
       .type = input_path,
       .help = "In place of a table: pairs of vertices, two a line, between blanks, tabs or commas. Their lengths are "
               "printed, or written to --out, one a line; inf for a pair without a path."},
      {.name = "out",
       .value = "FILE",
       .type = output_path,
       .help =
           "The file that is written: .npy, or .h5 with the table as data set distances beside sources and targets. "
           "Both are read by NumPy (np.load with mmap_mode, h5py) without a copy. Of pairs, a text."},
      {.name = "bits",
       .value = "N",
       .type = choice,
       .fallback = "auto",
       .help =
           "Bits per number. If lengths are integers or --scale is given, 16 and 32 are unsigned integers; the largest "
           "value (65535 or 4294967295) marks a pair without a path. Otherwise 32 and 64 are floating point, and "
           "infinity marks such a pair. auto: the fewest bits that are certain to hold all lengths exactly.",
       .choices = {"auto", "16", "32", "64"}},
      {.name = "scale",
       .value = "NUMBER",
       .type = number,
       .fallback = "1",
       .help = "What is written is the length divided by this; rounded to the nearest integer if --bits is 16 or 32, "
               "but not for --pairs.",
       .above = 0},
      {.name = "resume",
       .value = "BOOL",
       .type = flag,
       .fallback = "false",
       .help = "Go on with FILE.partial, which a run left that was stopped, on any number of ranks; blocks that it has "
               "are read and held against their digests. From the beginning where there is none."}};
  static const std::vector<Parameter> with_snapping = [] {
    std::vector<Parameter> both = all;
    both.insert(both.end(), snapping_options().begin(), snapping_options().end());
    return both;
  }();
  return with_snapping;
}

void check_path_table(const Values& options) {
  if (options.given("pairs")) {
    for (const Parameter& option : path_table_options()) {
      if (!options.given(option.name) || option.name == "pairs" || option.name == "out" || option.name == "scale")
        continue;
      throw Error(ErrorKind::usage, fmt::format("{} has no effect with {}, whose lengths are lines of text",
                                                options.where(option.name), options.keys()("pairs")));
    }
    return;
  }
  if (!options.given("sources")) {
    throw Error(ErrorKind::usage,
                fmt::format("give one of {} FILE and {} FILE", options.keys()("sources"), options.keys()("pairs")));
  }
  if (!LengthTableFile::is_name(options.required("out"))) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: the name of a table ends in .npy, .h5 or .hdf5",
                                              options.where("out"), options.text("out")));
  }
}

PathLengthSource read_path_lengths_of_graph(const Execution& execution, const Values& graph, const Values& search) {
  const Communicator& communicator = execution.communicator;
  PathLengthSource source;
  SharedGraph shared;
  {
    const auto phase = execution.phases.enter("read");
    const auto [read, notes] = read_graph(communicator, graph);
    source.numbers = numbers_of(communicator, read);
    source.digest = data_digest(communicator, read);
    source.facts = facts_of(read);
    source.notes = notes;
    if (graph_holds_positions(graph.text("path"))) source.positions = graph.text("path");
    shared = read.share(communicator);
  }
  const auto phase = execution.phases.enter("hierarchy");
  source.lengths = make_path_length(communicator, shared, search.text("search"), search.keys());
  return source;
}

PathLengthSource read_path_lengths_of_result(const Execution& execution, const std::string& path) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read");
  PathLengthSource source;
  const ResultShape shape = read_result_shape(communicator, path);
  source.lengths = read_path_lengths(communicator, path);
  if (source.lengths == nullptr) {
    throw Error(ErrorKind::input,
                fmt::format("{} keeps no hierarchy of path lengths: name the file of its graph instead", path));
  }
  const RowNames names = read_row_names(communicator, path, shape);
  source.numbers = listed_numbers(communicator, names.partition().range(communicator.rank()), names.numbers());
  source.numbers.names = names.labels();
  source.digest = mix_bits(read_result_description(communicator, path).data_digest);
  source.facts = {
      {"graph", fmt::format("{} vertices, by the hierarchy in {}", grouped(shape.rows), path), "vertices", shape.rows}};
  return source;
}

TaskReport write_path_table(const Execution& execution, const PathLengthSource& source, const Values& options,
                            const MemoryLimit& memory, const std::function<void(const ReportText&)>& tell) {
  const Communicator& communicator = execution.communicator;
  const PathLength& lengths = *source.lengths;
  const RowPartition partition(lengths.size(), communicator.size());
  const std::string& targets = options.text("targets");
  const bool is_npy = options.text("out").ends_with(".npy");  // cannot store names
  PathTable table{.scale = options.number("scale")};
  TableVertexReader reader(execution, source.numbers, partition, source.positions, options);
  const TableVertices rows_of = reader.read(options.text("sources"));
  const TableVertices columns_of =
      targets.empty() ? TableVertices{.list = all_vertices(communicator, source.numbers, partition, !is_npy)}
                      : reader.read(targets);
  reader.require_use();
  table.sources = rows_of.list;
  table.targets = columns_of.list;
  std::vector<std::pair<std::string, std::vector<double>>> snaps;
  add_snapping_lists("source", rows_of, snaps);
  add_snapping_lists("target", columns_of, snaps);
  table.number = number_of(lengths, options);
  table.cut = cut_of(table, lengths, memory.bytes / 2, execution.threads);
  PathTableRows rows(execution, lengths, table);

  const double bytes = static_cast<double>(table.rows() * table.columns() * table.number.bytes());
  ReportText begin;
  begin.metric("paths by", lengths.method() + ": " + lengths.choice())
      .metric("sources, rows", list_text(table.sources, options.text("sources")))
      .metric("targets, columns", list_text(table.targets, targets));
  if (rows_of.points) begin.metric("sources, snapped", snapping_text(rows_of));
  if (columns_of.points) begin.metric("targets, snapped", snapping_text(columns_of));
  begin
      .metric("table", fmt::format("{}, {} in {}", number_name(table.number), format_bytes(bytes), options.text("out")))
      .metric("memory of a rank",
              fmt::format("{} for {} rows at a time", format_bytes(rows.planned_bytes()), grouped(table.cut.rows)))
      .metric("planned", fmt::format("{} besides writing", format_seconds(rows.planned_seconds())));
  if (lengths.method() != "hierarchy" && !lengths.directed() && table.rows() > longer * table.columns()) {
    begin.note(
        fmt::format("there is a search for each of {} sources: with sources and targets exchanged {} searches make the "
                    "same table, transposed",
                    grouped(table.rows()), grouped(table.columns())));
  }
  tell(begin);

  LengthTableLayout layout{.path = {options.text("out"), options.where("out")},
                           .rows = table.rows(),
                           .columns = table.columns(),
                           .type = table.number,
                           .blocks = table.blocks(),
                           .row_numbers = [&table] { return table.sources.all_numbers(); },
                           .column_numbers = [&table] { return table.targets.all_numbers(); },
                           .row_names = table.sources.named ? &table.sources.names : nullptr,
                           .column_names = table.targets.named ? &table.targets.names : nullptr,
                           .lists = snaps,
                           .scale = table.scale,
                           .identity = {{"graph", source.digest},
                                        {"names of vertices", static_cast<std::uint64_t>(table.sources.named)},
                                        {"list of sources", digest_of(table.sources)},
                                        {"list of targets", digest_of(table.targets)},
                                        {"list of points", digest_of(snaps)},
                                        {options.keys()("bits"), static_cast<std::uint64_t>(table.number.kind)},
                                        {options.keys()("scale"), std::bit_cast<std::uint64_t>(table.scale)},
                                        {memory.name(), static_cast<std::uint64_t>(table.cut.columns)},
                                        {"number of threads", static_cast<std::uint64_t>(table.cut.rows)}}};
  LengthTableFile file(communicator, std::move(layout), options.flag("resume"));
  const PathTableMetrics metrics = rows.write(file);
  const auto called = [&](const VertexList& list, Index k) {
    return text_of(communicator, list, k, source.numbers, partition);
  };
  if (metrics.found.too_long) {
    if (communicator.is_root()) file.discard();
    const auto& pair = *metrics.found.too_long;
    refuse_length(pair, called(table.sources, pair.source), called(table.targets, pair.target), table, options);
  }
  {
    const auto phase = execution.phases.enter("flush");
    file.complete();
  }

  TaskReport report;
  if (file.resumed()) {
    report.text.metric("kept from before",
                       fmt::format("{} of {} blocks", grouped(metrics.kept), grouped(table.blocks())));
  }
  report.text.metric("longest path", fmt::format("{}", metrics.found.longest));
  if (metrics.found.unreached) {
    const auto& pair = *metrics.found.unreached;
    const std::string from = called(table.sources, pair.source), to = called(table.targets, pair.target);
    report.text.metric(
        "pairs without a path",
        fmt::format("{}, written as {}: {}", grouped(metrics.found.without_path), no_path_of(table.number),
                    lengths.directed() ? fmt::format("no path leads from {} to {}", from, to)
                                       : fmt::format("{} and {} are in different pieces of the graph", from, to)));
  }
  report.text.metric("speed", fmt::format("{:.4g} rows/s, {:.3g} G lengths/s", metrics.rows_per_second,
                                          metrics.rows_per_second * static_cast<double>(table.columns()) / 1e9));
  if (!file.began_anew().empty()) report.text.note(file.began_anew() + ": the table was begun anew");
  if (table.targets.named && targets.empty() && is_npy) {
    report.text.note(
        "columns are vertices in the order in which the file of the graph has their names first; a table in HDF5 "
        "(.h5) holds the names, too");
  }
  for (const std::string& note : source.notes) report.text.note(note);
  report.metrics = {{"out", options.text("out")},
                    {"sources", table.rows()},
                    {"targets", table.columns()},
                    {"number", short_name_of(table.number)},
                    {"scale", table.scale},
                    {"bytes", bytes},
                    {"longest", metrics.found.longest},
                    {"without_path", metrics.found.without_path},
                    {"blocks", table.blocks()},
                    {"kept_blocks", metrics.kept},
                    {"rows_per_second", metrics.rows_per_second},
                    {"planned_seconds", rows.planned_seconds()}};
  if (rows_of.points) report.metrics.emplace_back("snapped_sources", snapping_record(rows_of));
  if (columns_of.points) report.metrics.emplace_back("snapped_targets", snapping_record(columns_of));
  if (options.given("snapped")) {
    const bool degrees = (rows_of.points ? rows_of : columns_of).points->degrees;
    write_text_file(
        communicator, {options.text("snapped"), options.where("snapped")},
        snapping_heading(degrees) + snapping_lines("sources", rows_of) + snapping_lines("targets", columns_of));
  }
  return report;
}

}  // namespace cairn
