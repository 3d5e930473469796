#include "cairn/store/hdf5/hdf5_tiles.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"

namespace cairn::hdf5 {

namespace {

constexpr unsigned deflate_level = 1;  // higher levels take longer and save hardly any space on path lengths

using Corner = std::array<hsize_t, 2>;

Corner corner(Index row, Index column) { return {static_cast<hsize_t>(row), static_cast<hsize_t>(column)}; }

void require(bool holds, const std::string& what) {
  if (!holds) {
    throw Error(ErrorKind::resource, fmt::format("cannot write {} of the result: {}", what, failure_reason()));
  }
}

Index chunk_order(Index size, Index order) { return std::min(size, order); }

Index tile_rows(Index size, Index order) { return (size + order - 1) / order; }

// A chunk is not filled when it is created, and unwritten chunks take no byte in the file.
Handle creation_properties(Index order, Compression compression) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const Corner chunk = corner(order, order);
  require(properties && H5Pset_obj_track_times(properties.id(), false) >= 0 &&
              H5Pset_chunk(properties.id(), 2, chunk.data()) >= 0 &&
              H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_INCR) >= 0 &&
              H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER) >= 0,
          "the properties");
  require(compression == Compression::none ||
              (H5Pset_shuffle(properties.id()) >= 0 && H5Pset_deflate(properties.id(), deflate_level) >= 0),
          "the filters");
  return properties;
}

// Selects a tile; memory must have the same two dimensions, since with one dimension HDF5 writes row by row.
bool select_tile(const Handle& space, Range rows, Range columns) {
  const Corner start = corner(rows.begin, columns.begin);
  const Corner count = corner(rows.size(), columns.size());
  return H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0;
}

Handle tile_space(Range rows, Range columns) {
  const Corner count = corner(rows.size(), columns.size());
  return Handle(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
}

}  // namespace

