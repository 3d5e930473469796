#include "cairn/store/result/hierarchy_file.hpp"

#include <fmt/format.h>

#include <span>

#include "cairn/store/hdf5/result_layout.hpp"

namespace cairn {

namespace {

using hdf5::InputFile;
using hdf5::TableShape;

std::string path_of(const char* name) { return layout::in(layout::hierarchy, name); }

template <class Number>
void read_list(const InputFile& file, const std::string& name, const TableShape& shape, std::vector<Number>& out) {
  out.resize(shape.rows);
  if (shape.rows > 0) file.read_rows(name, shape, {0, shape.rows}, out.data());
}

// Reads a list in the type in which it is stored, one of the types of `out`.
template <class Number, class... Others>
void read_any(const InputFile& file, const std::string& name, std::variant<Number, Others...>& out) {
  const TableShape shape = file.table(name);
  const auto attempt = [&]<class List>(List list) {
    if (!(shape.type == hdf5::element_type<typename List::value_type>())) return;
    read_list(file, name, shape, list);
    out = std::move(list);
  };
  attempt(Number{});
  (attempt(Others{}), ...);
}

template <class... Numbers>
bool is_list_of(const TableShape& shape, Index rows) {
  return shape.columns < 0 && shape.rows == rows && ((shape.type == hdf5::element_type<Numbers>()) || ...);
}

}  // namespace

std::vector<SharedTable> hierarchy_tables(const Communicator& communicator, const StoredHierarchy& hierarchy) {
  std::vector<SharedTable> tables;
  const auto add = [&](const char* name, const auto& list) {
    tables.push_back(consecutive_rows(communicator, path_of(name), -1, std::span(list.data(), list.size())));
  };
  const auto add_any = [&](const char* name, const auto& list) {
    std::visit([&](const auto& values) { add(name, values); }, list);
  };
  add(layout::vertices, hierarchy.vertices);
  add_any(layout::depths, hierarchy.depths);
  add_any(layout::degrees, hierarchy.degrees);
  add_any(layout::heads, hierarchy.heads);
  add_any(layout::lengths, hierarchy.lengths);
  return tables;
}

Index stored_hierarchy_arcs(const InputFile& file, Index rows) {
  if (!file.has(layout::hierarchy)) return -1;
  const Index arcs = file.table(path_of(layout::heads)).rows;
  const bool sound = is_list_of<std::int32_t>(file.table(path_of(layout::vertices)), rows) &&
                     is_list_of<std::uint16_t, std::int32_t>(file.table(path_of(layout::depths)), rows) &&
                     is_list_of<std::uint16_t, std::int32_t>(file.table(path_of(layout::degrees)), rows) &&
                     is_list_of<std::uint16_t, std::int32_t>(file.table(path_of(layout::heads)), arcs) &&
                     is_list_of<std::uint16_t, std::uint32_t, double>(file.table(path_of(layout::lengths)), arcs);
  if (!sound) file.refuse(fmt::format("/{} is not a hierarchy of {} vertices", layout::hierarchy, rows));
  return arcs;
}

ContractionHierarchy read_hierarchy(const InputFile& file) {
  StoredHierarchy stored;
  const std::string vertices = path_of(layout::vertices);
  read_list(file, vertices, file.table(vertices), stored.vertices);
  read_any(file, path_of(layout::depths), stored.depths);
  read_any(file, path_of(layout::degrees), stored.degrees);
  read_any(file, path_of(layout::heads), stored.heads);
  read_any(file, path_of(layout::lengths), stored.lengths);
  std::string refused;
  ContractionHierarchy hierarchy = unpack(stored, refused);
  if (!refused.empty()) file.refuse(fmt::format("/{} {}", layout::hierarchy, refused));
  return hierarchy;
}

}  // namespace cairn
