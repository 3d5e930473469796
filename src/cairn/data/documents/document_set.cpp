#include "cairn/data/documents/document_set.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

std::span<const char> text_of(const DocumentBags& bags, Index a) {
  const auto first = static_cast<std::size_t>(bags.text_starts[a]);
  const auto last = static_cast<std::size_t>(bags.text_starts[static_cast<std::size_t>(a) + 1]);
  return std::span(bags.characters).subspan(first, last - first);
}

bool keeps_texts(const DocumentBags& bags) { return !bags.text_starts.empty(); }

// Appends the lengths of the rows defined by `starts`, as bytes.
void pack_lengths(std::vector<std::byte>& bytes, std::span<const Index> starts) {
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) {
    const Index length = starts[a + 1] - starts[a];
    const auto* source = reinterpret_cast<const std::byte*>(&length);
    bytes.insert(bytes.end(), source, source + sizeof length);
  }
}

template <class T>
void pack_values(std::vector<std::byte>& bytes, std::span<const T> values) {
  const auto source = std::as_bytes(values);
  bytes.insert(bytes.end(), source.begin(), source.end());
}

// Packs documents [begin, end) as bytes: lengths in words; lengths of texts; words; counts; texts.
std::vector<std::byte> pack_bags(const DocumentBags& bags, Index begin, Index end) {
  const auto count = static_cast<std::size_t>(end - begin) + 1;
  const auto starts = std::span(bags.starts).subspan(begin, count);
  const auto first = static_cast<std::size_t>(starts.front());
  const auto entries = static_cast<std::size_t>(starts.back()) - first;
  std::vector<std::byte> bytes;
  pack_lengths(bytes, starts);
  if (keeps_texts(bags)) pack_lengths(bytes, std::span(bags.text_starts).subspan(begin, count));
  pack_values(bytes, std::span(bags.words).subspan(first, entries));
  pack_values(bytes, std::span(bags.counts).subspan(first, entries));
  if (keeps_texts(bags)) {
    const Index from = bags.text_starts[begin];
    const Index to = bags.text_starts[end];
    pack_values(bytes, std::span(bags.characters).subspan(from, to - from));
  }
  return bytes;
}

