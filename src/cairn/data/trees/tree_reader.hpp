// Reading trees.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/documents/document_reader.hpp"
#include "cairn/data/trees/tree_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Where trees come from.
struct TreeSource {
  std::string path{};
  std::string test_path{};  ///< a second file of the same format, whose trees follow: they are of split test, the
                            ///< others of split train
  std::string format{};     ///< kelp, svm-light-tk, penn, conllu, conll; empty: from the name
  std::string tree{};       ///< which tree of an object, by name or number; empty: the only one
  std::string text{};       ///< kelp: the string that is kept as the object's text; empty: none
  std::string features{};   ///< kelp: the vector whose numbers are read, all: the only one; empty or none: no numbers
  WordVectorSource vectors{};
  const TreeLabels* known = nullptr;  ///< of a result: labels that are numbered whether these trees have them or not;
                                      ///< tree and text are as theirs unless given, features as theirs
  std::string generator{};            ///< dependencies; then nothing above counts
  Index trees = 0;                    ///< generator
  Index vocabulary = 20000;           ///< generator: words
  std::uint64_t seed = 0;             ///< generator
  KeyNames keys{};  ///< of path, test-path, format, tree, text, features, generate, points, vocabulary
};

struct TreeReport {
  Index nodes = 0, deepest = 0, longest = 0;  ///< of all trees; levels of the deepest; nodes of the largest
  Index labels = 0;                           ///< different ones
  Index lexical = 0, without_vector = 0;      ///< different words in lexical labels, and those without vector
  Index repeated_vectors = 0;                 ///< left out: their words have one before them
};

struct ReadTrees {
  std::unique_ptr<TreeSet> trees;
  TreeReport report;  ///< the same on every rank
};

/// Reads a file of trees, plain, .gz or .xz; each rank parses its part. Trees, their order and the numbers of labels
/// are the same on any number of ranks.
///
/// - kelp: a line is `label |BT:name| (...) |ET| |BS:name| text |ES| ...`; the label may be missing from all lines.
///   Numbers of a vector |BV:name| have a column for each of their names, in the order of the bytes of these.
/// - svm-light-tk: a line is `label |BT| (...) |BT| (...) |ET| 1:.5 |BV| 7:1 |EV|`; trees are named by number, from 1.
/// - penn: trees in brackets over lines; or lines `label<TAB>tree`.
/// - conllu: sentences of ten columns, one tree a sentence, or a text from `# newdoc` (see conllu_reader.cpp).
/// - conll: columns word, part of speech, chunk; a text from each `# id =` on, its shallow tree (chunked_texts.hpp).
///
/// @throws Error(usage) for a parameter that the format has no use for; Error(input) with file:line, and the column
/// where a tree is wrong. Collective.
[[nodiscard]] ReadTrees read_trees(const Communicator& communicator, const TreeSource& source);

/// Trees as sentences of 4 to 13 words have them (grct): 12 to 39 nodes. Each word but the first depends on one before
/// it; words come with probability proportional to 1 / rank. The same on any number of ranks. Collective.
/// @throws Error(usage) for an unknown generator, or numbers out of range
[[nodiscard]] std::unique_ptr<TreeSet> generate_trees(const Communicator& communicator, const TreeSource& source);

/// Whether this names numbers: it is neither empty nor none. Local.
[[nodiscard]] inline bool has_features(const std::string& features) { return !features.empty() && features != "none"; }

/// The format that the name tells, or source.format. @throws Error(usage) if it does not tell. Local.
[[nodiscard]] std::string tree_format(const TreeSource& source);

}  // namespace cairn
