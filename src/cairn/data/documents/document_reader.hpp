// Reading documents and the vectors of their words.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Where word vectors come from. Files may be .gz, .xz or .zip.
struct WordVectorSource {
  std::string path{};    ///< empty: none
  std::string words{};   ///< raw32, npy: the file of their words, one a line; empty: `path` with .words.txt instead of
                         ///< its ending
  std::string format{};  ///< raw32, npy, text (GloVe, word2vec, fastText), word2vec (binary); empty: from the name
  Index dimension = 0;   ///< that the vectors must have; 0: any
  KeyNames keys{};       ///< of vectors, words, vectors-format, dimension, repeated-words
  bool first_of_repeated = false;  ///< of several vectors of a word the first counts; else they are refused
};

/// Where documents come from. Exactly one of `path` and `generator` is set.
struct DocumentSource {
  std::string path{};       ///< a file, or a folder
  std::string test_path{};  ///< a second one of the same format, whose documents follow: those are of split test, those
                            ///< of `path` of split train
  std::string format{};     ///< tsv, csv, lines, jsonl, json, folder; empty: from the name
  std::string text{};       ///< tsv, csv: the column of texts, from 1 or by a header's name; empty: the last of at most
                            ///< two. jsonl, json: its field; empty: text
  std::string label{};      ///< column or field of labels; empty: none. A folder labels its files by their sub-folder
  std::string split{};      ///< column or field of splits; empty: none
  std::string group{}, identifier{};   ///< likewise of groups and identifiers
  bool folder_labels = true;           ///< whether labels of a folder are needed: files beside its sub-folders are
                                       ///< refused then, and else left out
  std::vector<std::string> classes{};  ///< documents with these labels alone; empty: all
  Tokenization tokenization{};
  Index minimum_count = 1;     ///< words that come less often in all documents together are left out
  std::string empty = "drop";  ///< documents without a word: drop, keep (with vectors as one word whose vector is 0),
                               ///< refuse
  bool keep_texts = false;     ///< the raw texts, too; without vectors they are always kept
  WordVectorSource vectors{};
  std::shared_ptr<const WordVectors> known{};  ///< words in use whatever the documents hold: numbered as in the file of
                                               ///< vectors where it has them, else after all others
  std::shared_ptr<const std::vector<std::string>> words{};  ///< number documents by these, without vectors
  std::string generator{};                                  ///< zipf; then nothing above counts
  Index documents = 0;                                      ///< generator
  Index vocabulary = 20000;                                 ///< generator: words
  Index dimension = 0;                                      ///< generator: of their vectors
  std::uint64_t seed = 0;                                   ///< generator
  KeyNames keys{};  ///< of path, test-path, format, text, label, split, group, id, classes, tokens, lower-case,
                    ///< minimum-count, empty, generate, points, vocabulary, dimension
};

/// What reading found and left out.
struct DocumentReport {
  std::string text_source{};                  ///< where the texts stand: "column 'text'"; empty: they are generated
  std::string first_words{};                  ///< how the first document begins that is not blank
  Index different = 0;                        ///< documents that differ from all before them, in what is kept of them
  Index read = 0;                             ///< documents in the files
  Index without_text = 0;                     ///< of them: JSON objects whose text is missing or null
  Index other_classes = 0;                    ///< of them: of other classes than those asked for
  std::vector<Index> of_class{};              ///< of the others: this rank's of each class asked for
  std::vector<std::string> absent_classes{};  ///< asked for, and no document has them
  bool texts_alone = false;                   ///< whether the documents are texts without vectors
  Index empty = 0;                            ///< of the rest: without a word (texts alone: of blanks), dropped or kept
  bool keeps_empty = false;                   ///< whether those are kept
  std::vector<std::string> first_empty{};     ///< file:line of the first of them
  Index not_utf8 = 0;                         ///< documents that hold bytes that are not UTF-8
  std::string first_not_utf8{};               ///< file:line of the first of them
  std::vector<std::string> file_notes{};      ///< what was not read, in sentences
  std::map<std::string, Index> classes{};     ///< of a folder: documents in each of its sub-folders
  Index words = 0;                            ///< words of the documents, but for stop words
  Index stop_words = 0;                       ///< stop words in them
  Index rare_words = 0;                       ///< of `words`: below the minimum count,
  Index words_without_vector = 0;             ///< without a vector,
  Index kept_words = 0;                       ///< and kept
  Index vocabulary = 0;                       ///< different words in the documents
  Index vocabulary_without_vector = 0;        ///< of them, those that come often enough and have no vector
  Index repeated_vectors = 0;                 ///< left out: the word has one before them
};

struct ReadDocuments {
  std::unique_ptr<DocumentSet> documents;
  DocumentReport report;  ///< the same on every rank
};

/// Reads documents (or generates them: generate_documents), cuts them into words, and takes the vectors of the words in
/// use. Each rank reads its part of the files; the documents, their order and the numbers of words are the same on any
/// number of ranks.
///
/// - tsv: fields between tabs, as many in every line as in the first; what follows the last column's tab belongs to
///   it. Quotes around a label are taken off. Where a column is named, not numbered, the first line is a header.
/// - csv: fields between commas, as many in every record as in the first. A field in quotes may hold commas, line ends,
///   and quotes, doubled (RFC 4180). Where a column is named the first record is a header.
/// - lines: one document a line.
/// - jsonl: one object a line. json: an array of objects. The text is a string, or an array of strings; if it is
///   missing or null the document is empty.
/// - folder: one document a file, in the order of their paths; those that begin with a dot are skipped. Links are
///   followed.
///
/// Memory: twice the documents of this rank (8 bytes a word, 24 a document), and the different words in its texts.
/// @throws Error(usage) for parameters that do not go together, or a table of more than two columns of which none is
/// named as
///   that of the texts; Error(input) with file:line for what cannot be read, a label
///   that is missing, a vector that is not finite, vectors of unequal length, a word of the documents that has two of
///   them, a number of words other than the file says; if no word of the documents has a vector, no document is
///   left, or one is empty and `empty` is refuse: the same on every rank. Collective.
[[nodiscard]] ReadDocuments read_documents(const Communicator& communicator, const DocumentSource& source);

/// The format that a name tells, or source.format if it is given. @throws Error(usage) if it does not tell.
/// Local.
[[nodiscard]] std::string document_format(const DocumentSource& source);
[[nodiscard]] std::string word_vector_format(const WordVectorSource& source);
/// The file of the words of raw32 and npy vectors. Local.
[[nodiscard]] std::string words_path(const WordVectorSource& source);

}  // namespace cairn
