#include "hdf5_text.hpp"

#include <hdf5.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::fuzz {

namespace {

using hdf5::Handle;
using Sizes = std::vector<hsize_t>;

constexpr std::size_t most_values = 4096;  // that are written
constexpr std::size_t most_text = 64;      // bytes of a text of fixed length

std::string_view take(std::string_view& line, char end) {
  const std::size_t at = std::min(line.find(end), line.size());
  const std::string_view field = line.substr(0, at);
  line.remove_prefix(std::min(at + 1, line.size()));
  return field;
}

template <class T>
T number(std::string_view text) {
  T value{};
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Sizes> sizes_of(std::string_view text) {
  constexpr std::size_t most = 4;
  Sizes sizes;
  if (text == "-") return sizes;
  while (!text.empty() && sizes.size() < most) sizes.push_back(number<std::uint64_t>(take(text, 'x')));
  return sizes.empty() ? std::nullopt : std::optional(sizes);
}

// Nothing if there is no such type.
Handle type_of(std::string_view name) {
  const auto copy = [](hid_t type) { return Handle(H5Tcopy(type), H5Tclose); };
  if (name == "i1") return copy(H5T_STD_I8LE);
  if (name == "i2") return copy(H5T_STD_I16LE);
  if (name == "i4") return copy(H5T_STD_I32LE);
  if (name == "i8") return copy(H5T_STD_I64LE);
  if (name == "u1") return copy(H5T_STD_U8LE);
  if (name == "u2") return copy(H5T_STD_U16LE);
  if (name == "u4") return copy(H5T_STD_U32LE);
  if (name == "u8") return copy(H5T_STD_U64LE);
  if (name == "f4") return copy(H5T_IEEE_F32LE);
  if (name == "f8") return copy(H5T_IEEE_F64LE);
  if (name == "F8") return copy(H5T_IEEE_F64BE);
  if (name == "b1" || name == "b4") {
    const bool small = name == "b1";
    Handle type(H5Tenum_create(small ? H5T_STD_I8LE : H5T_STD_I32LE), H5Tclose);
    const std::int32_t no = 0, yes = 1;
    H5Tenum_insert(type.id(), "FALSE", &no);
    H5Tenum_insert(type.id(), "TRUE", &yes);
    return type;
  }
  if (!name.starts_with('s') && name != "v") return {};
  Handle type = copy(H5T_C_S1);
  if (name == "v") {
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    H5Tset_size(type.id(), H5T_VARIABLE);
  } else {
    H5Tset_size(type.id(), std::clamp<std::size_t>(number<std::uint32_t>(name.substr(1)), 1, most_text));
  }
  return type;
}

// `count` values of a type, from a list that begins anew where it ends. Texts are kept in `texts`.
struct Values {
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  std::string fixed;
  hid_t memory_type = -1;
  const void* data = nullptr;
};

void take_list(std::string_view list, std::size_t count, std::vector<std::string>& texts) {
  do {
    texts.emplace_back(take(list, ','));
  } while (!list.empty() && texts.size() < count);
}

Values values_of(hid_t type, std::string_view list, std::size_t count) {
  Values values;
  take_list(list, count, values.texts);
  const auto text = [&](std::size_t k) -> const std::string& { return values.texts[k % values.texts.size()]; };
  const H5T_class_t kind = H5Tget_class(type);
  for (std::size_t k = 0; k < std::max<std::size_t>(count, 1); ++k) {
    if (kind == H5T_INTEGER) {
      values.integers.push_back(number<std::int64_t>(text(k)));
    } else if (kind == H5T_FLOAT) {
      values.numbers.push_back(number<double>(text(k)));
    } else if (kind == H5T_ENUM) {
      values.fixed.append(1, text(k) == "1" ? '\1' : '\0').append(H5Tget_size(type) - 1, '\0');
    } else if (H5Tis_variable_str(type) > 0) {
      values.pointers.push_back(text(k).c_str());
    } else {
      std::string one = text(k);
      one.resize(H5Tget_size(type), '\0');
      values.fixed += one;
    }
  }
  values.memory_type = kind == H5T_INTEGER ? H5T_NATIVE_INT64 : kind == H5T_FLOAT ? H5T_NATIVE_DOUBLE : type;
  values.data = kind == H5T_INTEGER        ? static_cast<const void*>(values.integers.data())
                : kind == H5T_FLOAT        ? static_cast<const void*>(values.numbers.data())
                : !values.pointers.empty() ? static_cast<const void*>(values.pointers.data())
                                           : static_cast<const void*>(values.fixed.data());
  return values;
}

Handle space_of(const Sizes& sizes) {
  return Handle(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      H5Sclose);
}

// Elements; nothing if they are too many to be written.
std::optional<std::size_t> count_of(const Sizes& sizes) {
  std::size_t count = 1;
  for (const hsize_t size : sizes) {
    if (size > most_values) return std::nullopt;
    count *= size;
    if (count > most_values) return std::nullopt;
  }
  return count;
}

// Writes the chunks of the lower triangle of a square matrix.
void write_lower(hid_t set, const Sizes& sizes, const Sizes& chunk, const Values& values) {
  if (sizes.size() != 2 || chunk.size() != 2 || chunk[0] == 0 || chunk[1] == 0) return;
  const Handle space(H5Dget_space(set), H5Sclose);
  for (hsize_t i = 0; i < sizes[0]; i += chunk[0]) {
    for (hsize_t j = 0; j <= i && j < sizes[1]; j += chunk[1]) {
      const Sizes start{i, j}, count{std::min(chunk[0], sizes[0] - i), std::min(chunk[1], sizes[1] - j)};
      const Handle memory = space_of(count);
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      H5Dwrite(set, values.memory_type, memory.id(), space.id(), H5P_DEFAULT, values.data);
    }
  }
}

void add_dataset(hid_t file, std::string_view line) {
  const std::string name(take(line, ' '));
  const Handle type = type_of(take(line, ' '));
  const auto sizes = sizes_of(take(line, ' '));
  std::string_view layout = take(line, ' ');
  if (!type || !sizes || layout.empty()) return;
  const char kind = layout.front();
  layout.remove_prefix(1);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.id(), false);
  const Sizes chunk = sizes_of(layout).value_or(Sizes{});
  if (kind != 'c' && kind != 'n' &&
      (chunk.empty() || H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()) < 0)) {
    return;
  }
  if (kind == 'z' || kind == 'T') H5Pset_shuffle(properties.id()), H5Pset_deflate(properties.id(), 1);
  const auto chunk_values = count_of(chunk);
  const Handle space = space_of(*sizes);
  const Handle set(H5Dcreate2(file, name.c_str(), type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                   H5Dclose);
  const auto count = count_of(*sizes);
  if (!set || kind == 'n' || !count || !chunk_values) return;
  const Values values = values_of(type.id(), line, std::max(*count, *chunk_values));
  if (kind == 't' || kind == 'T') return write_lower(set.id(), *sizes, chunk, values);
  H5Dwrite(set.id(), values.memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data);
}

void add_attribute(hid_t file, std::string_view line) {
  const std::string object(take(line, ' ')), name(take(line, ' '));
  const Handle type = type_of(take(line, ' '));
  const auto sizes = sizes_of(take(line, ' '));
  if (!type || !sizes || name.empty()) return;
  const auto count = count_of(*sizes);
  if (!count) return;
  const Handle space = space_of(*sizes);
  const Handle attribute(H5Acreate_by_name(file, object.c_str(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const Values values = values_of(type.id(), line, *count);
  if (attribute) H5Awrite(attribute.id(), values.memory_type, values.data);
}

}  // namespace

std::string hdf5_of(std::string_view lines) {
  hdf5::keep_quiet();
  constexpr std::size_t increment = 4096;
  static const hid_t access = [] {                   // HDF5 closes it at its end
    H5set_free_list_limits(-1, -1, -1, -1, -1, -1);  // it keeps its tables from file to file
    const hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(properties, increment, false);
    return properties;
  }();
  const Handle file(H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  while (!lines.empty()) {
    std::string_view line = take(lines, '\n');
    const std::string_view what = take(line, ' ');
    if (what == "g")
      Handle(H5Gcreate2(file.id(), std::string(line).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    if (what == "d") add_dataset(file.id(), line);
    if (what == "a") add_attribute(file.id(), line);
  }
  H5Fflush(file.id(), H5F_SCOPE_GLOBAL);
  std::string image(static_cast<std::size_t>(std::max<ssize_t>(H5Fget_file_image(file.id(), nullptr, 0), 0)), '\0');
  H5Fget_file_image(file.id(), image.data(), image.size());
  H5Eclear2(H5E_DEFAULT);
  return image;
}

}  // namespace cairn::fuzz