void create_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order,
                  Compression compression) {
  const Corner dimensions = corner(size, size);
  const Handle space(H5Screate_simple(2, dimensions.data(), nullptr), H5Sclose);
  const Handle properties = creation_properties(chunk_order(size, order), compression);
  require(static_cast<bool>(space), name);
  const Handle stored = file_type_of(type);
  const Handle tiles(
      H5Dcreate2(parent.id(), name.c_str(), stored.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      H5Dclose);
  require(static_cast<bool>(tiles), name);
}

void place_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order) {
  // Without a cache, writing the first element of a chunk allocates the chunk, and no more is written.
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  require(access && H5Pset_chunk_cache(access.id(), 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0, name);
  const Handle tiles(H5Dopen2(parent.id(), name.c_str(), access.id()), H5Dclose);
  const Handle space(H5Dget_space(tiles.id()), H5Sclose);
  require(tiles && space, name);
  const Handle memory(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle memory_type = memory_type_of(type);
  const std::uint64_t zero = 0;  // zero of any type
  for (Index row = 0; row < size; row += order) {
    for (Index column = 0; column <= row; column += order) {
      const Corner first = corner(row, column);
      require(H5Sselect_elements(space.id(), H5S_SELECT_SET, 1, first.data()) >= 0 &&
                  H5Dwrite(tiles.id(), memory_type.id(), memory.id(), space.id(), H5P_DEFAULT, &zero) >= 0,
              name);
    }
    Watchdog::beat();
  }
}

void write_tile(const Handle& tiles, ElementType type, Range rows, Range columns, const void* values) {
  const Handle space(H5Dget_space(tiles.id()), H5Sclose);
  const Handle memory = tile_space(rows, columns);
  const Handle memory_type = memory_type_of(type);
  require(select_tile(space, rows, columns) &&
              H5Dwrite(tiles.id(), memory_type.id(), memory.id(), space.id(), H5P_DEFAULT, values) >= 0,
          "a tile");
  Watchdog::beat();
}

std::vector<std::byte> deflated_tile(ElementType type, Index rows, Index columns, Index order, const void* values) {
  const auto width = static_cast<std::size_t>(type.bytes());
  const auto elements = static_cast<std::size_t>(order * order);
  std::vector<std::byte> shuffled(width * elements, std::byte{0});  // first bytes of all elements, then second bytes
  const auto* from = static_cast<const std::byte*>(values);
  for (Index i = 0; i < rows; ++i) {
    for (std::size_t b = 0; b < width; ++b) {
      std::byte* to = shuffled.data() + b * elements + static_cast<std::size_t>(i * order);
      const std::byte* row = from + static_cast<std::size_t>(i * columns) * width + b;
      for (Index j = 0; j < columns; ++j) to[j] = row[static_cast<std::size_t>(j) * width];
    }
  }
  uLongf size = ::compressBound(shuffled.size());
  std::vector<std::byte> chunk(size);
  const int status = ::compress2(reinterpret_cast<Bytef*>(chunk.data()), &size,
                                 reinterpret_cast<const Bytef*>(shuffled.data()), shuffled.size(), deflate_level);
  if (status != Z_OK) throw Error(ErrorKind::resource, "no memory to compress a tile in");
  chunk.resize(size);
  return chunk;
}

Index tile_bytes(ElementType type, Index size, Index order, Compression compression) {
  constexpr Index alignment = Index{1} << 20;
  constexpr Index index_bytes = 128;  // per chunk, in a tree whose nodes may be half full
  constexpr Index tree_bytes = 16384;
  const Index side = chunk_order(size, order);
  const Index content = side * side * type.bytes();
  const Index place = content < alignment ? content : (content + alignment - 1) / alignment * alignment;
  const Index rows = tile_rows(size, order);
  if (compression != Compression::none) return rows * (rows + 1) / 2 * index_bytes + tree_bytes;
  const Index before_first = content < alignment ? 0 : alignment;
  return rows * (rows + 1) / 2 * (place + index_bytes) + before_first + tree_bytes;
}

namespace {

// Nothing if there are other filters.
std::optional<Compression> compression_of(const Handle& properties) {
  const int filters = H5Pget_nfilters(properties.id());
  if (filters == 0) return Compression::none;
  const auto filter = [&](unsigned number) {
    unsigned flags = 0;
    std::size_t values = 0;
    return H5Pget_filter2(properties.id(), number, &flags, &values, nullptr, 0, nullptr, nullptr);
  };
  const bool known = filters == 2 && filter(0) == H5Z_FILTER_SHUFFLE && filter(1) == H5Z_FILTER_DEFLATE;
  return known ? std::optional(Compression::deflate) : std::nullopt;
}

}  // namespace

TileShape InputFile::tiles(const std::string& name) const {
  const Handle dataset = open_dataset(name);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  const auto type = known_type(Handle(H5Dget_type(dataset.id()), H5Tclose));
  if (!type || type->kind == ElementType::Kind::text) refuse(fmt::format("/{} does not hold numbers", name));
  Corner dimensions{0, 0};
  Corner chunk{0, 0};
  if (H5Sget_simple_extent_ndims(space.id()) != 2 ||
      H5Sget_simple_extent_dims(space.id(), dimensions.data(), nullptr) != 2 || dimensions[0] != dimensions[1] ||
      H5Pget_layout(properties.id()) != H5D_CHUNKED || H5Pget_chunk(properties.id(), 2, chunk.data()) != 2 ||
      chunk[0] != chunk[1]) {
    refuse(fmt::format("/{} is not a square matrix in square chunks", name));
  }
  const auto compression = compression_of(properties);
  if (!compression) {
    refuse(fmt::format("/{} is compressed otherwise than by shuffle and deflate (h5repack -f NONE)", name));
  }
  const TileShape shape{static_cast<Index>(dimensions[0]), static_cast<Index>(chunk[0]), *type, *compression};
  check_chunks(dataset, name, shape);
  return shape;
}

// Checks that there are as many chunks as the lower triangle has, and that they fit into the file. (HDF5 refuses a
// chunk beyond the end of the file when it is read.)
void InputFile::check_chunks(const Handle& dataset, const std::string& name, const TileShape& shape) const {
  const Index size = shape.size, order = shape.order, element = shape.type.bytes();
  const Index rows = size / order + (size % order > 0 ? 1 : 0);
  constexpr Index most_deflated = 1100;  // a deflated byte inflates to at most 1032
  constexpr Index least_chunk = 8;       // bytes of a deflated chunk
  const bool deflated = shape.compression == Compression::deflate;
  const Index budget = deflated ? bytes_ * most_deflated : bytes_;
  // Before the products are formed: chunks smaller than the file, and no more of them than fit into it.
  constexpr Index most_rows = Index{1} << 31;  // rows of chunks: their products do not overflow
  const Index chunk_bytes =
      order >= 1 && order <= budget / order && order * order <= budget / element ? order * order * element : -1;
  const Index most = chunk_bytes > 0 ? (deflated ? bytes_ / least_chunk : bytes_ / chunk_bytes) : 0;
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  hsize_t stored = 0;
  if (size < 0 || rows > std::min(most, most_rows) || rows * (rows + 1) / 2 > most ||
      H5Dget_num_chunks(dataset.id(), space.id(), &stored) < 0) {
    refuse(
        fmt::format("/{} claims {} x {} elements, which the file of {} bytes does not hold", name, size, size, bytes_));
  }
  if (static_cast<Index>(stored) != rows * (rows + 1) / 2) {
    refuse(
        fmt::format("/{} has {} chunks instead of the {} of its lower triangle", name, stored, rows * (rows + 1) / 2));
  }
}

namespace {

// Restores a chunk of `bytes` bytes that was stored through shuffle and deflate; nothing if it is damaged. (HDF5 1.10
// does not check the inflated size of a chunk and would read past one that is too short.)
std::optional<std::vector<std::byte>> inflated_chunk(const Handle& dataset, const Corner& first, std::size_t stored,
                                                     std::size_t bytes, std::size_t width) {
  constexpr std::uint32_t no_shuffle = 1, no_deflate = 2;  // skipped filters, as h5repack may leave them
  std::vector<std::byte> packed(stored), chunk(bytes);
  std::uint32_t left_out = 0;
  if (H5Dread_chunk(dataset.id(), H5P_DEFAULT, first.data(), &left_out, packed.data()) < 0) return std::nullopt;
  uLongf size = chunk.size();
  if ((left_out & no_deflate) != 0) {
    size = packed.size();
    chunk = std::move(packed);
  } else if (::uncompress(reinterpret_cast<Bytef*>(chunk.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                          packed.size()) != Z_OK) {
    return std::nullopt;
  }
  if (size != bytes) return std::nullopt;
  if ((left_out & no_shuffle) != 0) return chunk;
  const std::size_t elements = bytes / width;
  std::vector<std::byte> ordered(bytes);
  for (std::size_t b = 0; b < width; ++b) {
    for (std::size_t k = 0; k < elements; ++k) ordered[k * width + b] = chunk[b * elements + k];
  }
  return ordered;
}

// Copies the first rows and columns of a chunk, in the byte order of this machine.
void take_tile(const std::vector<std::byte>& chunk, const TileShape& shape, Range rows, Range columns, bool swapped,
               std::byte* out) {
  const auto width = static_cast<std::size_t>(shape.type.bytes());
  const std::size_t row_bytes = static_cast<std::size_t>(columns.size()) * width;
  for (Index i = 0; i < rows.size(); ++i, out += row_bytes) {
    std::copy_n(chunk.data() + static_cast<std::size_t>(i * shape.order) * width, row_bytes, out);
    for (std::size_t k = 0; swapped && k < row_bytes; k += width) std::reverse(out + k, out + k + width);
  }
}

}  // namespace

void InputFile::read_tile(const std::string& name, const TileShape& shape, Range rows, Range columns, void* out) const {
  const Handle dataset = open_dataset(name);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const Handle memory = tile_space(rows, columns);
  const Handle memory_type = memory_type_of(shape.type);
  const Corner first = corner(rows.begin, columns.begin);
  hsize_t stored = 0;  // bytes of the chunk, 0 if it is not allocated
  const Index whole = shape.order * shape.order * shape.type.bytes();
  if (H5Dget_chunk_storage_size(dataset.id(), first.data(), &stored) < 0 || stored == 0 ||
      (shape.compression == Compression::none && static_cast<Index>(stored) != whole)) {
    refuse(fmt::format("the chunk of /{} at row {}, column {} is not in the file", name, rows.begin, columns.begin));
  }
  if (shape.compression == Compression::deflate) {
    const auto chunk = static_cast<Index>(stored) <= bytes_
                           ? inflated_chunk(dataset, first, stored, static_cast<std::size_t>(whole),
                                            static_cast<std::size_t>(shape.type.bytes()))
                           : std::nullopt;
    if (!chunk) {
      refuse(fmt::format("the chunk of /{} at row {}, column {} is damaged", name, rows.begin, columns.begin));
    }
    const Handle type(H5Dget_type(dataset.id()), H5Tclose);
    const bool swapped = H5Tget_order(type.id()) != H5Tget_order(H5T_NATIVE_INT64);
    take_tile(*chunk, shape, rows, columns, swapped, static_cast<std::byte*>(out));
    check_tile(dataset, name, shape, rows, columns, out);
    return Watchdog::beat();
  }
  if (!select_tile(space, rows, columns) ||
      H5Dread(dataset.id(), memory_type.id(), memory.id(), space.id(), H5P_DEFAULT, out) < 0) {
    refuse(fmt::format("/{} cannot be read: {}", name, failure_reason()));
  }
  check_tile(dataset, name, shape, rows, columns, out);
  Watchdog::beat();
}

}  // namespace cairn::hdf5
