#include "cairn/store/result/document_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/result/result_layout.hpp"

namespace cairn {

namespace {

using hdf5::ElementType;
using hdf5::Handle;
using hdf5::InputFile;
using hdf5::TableShape;

const DocumentBlock* documents_of(const std::optional<FactorOrigin>& origin) {
  return origin ? dynamic_cast<const DocumentBlock*>(origin->objects.get()) : nullptr;
}

// The entries of a block's documents: a block may see a part of longer lists.
Range entries_of(const DocumentBlock& documents) { return {documents.starts.front(), documents.starts.back()}; }

template <class T>
void write_list(const Handle& group, const std::string& name, std::span<const T> values) {
  const auto count = static_cast<Index>(values.size());
  const Handle table = hdf5::create_table(group, name, hdf5::element_type<T>(), count, -1);
  hdf5::write_rows(table, hdf5::element_type<T>(), {0, count}, values.data());
}

// A list of numbers of type T. Local.
template <class T>
std::vector<T> read_list(const InputFile& file, const std::string& name) {
  const TableShape shape = file.table(name);
  if (shape.columns >= 0 || !(shape.type == hdf5::element_type<T>())) {
    file.refuse(fmt::format("/{} is not a list of numbers of the type that it should have", name));
  }
  std::vector<T> values(static_cast<std::size_t>(shape.rows));
  file.read_rows(name, shape, {0, shape.rows}, values.data());
  return values;
}

Index longest_word(const WordVectors& vectors, const std::vector<std::int32_t>& words) {
  std::size_t longest = 1;
  for (const std::int32_t w : words) longest = std::max(longest, vectors.word(w).size());
  return static_cast<Index>(longest);
}

void check_starts(const InputFile& file, const std::string& name, const std::vector<Index>& starts, std::size_t size,
                  Index entries, bool words) {
  const bool sound = starts.size() == size + 1 && starts.front() == 0 && starts.back() == entries;
  if (!sound) file.refuse(fmt::format("/{} does not say where {} documents begin and end", name, size));
  for (std::size_t a = 1; a < starts.size(); ++a) {
    if (starts[a] < starts[a - 1] + (words ? 1 : 0) || starts[a] > entries) {
      file.refuse(fmt::format("/{} holds {} after {}", name, starts[a], starts[a - 1]));
    }
  }
}

void check_entries(const InputFile& file, const std::string& name, const DocumentBags& bags, Index words) {
  for (Index a = 0; a < bags.size(); ++a) {
    std::int32_t before = -1;
    for (Index e = bags.starts[static_cast<std::size_t>(a)]; e < bags.starts[static_cast<std::size_t>(a) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      if (bags.words[at] <= before || bags.words[at] >= words) {
        file.refuse(fmt::format("/{} holds word {} after word {} of {}", name, bags.words[at], before, words));
      }
      before = bags.words[at];
      if (!(bags.counts[at] > 0) || !std::isfinite(bags.counts[at])) {
        file.refuse(fmt::format("/{} has a word that comes {} times", name, bags.counts[at]));
      }
    }
  }
}

void read_document_texts(const InputFile& file, const std::string& name, DocumentBags& bags) {
  const std::vector<std::string> texts = file.texts(name);
  if (std::ssize(texts) != bags.size()) file.refuse(fmt::format("/{} are not one text a document", name));
  bags.text_starts = {0};
  for (const std::string& text : texts) {
    bags.characters.insert(bags.characters.end(), text.begin(), text.end());
    bags.text_starts.push_back(std::ssize(bags.characters));
  }
}

}  // namespace

LandmarkWords::LandmarkWords(const std::optional<FactorOrigin>& left, const std::optional<FactorOrigin>& right) {
  for (const DocumentBlock* documents : {documents_of(left), documents_of(right)}) {
    if (documents == nullptr || documents->vectors == nullptr) continue;
    if (vectors_ != nullptr && vectors_ != documents->vectors.get()) {
      throw Error(ErrorKind::internal, "the landmarks of the factors number different words");
    }
    vectors_ = documents->vectors.get();
    const Range entries = entries_of(*documents);
    words_.insert(words_.end(), documents->words.begin() + entries.begin, documents->words.begin() + entries.end);
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

Index LandmarkWords::bytes() const {
  if (vectors_ == nullptr) return 0;
  const Index a_word = longest_word(*vectors_, words_) + vectors_->dimension() * static_cast<Index>(sizeof(float));
  return std::ssize(words_) * a_word;
}

void LandmarkWords::write(const Handle& file) const {
  if (vectors_ == nullptr) return;
  const Handle group = hdf5::create_group(file, layout::words);
  const auto count = std::ssize(words_);
  const ElementType text{ElementType::Kind::text, longest_word(*vectors_, words_)};
  const auto length = static_cast<std::size_t>(text.text_bytes);
  std::vector<char> names(words_.size() * length, '\0');
  for (std::size_t k = 0; k < words_.size(); ++k) {
    std::ranges::copy(vectors_->word(words_[k]), names.begin() + static_cast<std::ptrdiff_t>(k * length));
  }
  hdf5::write_rows(hdf5::create_table(group, layout::names, text, count, -1), text, {0, count}, names.data());
  const Handle table =
      hdf5::create_table(group, layout::vectors, hdf5::element_type<float>(), count, vectors_->dimension());
  for (Index k = 0; k < count; ++k) {
    const float* vector = vectors_->vectors().row(words_[static_cast<std::size_t>(k)]);
    hdf5::write_rows(table, hdf5::element_type<float>(), {k, k + 1}, vector);
  }
}

void LandmarkWords::write_documents(const Handle& group, const DocumentBlock& documents) const {
  const Range entries = entries_of(documents);
  const auto first = static_cast<std::size_t>(entries.begin), count = static_cast<std::size_t>(entries.size());
  std::vector<Index> starts(documents.starts.begin(), documents.starts.end());
  for (Index& start : starts) start -= entries.begin;
  std::vector<std::int32_t> numbers;
  for (const std::int32_t word : documents.words.subspan(first, count)) {
    numbers.push_back(static_cast<std::int32_t>(std::lower_bound(words_.begin(), words_.end(), word) - words_.begin()));
  }
  write_list(group, layout::starts, std::span<const Index>(starts));
  write_list(group, layout::words, std::span<const std::int32_t>(numbers));
  write_list(group, layout::counts, documents.counts.subspan(first, count));
  if (documents.texts.empty()) return;
  hdf5::write_texts(group, layout::texts, {documents.texts.begin(), documents.texts.end()});
}

Index document_bytes(const DocumentBlock& documents) {
  constexpr Index a_text = 64;  // its place in a heap
  Index bytes = std::ssize(documents.starts) * static_cast<Index>(sizeof(Index)) +
                entries_of(documents).size() * static_cast<Index>(sizeof(std::int32_t) + sizeof(float));
  for (const std::string_view text : documents.texts) bytes += std::ssize(text) + a_text;
  return bytes;
}

std::shared_ptr<const WordVectors> read_landmark_words(const Communicator& communicator, const InputFile& file,
                                                       Index dimension) {
  std::vector<std::string> names;
  std::vector<float> values;
  const bool exists = collectively(communicator, [&] {
    if (!file.has(layout::words)) return false;
    const std::string names_path = layout::in(layout::words, layout::names);
    const std::string vectors_path = layout::in(layout::words, layout::vectors);
    const TableShape list = file.table(names_path), table = file.table(vectors_path);
    if (list.rows < 1 || list.rows > std::numeric_limits<std::int32_t>::max() || table.rows != list.rows ||
        table.columns != dimension || dimension < 1 || !(table.type == hdf5::element_type<float>())) {
      file.refuse(fmt::format("/{} and /{} are not words and their vectors of {} numbers", names_path, vectors_path,
                              dimension));
    }
    names = file.row_texts(names_path, {0, list.rows});
    const std::set<std::string_view> different(names.begin(), names.end());
    if (different.size() != names.size() || different.contains("")) {
      file.refuse(fmt::format("/{} holds a word twice, or an empty one", names_path));
    }
    values.resize(names.size() * static_cast<std::size_t>(dimension));
    file.read_rows(vectors_path, table, {0, table.rows}, values.data());
    const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
    if (bad != values.end()) file.refuse(fmt::format("/{} holds {}", vectors_path, *bad));
    return true;
  });
  return exists ? std::make_shared<const WordVectors>(communicator, names, dimension, values) : nullptr;
}

std::unique_ptr<DocumentBlock> read_landmark_documents(const InputFile& file, const std::string& name,
                                                       const std::vector<Index>& indices,
                                                       const std::shared_ptr<const WordVectors>& words) {
  DocumentBags bags;
  bags.starts = read_list<Index>(file, layout::in(name, layout::starts));
  bags.words = read_list<std::int32_t>(file, layout::in(name, layout::words));
  bags.counts = read_list<float>(file, layout::in(name, layout::counts));
  if (bags.words.size() != bags.counts.size()) file.refuse(fmt::format("/{} has not one count a word", name));
  check_starts(file, layout::in(name, layout::starts), bags.starts, indices.size(), std::ssize(bags.words),
               words != nullptr);
  check_entries(file, layout::in(name, layout::words), bags, words != nullptr ? words->size() : 0);
  const std::string texts = layout::in(name, layout::texts);
  if (file.has(texts)) read_document_texts(file, texts, bags);
  if (words == nullptr && bags.text_starts.empty()) file.refuse(fmt::format("/{} has neither words nor texts", name));
  return make_document_block(indices, std::move(bags), words);
}

}  // namespace cairn
