// Rows of texts from those of their words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// Weights of the words of a text.
enum class WordWeights {
  mean,    ///< equal weights for all tokens
  tf_idf,  ///< weight 1 + log((1 + N) / (1 + d_w)) for word w, held by d_w of the N texts, as in scikit-learn
};

/// K~ between texts: the weighted mean of K~ over the pairs of a token of one and a token of the other. With K~ = L J
/// Lᵀ between words the factor row of a text is the weighted mean of the rows of its tokens, and J is unchanged.
///
/// @param words  approximation between words: symmetric, with a dense left factor and without a transform
/// @param texts  texts whose words are rows of it; a larger number is a word whose row is 0
/// @throws Error(usage) if `words` is another kind of approximation. Memory per rank: its texts' rows, and at most 64
/// MB of rows of words. Collective.
template <class T>
[[nodiscard]] Approximation<T> approximation_of_texts(const Execution& execution, const Approximation<T>& words,
                                                      const DocumentSet& texts, WordWeights weights);

/// All words of a vocabulary whose labels are distributed, on every rank. Collective.
[[nodiscard]] std::shared_ptr<const std::vector<std::string>> replicated_words(const Communicator& communicator,
                                                                               const std::vector<std::string>& own);

}  // namespace cairn
