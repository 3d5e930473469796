#include "cairn/data/pairs/pair_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "cairn/data/pairs/text_similarities.hpp"

namespace cairn {

namespace {

constexpr std::size_t longest_ngram = 4, longest_cosine = 2, shortest_tile = 3;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Lowercase words of two texts, numbered in order of occurrence.
class NumberedWords {
 public:
  std::vector<std::int32_t> of(const ChunkedText& text, const std::set<std::string>* without) {
    std::vector<std::int32_t> numbers;
    for (const ChunkedToken& token : text) {
      if (std::ranges::none_of(token.word, is_letter_or_digit)) continue;
      std::string word = small(token.word);
      if (without != nullptr && without->contains(word)) continue;
      const auto [known, added] = numbers_.emplace(std::move(word), static_cast<std::int32_t>(words_.size()));
      if (added) words_.push_back(&known->first);
      numbers.push_back(known->second);
    }
    return numbers;
  }
  [[nodiscard]] const std::vector<const std::string*>& words() const { return words_; }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<const std::string*> words_;
};

void append_overlaps(Words left, Words right, std::vector<double>& features) {
  for (std::size_t n = 1; n <= longest_ngram; ++n) {
    const NgramOverlap overlap = ngram_overlap(left, right, n);
    features.insert(features.end(), {overlap.jaccard, overlap.left_in_right, overlap.right_in_left});
    if (n <= longest_cosine) features.push_back(overlap.cosine);
  }
  features.push_back(common_subsequence(left, right));
  features.push_back(common_run(left, right));
}

// Mean vector of the words that have one; empty if none has.
std::vector<double> mean_vector(Words words, const NumberedWords& names, const FeatureResources& resources) {
  std::vector<double> mean;
  for (const std::int32_t word : words) {
    const auto vector = resources.vector(*names.words()[word]);
    if (vector.empty()) continue;
    mean.resize(vector.size(), 0.0);
    for (std::size_t j = 0; j < vector.size(); ++j) mean[j] += static_cast<double>(vector[j]);
  }
  return mean;
}

double cosine(const std::vector<double>& x, const std::vector<double>& y) {
  double product = 0, of_x = 0, of_y = 0;
  for (std::size_t j = 0; j < std::min(x.size(), y.size()); ++j) {
    product += x[j] * y[j], of_x += x[j] * x[j], of_y += y[j] * y[j];
  }
  return of_x > 0 && of_y > 0 ? product / std::sqrt(of_x * of_y) : 0.0;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }
double flag(bool set) { return set ? 1.0 : 0.0; }

// Character counts in the original text.
struct Characters {
  double letters = 0, capitals = 0, digits = 0, questions = 0, exclamations = 0, repeated = 0;
  explicit Characters(std::string_view text) {
    for (std::size_t k = 0; k < text.size(); ++k) {
      const char c = text[k];
      letters += flag(is_letter_or_digit(c) && (c < '0' || c > '9'));
      capitals += flag(c >= 'A' && c <= 'Z');
      digits += flag(c >= '0' && c <= '9');
      questions += flag(c == '?');
      exclamations += flag(c == '!');
      repeated += flag(k > 0 && text[k - 1] == c && (c == '?' || c == '!' || c == '.'));
    }
  }
};

bool has_any(const std::set<std::string>& words, std::initializer_list<const char*> of) {
  return std::ranges::any_of(of, [&](const char* word) { return words.contains(word); });
}

bool holds_any(std::string_view text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

const std::vector<std::string>& similarity_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const char* words : {"all words", "without stop words"}) {
      for (std::size_t n = 1; n <= longest_ngram; ++n) {
        for (const char* what : {"jaccard", "left in right", "right in left"}) {
          all.push_back(fmt::format("{} of {}-grams, {}", what, n, words));
        }
        if (n <= longest_cosine) all.push_back(fmt::format("cosine of {}-grams, {}", n, words));
      }
      all.push_back(fmt::format("common subsequence, {}", words));
      all.push_back(fmt::format("common run, {}", words));
    }
    for (const char* name : {"tiling", "tf-idf cosine", "cosine of mean vectors, all words",
                             "cosine of mean vectors, without stop words"}) {
      all.emplace_back(name);
    }
    return all;
  }();
  return names;
}

