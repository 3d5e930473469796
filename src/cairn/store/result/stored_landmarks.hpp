// Landmarks in a result file. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/data_kind.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// The landmarks of both factors, as their kind of data reads them; for a kind that this program does not know, points
/// or numbers.
class StoredLandmarks {
 public:
  /// Reads the common data of the landmarks, if there are any. @param file  must outlive this
  /// @throws Error(input) if it is not sound. Collective.
  StoredLandmarks(const Communicator& communicator, const hdf5::InputFile& file, const ResultDescription& description);

  /// True if all of them may be objects that are not in the data.
  [[nodiscard]] bool may_be_drawn() const { return kind_ != nullptr && kind_->drawn_landmarks; }
  /// The landmarks in `group`, replicated: the stored objects, otherwise their numbers.
  /// @throws Error(input) if they are not sound. Local.
  template <class T>
  [[nodiscard]] std::shared_ptr<const ObjectBlock> read(const std::string& group,
                                                        const std::vector<Index>& indices) const;

 private:
  const hdf5::InputFile& file_;
  const DataKind* kind_;
  Index dimension_;
  std::unique_ptr<CommonObjects> common_;
};

}  // namespace cairn
