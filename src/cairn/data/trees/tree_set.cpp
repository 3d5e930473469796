#include "cairn/data/trees/tree_set.hpp"

#include <atomic>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

namespace {

// Makes a block a view of trees [begin, end).
void show(TreeBlock& block, const TreeRecords& records, Index begin, Index end) {
  const Forest& forest = records.forests[0];
  block.trees = {std::span(forest.starts).subspan(begin, static_cast<std::size_t>(end - begin) + 1), forest.nodes};
  block.numbers = {records.numbers.data() + begin * records.width, end - begin, records.width};
  if (records.texts.empty()) return;
  for (Index a = begin; a < end; ++a) block.texts.push_back(records.texts[0].text(a));
}

}  // namespace

std::uint64_t BlockMemory::new_owner() {
  static std::atomic<std::uint64_t> made{0};
  return made.fetch_add(1, std::memory_order_relaxed);
}

TreeSet::TreeSet(const RowPartition& partition, int rank, std::shared_ptr<const TreeLabels> labels, TreeRecords records,
                 std::vector<std::string> classes, std::vector<std::string> splits)
    : ObjectSet(partition, rank, {.labels = std::move(classes), .splits = std::move(splits)}),
      tree_labels_(std::move(labels)),
      records_(std::move(records)) {
  if (records_.forests.size() != 1 || records_.size() != range_.size() || !records_.is_whole()) {
    throw Error(ErrorKind::internal, "a set of trees was given trees or texts of other numbers");
  }
}

std::vector<std::string> TreeSet::texts() const {
  std::vector<std::string> texts;
  for (Index a = 0; keeps_texts() && a < records_.size(); ++a) texts.emplace_back(records_.texts[0].text(a));
  return texts;
}

std::unique_ptr<ObjectBlock> TreeSet::block(Range rows) const {
  auto block = std::make_unique<TreeBlock>(identity(), numbers_of(rows));
  block->labels = tree_labels_;
  show(*block, records_, rows.begin - range_.begin, rows.end - range_.begin);
  block->of_trees = derived_;
  block->of_first = rows.begin - range_.begin;
  block->of_total = range_.size();
  return block;
}

std::vector<std::byte> TreeSet::pack(Range rows) const {
  std::vector<std::byte> bytes = records_.pack(rows.begin - range_.begin, rows.end - range_.begin);
  derived_.pack(rows.begin - range_.begin, rows.size(), bytes);
  return bytes;
}

std::unique_ptr<ObjectBlock> TreeSet::unpack(Range rows, std::span<const std::byte> bytes) const {
  auto block = make_tree_block(numbers_of(rows), records_.unpack(rows.size(), bytes), tree_labels_, identity());
  block->of_trees.unpack(rows.size(), bytes);
  return block;
}

std::unique_ptr<ObjectBlock> TreeSet::gather(const Communicator& communicator, std::span<const Index> ids) const {
  return make_tree_block({ids.begin(), ids.end()}, gather_records(communicator, partition_, records_, ids),
                         tree_labels_, identity());
}

std::unique_ptr<TreeBlock> make_tree_block(std::vector<Index> ids, TreeRecords records,
                                           std::shared_ptr<const TreeLabels> labels, SetIdentity set) {
  if (records.forests.size() != 1 || records.size() != std::ssize(ids) || !records.is_whole()) {
    throw Error(ErrorKind::internal, "the numbers of trees and objects of a block differ");
  }
  auto block = std::make_unique<TreeBlock>(set, std::move(ids));
  block->labels = std::move(labels);
  auto owned = std::make_shared<const TreeRecords>(std::move(records));
  show(*block, *owned, 0, owned->size());
  block->owned = std::move(owned);
  block->of_total = block->size();
  return block;
}

// Tree sizes are stored as document sizes: plans treat trees as documents.
void TreeSet::add_sizes(const Communicator& communicator, Index /*value_bytes*/, DataSize& sizes) const {
  const TreeRecords& own = records();
  Index bytes = std::ssize(own.forests[0].nodes) * static_cast<Index>(sizeof(TreeNode));
  for (const TextList& texts : own.texts) bytes += std::ssize(texts.characters);
  bytes += std::ssize(own.numbers) * static_cast<Index>(sizeof(double));
  const auto lists = static_cast<Index>(1 + own.texts.size());
  sizes.document_bytes = communicator.sum(bytes) / size() + lists * static_cast<Index>(sizeof(Index)) + 1;
  const WordVectors* vectors = tree_labels()->vectors().get();
  if (vectors == nullptr) return;
  constexpr Index a_word = 16;  // its characters and where they begin
  sizes.word_bytes = vectors->size() * (vectors->dimension() * static_cast<Index>(sizeof(float)) + a_word);
}

}  // namespace cairn
