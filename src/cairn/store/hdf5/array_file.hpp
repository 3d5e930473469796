// Named arrays of objects in an HDF5 file.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/object_arrays.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// Writes arrays under `place` in `group`, which must outlive this; if `place` is empty, in the group itself. One rank.
/// @throws Error(resource) with HDF5's own reason
class ArrayFileWriter final : public ArrayWriter {
 public:
  ArrayFileWriter(const hdf5::Handle& group, std::string place) : group_(group), place_(std::move(place)) {}
  void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) override;
  void write_texts(const std::string& name, std::span<const std::string_view> texts) override;
  void write_words(const std::string& name, std::span<const std::string_view> words) override;

 private:
  // Path of an array in the group; creates the groups on it.
  [[nodiscard]] std::string path_to(const std::string& name) const;

  const hdf5::Handle& group_;
  std::string place_;
};

/// Reads arrays under the path `place` of a file, which must outlive this; if `place` is empty, under its root. Local.
class ArrayFileReader final : public ArrayReader {
 public:
  ArrayFileReader(const hdf5::InputFile& file, std::string place) : file_(file), place_(std::move(place)) {}
  [[nodiscard]] bool has(const std::string& name) const override;
  [[nodiscard]] ArrayShape shape(const std::string& name) const override;
  void read(const std::string& name, void* out) const override;
  [[nodiscard]] std::vector<std::string> read_texts(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> read_words(const std::string& name) const override;
  [[nodiscard]] std::string called(const std::string& name) const override;
  [[noreturn]] void refuse(const std::string& what) const override { file_.refuse(what); }

 private:
  const hdf5::InputFile& file_;
  std::string place_;
};

}  // namespace cairn
