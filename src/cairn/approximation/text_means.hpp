// Rows of texts from those of their words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// How words of a text weigh.
enum class WordWeights {
  mean,    ///< each of its tokens alike
  tf_idf,  ///< a token of word w by 1 + log((1 + N) / (1 + d_w)), with d_w of the N texts holding w, as in scikit-learn
};

/// K~ between texts: the mean of K~ over the pairs of a token of one and a token of the other, weighed. With
/// K~ = L J Lᵀ between words the factor row of a text is the weighed mean of the rows of its tokens, and J stays.
///
/// @param words  of words: symmetric, with a dense left factor and without a transform
/// @param texts  whose words are rows of it; a number beyond is a word whose row is 0
/// @throws Error(usage) if `words` is another kind of approximation. Memory of a rank: its texts' rows, and at most 64
/// MB of rows of words. Collective.
template <class T>
[[nodiscard]] Approximation<T> approximation_of_texts(const Execution& execution, const Approximation<T>& words,
                                                      const DocumentSet& texts, WordWeights weights);

/// All words of a vocabulary whose labels are distributed, on every rank. Collective.
[[nodiscard]] std::shared_ptr<const std::vector<std::string>> replicated_words(const Communicator& communicator,
                                                                               const std::vector<std::string>& own);

}  // namespace cairn
