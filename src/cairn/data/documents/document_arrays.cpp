#include "cairn/data/documents/document_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

constexpr const char* names_path = "words/names";  // in the file
constexpr const char* vectors_path = "words/vectors";
constexpr const char* starts_name = "starts";  // in a block
constexpr const char* words_name = "words";
constexpr const char* counts_name = "counts";
constexpr const char* texts_name = "texts";

// A subset of the words of a vocabulary, renumbered consecutively.
class CommonWords final : public CommonObjects {
 public:
  /// @param words  indices into `vectors`, ascending
  CommonWords(std::shared_ptr<const WordVectors> vectors, std::vector<std::int32_t> words)
      : vectors_(std::move(vectors)), words_(std::move(words)) {}

  [[nodiscard]] const std::shared_ptr<const WordVectors>& vectors() const { return vectors_; }
  [[nodiscard]] std::int32_t number(std::int32_t word) const {
    return static_cast<std::int32_t>(std::ranges::lower_bound(words_, word) - words_.begin());
  }

  void write(ArrayWriter& arrays) const override {
    std::vector<std::string_view> names;
    for (const std::int32_t word : words_) names.push_back(vectors_->word(word));
    arrays.write_words(names_path, names);
    arrays.write(vectors_path, {ArrayNumber::float32, std::ssize(words_), vectors_->dimension()}, [&](Index k) {
      return ArrayWriter::Piece{vectors_->vectors().row(words_[k]), 1};
    });
  }

 private:
  std::shared_ptr<const WordVectors> vectors_;
  std::vector<std::int32_t> words_;
};

// Range of word entries of a block's documents. A block may be a view of part of longer lists.
Range entries_of(const DocumentBlock& documents) { return {documents.starts.front(), documents.starts.back()}; }

void check_starts(const ArrayReader& arrays, const std::vector<Index>& starts, std::size_t size, Index entries,
                  bool words) {
  const std::string name = arrays.called(starts_name);
  const bool sound = starts.size() == size + 1 && starts.front() == 0 && starts.back() == entries;
  if (!sound) arrays.refuse(fmt::format("{} does not say where {} documents begin and end", name, size));
  for (std::size_t a = 1; a < starts.size(); ++a) {
    if (starts[a] < starts[a - 1] + (words ? 1 : 0) || starts[a] > entries) {
      arrays.refuse(fmt::format("{} holds {} after {}", name, starts[a], starts[a - 1]));
    }
  }
}

void check_entries(const ArrayReader& arrays, const DocumentBags& bags, Index words) {
  const std::string name = arrays.called(words_name);
  for (Index a = 0; a < bags.size(); ++a) {
    std::int32_t before = -1;
    for (Index e = bags.starts[a]; e < bags.starts[static_cast<std::size_t>(a) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      if (bags.words[at] <= before || bags.words[at] >= words) {
        arrays.refuse(fmt::format("{} holds word {} after word {} of {}", name, bags.words[at], before, words));
      }
      before = bags.words[at];
      if (!(bags.counts[at] > 0) || !std::isfinite(bags.counts[at])) {
        arrays.refuse(fmt::format("{} has a word that comes {} times", name, bags.counts[at]));
      }
    }
  }
}

void read_document_texts(const ArrayReader& arrays, DocumentBags& bags) {
  const std::vector<std::string> texts = arrays.read_texts(texts_name);
  if (std::ssize(texts) != bags.size()) {
    arrays.refuse(fmt::format("{} are not one text a document", arrays.called(texts_name)));
  }
  bags.text_starts = {0};
  for (const std::string& text : texts) {
    bags.characters.insert(bags.characters.end(), text.begin(), text.end());
    bags.text_starts.push_back(std::ssize(bags.characters));
  }
}

// Reads and checks names and vectors of the words of a file. Local.
void read_words(const ArrayReader& file, Index dimension, std::vector<std::string>& names, std::vector<float>& values) {
  const ArrayShape list = file.shape(names_path), table = file.shape(vectors_path);
  if (list.rows < 1 || list.rows > std::numeric_limits<std::int32_t>::max() || table.rows != list.rows ||
      table.columns != dimension || dimension < 1 || table.number != ArrayNumber::float32) {
    file.refuse(fmt::format("{} and {} are not words and their vectors of {} numbers", file.called(names_path),
                            file.called(vectors_path), dimension));
  }
  names = file.read_words(names_path);
  const std::set<std::string_view> different(names.begin(), names.end());
  if (different.size() != names.size() || different.contains("")) {
    file.refuse(fmt::format("{} holds a word twice, or an empty one", file.called(names_path)));
  }
  values.resize(names.size() * static_cast<std::size_t>(dimension));
  file.read(vectors_path, values.data());
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad != values.end()) file.refuse(fmt::format("{} holds {}", file.called(vectors_path), *bad));
}

}  // namespace

