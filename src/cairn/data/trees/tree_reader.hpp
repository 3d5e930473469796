// Reads trees.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/trees/tree_set.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Source of trees.
struct TreeSource {
  std::string path{};
  std::string test_path{};  ///< a second file of the same format, whose trees follow; they get split test, those of
                            ///< `path` get split train
  std::string format{};     ///< kelp, svm-light-tk, penn, conllu, conll; empty: from the name
  std::string tree{};       ///< the tree of an object to use, by name or number; empty: the only one
  std::string text{};       ///< kelp: the string to keep as the object's text; empty: none
  std::string features{};   ///< kelp: the vector whose numbers are read; all: the only one; empty or none: no numbers
  WordVectorSource vectors{};
  const TreeLabels* known = nullptr;  ///< labels of a result, all of which get numbers. Tree and text are taken from it
                                      ///< unless given, features always
  std::string generator{};            ///< dependencies; then the members above have no effect
  Index trees = 0;                    ///< generator
  Index vocabulary = 20000;           ///< generator: number of words
  std::uint64_t seed = 0;             ///< generator
  KeyNames keys{};  ///< of path, test-path, format, tree, text, features, generate, points, vocabulary
};

struct TreeReport {
  Index nodes = 0, deepest = 0, longest = 0;  ///< of all trees; levels of the deepest tree; nodes of the largest tree
  Index labels = 0;                           ///< number of different labels
  Index lexical = 0, without_vector = 0;      ///< different words in lexical labels, and those without vector
  Index repeated_vectors = 0;                 ///< vectors left out because the word has an earlier one
};

struct ReadTrees {
  std::unique_ptr<TreeSet> trees;
  TreeReport report;  ///< the same on every rank
};

/// Reads a file of trees, plain, .gz or .xz. Each rank parses its part. Trees, their order and the numbers of labels do
/// not depend on the number of ranks.
///
/// - kelp: a line is `label |BT:name| (...) |ET| |BS:name| text |ES| ...`; the label may be missing from all lines. The
///   numbers of a vector |BV:name| get a column for each of their names, in ascending byte order of the names.
/// - svm-light-tk: a line is `label |BT| (...) |BT| (...) |ET| 1:.5 |BV| 7:1 |EV|`; trees are numbered from 1.
/// - penn: trees in brackets spread over lines; or lines `label<TAB>tree`.
/// - conllu: sentences of ten columns, one tree per sentence, or one text from each `# newdoc` on (see
///   conllu_reader.cpp).
/// - conll: columns word, part of speech, chunk; from each `# id =` on, the shallow tree of a text (chunked_texts.hpp).
///
/// @throws Error(usage) for a parameter that has no effect for the format; Error(input) with file:line, and the column
///   of an error in a tree. Collective.
[[nodiscard]] ReadTrees read_trees(const Communicator& communicator, const TreeSource& source);

/// Generates trees of sentences of 4 to 13 words (grct): 12 to 39 nodes. Each word but the first depends on an earlier
/// one. Words have probability proportional to 1 / rank. The trees do not depend on the number of ranks. Collective.
/// @throws Error(usage) for an unknown generator, or numbers out of range
[[nodiscard]] std::unique_ptr<TreeSet> generate_trees(const Communicator& communicator, const TreeSource& source);

/// True if the text names a vector, i.e. is neither empty nor none. Local.
[[nodiscard]] inline bool has_features(const std::string& features) { return !features.empty() && features != "none"; }

/// source.format if it is given, else the format implied by the name. @throws Error(usage) if the name implies none.
/// Local.
[[nodiscard]] std::string tree_format(const TreeSource& source);

}  // namespace cairn
