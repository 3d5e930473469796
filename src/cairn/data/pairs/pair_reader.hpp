// Reading pairs of texts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/pairs/pair_set.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Source of pairs. Files may be .gz or .xz.
struct PairSource {
  std::string path{};
  std::string test_path{};              ///< a second file of the same format, whose pairs follow and have split test
  std::string format{};                 ///< semeval, kelp; empty: from the name
  std::string subtask{};                ///< semeval: A, B, C
  std::vector<std::string> positive{};  ///< labels that become true, all others false; none: labels are unchanged
  std::string trees{}, test_trees{};    ///< semeval: tokens, parts of speech and chunks of all texts of the two files
  std::string stop_words{};             ///< semeval: a file of words that do not relate texts
  std::vector<std::string> known_stop_words{};  ///< stop words of a result, instead
  bool relations = true;                        ///< semeval: mark what both texts share
  std::vector<std::string> tree{};              ///< kelp: names of the trees of both sides; none: the only one
  std::string features = "all";  ///< semeval: all or none; kelp: the name of a vector of the pair, or none
  std::string group{}, id{};     ///< kelp: names of strings that are the group and the identifier of a pair
  std::string feature_path{};    ///< a table with a row of numbers for each pair, instead
  WordVectorSource vectors{};    ///< word vectors for lexical labels
  std::shared_ptr<const TreeLabels> known{};  ///< labels that are numbered even if these trees do not have them
  std::vector<std::string> known_features{};  ///< names that features must have, in this order; none: any
  const Scaling* scaling = nullptr;           ///< scaling of the features; null: by mean and variance in training rows
  KeyNames keys{};  ///< names of path, test-path, format, subtask, positive, trees, test-trees, stop-words, tree,
                    ///< features, group, id, feature-path, vectors and words
};

struct PairReport {
  Index nodes = 0;             ///< nodes of all trees
  Index labels = 0;            ///< different labels
  Index skipped = 0;           ///< threads that the subtask leaves out
  Index repeated_vectors = 0;  ///< vectors left out: their words have earlier ones
};

struct ReadPairs {
  std::unique_ptr<PairSet> pairs;  ///< features in precision T, standardized
  Scaling scaling;                 ///< scaling that was applied to the features
  PairReport report;               ///< the same on every rank
};

/// Reads pairs. The pairs, their order and the label numbers are the same on any number of ranks.
///
/// - semeval: the XML files of SemEval 2016, task 3. Subtask A: a related question and each comment on it, in threads
///   that are not skipped; B: an original question and each related one; C: an original question and each comment on
///   a related one. Groups are the left texts, identifiers the right ones. Every rank reads the whole files, and
///   computes trees and features of its own pairs.
/// - kelp: a line is `label |<| fields |,| fields |>| fields`; features are a sparse vector |BV:name| after the pair,
///   groups and identifiers are strings |BS:name| there, or in the left and the right side.
///
/// Features are standardized: mean 0 and variance 1 over pairs of split train (all, if there are no splits); features
/// that are constant there become 0.
/// @throws Error(usage) for incompatible parameters; Error(input) with file:line for invalid input. Collective.
template <class T>
[[nodiscard]] ReadPairs read_pairs(const Communicator& communicator, const PairSource& source);

/// source.format, or else the format that follows from the name. @throws Error(usage) if the name does not show it.
/// Local.
[[nodiscard]] std::string pair_format(const PairSource& source);

/// Sets how new pairs are read, from the form of a result.
/// @throws Error(usage) if they have another format. Local.
void take_form(const PairForm& form, PairSource& source);

}  // namespace cairn
