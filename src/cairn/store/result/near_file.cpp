#include "cairn/store/result/near_file.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/sparse_factor.hpp"
#include "cairn/store/result/open_result.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

constexpr const char* near_attribute = "near";

}  // namespace

void create_near_group(const hdf5::Handle& file, Index near, Index n) {
  const hdf5::Handle group = hdf5::create_group(file, layout::near);
  hdf5::write_attribute(group, "shape", std::span<const Index>(std::array<Index, 2>{n, n}));
  hdf5::write_attribute(group, near_attribute, near);
}

NearShape stored_near(const hdf5::InputFile& file, Index rows, hdf5::ElementType::Kind number) {
  if (!file.has(layout::near)) return {};
  const Index near = file.index_attribute(layout::near, near_attribute);
  const SparseShape shape = sparse_factor_shape(file, layout::near);
  if (shape.rows != rows || shape.columns != rows || shape.number.kind != number || near < 1 || near >= rows) {
    file.refuse(fmt::format("/{} is not of the nearest objects of {} objects, in the precision of the factors",
                            layout::near, rows));
  }
  return {near, shape.entries};
}

template <class T>
std::shared_ptr<const NearEntries<T>> read_near_entries(const Communicator& communicator, const std::string& path) {
  const ResultShape shape = read_result_shape(communicator, path);
  if (shape.near == 0) return nullptr;
  const hdf5::InputFile file = collectively(communicator, [&] { return open_result(path); });
  return std::make_shared<const NearEntries<T>>(
      NearEntries<T>{shape.near, read_sparse_factor<T>(communicator, file, layout::near)});
}

template std::shared_ptr<const NearEntries<float>> read_near_entries(const Communicator&, const std::string&);
template std::shared_ptr<const NearEntries<double>> read_near_entries(const Communicator&, const std::string&);

}  // namespace cairn
