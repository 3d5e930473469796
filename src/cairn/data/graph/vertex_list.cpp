#include "cairn/data/graph/vertex_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined_texts.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/root_reading.hpp"
#include "cairn/base/printable.hpp"
#include "cairn/data/graph/pieces.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/pair_list.hpp"
#include "cairn/data/text_homes.hpp"

namespace cairn {

namespace {

// The list on rank 0.
struct Listed {
  std::vector<Index> numbers, lines;
  std::vector<std::string> names;
};

// One name per line, possibly quoted; '#' and a blank begin a comment.
Listed read_listed_names(const std::string& path) {
  Listed listed;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text == "#" || text.starts_with("# ") || text.starts_with("#\t")) continue;
    if (text.front() == '"') {
      FieldSplitter splitter('\n');  // no line contains it: removes only quotes
      try {
        listed.names.emplace_back(splitter.split(text).front());
      } catch (const Error& error) {
        reader.fail(error.what());
      }
    } else {
      listed.names.emplace_back(text);
    }
    listed.lines.push_back(reader.number());
  }
  if (listed.lines.empty()) throw Error(ErrorKind::input, path + ": names no vertex");
  return listed;
}

Listed read_listed_numbers(const std::string& path) {
  Listed listed;
  LineReader reader(path);
  for (std::string_view line; reader.next_filled(line, '#');) {
    try {
      listed.numbers.push_back(parse_integer(line, "a file of vertices holds one number a line"));
    } catch (const Error& error) {
      reader.fail(error.what() + if_heading(reader.number(), true));
    }
    listed.lines.push_back(reader.number());
  }
  if (listed.lines.empty()) throw Error(ErrorKind::input, path + ": names no vertex");
  return listed;
}

// A text on the number of further lines that name no vertex (-1).
std::string and_others(const std::vector<Index>& vertices) {
  const Index others = std::ranges::count(vertices, Index{-1}) - 1;
  return others == 0 ? "" : fmt::format(" (nor those of {} more lines)", others);
}

// Vertices by their names; rank 0 requests all. Collective.
VertexList named_list(const Communicator& communicator, const std::string& path, const NumbersInFile& numbers,
                      const RowPartition& partition) {
  Listed listed;
  read_on_root(communicator, path, [&] { listed = read_listed_names(path); });
  RowKeys keys(communicator, path, numbers.names, partition.range(communicator.rank()).begin);
  VertexList list;
  list.vertices = keys.find(listed.names);
  collectively(communicator, [&] {
    const auto unknown = std::ranges::find(list.vertices, -1);
    if (unknown == list.vertices.end()) return;
    const auto k = static_cast<std::size_t>(unknown - list.vertices.begin());
    refuse_line(path, listed.lines[k],
                fmt::format("the graph has no vertex '{}'{}{}", listed.names[k], and_others(list.vertices),
                            listed.lines[k] == 1 ? "; a line that names the column begins with # and a blank" : ""));
  });
  communicator.broadcast(list.vertices, 0);
  list.numbers = list.vertices;
  list.named = true;
  list.names = std::move(listed.names);
  return list;
}

// The names of all ranks, in order, on rank 0. Collective.
std::vector<std::string> gathered(const Communicator& communicator, const std::vector<std::string>& names) {
  std::vector<std::vector<char>> send(communicator.size());
  collectively(communicator, [&] {
    for (const std::string& name : names) join_text(send[0], name);
  });
  const auto received = communicator.exchange(send);
  return collectively(communicator, [&] {
    std::vector<std::string> all;
    for (const std::vector<char>& part : received) std::ranges::move(separate_texts(part), std::back_inserter(all));
    return all;
  });
}

// The names of listed vertices on rank 0. Collective.
std::vector<std::string> names_of(const Communicator& communicator, const std::vector<Index>& vertices,
                                  const NumbersInFile& numbers, const RowPartition& partition) {
  const Range own = partition.range(communicator.rank());
  std::vector<std::vector<char>> send(communicator.size());
  collectively(communicator, [&] {
    for (const Index vertex : vertices) {
      if (own.contains(vertex)) join_text(send[0], numbers.names[vertex - own.begin]);
    }
  });
  const auto received = communicator.exchange(send);
  return collectively(communicator, [&] {
    std::vector<std::string> names;
    if (!communicator.is_root()) return names;
    std::vector<std::vector<std::string>> parts;
    for (const std::vector<char>& part : received) parts.push_back(separate_texts(part));
    std::vector<std::size_t> next(parts.size(), 0);
    for (const Index vertex : vertices) {
      const auto owner = static_cast<std::size_t>(partition.owner(vertex));
      names.push_back(std::move(parts[owner][next[owner]++]));
    }
    return names;
  });
}

}  // namespace

