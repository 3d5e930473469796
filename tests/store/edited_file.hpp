// Sound files, changed.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_handle.hpp"
#include "sample_result.hpp"

namespace cairn::test {

// Rank 0 changes the file while the others wait.
inline void on_root(const std::function<void()>& change) {
  world().barrier();  // HDF5 locks a file that another rank still reads
  collectively(world(), [&] {
    if (world().is_root()) change();
  });
}

// Takes the checksums away first, as who edits a file does: other checks are to see the change.
inline void edit(const std::string& path, const std::function<void(hid_t)>& change) {
  on_root([&] {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    if (!file) throw Error(ErrorKind::internal, "the test cannot open " + path);
    if (H5Lexists(file.id(), hdf5::checksum_name, H5P_DEFAULT) > 0) {
      H5Ldelete(file.id(), hdf5::checksum_name, H5P_DEFAULT);
    }
    change(file.id());
  });
}

inline void set_text(hid_t file, const std::string& object, const std::string& name, const std::string& text) {
  const hdf5::Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  const hdf5::Handle attribute(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const char* pointer = text.c_str();
  ASSERT_GE(H5Awrite(attribute.id(), type.id(), &pointer), 0) << hdf5::failure_reason();
}

inline void set_index(hid_t file, const std::string& object, const std::string& name, Index value) {
  const hdf5::Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  const hdf5::Handle attribute(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  ASSERT_GE(H5Awrite(attribute.id(), H5T_NATIVE_INT64, &value), 0);
}

inline void set_flag(hid_t file, const std::string& object, const std::string& name, bool value) {
  const hdf5::Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  const hdf5::Handle attribute(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const std::int8_t number = value ? 1 : 0;
  ASSERT_GE(H5Awrite(attribute.id(), type.id(), &number), 0);
}

// Writes `value` as the first element.
template <class T>
void set_first(hid_t file, const std::string& name, hid_t type, T value) {
  const hdf5::Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const hdf5::Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const std::vector<hsize_t> first(H5Sget_simple_extent_ndims(space.id()), 0);
  ASSERT_GE(H5Sselect_elements(space.id(), H5S_SELECT_SET, 1, first.data()), 0);
  const hdf5::Handle memory(H5Screate(H5S_SCALAR), H5Sclose);
  ASSERT_GE(H5Dwrite(dataset.id(), type, memory.id(), space.id(), H5P_DEFAULT, &value), 0);
}

// Puts a data set of zeros at `name`.
inline void add(hid_t file, const std::string& name, const std::vector<hsize_t>& dimensions,
                hid_t type = H5T_IEEE_F64LE, H5D_alloc_time_t allocation = H5D_ALLOC_TIME_EARLY,
                const std::vector<hsize_t>& chunk = {}) {
  const hdf5::Handle space(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose);
  const hdf5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  ASSERT_GE(H5Pset_alloc_time(properties.id(), allocation), 0);
  ASSERT_GE(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_ALLOC), 0);  // its place may have been another's
  if (!chunk.empty()) {
    ASSERT_GE(H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()), 0);
  }
  const hdf5::Handle dataset(
      H5Dcreate2(file, name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose);
  ASSERT_TRUE(dataset);
}

// The same in the place of what is there.
inline void replace(hid_t file, const std::string& name, const std::vector<hsize_t>& dimensions,
                    hid_t type = H5T_IEEE_F64LE, H5D_alloc_time_t allocation = H5D_ALLOC_TIME_EARLY,
                    const std::vector<hsize_t>& chunk = {}) {
  ASSERT_GE(H5Ldelete(file, name.c_str(), H5P_DEFAULT), 0);
  add(file, name, dimensions, type, allocation, chunk);
}

}  // namespace cairn::test
