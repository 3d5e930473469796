#include <fmt/format.h>
#include <zlib.h>

#include <map>
#include <memory>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/data/io/binary_number.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/io/xml.hpp"
#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr Index most_values = Index{1} << 36;  // of an array: the most that a header may state

// A DataArray: its attributes, and the text of its Data.
struct DataArray {
  XmlAttributes attributes;
  std::string text;
  Index line = 0;

  [[nodiscard]] const std::string& operator[](const std::string& name) const {
    static const std::string none;
    const auto found = attributes.find(name);
    return found == attributes.end() ? none : found->second;
  }
  [[nodiscard]] bool is(const char* intent) const { return (*this)["Intent"] == intent; }
};

std::string decode_base64(std::string_view text) {
  std::array<signed char, 256> values;
  values.fill(-1);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t k = 0; k < digits.size(); ++k)
    values[static_cast<unsigned char>(digits[k])] = static_cast<signed char>(k);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const int digit = values[static_cast<unsigned char>(c)];
    if (digit < 0) throw Error(ErrorKind::input, fmt::format("'{}' is no digit of base 64", c));
    word = word << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(word >> bits & 0xFFU));
  }
  return bytes;
}

// Decompresses data with a zlib header (the standard) or a gzip header to exactly `size` bytes.
std::string inflated(const std::string& packed, std::size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 32) != Z_OK) throw Error(ErrorKind::resource, "no memory for decompression");
  const std::unique_ptr<z_stream, int (*)(z_streamp)> guard(&stream, inflateEnd);
  std::string bytes;
  std::size_t fed = 0;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min(piece_bytes, packed.size() - fed);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
      stream.avail_in = static_cast<uInt>(piece);
      fed += piece;
    }
    const std::size_t have = bytes.size();
    bytes.resize(have + piece_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + have);
    stream.avail_out = static_cast<uInt>(piece_bytes);
    code = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
    if (code != Z_OK && code != Z_STREAM_END)
      throw Error(ErrorKind::input, "the compressed data are damaged or truncated");
    if (bytes.size() > size) break;
  }
  return bytes;
}

// Bytes of a number in the file. @throws Error(input) for a type that is not supported
std::size_t bytes_of_type(const std::string& type) {
  if (type == "NIFTI_TYPE_UINT8") return 1;
  if (type == "NIFTI_TYPE_INT32" || type == "NIFTI_TYPE_UINT32" || type == "NIFTI_TYPE_FLOAT32") return 4;
  if (type == "NIFTI_TYPE_FLOAT64") return 8;
  throw Error(ErrorKind::input, fmt::format("DataType '{}' is not read; there are UINT8, INT32, UINT32, FLOAT32 and "
                                            "FLOAT64",
                                            type));
}

double value_at(const std::string& type, const char* from, std::endian order) {
  if (type == "NIFTI_TYPE_UINT8") return static_cast<unsigned char>(*from);
  if (type == "NIFTI_TYPE_INT32") return number_at<std::int32_t>(from, order);
  if (type == "NIFTI_TYPE_UINT32") return number_at<std::uint32_t>(from, order);
  if (type == "NIFTI_TYPE_FLOAT32") return static_cast<double>(number_at<float>(from, order));
  return number_at<double>(from, order);
}

std::vector<double> text_values(std::string_view text, std::size_t count) {
  std::vector<double> values;
  const auto next = [&text] {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    const std::string_view field = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return field;
  };
  for (std::string_view field = next(); !field.empty() && values.size() <= count; field = next())
    values.push_back(parse_number<double>(field));
  return values;
}

