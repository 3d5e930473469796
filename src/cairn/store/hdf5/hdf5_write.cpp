#include "cairn/store/hdf5/hdf5_write.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "cairn/base/error.hpp"
#include "cairn/base/process/abort.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/store/hdf5/replaced_file.hpp"

namespace cairn::hdf5 {

namespace {

// One MPI-IO call moves less than 2^31 bytes; much smaller pieces cost nothing and let the watchdog see progress.
constexpr Index piece_bytes = Index{1} << 28;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::resource, fmt::format("cannot write {} of the result: {}", what, failure_reason()));
}

void require(herr_t status, const std::string& what) {
  if (status < 0) fail(what);
}

Handle owned(hid_t id, Handle::Closer close, const std::string& what) {
  if (id < 0) fail(what);
  return Handle(id, close);
}

Handle text_type() {
  Handle type = owned(H5Tcopy(H5T_C_S1), H5Tclose, "type");
  require(H5Tset_size(type.id(), H5T_VARIABLE), "type");
  require(H5Tset_cset(type.id(), H5T_CSET_UTF8), "type");
  return type;
}

Handle flag_type() {
  Handle type = owned(H5Tenum_create(H5T_STD_I8LE), H5Tclose, "type");
  const std::int8_t no = 0;
  const std::int8_t yes = 1;
  require(H5Tenum_insert(type.id(), "FALSE", &no), "type");
  require(H5Tenum_insert(type.id(), "TRUE", &yes), "type");
  return type;
}

Handle space_of(std::span<const hsize_t> dimensions) {
  return owned(dimensions.empty() ? H5Screate(H5S_SCALAR)
                                  : H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr),
               H5Sclose, "data space");
}

