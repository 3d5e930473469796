#include "data/object_set.hpp"

#include <numeric>

namespace cairn {

std::unique_ptr<ObjectBlock> NumberedObjects::block(Range rows) const {
  auto block = std::make_unique<ObjectBlock>();
  block->ids.resize(static_cast<std::size_t>(rows.size()));
  std::iota(block->ids.begin(), block->ids.end(), rows.begin);
  return block;
}

// A number says all there is to say: nothing travels.
std::vector<std::byte> NumberedObjects::pack(Range /*rows*/) const { return {}; }

std::unique_ptr<ObjectBlock> NumberedObjects::unpack(Range rows, std::span<const std::byte> /*bytes*/) const {
  return block(rows);
}

std::unique_ptr<ObjectBlock> NumberedObjects::gather(const Communicator& /*communicator*/,
                                                     std::span<const Index> ids) const {
  auto block = std::make_unique<ObjectBlock>();
  block->ids.assign(ids.begin(), ids.end());
  return block;
}

}  // namespace cairn