const std::vector<std::string>& comment_names() {
  static const std::vector<std::string> names = {"log words",
                                                 "log characters",
                                                 "log sentences",
                                                 "characters of a word",
                                                 "log words by those of the left text",
                                                 "place in the thread",
                                                 "first in the thread",
                                                 "place by texts of the thread",
                                                 "author is the asker",
                                                 "author wrote before",
                                                 "the asker follows",
                                                 "holds a link or address",
                                                 "question marks",
                                                 "ends with a question mark",
                                                 "exclamation marks",
                                                 "capitals by letters",
                                                 "digits by characters",
                                                 "repeated marks",
                                                 "thanks",
                                                 "yes, no or an advice",
                                                 "different words by words"};
  return names;
}

std::vector<double> similarity_features(const ChunkedText& left, const ChunkedText& right,
                                        const FeatureResources& resources) {
  NumberedWords names;
  std::vector<double> features;
  std::vector<std::int32_t> x, y;
  std::vector<double> of_vectors;
  for (const std::set<std::string>* without :
       {static_cast<const std::set<std::string>*>(nullptr), &resources.stop_words}) {
    x = names.of(left, without);
    y = names.of(right, without);
    append_overlaps(x, y, features);
    of_vectors.push_back(cosine(mean_vector(x, names, resources), mean_vector(y, names, resources)));
  }
  std::vector<double> weights;
  for (const std::string* word : names.words()) {
    const auto found = resources.texts.frequencies.find(*word);
    const double frequency = found == resources.texts.frequencies.end() ? 0 : found->second;
    weights.push_back(std::log((1.0 + resources.texts.count) / (1.0 + frequency)));
  }
  const auto all_x = names.of(left, nullptr), all_y = names.of(right, nullptr);
  features.push_back(tiling(all_x, all_y, shortest_tile));
  features.push_back(weighted_cosine(all_x, all_y, weights));
  features.insert(features.end(), of_vectors.begin(), of_vectors.end());
  return features;
}

std::vector<double> comment_features(const ChunkedText& left, const ChunkedText& right, const ThreadPlace& place) {
  std::set<std::string> different;
  double words = 0, word_characters = 0, sentences = 0;
  for (const ChunkedToken& token : right) {
    sentences += flag(token.begins_sentence);
    if (std::ranges::none_of(token.word, is_letter_or_digit)) continue;
    words += 1;
    word_characters += static_cast<double>(token.word.size());
    different.insert(small(token.word));
  }
  const std::string_view text = place.text;
  const Characters characters(text);
  const auto size = static_cast<double>(text.size());
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return {std::log1p(words),
          std::log1p(size),
          std::log1p(sentences),
          share(word_characters, words),
          std::log((1 + words) / (1 + static_cast<double>(left.size()))),
          place.place,
          flag(place.place == 1),
          share(place.place, place.of_thread),
          flag(place.by_asker),
          flag(place.earlier > 0),
          flag(place.asker_follows),
          flag(holds_any(text, {"http:", "https:", "www.", ".com", "@"})),
          characters.questions,
          flag(last != std::string_view::npos && text[last] == '?'),
          characters.exclamations,
          share(characters.capitals, characters.letters),
          share(characters.digits, size),
          characters.repeated,
          flag(has_any(different, {"thanks", "thank", "thanx", "thx", "tnx", "appreciate"})),
          flag(has_any(different, {"yes", "no", "yeah", "yep", "nope", "try", "should", "recommend", "suggest"})),
          share(static_cast<double>(different.size()), words)};
}

}  // namespace cairn