std::unique_ptr<CommonObjects> DocumentBlock::common_with(const ObjectBlock* other) const {
  std::shared_ptr<const WordVectors> all;
  std::vector<std::int32_t> used;
  for (const DocumentBlock* documents : {this, dynamic_cast<const DocumentBlock*>(other)}) {
    if (documents == nullptr || documents->vectors == nullptr) continue;
    if (all != nullptr && all != documents->vectors) {
      throw Error(ErrorKind::internal, "the landmarks of the factors number different words");
    }
    all = documents->vectors;
    const Range entries = entries_of(*documents);
    used.insert(used.end(), documents->words.begin() + entries.begin, documents->words.begin() + entries.end);
  }
  if (all == nullptr) return nullptr;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return std::make_unique<CommonWords>(std::move(all), std::move(used));
}

void DocumentBlock::write(ArrayWriter& arrays, const CommonObjects* common) const {
  const auto* numbered = dynamic_cast<const CommonWords*>(common);
  const Range entries = entries_of(*this);
  const auto first = static_cast<std::size_t>(entries.begin), count = static_cast<std::size_t>(entries.size());
  if (numbered == nullptr && count > 0) throw Error(ErrorKind::internal, "documents are written without their words");
  std::vector<Index> begins(starts.begin(), starts.end());
  for (Index& begin : begins) begin -= entries.begin;
  std::vector<std::int32_t> numbers;
  for (const std::int32_t word : words.subspan(first, count)) numbers.push_back(numbered->number(word));
  arrays.write_list<Index>(starts_name, begins);
  arrays.write_list<std::int32_t>(words_name, numbers);
  arrays.write_list<float>(counts_name, counts.subspan(first, count));
  if (!texts.empty()) arrays.write_texts(texts_name, texts);
}

// Does not depend on the numbering of the words, nor on their order.
std::optional<std::uint64_t> DocumentBlock::digest() const {
  if (vectors == nullptr) return std::nullopt;
  std::uint64_t state = 4;
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) {
    std::uint64_t sum = 0;
    for (auto k = static_cast<std::size_t>(starts[a]); k < static_cast<std::size_t>(starts[a + 1]); ++k) {
      const std::span<const float> vector(vectors->vectors().row(words[k]),
                                          static_cast<std::size_t>(vectors->dimension()));
      const std::uint64_t start = hash_bytes(std::as_bytes(vector), std::bit_cast<std::uint32_t>(counts[k]));
      sum += hash_text(vectors->word(words[k]), start);
    }
    state = mix_bits(state + sum);
  }
  return state;
}

std::unique_ptr<ObjectBlock> DocumentBlock::matched_to(const ObjectSet& others) const {
  const auto* documents = dynamic_cast<const DocumentSet*>(&others);
  return documents != nullptr ? renumbered(*this, documents->shared_vectors()) : nullptr;
}

std::unique_ptr<CommonObjects> read_common_words(const Communicator& communicator, const ArrayReader& file,
                                                 Index dimension) {
  std::vector<std::string> names;
  std::vector<float> values;
  const bool exists = collectively(communicator, [&] {
    if (!file.has("words")) return false;
    read_words(file, dimension, names, values);
    return true;
  });
  if (!exists) return nullptr;
  std::vector<std::int32_t> all(names.size());
  for (std::size_t w = 0; w < all.size(); ++w) all[w] = static_cast<std::int32_t>(w);
  return std::make_unique<CommonWords>(std::make_shared<const WordVectors>(communicator, names, dimension, values),
                                       std::move(all));
}

std::unique_ptr<ObjectBlock> read_document_block(const StoredObjects& stored) {
  const ArrayReader& arrays = stored.arrays;
  const auto* common = dynamic_cast<const CommonWords*>(stored.common);
  DocumentBags bags;
  bags.starts = arrays.read_list<Index>(starts_name);
  bags.words = arrays.read_list<std::int32_t>(words_name);
  bags.counts = arrays.read_list<float>(counts_name);
  if (bags.words.size() != bags.counts.size()) {
    arrays.refuse(fmt::format("{} does not hold one count per word", arrays.called("")));
  }
  check_starts(arrays, bags.starts, stored.indices.size(), std::ssize(bags.words), common != nullptr);
  check_entries(arrays, bags, common != nullptr ? common->vectors()->size() : 0);
  if (arrays.has(texts_name)) read_document_texts(arrays, bags);
  if (common == nullptr && bags.text_starts.empty()) {
    arrays.refuse(fmt::format("{} has neither words nor texts", arrays.called("")));
  }
  return make_document_block(stored.indices, std::move(bags), common != nullptr ? common->vectors() : nullptr);
}

}  // namespace cairn
