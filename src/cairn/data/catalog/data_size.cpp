#include "cairn/data/catalog/data_size.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "cairn/data/corpus/pair_estimate.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/data/pairs/pair_set.hpp"
#include "cairn/data/sequences/sequence_set.hpp"
#include "cairn/data/trees/tree_set.hpp"

namespace cairn {

namespace {

void set_document_bytes(const Communicator& communicator, const DocumentSet& documents, bool numbered, DataSize& size) {
  constexpr Index split_bytes = 32;  // a short std::string
  const DocumentBags& bags = documents.bags();
  const auto sum = [&](std::size_t own) { return communicator.sum(static_cast<Index>(own)); };
  Index bytes =
      sum(bags.words.size()) * static_cast<Index>(sizeof(std::int32_t) + sizeof(float)) +
      documents.size() * static_cast<Index>(sizeof(Index)) +
      sum(documents.splits().size() + documents.groups().size() + documents.identifiers().size()) * split_bytes;
  if (documents.keeps_texts()) {
    bytes += sum(bags.characters.size()) + documents.size() * static_cast<Index>(sizeof(Index));
  }
  size.document_bytes = (bytes + documents.size() - 1) / documents.size();
  if (numbered) size.document_bytes += static_cast<Index>(sizeof(Index));
  const WordVectors* vectors = documents.vectors();
  if (vectors == nullptr) return;
  constexpr Index a_word = 16;  // its characters and where they begin
  size.word_bytes = vectors->size() * (vectors->dimension() * static_cast<Index>(sizeof(float)) + a_word);
}

// Average bytes of a sequence: symbols, start and split. Every rank holds the names of the symbols.
void set_sequence_bytes(const Communicator& communicator, const SequenceSet& sequences, DataSize& size) {
  constexpr Index split_bytes = 32;  // a short std::string
  const auto sum = [&](std::size_t own) { return communicator.sum(static_cast<Index>(own)); };
  const Index bytes = sum(sequences.sequences().symbols.size()) * static_cast<Index>(sizeof(std::int32_t)) +
                      sequences.size() * static_cast<Index>(sizeof(Index)) +
                      sum(sequences.splits().size()) * split_bytes;
  size.document_bytes = (bytes + sequences.size() - 1) / sequences.size();
}

// Average bytes of a pair: trees of both sides, features and texts.
void set_pair_bytes(const Communicator& communicator, const PairSet& pairs, Index value_bytes, DataSize& size) {
  constexpr Index text_bytes = 32;  // a short std::string
  Index nodes = 0;
  for (const PairSet::Trees& one : pairs.trees()) {
    for (const TreeSet* trees : {one.left.get(), one.right.get()}) {
      nodes += trees->trees().starts.back() - trees->trees().starts.front();
    }
  }
  const Index bytes = communicator.sum(nodes) * static_cast<Index>(sizeof(TreeNode));
  const auto forests = static_cast<Index>(2 * pairs.trees().size());
  size.document_bytes = (bytes + pairs.size() - 1) / pairs.size() + forests * static_cast<Index>(sizeof(Index)) +
                        pairs.dimension() * value_bytes + 3 * text_bytes;
}

// Tree sizes are stored as document sizes: plans treat trees as documents.
void set_tree_bytes(const Communicator& communicator, const TreeSet& trees, DataSize& size) {
  const TreeRecords& own = trees.records();
  Index bytes = std::ssize(own.forests[0].nodes) * static_cast<Index>(sizeof(TreeNode));
  for (const TextList& texts : own.texts) bytes += std::ssize(texts.characters);
  bytes += std::ssize(own.numbers) * static_cast<Index>(sizeof(double));
  const auto lists = static_cast<Index>(1 + own.texts.size());
  size.document_bytes = communicator.sum(bytes) / trees.size() + lists * static_cast<Index>(sizeof(Index)) + 1;
  const WordVectors* vectors = trees.tree_labels()->vectors().get();
  if (vectors == nullptr) return;
  constexpr Index a_word = 16;  // its characters and where they begin
  size.word_bytes = vectors->size() * (vectors->dimension() * static_cast<Index>(sizeof(float)) + a_word);
}

// Counted pairs in each of equal parts of the rows. Collective.
void set_counted_pairs(const Communicator& communicator, const CooccurrenceCounts& counts, DataSize& size) {
  std::vector<Index> of_rows(pair_parts, 0);
  for (Index row = counts.range().begin; row < counts.range().end; ++row) {
    of_rows[row * pair_parts / size.objects] += std::ssize(counts.row(row).others);
  }
  communicator.sum(std::span<Index>(of_rows));
  size.count_pairs = std::reduce(of_rows.begin(), of_rows.end());
  size.row_pairs = std::move(of_rows);
}

}  // namespace

template <class T>
DataSize size_of(const Communicator& communicator, const Data<T>& data) {
  DataSize size{.objects = data.objects->size(), .dimension = data.dimension()};
  if (const PointSet<T>* points = data.points(); points != nullptr && points->is_sparse()) {
    size.point_entries = communicator.sum(points->entries().own_entries()) / points->size() + 1;
  }
  if (data.right) size.right_objects = data.right->size();
  size.surface = data.template as<TriangleMesh>() != nullptr;
  const auto has = [&](const std::vector<std::string>& own) {
    return communicator.maximum(static_cast<Index>(own.size())) > 0;
  };
  size.row_texts = has(data.objects->labels()) ? 1 : 0;
  if (const auto* documents = data.template as<DocumentSet>()) {
    set_document_bytes(communicator, *documents, data.numbers.listed, size);
  } else if (const auto* sequences = data.template as<SequenceSet>()) {
    set_sequence_bytes(communicator, *sequences, size);
  } else if (const auto* pairs = data.template as<PairSet>()) {
    set_pair_bytes(communicator, *pairs, static_cast<Index>(sizeof(T)), size);
  } else if (const auto* trees = data.template as<TreeSet>()) {
    set_tree_bytes(communicator, *trees, size);
  } else {
    for (const auto* own : {&data.objects->splits(), &data.objects->groups(), &data.objects->identifiers()}) {
      if (has(*own)) ++size.row_texts;
    }
    if (data.numbers.listed) size.row_texts = std::max<Index>(1, size.row_texts);
  }
  const auto* words = data.template as<WordSet>();
  if (words != nullptr && words->counted()) {
    set_counted_pairs(communicator, words->counts(), size);
  } else if (words != nullptr) {
    const CorpusText& text = words->text();
    Index longest = 0;
    for (Index a = 0; a < text.texts(); ++a) longest = std::max(longest, std::ssize(text.text(a)));
    std::vector<Index> frequencies(words->words().words.size(), 0);  // of the tokens left by subsampling
    for (const std::int32_t token : text.tokens) ++frequencies[token];
    communicator.sum(std::span<Index>(frequencies));
    std::ranges::sort(frequencies, std::greater());
    set_corpus_size(size, frequencies, communicator.sum(text.texts()), communicator.maximum(longest),
                    words->counting());
  }
  if (const auto* graph = data.template as<Graph>()) {
    size.arcs = communicator.sum(static_cast<Index>(graph->neighbors().size()));
    size.weighted = graph->weighted();
  }
  return size;
}

template DataSize size_of(const Communicator&, const Data<float>&);
template DataSize size_of(const Communicator&, const Data<double>&);

}  // namespace cairn