bool have_names(const Communicator& communicator, const NumbersInFile& numbers) {
  return communicator.maximum(Index{!numbers.names.empty()}) > 0;
}

VertexList read_vertex_list(const Communicator& communicator, const std::string& path, const NumbersInFile& numbers,
                            const RowPartition& partition) {
  if (have_names(communicator, numbers)) return named_list(communicator, path, numbers, partition);
  Listed listed;
  read_on_root(communicator, path, [&] { listed = read_listed_numbers(path); });
  VertexList list;
  list.numbers = std::move(listed.numbers);
  communicator.broadcast(list.numbers, 0);
  communicator.broadcast(listed.lines, 0);
  const Range own = partition.range(communicator.rank());
  for (const Index number : list.numbers) {
    Index vertex = number - numbers.first;
    if (numbers.listed) {
      const auto found = std::ranges::lower_bound(numbers.own, number);
      const bool known = found != numbers.own.end() && *found == number;
      vertex = known ? own.begin + (found - numbers.own.begin()) : -1;
    }
    list.vertices.push_back(vertex < partition.rows() ? std::max<Index>(vertex, -1) : -1);
  }
  if (numbers.listed) communicator.maximum(std::span<Index>(list.vertices));
  const auto unknown = std::ranges::find(list.vertices, -1);
  if (unknown != list.vertices.end()) {
    const auto k = static_cast<std::size_t>(unknown - list.vertices.begin());
    refuse_line(path, listed.lines[k],
                fmt::format("the graph has no vertex {}{}{}", list.numbers[k], and_others(list.vertices),
                            numbers.listed ? ", or it was left out"
                                           : fmt::format("; its vertices are {} to {}", numbers.first,
                                                         numbers.first + partition.rows() - 1)));
  }
  return list;
}

VertexList list_of(const Communicator& communicator, std::vector<Index> vertices, const NumbersInFile& numbers,
                   const RowPartition& partition) {
  VertexList list;
  list.named = have_names(communicator, numbers);
  if (list.named) {
    list.numbers = vertices;
    list.names = names_of(communicator, vertices, numbers, partition);
  } else {
    list.numbers = vertices_in_file(communicator, partition.range(communicator.rank()), numbers.listed, numbers.first,
                                    numbers.own, vertices);
  }
  list.vertices = std::move(vertices);
  return list;
}

VertexList all_vertices(const Communicator& communicator, const NumbersInFile& numbers, const RowPartition& partition,
                        bool with_names) {
  VertexList list;
  list.all = partition.rows();
  list.first = numbers.first;
  if (numbers.listed) list.numbers = communicator.all_gather(numbers.own);
  list.named = have_names(communicator, numbers);
  if (list.named && with_names) list.names = gathered(communicator, numbers.names);
  return list;
}

Index VertexList::bytes() const {
  std::size_t bytes = sizeof(Index) * (vertices.size() + numbers.size()) + sizeof(std::string) * names.size();
  for (const std::string& name : names) bytes += name.capacity();
  return static_cast<Index>(bytes);
}

std::string text_of(const Communicator& communicator, const VertexList& list, Index k, const NumbersInFile& numbers,
                    const RowPartition& partition) {
  if (!list.named) return std::to_string(list.number(k));
  const Index vertex = list.vertex(k);
  const Range own = partition.range(communicator.rank());
  std::string name = own.contains(vertex) ? numbers.names[vertex - own.begin] : "";
  communicator.broadcast(name, partition.owner(vertex));
  return printable(name);
}

std::vector<Index> VertexList::all_numbers() const {
  if (!numbers.empty()) return numbers;
  std::vector<Index> made(size());
  for (Index k = 0; k < size(); ++k) made[k] = number(k);
  return made;
}

}  // namespace cairn