// Reads values from the front of packed bytes.
class Unpacking {
 public:
  explicit Unpacking(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::vector<Index> starts(Index documents) {
    std::vector<Index> starts = values<Index>(documents);
    Index sum = 0;
    for (Index& start : starts) sum += std::exchange(start, sum);
    starts.push_back(sum);
    return starts;
  }
  template <class T>
  std::vector<T> values(Index count) {
    const auto size = static_cast<std::size_t>(count) * sizeof(T);
    if (count < 0 || size > bytes_.size()) throw Error(ErrorKind::internal, "packed documents are truncated");
    std::vector<T> values(count);
    if (size > 0) std::memcpy(values.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return values;
  }

 private:
  std::span<const std::byte> bytes_;
};

DocumentBags unpack_bags(Index documents, bool texts, std::span<const std::byte> bytes) {
  Unpacking packed(bytes);
  DocumentBags bags;
  bags.starts = packed.starts(documents);
  if (texts) bags.text_starts = packed.starts(documents);
  bags.words = packed.values<std::int32_t>(bags.starts.back());
  bags.counts = packed.values<float>(bags.starts.back());
  if (texts) bags.characters = packed.values<char>(bags.text_starts.back());
  return bags;
}

void append(DocumentBags& bags, std::span<const std::int32_t> words, std::span<const float> counts,
            std::span<const char> text) {
  bags.words.insert(bags.words.end(), words.begin(), words.end());
  bags.counts.insert(bags.counts.end(), counts.begin(), counts.end());
  bags.starts.push_back(std::ssize(bags.words));
  if (!keeps_texts(bags)) return;
  bags.characters.insert(bags.characters.end(), text.begin(), text.end());
  bags.text_starts.push_back(std::ssize(bags.characters));
}

void append(DocumentBags& bags, const DocumentBags& from, Index a) {
  const auto first = static_cast<std::size_t>(from.starts[a]);
  const auto size = static_cast<std::size_t>(from.starts[static_cast<std::size_t>(a) + 1]) - first;
  append(bags, std::span(from.words).subspan(first, size), std::span(from.counts).subspan(first, size),
         keeps_texts(from) ? text_of(from, a) : std::span<const char>());
}

// Makes a block a view of documents [begin, end).
void show(DocumentBlock& block, const DocumentBags& bags, Index begin, Index end) {
  block.starts = std::span(bags.starts).subspan(begin, static_cast<std::size_t>(end - begin) + 1);
  block.words = bags.words;
  block.counts = bags.counts;
  if (!keeps_texts(bags)) return;
  for (Index a = begin; a < end; ++a) {
    const auto text = text_of(bags, a);
    block.texts.emplace_back(text.data(), text.size());
  }
}

void check_sizes(const DocumentBags& bags, Index documents) {
  const bool sound = bags.size() == documents && bags.starts.front() == 0 &&
                     bags.starts.back() == std::ssize(bags.words) && bags.words.size() == bags.counts.size() &&
                     (!keeps_texts(bags) || (std::ssize(bags.text_starts) == documents + 1 &&
                                             bags.text_starts.back() == std::ssize(bags.characters)));
  if (!sound) throw Error(ErrorKind::internal, "a set of documents was given bags or texts of other numbers");
}

}  // namespace

DocumentSet::DocumentSet(const RowPartition& partition, int rank, std::shared_ptr<const WordVectors> vectors,
                         DocumentBags bags, ObjectTexts texts, std::vector<Index> numbers)
    : ObjectSet(partition, rank, std::move(texts)),
      vectors_(std::move(vectors)),
      bags_(std::move(bags)),
      numbers_(std::move(numbers)) {
  check_sizes(bags_, range_.size());
  if (!numbers_.empty() && std::ssize(numbers_) != range_.size()) {
    throw Error(ErrorKind::internal, "not one number a document");
  }
}

std::unique_ptr<ObjectBlock> DocumentSet::block(Range rows) const {
  auto block = std::make_unique<DocumentBlock>(identity(), numbers_of(rows));
  block->vectors = vectors_;
  show(*block, bags_, rows.begin - range_.begin, rows.end - range_.begin);
  return block;
}

std::vector<std::byte> DocumentSet::pack(Range rows) const {
  return pack_bags(bags_, rows.begin - range_.begin, rows.end - range_.begin);
}

std::unique_ptr<ObjectBlock> DocumentSet::unpack(Range rows, std::span<const std::byte> bytes) const {
  return make_document_block(numbers_of(rows), unpack_bags(rows.size(), keeps_texts(), bytes), vectors_, identity());
}

std::unique_ptr<ObjectBlock> DocumentSet::gather(const Communicator& communicator, std::span<const Index> ids) const {
  DocumentBags none;
  if (keeps_texts()) none.text_starts = {0};
  const auto received = ask_owners<std::byte>(communicator, partition_, ids, [&](std::span<const Index> asked) {
    DocumentBags answer = none;
    for (const Index id : asked) append(answer, bags_, id - range_.begin);
    return pack_bags(answer, 0, answer.size());
  });
  return collectively(communicator, [&] {
    std::vector<Index> next(received.size(), 0);
    for (const Index id : ids) ++next[partition_.owner(id)];
    std::vector<DocumentBags> parts;
    for (std::size_t r = 0; r < received.size(); ++r) {
      parts.push_back(unpack_bags(std::exchange(next[r], 0), keeps_texts(), received[r]));
    }
    DocumentBags bags = none;
    for (const Index id : ids) {
      const auto owner = static_cast<std::size_t>(partition_.owner(id));
      append(bags, parts[owner], next[owner]++);
    }
    return std::unique_ptr<ObjectBlock>(
        make_document_block({ids.begin(), ids.end()}, std::move(bags), vectors_, identity()));
  });
}

std::unique_ptr<DocumentBlock> make_document_block(std::vector<Index> ids, DocumentBags bags,
                                                   std::shared_ptr<const WordVectors> vectors, SetIdentity set) {
  check_sizes(bags, std::ssize(ids));
  auto block = std::make_unique<DocumentBlock>(set, std::move(ids));
  block->vectors = std::move(vectors);
  auto owned = std::make_shared<const DocumentBags>(std::move(bags));
  show(*block, *owned, 0, owned->size());
  block->owned = std::move(owned);
  return block;
}

std::unique_ptr<DocumentBlock> renumbered(const DocumentBlock& block, std::shared_ptr<const WordVectors> vectors) {
  std::unordered_map<std::string_view, std::int32_t> numbers;
  if (block.vectors != nullptr && vectors != nullptr) {
    for (Index w = 0; w < vectors->size(); ++w) numbers.emplace(vectors->word(w), static_cast<std::int32_t>(w));
  }
  DocumentBags bags;
  if (!block.texts.empty()) bags.text_starts = {0};
  std::vector<std::pair<std::int32_t, float>> entries;
  std::vector<std::int32_t> words;
  std::vector<float> counts;
  for (Index a = 0; a < block.size(); ++a) {
    entries.clear(), words.clear(), counts.clear();
    for (Index e = block.starts[a]; e < block.starts[static_cast<std::size_t>(a) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const auto found = numbers.find(block.vectors->word(block.words[at]));
      if (found == numbers.end()) throw Error(ErrorKind::internal, "a word of a document is not among other ones");
      entries.emplace_back(found->second, block.counts[at]);
    }
    std::sort(entries.begin(), entries.end());
    for (const auto& [word, count] : entries) words.push_back(word), counts.push_back(count);
    const auto text = block.texts.empty() ? std::string_view() : block.texts[a];
    append(bags, words, counts, std::span<const char>(text));
  }
  return make_document_block(block.ids, std::move(bags), std::move(vectors), block.set);
}

void append_document(DocumentBags& bags, const DocumentBlock& block, Index a) {
  const auto first = static_cast<std::size_t>(block.starts[a]);
  const auto size = static_cast<std::size_t>(block.starts[static_cast<std::size_t>(a) + 1]) - first;
  append(bags, block.words.subspan(first, size), block.counts.subspan(first, size),
         keeps_texts(bags) ? std::span<const char>(block.texts[a]) : std::span<const char>());
}

// Each rank hashes its share of the words.
std::uint64_t data_digest(const Communicator& communicator, const DocumentSet& documents) {
  const std::uint64_t bags = data_digest(communicator, static_cast<const ObjectSet&>(documents));
  const WordVectors* vectors = documents.vectors();
  if (vectors == nullptr) return bags;
  const MatrixView<const float> values = vectors->vectors();
  const Range own = RowPartition(vectors->size(), communicator.size()).range(communicator.rank());
  std::uint64_t sum = 0;
  for (Index w = own.begin; w < own.end; ++w) {
    const std::uint64_t word =
        hash_bytes(std::as_bytes(std::span(vectors->word(w))), static_cast<std::uint64_t>(w) + 1);
    sum += hash_bytes(std::as_bytes(std::span(values.row(w), static_cast<std::size_t>(values.columns))), word);
  }
  return mix_bits(bags ^ (communicator.sum(sum) + static_cast<std::uint64_t>(vectors->size())));
}

void DocumentSet::add_sizes(const Communicator& communicator, Index /*value_bytes*/, DataSize& sizes) const {
  constexpr Index split_bytes = 32;  // a short std::string
  const DocumentBags& own = bags();
  const auto sum = [&](std::size_t count) { return communicator.sum(static_cast<Index>(count)); };
  Index bytes = sum(own.words.size()) * static_cast<Index>(sizeof(std::int32_t) + sizeof(float)) +
                size() * static_cast<Index>(sizeof(Index)) +
                sum(splits().size() + groups().size() + identifiers().size()) * split_bytes;
  if (keeps_texts()) {
    bytes += sum(own.characters.size()) + size() * static_cast<Index>(sizeof(Index));
  }
  sizes.document_bytes = (bytes + size() - 1) / size();
  const WordVectors* words = this->vectors();
  if (words == nullptr) return;
  constexpr Index a_word = 16;  // its characters and where they begin
  sizes.word_bytes = words->size() * (words->dimension() * static_cast<Index>(sizeof(float)) + a_word);
}

}  // namespace cairn
