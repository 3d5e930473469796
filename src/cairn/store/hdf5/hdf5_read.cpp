#include "cairn/store/hdf5/hdf5_read.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/store/hdf5/replaced_file.hpp"

namespace cairn::hdf5 {

namespace {

constexpr Index piece_bytes = Index{1} << 28;  // small enough that the watchdog sees progress

Handle text_memory_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

// Texts of any length are converted on the way, in a buffer of 1 MiB that HDF5 clears for each data set unless it is
// told a size.
Handle text_transfer(Index count) {
  constexpr Index text_bytes = 32, least = 4096, most = Index{1} << 20;
  Handle properties(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  const Index bytes = std::clamp(std::min(count, most) * text_bytes, least, most);
  H5Pset_buffer(properties.id(), static_cast<std::size_t>(bytes), nullptr, nullptr);
  return properties;
}

// True if the file begins as the files that cairn writes. Other HDF5 files may begin with a user block, which HDF5
// skips.
bool begins_as_hdf5(const std::string& path) {
  constexpr std::array<char, 8> signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> found{};
  std::ifstream file(path, std::ios::binary);
  file.read(found.data(), found.size());
  return file.gcount() > 0 && std::equal(found.begin(), found.begin() + file.gcount(), signature.begin());
}

Error changed(const std::string& path) {
  return {ErrorKind::input,
          fmt::format("{} changed while it was read: another program replaced it; run this command again", path)};
}

bool is_class(const Handle& type, H5T_class_t expected) { return type && H5Tget_class(type.id()) == expected; }

}  // namespace

std::optional<ElementType> known_type(const Handle& type) {
  using Kind = ElementType::Kind;
  if (!type) return std::nullopt;
  const auto bytes = static_cast<Index>(H5Tget_size(type.id()));
  if (is_class(type, H5T_STRING) && H5Tis_variable_str(type.id()) == 0 && bytes > 0) {
    return ElementType{Kind::text, bytes};
  }
  const bool is_signed = is_class(type, H5T_INTEGER) && H5Tget_sign(type.id()) == H5T_SGN_2;
  for (const Kind kind : {Kind::float32, Kind::float64, Kind::int32, Kind::int64, Kind::uint16, Kind::uint32}) {
    const ElementType known{kind};
    const H5T_class_t expected = known.is_float() ? H5T_FLOAT : H5T_INTEGER;
    const bool needs_sign = kind == Kind::int32 || kind == Kind::int64;
    if (is_class(type, expected) && known.bytes() == bytes && (known.is_float() || needs_sign == is_signed)) {
      return known;
    }
  }
  return std::nullopt;
}

InputFile::InputFile(const std::string& path, std::string maker) : path_(path), maker_(std::move(maker)) {
  keep_quiet();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw Error(ErrorKind::input, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::input, fmt::format("{} is not a file", path));
  if (::access(path.c_str(), R_OK) != 0) {
    throw Error(ErrorKind::input, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  note_file_of(path);
  bytes_ = static_cast<Index>(status.st_size);
  file_ = kept_open(path);
  const bool kept = static_cast<bool>(file_);
  if (!kept) file_ = open_to_read(path);
  const std::string reason = file_ ? "" : failure_reason();
  if (is_of_locks(reason)) throw Error(ErrorKind::input, fmt::format("cannot read {}: HDF5 says: {}", path, reason));
  if (!file_ && was_replaced(path)) throw changed(path);
  if (!file_ && !begins_as_hdf5(path)) {
    throw Error(ErrorKind::input, fmt::format("cannot read {}: it is not an HDF5 file, as results, models and other "
                                              "files are that cairn writes for itself",
                                              path));
  }
  if (!file_) {
    throw Error(ErrorKind::input,
                fmt::format("cannot read {}: it is not an HDF5 file, or it is truncated (HDF5 says: {}); "
                            "make it again with {}",
                            path, reason, maker_));
  }
  has_checksums_ = has(checksum_name);
  if (kept) return;
  if (has_checksums_) check_text_blocks();
  keep_open(file_);
}

void InputFile::refuse(const std::string& what) const {
  if (was_replaced(path_)) throw changed(path_);
  const char* kind = maker_ == "cairn train" ? "model" : maker_ == "cairn approximate" ? "result" : "cairn";
  throw Error(ErrorKind::input,
              fmt::format("{} is not a sound {} file: {}; make it again with {}", path_, kind, what, maker_));
}

namespace {

bool is_data_set(hid_t file, const std::string& path) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  return object && H5Iget_type(object.id()) == H5I_DATASET;
}

}  // namespace

bool InputFile::has_link(const std::string& path) const {
  const htri_t exists = H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT);
  if (exists < 0) refuse(fmt::format("/{} cannot be looked for: {}", path, failure_reason()));
  return exists > 0;
}

// Group by group: HDF5 does not distinguish a missing group from a damaged one, or from a data set, which contains
// nothing.
bool InputFile::has(const std::string& name) const {
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string above = name.substr(0, slash);
    if (!above.empty() && (!has_link(above) || is_data_set(file_.id(), above))) return false;
  }
  return has_link(name);
}

bool InputFile::is_group(const std::string& name) const {
  const Handle object(has(name) ? H5Oopen(file_.id(), name.c_str(), H5P_DEFAULT) : -1, H5Oclose);
  return object && H5Iget_type(object.id()) == H5I_GROUP;
}

bool InputFile::has_attribute(const std::string& object, const std::string& name) const {
  const htri_t exists = H5Aexists_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT);
  if (exists < 0) refuse(fmt::format("the attributes of {} cannot be read: {}", object, failure_reason()));
  return exists > 0;
}

