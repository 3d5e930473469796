// Reads documents and the vectors of their words.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Texts that the ranks of a program pass: those of rank 0, then those of rank 1, and so on.
struct GivenTexts {
  std::vector<std::string> texts;
  std::vector<std::string> labels;  ///< one per text, or empty on every rank
};

/// Source of documents. Exactly one of `path`, `generator` and `given` is set.
struct DocumentSource {
  std::string path{};                         ///< a file or a folder
  std::shared_ptr<const GivenTexts> given{};  ///< the texts themselves
  std::string test_path{};  ///< a second file of the same format, whose documents follow; they get split test, those of
                            ///< `path` get split train
  std::string format{};     ///< tsv, csv, lines, jsonl, json, folder; empty: from the name
  std::string text{};   ///< tsv, csv: the column of texts, as a number from 1 or a name in the header; empty: the last
                        ///< of at most two. jsonl, json: the field; empty: text
  std::string label{};  ///< column or field of labels; empty: none. In a folder the labels are the sub-folders
  std::string split{};  ///< column or field of splits; empty: none
  std::string group{}, identifier{};   ///< column or field of groups and of identifiers; empty: none
  bool folder_labels = true;           ///< labels of a folder are needed: files beside its sub-folders are refused;
                                       ///< false: they are left out
  std::vector<std::string> classes{};  ///< only documents with these labels are read; empty: all
  Tokenization tokenization{};
  Index minimum_count = 1;     ///< words that occur less often in all documents together are left out
  std::string empty = "drop";  ///< documents without a word: drop, keep (with vectors: as one word whose vector is 0),
                               ///< refuse
  bool keep_texts = false;     ///< also keep the raw texts; without vectors they are always kept
  WordVectorSource vectors{};
  std::shared_ptr<const WordVectors> known{};  ///< words that are always in use: numbered as in the file of vectors if
                                               ///< they are in it, else after all other words
  std::shared_ptr<const std::vector<std::string>> words{};  ///< documents use the numbers of this list, without vectors
  std::string generator{};                                  ///< zipf; then the members above have no effect
  Index documents = 0;                                      ///< generator
  Index vocabulary = 20000;                                 ///< generator: number of words
  Index dimension = 0;                                      ///< generator: dimension of the word vectors
  std::uint64_t seed = 0;                                   ///< generator
  KeyNames keys{};  ///< of path, test-path, format, text, label, split, group, id, classes, tokens, lower-case,
                    ///< minimum-count, empty, generate, points, vocabulary, dimension
};

/// Statistics of the documents that were read and left out.
struct DocumentReport {
  std::string text_source{};      ///< source of the texts: "column 'text'"; empty: generated
  std::string first_words{};      ///< beginning of the first document that is not blank
  Index different = 0;            ///< number of documents that differ from all before them in what is kept of them
  Index read = 0;                 ///< documents in the files
  Index without_text = 0;         ///< of `read`: JSON objects whose text is missing or null
  Index other_classes = 0;        ///< of `read`: documents of classes that were not requested
  std::vector<Index> of_class{};  ///< of the others: this rank's documents of each requested class
  std::vector<std::string> absent_classes{};  ///< requested classes without a document
  bool texts_alone = false;                   ///< the documents are texts without vectors
  Index empty = 0;                            ///< of the others: without a word (texts only: blank), dropped or kept
  bool keeps_empty = false;                   ///< empty documents are kept
  std::vector<std::string> first_empty{};     ///< file:line of the first empty documents
  Index not_utf8 = 0;                         ///< documents that hold bytes that are not UTF-8
  std::string first_not_utf8{};               ///< file:line of the first of those
  std::vector<std::string> file_notes{};      ///< sentences that describe what was not read
  std::map<std::string, Index> classes{};     ///< of a folder: number of documents in each sub-folder
  Index words = 0;                            ///< words of the documents without stop words
  Index stop_words = 0;                       ///< stop words in the documents
  Index rare_words = 0;                       ///< of `words`: below the minimum count
  Index words_without_vector = 0;             ///< of `words`: without a vector
  Index kept_words = 0;                       ///< of `words`: kept
  Index vocabulary = 0;                       ///< different words in the documents
  Index vocabulary_without_vector = 0;        ///< different words that occur often enough and have no vector
  Index repeated_vectors = 0;                 ///< vectors left out because the word has an earlier one
};

struct ReadDocuments {
  std::unique_ptr<DocumentSet> documents;
  DocumentReport report;  ///< the same on every rank
};

/// Reads documents (or generates them: generate_documents), cuts them into words, and reads the vectors of the words in
/// use. Each rank reads its part of the files. The documents, their order and the numbers of words do not depend on the
/// number of ranks.
///
/// - tsv: tab-separated fields, as many in every line as in the first. Further tabs belong to the last column. Quotes
///   around a label are removed. If a column is given by name, not by number, the first line is a header.
/// - csv: comma-separated fields, as many in every record as in the first. A quoted field may contain commas, line ends
///   and doubled quotes (RFC 4180). If a column is given by name, the first record is a header.
/// - lines: one document per line.
/// - jsonl: one object per line. json: an array of objects. The text is a string or an array of strings. If it is
///   missing or null, the document is empty.
/// - folder: one document per file, ordered by path. Names that begin with a dot are skipped. Links are followed.
///
/// Memory: twice the documents of this rank (8 bytes per word, 24 per document), and the different words in its texts.
/// @throws Error(usage) for inconsistent parameters, or a table of more than two columns without a named text column;
///   Error(input) with file:line for unreadable input, a missing label, a vector that is not finite, vectors of unequal
///   length, a word of the documents with two vectors, a number of words that differs from the one in the file;
///   Error(input) if no word of the documents has a vector, no document is left, or one is empty and `empty` is refuse.
///   The error is the same on every rank. Collective.
[[nodiscard]] ReadDocuments read_documents(const Communicator& communicator, const DocumentSource& source);

/// source.format if it is given, else the format implied by the name. @throws Error(usage) if the name implies none.
/// Local.
[[nodiscard]] std::string document_format(const DocumentSource& source);

}  // namespace cairn
