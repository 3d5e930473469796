#include "cairn/data/object_set.hpp"

#include <atomic>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

SetIdentity::SetIdentity() {
  static std::atomic<std::uint64_t> made{0};
  number_ = made.fetch_add(1, std::memory_order_relaxed);
}

std::vector<Index> numbers_of(Range rows) {
  std::vector<Index> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), rows.begin);
  return numbers;
}

std::unique_ptr<CommonObjects> ObjectBlock::common_with(const ObjectBlock* /*other*/) const { return nullptr; }

void ObjectBlock::write(ArrayWriter& /*arrays*/, const CommonObjects* /*common*/) const {}

std::optional<std::uint64_t> ObjectBlock::digest() const { return std::nullopt; }

std::unique_ptr<ObjectBlock> ObjectBlock::matched_to(const ObjectSet& /*others*/) const { return nullptr; }

void ObjectSet::set_texts(ObjectTexts texts) {
  for (const auto* list : {&texts.labels, &texts.splits, &texts.groups, &texts.identifiers}) {
    if (list->empty() || std::ssize(*list) == range_.size()) continue;
    throw Error(ErrorKind::internal, "a set of objects was given labels or other texts of other numbers");
  }
  texts_ = std::move(texts);
}

void ObjectSet::add_sizes(const Communicator& communicator, Index /*value_bytes*/, DataSize& sizes) const {
  for (const auto* own : {&splits(), &groups(), &identifiers()}) {
    if (communicator.maximum(std::ssize(*own)) > 0) ++sizes.row_texts;
  }
}

ObjectTexts texts_of(const ObjectSet& objects) {
  return {objects.labels(), objects.splits(), objects.groups(), objects.identifiers(), objects.texts()};
}

std::unique_ptr<ObjectBlock> NumberedObjects::block(Range rows) const {
  return std::make_unique<ObjectBlock>(identity(), numbers_of(rows));
}

// The number is all there is: nothing is sent.
std::vector<std::byte> NumberedObjects::pack(Range /*rows*/) const { return {}; }

std::unique_ptr<ObjectBlock> NumberedObjects::unpack(Range rows, std::span<const std::byte> /*bytes*/) const {
  return block(rows);
}

std::unique_ptr<ObjectBlock> NumberedObjects::gather(const Communicator& /*communicator*/,
                                                     std::span<const Index> ids) const {
  return std::make_unique<ObjectBlock>(identity(), std::vector(ids.begin(), ids.end()));
}

}  // namespace cairn
