// Building blocks of a result file. Every function throws Error(resource) with HDF5's own reason.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/store/hdf5/compression.hpp"
#include "cairn/store/hdf5/row_checksums.hpp"

namespace cairn::hdf5 {

/// Creates a new HDF5 file that replaces an existing one; its headers have HDF5's own checksums (format 1.8). One rank.
[[nodiscard]] Handle create_file(const std::string& path);
/// Opens the same file, closed by its creator, for writing by all ranks. Collective.
[[nodiscard]] Handle open_shared(const Communicator& communicator, const std::string& path);
/// Closes a file that one rank has open; a late failure of the disk shows here.
void close_file(Handle file);
/// Closes a file that all ranks opened. If this fails on one rank, the others may be waiting for it inside HDF5, and a
/// second attempt would wait for them: that rank reports the error and ends all ranks. Collective.
void close_shared(const Communicator& communicator, Handle file);

/// Group `name` in `parent`. One rank.
[[nodiscard]] Handle create_group(const Handle& parent, const std::string& name);
/// Creates the missing groups on the path to an object. One rank.
void create_groups_of(const Handle& file, const std::string& path);

/// Attributes with one value. One rank.
void write_attribute(const Handle& object, const std::string& name, const std::string& text);
void write_attribute(const Handle& object, const std::string& name, double value);
void write_attribute(const Handle& object, const std::string& name, Index value);
void write_attribute(const Handle& object, const std::string& name, std::uint64_t value);
void write_attribute(const Handle& object, const std::string& name, std::uint32_t value);
/// An attribute with a list of numbers. One rank.
void write_attribute(const Handle& object, const std::string& name, std::span<const Index> values);
/// Stored as h5py does it: an enumeration of FALSE and TRUE.
void write_flag(const Handle& object, const std::string& name, bool value);

/// Texts of any length as a data set: a single one, or a list. One rank.
void write_text(const Handle& parent, const std::string& name, const std::string& text);
void write_texts(const Handle& parent, const std::string& name, const std::vector<std::string>& texts);

/// A list of numbers as a data set. One rank.
void write_numbers(const Handle& parent, const std::string& name, std::span<const double> values);
void write_numbers(const Handle& parent, const std::string& name, std::span<const Index> values);

/// An existing HDF5 file, opened for writing by this rank alone. @param driver  a registered file driver that needs no
/// information; otherwise HDF5's default @throws Error(resource)
[[nodiscard]] Handle open_alone(const std::string& path, std::optional<Identifier> driver = std::nullopt);

/// Type of one element of a table of rows.
struct ElementType {
  enum class Kind { float32, float64, int32, int64, uint16, uint32, text } kind = Kind::float64;
  Index text_bytes = 0;  ///< text: bytes of one element, UTF-8, padded with zeros

  [[nodiscard]] Index bytes() const;
  [[nodiscard]] bool is_float() const { return kind == Kind::float32 || kind == Kind::float64; }
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

template <class T>
[[nodiscard]] constexpr ElementType element_type() {
  using Kind = ElementType::Kind;
  if constexpr (std::is_same_v<T, float>) return {Kind::float32};
  if constexpr (std::is_same_v<T, double>) return {Kind::float64};
  if constexpr (std::is_same_v<T, std::int32_t>) return {Kind::int32};
  if constexpr (std::is_same_v<T, std::int64_t>) return {Kind::int64};
  if constexpr (std::is_same_v<T, std::uint16_t>) return {Kind::uint16};
  if constexpr (std::is_same_v<T, std::uint32_t>) return {Kind::uint32};
}

/// Representation of an element in memory, and in the file.
[[nodiscard]] Handle memory_type_of(ElementType type);
[[nodiscard]] Handle file_type_of(ElementType type);

/// Creates a contiguous data set of rows x columns elements (columns < 0: a list of `rows` elements), which is
/// allocated in the file at once and not filled. One rank.
[[nodiscard]] Handle create_table(const Handle& parent, const std::string& name, ElementType type, Index rows,
                                  Index columns);

/// Offset in bytes of the values of such a table in the file. One rank.
[[nodiscard]] Index offset_of(const Handle& table);

/// Opens an existing table. Any rank.
[[nodiscard]] Handle open_table(const Handle& parent, const std::string& name);

/// Writes rows [rows.begin, rows.end) of a table from contiguous memory, in pieces that MPI-IO can move. Independent:
/// any rank, any rows, no synchronization. @param sums  checksums of a table that all ranks fill; otherwise null
void write_rows(const Handle& table, ElementType type, Range rows, const void* values, RowChecksums* sums = nullptr);

}  // namespace cairn::hdf5