// The rows x 3 values of an array, row by row.
std::vector<double> values_of(const DataArray& array) {
  const Index rows = parse_integer(array["Dim0"], "Dim0");
  if (array["Dimensionality"] != "2" || array["Dim1"] != "3" || rows < 1 || rows > most_values)
    throw Error(ErrorKind::input, fmt::format("{} is no array of n x 3", array["Intent"]));
  const auto count = static_cast<std::size_t>(3 * rows);
  const std::string& encoding = array["Encoding"];
  std::vector<double> values;
  if (encoding == "ASCII") {
    values = text_values(array.text, count);
  } else if (encoding == "Base64Binary" || encoding == "GZipBase64Binary") {
    const std::string& type = array["DataType"];
    const std::size_t width = bytes_of_type(type);
    std::string bytes = decode_base64(array.text);
    if (encoding == "GZipBase64Binary") bytes = inflated(bytes, count * width);
    if (bytes.size() % width != 0) throw Error(ErrorKind::input, "the data end within a number");
    const std::endian order = array["Endian"] == "GIFTI_ENDIAN_BIG" ? std::endian::big : std::endian::little;
    for (std::size_t k = 0; k < bytes.size(); k += width) values.push_back(value_at(type, bytes.data() + k, order));
  } else {
    throw Error(ErrorKind::input, fmt::format("Encoding '{}' is not read; there are ASCII, Base64Binary and "
                                              "GZipBase64Binary",
                                              encoding));
  }
  if (values.size() != count) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {}{} values, not the {} x 3 that it promises", array["Intent"],
                            values.size() > count ? "more than " : "", std::min(values.size(), count), rows));
  }
  if (array["ArrayIndexingOrder"] != "ColumnMajorOrder") return values;
  std::vector<double> by_rows(count);
  for (std::size_t k = 0; k < count; ++k)
    by_rows[k % static_cast<std::size_t>(rows) * 3 + k / static_cast<std::size_t>(rows)] = values[k];
  return by_rows;
}

// The two arrays of a file that are used.
class Surface final : public XmlElements {
 public:
  void start(std::string_view element, const XmlAttributes& attributes, Index line) override {
    if (element == "GIFTI") is_gifti_ = true;
    if (!is_gifti_)
      throw Error(ErrorKind::input, fmt::format("the first element is '{}'; this is no GIFTI file", element));
    if (element == "DataArray") current_ = DataArray{.attributes = attributes, .text = {}, .line = line};
    in_data_ = element == "Data" && current_ &&
               (current_->is("NIFTI_INTENT_POINTSET") || current_->is("NIFTI_INTENT_TRIANGLE"));
  }

  void end(std::string_view element) override {
    in_data_ = false;
    if (element != "DataArray" || !current_) return;
    for (const auto& [intent, kept] :
         {std::pair{"NIFTI_INTENT_POINTSET", &points}, std::pair{"NIFTI_INTENT_TRIANGLE", &triangles}}) {
      if (!current_->is(intent)) continue;
      if (*kept) {
        throw Error(ErrorKind::input,
                    fmt::format("there is a second array of intent {}; one surface per file is read", intent));
      }
      *kept = std::move(current_);
    }
    current_.reset();
  }

  void text(std::string_view text) override {
    if (in_data_) current_->text += text;
  }

  std::optional<DataArray> points, triangles;

 private:
  bool is_gifti_ = false;
  bool in_data_ = false;
  std::optional<DataArray> current_;
};

std::vector<double> take_values(const std::string& path, std::optional<DataArray>& array, const char* what) {
  if (!array) throw Error(ErrorKind::input, fmt::format("{}: has no array of {}", path, what));
  try {
    std::vector<double> values = values_of(*array);
    array.reset();
    return values;
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}:{}: {}", path, array->line, error.what()));
  }
}

}  // namespace

MeshFile read_gifti(const std::string& path) {
  Surface surface;
  read_xml(path, surface);
  MeshFile mesh;
  mesh.path = path;
  mesh.coordinates = take_values(path, surface.points, "intent NIFTI_INTENT_POINTSET");
  const std::vector<double> corners = take_values(path, surface.triangles, "intent NIFTI_INTENT_TRIANGLE");
  for (const double corner : corners) {
    const std::optional<Index> vertex = whole_number(corner);
    if (!vertex)
      throw Error(ErrorKind::input, fmt::format("{}: corner {} of a triangle is not an integer", path, corner));
    mesh.triangles.push_back(*vertex);
  }
  return mesh;
}

}  // namespace cairn