std::vector<std::string> InputFile::children(const std::string& group) const {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  hsize_t position = 0;
  if (!has(group) || H5Literate_by_name(file_.id(), group.c_str(), H5_INDEX_NAME, H5_ITER_INC, &position, take, &names,
                                        H5P_DEFAULT) < 0) {
    refuse(fmt::format("the group {} is missing", group));
  }
  return names;
}

Handle InputFile::open_attribute(const std::string& object, const std::string& name) const {
  Handle attribute(H5Aopen_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute) refuse(fmt::format("the attribute {} of {} is missing, or damaged", name, object));
  return attribute;
}

Handle InputFile::open_dataset(const std::string& name) const {
  Handle dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset && has(name)) refuse(fmt::format("the data set /{} is damaged: {}", name, failure_reason()));
  if (!dataset) refuse(fmt::format("the data set /{} is missing", name));
  return dataset;
}

void InputFile::read_scalar(const std::string& object, const std::string& name, bool text, Identifier memory_type,
                            void* out) const {
  const Handle attribute = open_attribute(object, name);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const bool is_text = is_class(type, H5T_STRING) && H5Tis_variable_str(type.id()) > 0;
  const bool is_number = is_class(type, H5T_INTEGER) || is_class(type, H5T_FLOAT) || is_class(type, H5T_ENUM);
  if (H5Sget_simple_extent_npoints(space.id()) != 1 || (text ? !is_text : !is_number) ||
      H5Aread(attribute.id(), memory_type, out) < 0) {
    refuse(fmt::format("the attribute {} of {} is not one {}", name, object, text ? "text" : "number"));
  }
}

std::string InputFile::text_attribute(const std::string& object, const std::string& name) const {
  const Handle type = text_memory_type();
  char* text = nullptr;
  read_scalar(object, name, true, type.id(), &text);
  const std::string copy = text == nullptr ? "" : text;
  H5free_memory(text);
  return copy;
}

double InputFile::number_attribute(const std::string& object, const std::string& name) const {
  double value = 0;
  read_scalar(object, name, false, H5T_NATIVE_DOUBLE, &value);
  return value;
}

Index InputFile::index_attribute(const std::string& object, const std::string& name) const {
  Index value = 0;
  read_scalar(object, name, false, H5T_NATIVE_INT64, &value);
  return value;
}

