#include "cairn/data/pairs/pair_set.hpp"

#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

PairSet::PairSet(const RowPartition& partition, int rank, PairForm form, std::vector<Trees> trees,
                 std::unique_ptr<ObjectSet> features, ObjectTexts texts)
    : ObjectSet(partition, rank, std::move(texts)),
      form_(std::make_shared<const PairForm>(std::move(form))),
      trees_(std::move(trees)),
      features_(std::move(features)) {
  bool fits = trees_.size() == form_->trees.size() && (features_ != nullptr) == !form_->features.empty();
  for (const Trees& one : trees_)
    fits = fits && one.left->partition() == partition && one.right->partition() == partition;
  if (features_ != nullptr) {
    fits = fits && features_->partition() == partition && features_->dimension() == std::ssize(form_->features);
  }
  if (!fits) throw Error(ErrorKind::internal, "a set of pairs was given trees or features of other numbers");
}

std::shared_ptr<const TreeLabels> PairSet::tree_labels() const {
  return trees_.empty() ? nullptr : trees_.front().left->tree_labels();
}

template <class Part>
std::unique_ptr<PairBlock> PairSet::made_of(std::vector<Index> ids, const Part& part) const {
  auto block = std::make_unique<PairBlock>(identity(), std::move(ids));
  block->form = form_;
  for (const Trees& one : trees_) {
    block->left.push_back(part(*one.left));
    block->right.push_back(part(*one.right));
  }
  if (features_ != nullptr) block->features = part(*features_);
  return block;
}

std::unique_ptr<ObjectBlock> PairSet::block(Range rows) const {
  return made_of(numbers_of(rows), [&](const ObjectSet& set) { return set.block(rows); });
}

// For each set, in the order of made_of(): number of bytes, then the bytes.
std::vector<std::byte> PairSet::pack(Range rows) const {
  std::vector<std::byte> bytes;
  const auto append = [&](const ObjectSet& set) {
    const std::vector<std::byte> part = set.pack(rows);
    const auto size = static_cast<Index>(part.size());
    const auto* head = reinterpret_cast<const std::byte*>(&size);
    bytes.insert(bytes.end(), head, head + sizeof size);
    bytes.insert(bytes.end(), part.begin(), part.end());
  };
  for (const Trees& one : trees_) append(*one.left), append(*one.right);
  if (features_ != nullptr) append(*features_);
  return bytes;
}

std::unique_ptr<ObjectBlock> PairSet::unpack(Range rows, std::span<const std::byte> bytes) const {
  return made_of(numbers_of(rows), [&](const ObjectSet& set) {
    Index size = 0;
    if (bytes.size() < sizeof size) throw Error(ErrorKind::internal, "packed pairs are truncated");
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes = bytes.subspan(sizeof size);
    if (size < 0 || static_cast<std::size_t>(size) > bytes.size()) {
      throw Error(ErrorKind::internal, "packed pairs are truncated");
    }
    const auto part = bytes.first(size);
    bytes = bytes.subspan(part.size());
    const std::vector<std::byte> aligned(part.begin(), part.end());  // whatever precedes it
    return set.unpack(rows, aligned);
  });
}

std::unique_ptr<ObjectBlock> PairSet::gather(const Communicator& communicator, std::span<const Index> ids) const {
  return made_of({ids.begin(), ids.end()}, [&](const ObjectSet& set) { return set.gather(communicator, ids); });
}

// Average bytes of a pair: trees of both sides, features and texts.
void PairSet::add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const {
  constexpr Index text_bytes = 32;  // a short std::string
  Index nodes = 0;
  for (const Trees& one : this->trees()) {
    for (const TreeSet* trees : {one.left.get(), one.right.get()}) {
      nodes += trees->trees().starts.back() - trees->trees().starts.front();
    }
  }
  const Index bytes = communicator.sum(nodes) * static_cast<Index>(sizeof(TreeNode));
  const auto forests = static_cast<Index>(2 * trees().size());
  sizes.document_bytes = (bytes + size() - 1) / size() + forests * static_cast<Index>(sizeof(Index)) +
                         dimension() * value_bytes + 3 * text_bytes;
}

}  // namespace cairn
