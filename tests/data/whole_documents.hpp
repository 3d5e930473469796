// Documents gathered whole to compare with what was written, and vectors written in every format.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

#include "cairn/data/documents/document_reader.hpp"
#include "written_files.hpp"

namespace cairn::test {

using Bag = std::map<std::string, float>;
using Labels = std::vector<std::string>;

/// All documents, on every rank, their words as texts.
struct WholeDocuments {
  std::vector<Bag> bags;
  Labels labels, splits, texts;
  Labels words;  ///< in use, by number
  std::map<std::string, std::vector<float>> vectors;
  DocumentReport report;
};

/// The texts of all ranks in rank order.
inline Labels gathered(const Labels& own) {
  std::vector<char> bytes;
  for (const std::string& text : own) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back('\0');
  }
  Labels all;
  std::string text;
  for (const char c : world().all_gather(bytes)) {
    if (c == '\0')
      all.push_back(std::exchange(text, {}));
    else
      text += c;
  }
  return all;
}

inline Bag bag_of(const DocumentBlock& block, Index a) {
  Bag bag;
  std::int32_t before = -1;
  for (Index e = block.starts[a]; e < block.starts[static_cast<std::size_t>(a) + 1]; ++e) {
    const std::int32_t word = block.words[e];
    EXPECT_GT(word, before);
    before = word;
    bag[std::string(block.vectors->word(word))] = block.counts[e];
  }
  return bag;
}

inline WholeDocuments whole(const ReadDocuments& read) {
  const DocumentSet& set = *read.documents;
  WholeDocuments all;
  all.report = read.report;
  std::vector<Index> ids(set.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<Index>(i);
  const auto objects = set.gather(world(), ids);
  const auto& block = dynamic_cast<const DocumentBlock&>(*objects);
  for (Index a = 0; a < block.size(); ++a) all.bags.push_back(bag_of(block, a));
  for (const std::string_view text : block.texts) all.texts.emplace_back(text);
  all.labels = gathered(set.labels());
  all.splits = gathered(set.splits());
  if (set.vectors() == nullptr) return all;
  for (Index w = 0; w < set.vectors()->size(); ++w) {
    all.words.emplace_back(set.vectors()->word(w));
    const float* vector = set.vectors()->vectors().row(w);
    all.vectors[all.words.back()] = {vector, vector + set.vectors()->dimension()};
  }
  return all;
}

inline WholeDocuments read_whole(const DocumentSource& source) {
  const ReadDocuments read = read_documents(world(), source);
  EXPECT_EQ(read.documents->range(), RowPartition(read.documents->size(), world().size()).range(world().rank()));
  return whole(read);
}

inline void expect_refused(const DocumentSource& source, std::initializer_list<const char*> parts,
                           ErrorKind kind = ErrorKind::input) {
  expect_error([&] { (void)read_documents(world(), source); }, kind, parts);
}

/// Words and their vectors as files of every format hold them.
struct Vectors {
  Labels words;
  Index dimension = 3;

  [[nodiscard]] float value(std::size_t word, Index j) const {
    return static_cast<float>(static_cast<Index>(word) - 2 * j) / 8.0F;
  }
  [[nodiscard]] std::string text() const {
    std::string lines;
    for (std::size_t w = 0; w < words.size(); ++w) {
      lines += words[w];
      for (Index j = 0; j < dimension; ++j) lines += fmt::format(" {}", value(w, j));
      lines += '\n';
    }
    return lines;
  }
  [[nodiscard]] std::string word2vec_text() const { return fmt::format("{} {}\n", words.size(), dimension) + text(); }
  [[nodiscard]] std::string binary(const std::string& end_of_word = "\n") const {
    std::string bytes = fmt::format("{} {}\n", words.size(), dimension);
    for (std::size_t w = 0; w < words.size(); ++w) bytes += words[w] + ' ' + row(w) + end_of_word;
    return bytes;
  }
  [[nodiscard]] std::string rows() const {
    std::string bytes;
    for (std::size_t w = 0; w < words.size(); ++w) bytes += row(w);
    return bytes;
  }
  [[nodiscard]] std::string list() const {
    std::string lines;
    for (const std::string& word : words) lines += word + '\n';
    return lines;
  }

 private:
  [[nodiscard]] std::string row(std::size_t w) const {
    std::vector<float> values;
    for (Index j = 0; j < dimension; ++j) values.push_back(value(w, j));
    return bytes_of(values);
  }
};

}  // namespace cairn::test
