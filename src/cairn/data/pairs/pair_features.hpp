// Numbers that tell how two texts fit together. Private to this folder.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/trees/chunked_texts.hpp"

namespace cairn {

/// What features are computed with.
struct FeatureResources {
  const std::set<std::string>& stop_words;
  const ChunkedTexts& texts;  ///< that words are counted in
  /// The vector of a small word, or an empty list.
  std::function<std::span<const float>(std::string_view)> vector;
};

/// What the thread says about its right text.
struct ThreadPlace {
  double place = 1;      ///< in the thread, from 1
  double of_thread = 1;  ///< texts of the thread
  bool by_asker = false;
  double earlier = 0;          ///< texts of the same author before it in the thread
  bool asker_follows = false;  ///< the next text is the asker's
  std::string_view text{};     ///< as it was written
};

/// 36 names: similarities of both texts.
[[nodiscard]] const std::vector<std::string>& similarity_names();
/// 21 names: of the right text in its thread.
[[nodiscard]] const std::vector<std::string>& comment_names();

/// Of words in small letters that hold a letter or digit; once all of them, once without stop words. Cosines with idf
/// weights log((1 + N) / (1 + d)), d of the N texts having the word, and of mean vectors of words.
[[nodiscard]] std::vector<double> similarity_features(const ChunkedText& left, const ChunkedText& right,
                                                      const FeatureResources& resources);
[[nodiscard]] std::vector<double> comment_features(const ChunkedText& left, const ChunkedText& right,
                                                   const ThreadPlace& place);

}  // namespace cairn
