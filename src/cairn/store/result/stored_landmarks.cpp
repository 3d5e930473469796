#include "cairn/store/result/stored_landmarks.hpp"

#include <type_traits>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/hdf5/array_file.hpp"
#include "cairn/store/hdf5/result_layout.hpp"

namespace cairn {

namespace {

bool holds_objects(const hdf5::InputFile& file, const std::string& group) {
  return file.has(group) && file.has(layout::in(group, layout::indices)) &&
         !file.has(layout::in(group, layout::features));
}

}  // namespace

StoredLandmarks::StoredLandmarks(const Communicator& communicator, const hdf5::InputFile& file,
                                 const ResultDescription& description)
    : file_(file), kind_(find_data_kind(description.object_kind)), dimension_(description.dimension) {
  if (kind_ == nullptr || kind_->stored_common == nullptr) return;
  // Factors without landmarks, for example from `optimal`, have no common data.
  const bool any = collectively(communicator, [&] {
    return holds_objects(file, layout::landmarks) || holds_objects(file, layout::right_landmarks);
  });
  if (!any) return;
  common_ = kind_->stored_common(communicator, ArrayFileReader(file, ""), dimension_);
}

template <class T>
std::shared_ptr<const ObjectBlock> StoredLandmarks::read(const std::string& group,
                                                         const std::vector<Index>& indices) const {
  const ArrayFileReader arrays(file_, layout::in(group, layout::objects));
  const StoredObjects stored{arrays, indices, dimension_, common_.get()};
  ReadBlock reader = nullptr;
  if (kind_ != nullptr) reader = std::is_same_v<T, float> ? kind_->stored_single : kind_->stored_double;
  if (reader != nullptr) return reader(stored);
  const std::string place = layout::in(group, layout::objects);
  const bool dense = arrays.has("") && !file_.is_group(place);
  if (dense || holds_sparse_points(arrays)) return read_point_block<T>(stored);
  return std::make_shared<const ObjectBlock>(SetIdentity(), indices);
}

template std::shared_ptr<const ObjectBlock> StoredLandmarks::read<float>(const std::string&,
                                                                         const std::vector<Index>&) const;
template std::shared_ptr<const ObjectBlock> StoredLandmarks::read<double>(const std::string&,
                                                                          const std::vector<Index>&) const;

}  // namespace cairn
