// Compares word vectors with human judgments of words.
#pragma once

#include "cairn/parameters/settings.hpp"
#include "cairn/store/result/result_file.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// True if --words or --qvec are given. Local.
[[nodiscard]] bool evaluates_words(const Settings& settings);

/// @throws Error(usage) for an option without effect in combination with --words or --qvec, or a list of files with an
///   empty name. Local.
void check_word_evaluation(const Settings& settings);

/// Uses the rows of the left factor of the result that `job` names as vectors of the words that are their labels.
/// Prints Spearman's correlation of their cosines with each file of --words, QVEC and QVEC-CCA with that of --qvec, and
/// writes them to --json.
/// @throws Error(input) for a result without labels or with sparse factors; as read_word_pairs, score_words,
///   read_word_features and qvec. Collective.
void evaluate_words(Job& job, const ResultDescription& description);

}  // namespace cairn::app
