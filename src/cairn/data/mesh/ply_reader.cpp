#include <fmt/format.h>

#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/data/io/binary_number.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

namespace {

enum class Type { i8, u8, i16, u16, i32, u32, f32, f64 };

struct Property {
  std::string name;
  Type type = Type::f32;
  std::optional<Type> count;  // type of the length of a list
};

struct Element {
  std::string name;
  Index count = 0;
  std::vector<Property> properties;
};

struct Header {
  std::optional<std::endian> order;  // byte order of a binary file; nothing: text
  std::vector<Element> elements;
};

Type type_of(std::string_view name) {
  const std::pair<std::string_view, Type> types[] = {
      {"char", Type::i8},   {"int8", Type::i8},     {"uchar", Type::u8},   {"uint8", Type::u8},
      {"short", Type::i16}, {"int16", Type::i16},   {"ushort", Type::u16}, {"uint16", Type::u16},
      {"int", Type::i32},   {"int32", Type::i32},   {"uint", Type::u32},   {"uint32", Type::u32},
      {"float", Type::f32}, {"float32", Type::f32}, {"double", Type::f64}, {"float64", Type::f64}};
  for (const auto& [known, type] : types) {
    if (known == name) return type;
  }
  throw Error(ErrorKind::input, fmt::format("'{}' is not a number type of PLY", name.substr(0, 40)));
}

std::optional<std::endian> order_of(std::string_view format) {
  if (format == "ascii") return std::nullopt;
  if (format == "binary_little_endian") return std::endian::little;
  if (format == "binary_big_endian") return std::endian::big;
  throw Error(ErrorKind::input, fmt::format("'{}' is no format of PLY", format.substr(0, 40)));
}

void add_property(std::string_view line, Header& header) {
  if (header.elements.empty()) throw Error(ErrorKind::input, "a property is before the first element");
  Property property;
  std::string_view type = take_field(line);
  if (type == "list") {
    property.count = type_of(take_field(line));
    if (*property.count >= Type::f32) throw Error(ErrorKind::input, "the length of a list is not an integer");
    type = take_field(line);
  }
  property.type = type_of(type);
  property.name = take_field(line);
  header.elements.back().properties.push_back(std::move(property));
}

Header read_header(LineReader& reader) {
  Header header;
  std::string_view line;
  if (!reader.next(line) || take_field(line) != "ply") reader.fail("does not begin with 'ply': this is no PLY file");
  bool has_format = false;
  while (reader.next(line)) {
    try {
      const std::string_view word = take_field(line);
      if (word == "end_header") {
        if (!has_format) throw Error(ErrorKind::input, "the header names no format");
        return header;
      }
      if (word == "format") {
        header.order = order_of(take_field(line));
        has_format = true;
      } else if (word == "element") {
        Element element;
        element.name = take_field(line);
        element.count = take_integer(line, "the number of elements");
        if (element.count < 0) throw Error(ErrorKind::input, "a negative count");
        header.elements.push_back(std::move(element));
      } else if (word == "property") {
        add_property(line, header);
      } else if (word != "comment" && word != "obj_info" && !word.empty()) {
        throw Error(ErrorKind::input, fmt::format("'{}' is no word of a PLY header", word.substr(0, 40)));
      }
    } catch (const Error& error) {
      reader.fail(error.what());
    }
  }
  throw Error(ErrorKind::input, reader.path() + ": is truncated: the header has no end");
}

// The values of elements one after another, from text or bytes.
class Values {
 public:
  Values(LineReader& reader, std::optional<std::endian> order) : reader_(reader), order_(order) {}

  void begin_element() {
    if (order_) return;
    if (!reader_.next_filled(line_, '\0')) throw Error(ErrorKind::input, reader_.path() + ": is truncated");
  }
  [[nodiscard]] double next(Type type) { return order_ ? binary(type) : take_number(line_, "a value"); }
  [[nodiscard]] Index next_integer(Type type) {
    const double value = next(type);
    const std::optional<Index> whole = whole_number(value);
    if (!whole) throw Error(ErrorKind::input, fmt::format("{} is not an integer", value));
    return *whole;
  }