void write_scalar(const Handle& object, const std::string& name, hid_t file_type, hid_t memory_type,
                  const void* value) {
  const Handle space = space_of({});
  const Handle attribute = owned(H5Acreate2(object.id(), name.c_str(), file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose, "attribute " + name);
  require(H5Awrite(attribute.id(), memory_type, value), "attribute " + name);
}

// Without times, so that the same result gives the same bytes. Links and attributes stay in the header of their object,
// whose checksum is verified first: if a heap of many links is damaged, HDF5 1.10 frees memory that it never allocated
// (H5G__dense_iterate).
Handle header_properties(hid_t kind) {
  constexpr unsigned most = 65535;  // maximum of HDF5
  Handle properties = owned(H5Pcreate(kind), H5Pclose, "properties");
  require(H5Pset_obj_track_times(properties.id(), false), "properties");
  require(H5Pset_attr_phase_change(properties.id(), most, most), "properties");
  if (kind != H5P_DATASET_CREATE) require(H5Pset_link_phase_change(properties.id(), most, most), "properties");
  return properties;
}

Handle dataset_properties() {
  Handle properties = header_properties(H5P_DATASET_CREATE);
  require(H5Pset_layout(properties.id(), H5D_CONTIGUOUS), "properties");
  return properties;
}

void write_dataset(const Handle& parent, const std::string& name, hid_t file_type, hid_t memory_type,
                   std::span<const hsize_t> dimensions, const void* values) {
  const Handle space = space_of(dimensions);
  const Handle properties = dataset_properties();
  const Handle dataset =
      owned(H5Dcreate2(parent.id(), name.c_str(), file_type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
            H5Dclose, name);
  require(H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
}

// Type of a number in memory and in the file.
struct NumberTypes {
  hid_t memory, file;
};

NumberTypes number_types(ElementType::Kind kind) {
  using Kind = ElementType::Kind;
  switch (kind) {
    case Kind::float32:
      return {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE};
    case Kind::int32:
      return {H5T_NATIVE_INT32, H5T_STD_I32LE};
    case Kind::int64:
      return {H5T_NATIVE_INT64, H5T_STD_I64LE};
    case Kind::uint16:
      return {H5T_NATIVE_UINT16, H5T_STD_U16LE};
    case Kind::uint32:
      return {H5T_NATIVE_UINT32, H5T_STD_U32LE};
    case Kind::float64:
    case Kind::text:
      break;
  }
  return {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE};
}

}  // namespace

Index ElementType::bytes() const {
  switch (kind) {
    case Kind::uint16:
      return 2;
    case Kind::float32:
    case Kind::int32:
    case Kind::uint32:
      return 4;
    case Kind::float64:
    case Kind::int64:
      return 8;
    case Kind::text:
      return text_bytes;
  }
  return 0;
}

Handle file_type_of(ElementType type) {
  if (type.kind == ElementType::Kind::text) return memory_type_of(type);
  return owned(H5Tcopy(number_types(type.kind).file), H5Tclose, "type");
}

Handle memory_type_of(ElementType type) {
  if (type.kind != ElementType::Kind::text) return owned(H5Tcopy(number_types(type.kind).memory), H5Tclose, "type");
  Handle text = owned(H5Tcopy(H5T_C_S1), H5Tclose, "type");
  require(H5Tset_size(text.id(), static_cast<std::size_t>(type.text_bytes)), "type");
  require(H5Tset_strpad(text.id(), H5T_STR_NULLPAD), "type");
  require(H5Tset_cset(text.id(), H5T_CSET_UTF8), "type");
  return text;
}

Handle create_file(const std::string& path) {
  keep_quiet();
  static_cast<void>(take_failed_close());  // from other files
  close_kept_files();
  const Handle access = without_locks();
  // Large tables start at whole mebibytes: a stripe of a parallel file system then has one writer.
  constexpr hsize_t mebibyte = hsize_t{1} << 20;
  require(H5Pset_alignment(access.id(), mebibyte, mebibyte), "file");
  require(H5Pset_fclose_degree(access.id(), H5F_CLOSE_SEMI), "file");  // closing fails if something is still open
  // Headers of format 1.8 have checksums, older ones do not.
  require(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), "file");
  const Handle creation = header_properties(H5P_FILE_CREATE);
  return owned(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, "file " + path);
}

namespace {

// File pointers shared by ranks are not used. Of Open MPI's implementations of them, one writes the file name into 256
// bytes, whatever its length (4.1), and one looks for a folder that a process without mpirun lacks, and complains. The
// setting is read when the first file is opened, and then reset, so that programs started by Cairn do not inherit it.
class WithoutSharedPointers {
 public:
  WithoutSharedPointers() : set_(std::getenv(variable) == nullptr) {
    if (set_) ::setenv(variable, "^lockedfile,sm", 1);
  }
  ~WithoutSharedPointers() {
    if (set_) ::unsetenv(variable);
  }
  WithoutSharedPointers(const WithoutSharedPointers&) = delete;
  WithoutSharedPointers& operator=(const WithoutSharedPointers&) = delete;

 private:
  static constexpr const char* variable = "OMPI_MCA_sharedfp";
  bool set_;
};

}  // namespace

Handle open_shared(const Communicator& communicator, const std::string& path) {
  keep_quiet();
  static_cast<void>(take_failed_close());  // from other files
  close_kept_files();
  const Handle access = without_locks();
  const WithoutSharedPointers setting;
  require(H5Pset_fapl_mpio(access.id(), communicator.handle(), MPI_INFO_NULL), "file");
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id());
  // ROMIO takes text before a colon as a kind of file system and removes it: "ufs" is the kind of all POSIX file
  // systems.
  if (file < 0 && path.find(':') != std::string::npos)
    file = H5Fopen(("ufs:" + path).c_str(), H5F_ACC_RDWR, access.id());
  return owned(file, H5Fclose, "file " + path);
}

Handle open_alone(const std::string& path, std::optional<Identifier> driver) {
  keep_quiet();
  static_cast<void>(take_failed_close());  // from other files
  close_kept_files();
  const Handle access = without_locks();
  if (driver) require(H5Pset_driver(access.id(), *driver, nullptr), "file");
  require(H5Pset_fclose_degree(access.id(), H5F_CLOSE_SEMI), "file");
  return owned(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose, "file " + path);
}

void close_file(Handle file) {
  if (const auto reason = take_failed_close())
    throw Error(ErrorKind::resource, fmt::format("cannot write a part of the result: {}", *reason));
  require(H5Fflush(file.id(), H5F_SCOPE_GLOBAL), "file");
  if (!file.close()) fail("file");
}

void close_shared(const Communicator& communicator, Handle file) {
  const auto lost = take_failed_close();
  if (!lost && H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0 && file.close()) return;
  std::fprintf(stderr, "cairn: error: cannot write the end of the result: %s\n",
               (lost ? *lost : failure_reason()).c_str());
  end_all_ranks(communicator.handle(), ErrorKind::resource);
}

Handle open_table(const Handle& parent, const std::string& name) {
  return owned(H5Dopen2(parent.id(), name.c_str(), H5P_DEFAULT), H5Dclose, name);
}

Handle create_group(const Handle& parent, const std::string& name) {
  const Handle creation = header_properties(H5P_GROUP_CREATE);
  return owned(H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Gclose, name);
}