std::vector<Index> InputFile::index_list_attribute(const std::string& object, const std::string& name) const {
  constexpr hssize_t most = 1000;  // attributes are small; a damaged one may claim any size
  const Handle attribute = open_attribute(object, name);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  std::vector<Index> values(std::clamp<hssize_t>(count, 0, most));
  if (!is_class(type, H5T_INTEGER) || count < 0 || count > most ||
      H5Aread(attribute.id(), H5T_NATIVE_INT64, values.data()) < 0) {
    refuse(fmt::format("the attribute {} of {} is not a short list of integers", name, object));
  }
  return values;
}

std::uint64_t InputFile::unsigned_attribute(const std::string& object, const std::string& name) const {
  std::uint64_t value = 0;
  read_scalar(object, name, false, H5T_NATIVE_UINT64, &value);
  return value;
}

bool InputFile::flag_attribute(const std::string& object, const std::string& name) const {
  const Handle attribute = open_attribute(object, name);
  const Handle stored(H5Aget_type(attribute.id()), H5Tclose);
  if (!is_class(stored, H5T_ENUM) || H5Tget_size(stored.id()) != sizeof(std::int8_t)) {
    refuse(fmt::format("the attribute {} of {} is not a flag", name, object));
  }
  std::int8_t value = 0;
  read_scalar(object, name, false, stored.id(), &value);
  return value != 0;
}

// Finds a data set that lies outside the file or is larger than the file, before memory is allocated for it.
void InputFile::check_place(const Handle& dataset, const std::string& name, Index bytes) const {
  const Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) {
    refuse(fmt::format("/{} is chunked, and result files hold contiguous data sets (h5repack -l CONTI)", name));
  }
  const haddr_t offset = layout == H5D_CONTIGUOUS && bytes > 0 ? H5Dget_offset(dataset.id()) : 0;
  if (offset == HADDR_UNDEF || bytes > bytes_ || static_cast<Index>(offset) > bytes_ - bytes) {
    refuse(fmt::format("/{} claims {} bytes, which the file of {} bytes does not hold", name, bytes, bytes_));
  }
}

Index InputFile::list_size(const Handle& dataset, const std::string& name) const {
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  const auto element = static_cast<Index>(H5Tget_size(type.id()));
  if (rank > 1 || count < 0 || element < 1 || count > bytes_ / element) {
    refuse(fmt::format("/{} is not a list that fits into the file", name));
  }
  check_place(dataset, name, count * element);
  require_sound(dataset, name);
  return count;
}

std::vector<std::string> InputFile::read_texts(const Handle& dataset, const std::string& name, Index count) const {
  const Handle stored(H5Dget_type(dataset.id()), H5Tclose);
  if (!is_class(stored, H5T_STRING) || H5Tis_variable_str(stored.id()) <= 0) {
    refuse(fmt::format("/{} does not hold texts of any length", name));
  }
  const Handle type = text_memory_type(), transfer = text_transfer(count);
  std::vector<char*> pointers(count, nullptr);
  const bool sound =
      count == 0 || H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, transfer.id(), pointers.data()) >= 0;
  const std::string reason = sound ? "" : failure_reason();
  std::vector<std::string> texts;
  for (char* pointer : pointers) {
    texts.emplace_back(pointer == nullptr ? "" : pointer);
    H5free_memory(pointer);
  }
  if (!sound) refuse(fmt::format("/{} cannot be read: {}", name, reason));
  return texts;
}

std::string InputFile::text(const std::string& name) const {
  const Handle dataset = open_dataset(name);
  if (list_size(dataset, name) != 1) refuse(fmt::format("/{} is not one text", name));
  return read_texts(dataset, name, 1).front();
}

std::vector<std::string> InputFile::texts(const std::string& name) const {
  const Handle dataset = open_dataset(name);
  return read_texts(dataset, name, list_size(dataset, name));
}

std::vector<double> InputFile::numbers(const std::string& name) const {
  const Handle dataset = open_dataset(name);
  std::vector<double> values(list_size(dataset, name));
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (!is_class(type, H5T_FLOAT) ||
      H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    refuse(fmt::format("/{} does not hold floating-point numbers", name));
  }
  return values;
}

