// Documents, word vectors and files about words.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "cairn/data/documents/document_reader.hpp"
#include "cairn/evaluation/word_files.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

constexpr const char* words = "cat\ndog\nthe\n2nd\n";

void check(const DocumentSet& documents) {
  const DocumentBags& bags = documents.bags();
  require(bags.size() == documents.size() && bags.size() > 0, "not one bag a document");
  for (Index a = 0; a < bags.size(); ++a) {
    const Index first = bags.starts[a], last = bags.starts[static_cast<std::size_t>(a) + 1];
    require(first < last, "a document without words");
    for (Index e = first; e < last; ++e) {
      const auto at = static_cast<std::size_t>(e);
      require(bags.words[at] >= 0 && bags.words[at] < documents.vectors()->size(), "a word out of range");
      require(e == first || bags.words[at - 1] < bags.words[at], "words do not ascend");
      require(bags.counts[at] > 0, "a word that does not come");
    }
  }
  const MatrixView<const float> vectors = documents.vectors()->vectors();
  for (Index k = 0; k < vectors.rows * vectors.columns; ++k) require(std::isfinite(vectors.data[k]), "not finite");
  const auto labels = std::ssize(documents.labels());
  require(labels == 0 || labels == documents.size(), "not one label a document");
}

void check(ReadDocuments read) {
  check(*read.documents);
  require(read.report.different >= 1 && read.report.different <= read.documents->size(), "different documents");
  const std::vector<Index> numbers = read.documents->take_numbers();
  require(numbers.empty() || std::ssize(numbers) == read.documents->size(), "not one number a document");
  require(std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end(), "numbers do not ascend");
  require(numbers.empty() || numbers.back() < read.report.read, "a number beyond the file");
}

}  // namespace

void read_document_files(std::string_view input) {
  static ScratchFile vectors;
  const char choice = take_choice(input);
  DocumentSource source;
  source.path = file_of(input);
  source.vectors = {vectors.hold("cat 1 2\ndog 3 4\nthe 5 6\n2nd 7 8\n\xC3\xA9 0 1\n"), "", "text"};
  switch (choice) {
    case 't':
      source.format = "tsv";
      source.label = "1";
      break;
    case 'h':
      source.format = "tsv";
      source.label = "label";
      source.split = "split";
      source.text = "text";
      break;
    case 'c':
      source.format = "csv";
      source.label = "1";
      break;
    case 'C':
      source.format = "csv";
      source.label = "label";
      source.text = "text";
      break;
    case 'l':
      source.format = "lines";
      break;
    case 'j':
      source.format = "jsonl";
      source.label = "label";
      break;
    case 'a':
      source.format = "json";
      source.keep_texts = true;
      break;
    case 'z':
      source.format = "lines";
      source.tokenization.pieces = "characters";
      source.vectors.path = vectors.hold("c 1 2\na 3 4\n\xE6\x97\xA5 5 6\n");
      break;
    default:
      return;
  }
  check(read_documents(alone(), source));
}

void read_vector_files(std::string_view input) {
  static ScratchFile documents, list;
  const char choice = take_choice(input);
  DocumentSource source;
  source.path = documents.hold("the cat\n2nd dog\n");
  source.format = "lines";
  source.vectors.path = file_of(input);
  source.vectors.words = list.hold(words);
  if (choice == 't') source.vectors.format = "text";
  if (choice == 'b') source.vectors.format = "word2vec";
  if (choice == 'r') source.vectors.format = "raw32";
  if (choice == 'n') source.vectors.format = "npy";
  if (choice == 'w') {  // the list of words
    source.vectors.path = list.hold(std::string_view("\0\0\x80?\0\0\0@\0\0\0\xC0\0\0\0\0", 16));
    source.vectors.words = file_of(input);
    source.vectors.format = "raw32";
  }
  if (source.vectors.format.empty()) return;
  check(read_documents(alone(), source));
}

void read_word_files(std::string_view input) {
  const char choice = take_choice(input);
  const std::string& path = file_of(input);
  if (choice == 'p') {
    const WordPairs scored = read_word_pairs(alone(), path);
    for (const ScoredWords& pair : scored.pairs) require(!pair.first.empty() && !pair.second.empty(), "an empty word");
    require(scored.header.empty() || scored.header.size() == 3, "a header of other columns");
  }
  if (choice == 'f') {
    const WordFeatures features = read_word_features(alone(), path);
    for (const auto& entry : features.words) {
      for (const auto& feature : entry.features)
        require(feature.first < features.names.size(), "a feature out of range");
    }
  }
}

}  // namespace cairn::fuzz