void create_groups_of(const Handle& file, const std::string& path) {
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string group = path.substr(0, slash);
    if (H5Lexists(file.id(), group.c_str(), H5P_DEFAULT) <= 0) static_cast<void>(create_group(file, group));
  }
}

void write_attribute(const Handle& object, const std::string& name, const std::string& text) {
  const Handle type = text_type();
  const char* pointer = text.c_str();
  write_scalar(object, name, type.id(), type.id(), &pointer);
}

void write_attribute(const Handle& object, const std::string& name, double value) {
  write_scalar(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(const Handle& object, const std::string& name, Index value) {
  write_scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void write_attribute(const Handle& object, const std::string& name, std::uint64_t value) {
  write_scalar(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void write_attribute(const Handle& object, const std::string& name, std::uint32_t value) {
  write_scalar(object, name, H5T_STD_U32LE, H5T_NATIVE_UINT32, &value);
}

void write_attribute(const Handle& object, const std::string& name, std::span<const Index> values) {
  const hsize_t count = values.size();
  const Handle space = space_of(std::span(&count, 1));
  const Handle attribute =
      owned(H5Acreate2(object.id(), name.c_str(), H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
            "attribute " + name);
  require(H5Awrite(attribute.id(), H5T_NATIVE_INT64, values.data()), "attribute " + name);
}

void write_flag(const Handle& object, const std::string& name, bool value) {
  const Handle type = flag_type();
  const std::int8_t number = value ? 1 : 0;
  write_scalar(object, name, type.id(), type.id(), &number);
}

void write_text(const Handle& parent, const std::string& name, const std::string& text) {
  const Handle type = text_type();
  const char* pointer = text.c_str();
  write_dataset(parent, name, type.id(), type.id(), {}, &pointer);
}

void write_texts(const Handle& parent, const std::string& name, const std::vector<std::string>& texts) {
  const Handle type = text_type();
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t count = texts.size();
  write_dataset(parent, name, type.id(), type.id(), std::span(&count, 1), pointers.data());
}

void write_numbers(const Handle& parent, const std::string& name, std::span<const double> values) {
  const hsize_t count = values.size();
  write_dataset(parent, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, std::span(&count, 1), values.data());
}

void write_numbers(const Handle& parent, const std::string& name, std::span<const Index> values) {
  const hsize_t count = values.size();
  write_dataset(parent, name, H5T_STD_I64LE, H5T_NATIVE_INT64, std::span(&count, 1), values.data());
}

Handle create_table(const Handle& parent, const std::string& name, ElementType type, Index rows, Index columns) {
  const std::array<hsize_t, 2> dimensions{static_cast<hsize_t>(rows),
                                          static_cast<hsize_t>(std::max<Index>(columns, 0))};
  const Handle space = space_of(std::span(dimensions).first(columns < 0 ? 1 : 2));
  const Handle properties = dataset_properties();
  require(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY), name);
  require(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER), name);  // all of it is written once, by its owners
  const Handle stored = file_type_of(type);
  return owned(
      H5Dcreate2(parent.id(), name.c_str(), stored.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      H5Dclose, name);
}

Index offset_of(const Handle& table) {
  const haddr_t offset = H5Dget_offset(table.id());
  if (offset == HADDR_UNDEF) fail("the place of a table");
  return static_cast<Index>(offset);
}

void write_rows(const Handle& table, ElementType type, Range rows, const void* values, RowChecksums* sums) {
  const Handle space = owned(H5Dget_space(table.id()), H5Sclose, "a table of rows");
  std::array<hsize_t, 2> dimensions{0, 1};
  require(H5Sget_simple_extent_dims(space.id(), dimensions.data(), nullptr), "a table of rows");
  const Handle memory_type = memory_type_of(type);
  const Index row_bytes = static_cast<Index>(dimensions[1]) * type.bytes();
  const Index most = std::max<Index>(1, piece_bytes / std::max<Index>(1, row_bytes));
  for (Index first = rows.begin; first < rows.end && row_bytes > 0; first += most) {
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> count{static_cast<hsize_t>(std::min(most, rows.end - first)), dimensions[1]};
    require(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "rows");
    const hsize_t elements = count[0] * count[1];
    const Handle memory = space_of(std::span(&elements, 1));
    const auto* from = static_cast<const std::byte*>(values) + (first - rows.begin) * row_bytes;
    require(H5Dwrite(table.id(), memory_type.id(), memory.id(), space.id(), H5P_DEFAULT, from), "rows");
    if (sums != nullptr) sums->add({first, first + static_cast<Index>(count[0])}, row_bytes, from);
    Watchdog::beat();
  }
}

}  // namespace cairn::hdf5