std::vector<Index> InputFile::indices(const std::string& name) const {
  const Handle dataset = open_dataset(name);
  std::vector<Index> values(list_size(dataset, name));
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (!is_class(type, H5T_INTEGER) ||
      H5Dread(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    refuse(fmt::format("/{} does not hold integers", name));
  }
  return values;
}

TableShape InputFile::table(const std::string& name) const {
  const Handle dataset = open_dataset(name);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const auto element = static_cast<Index>(H5Tget_size(type.id()));
  TableShape shape;
  if (const auto known = known_type(type)) {
    shape.type = *known;
  } else {
    refuse(fmt::format("/{} does not hold float32, float64, integers or texts of one length", name));
  }
  std::array<hsize_t, 2> dimensions{0, 1};
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 1 || rank > 2) refuse(fmt::format("/{} is neither a matrix nor a list", name));
  H5Sget_simple_extent_dims(space.id(), dimensions.data(), nullptr);
  const auto most = static_cast<hsize_t>(bytes_ / element);
  if (dimensions[0] > most || dimensions[1] > most || (dimensions[0] > 0 && dimensions[1] > most / dimensions[0])) {
    refuse(fmt::format("/{} claims {} x {} elements, which the file of {} bytes does not hold", name, dimensions[0],
                       dimensions[1], bytes_));
  }
  shape.rows = static_cast<Index>(dimensions[0]);
  shape.columns = rank == 2 ? static_cast<Index>(dimensions[1]) : -1;
  check_place(dataset, name, static_cast<Index>(dimensions[0] * dimensions[1]) * element);
  return shape;
}

void InputFile::read_rows(const std::string& name, const TableShape& shape, Range rows, void* out) const {
  const Handle dataset = open_dataset(name);
  if (const Index chunk_rows = checksum_attribute(dataset, name, checksum_rows); chunk_rows != 0) {
    return read_checked_rows(dataset, name, shape, chunk_rows, rows, static_cast<std::byte*>(out));
  }
  require_sound(dataset, name);
  read_stored_rows(dataset, name, shape, rows, out);
}

void InputFile::read_stored_rows(const Handle& dataset, const std::string& name, const TableShape& shape, Range rows,
                                 void* out) const {
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  // Texts as they are stored: HDF5 does not convert ASCII to UTF-8.
  const Handle memory_type = shape.type.kind == ElementType::Kind::text ? Handle(H5Dget_type(dataset.id()), H5Tclose)
                                                                        : memory_type_of(shape.type);
  const Index columns = shape.columns < 0 ? 1 : shape.columns;
  const Index row_bytes = columns * shape.type.bytes();
  const Index most = std::max<Index>(1, piece_bytes / std::max<Index>(1, row_bytes));
  for (Index first = rows.begin; first < rows.end && row_bytes > 0; first += most) {
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> count{static_cast<hsize_t>(std::min(most, rows.end - first)),
                                       static_cast<hsize_t>(columns)};
    const hsize_t elements = count[0] * count[1];
    const Handle memory(H5Screate_simple(1, &elements, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(dataset.id(), memory_type.id(), memory.id(), space.id(), H5P_DEFAULT,
                static_cast<std::byte*>(out) + (first - rows.begin) * row_bytes) < 0) {
      refuse(fmt::format("/{} cannot be read: {}", name, failure_reason()));
    }
    Watchdog::beat();
  }
}

std::vector<std::string> InputFile::row_texts(const std::string& name, Range rows) const {
  const TableShape shape = table(name);
  if (shape.type.kind != ElementType::Kind::text || shape.columns >= 0 || rows.end > shape.rows) {
    refuse(fmt::format("/{} is not a list of texts of one length", name));
  }
  const Index length = shape.type.text_bytes;
  const Index most = std::max<Index>(1, piece_bytes / 4 / length);
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (Index first = rows.begin; first < rows.end; first += most) {
    const Range piece{first, std::min(first + most, rows.end)};
    std::vector<char> bytes(piece.size() * length);
    read_rows(name, shape, piece, bytes.data());
    for (Index i = 0; i < piece.size(); ++i) {
      const char* text = bytes.data() + i * length;
      texts.emplace_back(text, ::strnlen(text, static_cast<std::size_t>(length)));
    }
  }
  return texts;
}

}  // namespace cairn::hdf5
