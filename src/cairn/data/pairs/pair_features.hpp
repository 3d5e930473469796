// Features of pairs of texts. Private to this folder.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/trees/chunked_texts.hpp"

namespace cairn {

/// Resources for computing features.
struct FeatureResources {
  const std::set<std::string>& stop_words;
  const ChunkedTexts& texts;  ///< texts in which words are counted
  /// The vector of a lowercase word, or an empty list.
  std::function<std::span<const float>(std::string_view)> vector;
};

/// Position and context of the right text in its thread.
struct ThreadPlace {
  double place = 1;      ///< position in the thread, from 1
  double of_thread = 1;  ///< number of texts in the thread
  bool by_asker = false;
  double earlier = 0;          ///< earlier texts of the same author in the thread
  bool asker_follows = false;  ///< the next text is the asker's
  std::string_view text{};     ///< the original text
};

/// 36 names of similarities of both texts.
[[nodiscard]] const std::vector<std::string>& similarity_names();
/// 21 names of features of the right text in its thread.
[[nodiscard]] const std::vector<std::string>& comment_names();

/// Features of lowercase words with a letter or digit, once of all words, once without stop words. Cosines use idf
/// weights log((1 + N) / (1 + d)), where d of the N texts have the word, or mean word vectors.
[[nodiscard]] std::vector<double> similarity_features(const ChunkedText& left, const ChunkedText& right,
                                                      const FeatureResources& resources);
[[nodiscard]] std::vector<double> comment_features(const ChunkedText& left, const ChunkedText& right,
                                                   const ThreadPlace& place);

}  // namespace cairn