 private:
  template <class T>
  double take() {
    char bytes[sizeof(T)];
    reader_.bytes(bytes, sizeof(T));
    return static_cast<double>(number_at<T>(bytes, *order_));
  }
  double binary(Type type) {
    switch (type) {
      case Type::i8:
        return take<std::int8_t>();
      case Type::u8:
        return take<std::uint8_t>();
      case Type::i16:
        return take<std::int16_t>();
      case Type::u16:
        return take<std::uint16_t>();
      case Type::i32:
        return take<std::int32_t>();
      case Type::u32:
        return take<std::uint32_t>();
      case Type::f32:
        return take<float>();
      case Type::f64:
        return take<double>();
    }
    return 0.0;
  }

  LineReader& reader_;
  std::optional<std::endian> order_;
  std::string_view line_;
};

int axis_of(const std::string& name) { return name.size() == 1 && name >= "x" && name <= "z" ? name[0] - 'x' : -1; }

// Reads one element: x, y and z of a vertex go to `axes`, the corners of a face to `corners`.
void read_element(Values& values, const Element& element, double* axes, std::vector<Index>& corners) {
  const bool face = element.name == "face";
  for (const Property& property : element.properties) {
    if (!property.count) {
      const double value = values.next(property.type);
      const int axis = face ? -1 : axis_of(property.name);
      if (axis >= 0) axes[axis] = value;
      continue;
    }
    const bool wanted = face && (property.name == "vertex_indices" || property.name == "vertex_index");
    const Index count = values.next_integer(*property.count);
    if (count < 0) throw Error(ErrorKind::input, "a list of negative length");
    if (wanted && count < 3) throw Error(ErrorKind::input, fmt::format("a face of {} corners", count));
    for (Index k = 0; k < count; ++k) {
      if (wanted)
        corners.push_back(values.next_integer(property.type));
      else
        (void)values.next(property.type);
    }
  }
}

void check_elements(const std::string& path, const Header& header) {
  bool axes[3] = {}, faces = false;
  Index vertex_elements = 0;
  for (const Element& element : header.elements) {
    if (element.name == "vertex" && ++vertex_elements > 1)
      throw Error(ErrorKind::input, path + ": a second element 'vertex'");
    if (element.properties.empty() && element.count > 0)
      throw Error(ErrorKind::input, fmt::format("{}: its {} elements '{}' have no properties", path, element.count,
                                                element.name.substr(0, 40)));
    for (const Property& property : element.properties) {
      const int axis = axis_of(property.name);
      if (element.name == "vertex" && axis >= 0 && !property.count) axes[axis] = true;
      const bool corners = property.name == "vertex_indices" || property.name == "vertex_index";
      if (element.name == "face" && corners && property.count) faces = true;
    }
  }
  if (!axes[0] || !axes[1] || !axes[2]) throw Error(ErrorKind::input, path + ": its vertices have no x, y and z");
  if (!faces)
    throw Error(ErrorKind::input, path + ": has no faces with a list vertex_indices (tristrips are not read)");
}

}  // namespace

MeshFile read_ply(const std::string& path) {
  LineReader reader(path);
  const Header header = read_header(reader);
  check_elements(path, header);
  MeshFile mesh;
  mesh.path = path;
  Values values(reader, header.order);
  std::vector<Index> corners;
  for (const Element& element : header.elements) {
    for (Index k = 0; k < element.count; ++k) {
      values.begin_element();
      double axes[3] = {};
      corners.clear();
      try {
        read_element(values, element, axes, corners);
      } catch (const Error& error) {
        if (!header.order) reader.fail(error.what());
        const std::string message = error.what();
        if (message.starts_with(path)) throw;
        throw Error(ErrorKind::input, fmt::format("{}: {} {}: {}", path, element.name, k, message));
      }
      if (element.name == "vertex") mesh.coordinates.insert(mesh.coordinates.end(), axes, axes + 3);
      if (element.name != "face") continue;
      mesh.add_polygon(corners);
      if (!header.order) mesh.lines.resize(mesh.triangle_count(), reader.number());
    }
  }
  return mesh;
}

}  // namespace cairn
