#include "cairn/evaluation/word_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/json_numbers.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

struct Separator {
  char character;
  const char* name;
};

Separator separator_of(std::string_view line) {
  for (const Separator one : {Separator{'\t', "tab"}, Separator{';', "semicolon"}, Separator{',', "comma"}}) {
    if (std::count(line.begin(), line.end(), one.character) >= 2) return one;
  }
  return {' ', "blanks"};
}

// "SimLex999" and "Human (mean)" as simlex999 and humanmean.
std::string plain_name(std::string_view field) {
  std::string name;
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) name += static_cast<char>(std::tolower(byte));
  }
  return name;
}

// Not "1,5", which is a mistake in a number.
bool is_name(std::string_view field) {
  const auto first = static_cast<unsigned char>(field.empty() ? '0' : field.front());
  return (std::isalpha(first) != 0 || first >= 0x80) && !is_number(field);
}

class PairReader {
 public:
  explicit PairReader(const std::string& path) : reader_(path) { words_.path = path; }

  WordPairs read() {
    for (std::string_view line; reader_.next(line);) {
      const std::string_view text = trimmed(line);
      if (text.starts_with('#')) {
        ++words_.comment_lines;
      } else if (!text.empty()) {
        try {
          take(line);
        } catch (const Error& error) {
          reader_.fail(error.what());
        }
      }
    }
    if (words_.pairs.empty()) throw Error(ErrorKind::input, words_.path + ": has no pairs of words");
    return std::move(words_);
  }

 private:
  void take(std::string_view line) {
    if (words_.separator.empty()) {
      const Separator separator = separator_of(line);
      words_.separator = separator.name;
      splitter_ = FieldSplitter(separator.character);
      if (take_header(splitter_.split(line))) return;
    }
    const auto& fields = splitter_.split(line);
    if (fields.size() != count_) {
      throw Error(ErrorKind::input, fmt::format("has {} {} (by {}), and the first line {}", fields.size(),
                                                fields.size() == 1 ? "field" : "fields", words_.separator, count_));
    }
    const std::string_view first = trimmed(fields[first_]), second = trimmed(fields[second_]);
    if (first.empty() || second.empty()) throw Error(ErrorKind::input, "a word is empty");
    words_.pairs.push_back(
        {std::string(first), std::string(second), parse_number<double>(fields[score_]), reader_.number()});
  }

  // Whether the first line is a header; where its columns are, if they are named.
  bool take_header(const std::vector<std::string_view>& fields) {
    count_ = fields.size();
    const auto place = [&](std::initializer_list<const char*> names) {
      for (const char* name : names) {
        for (std::size_t k = 0; k < count_; ++k) {
          if (plain_name(fields[k]) == name) return k;
        }
      }
      return count_;
    };
    const std::size_t first = place({"word1"}), second = place({"word2"}),
                      score = place({"simlex999", "score", "humanmean"});
    const bool named = std::max({first, second, score}) < count_;
    if (named) {
      first_ = first;
      second_ = second;
      score_ = score;
    } else if (count_ != 3) {
      throw Error(ErrorKind::input,
                  fmt::format("has {} {} (by {}): a line is word, word, score, or the first line names columns word1, "
                              "word2 and SimLex999 (or score)",
                              count_, count_ == 1 ? "field" : "fields", words_.separator));
    }
    if (!named && !is_name(trimmed(fields[score_]))) return false;
    for (const std::size_t k : {first_, second_, score_}) words_.header.emplace_back(trimmed(fields[k]));
    return true;
  }

  LineReader reader_;
  FieldSplitter splitter_{' '};
  WordPairs words_;
  std::size_t count_ = 0, first_ = 0, second_ = 1, score_ = 2;  // fields of a line, and where its parts are
};

class FeatureReader {
 public:
  explicit FeatureReader(const std::string& path) : reader_(path) { features_.path = path; }

  WordFeatures read() {
    for (std::string_view line; reader_.next(line);) {
      if (trimmed(line).empty()) continue;
      try {
        take(line);
      } catch (const Error& error) {
        reader_.fail(error.what());
      }
    }
    if (features_.words.empty()) throw Error(ErrorKind::input, features_.path + ": has no words");
    if (features_.names.empty()) throw Error(ErrorKind::input, features_.path + ": its words have no features");
    return std::move(features_);
  }

 private:
  void take(std::string_view line) {
    const std::size_t tab = line.find('\t');
    const std::string_view word = trimmed(line.substr(0, tab));
    if (tab == std::string_view::npos || word.empty()) {
      throw Error(ErrorKind::input, "is not a word, a tab, and a JSON object of features");
    }
    const auto [known, added] = lines_.try_emplace(std::string(word), reader_.number());
    if (!added) {
      throw Error(ErrorKind::input,
                  fmt::format("the word '{}' is a duplicate of line {}", excerpt(word), known->second));
    }
    WordFeatures::Entry entry{std::string(word), reader_.number(), {}};
    for (const auto& [name, value] : read_json_numbers(line.substr(tab + 1))) {
      const auto [place, added_name] = places_.try_emplace(name, features_.names.size());
      if (added_name) features_.names.push_back(name);
      entry.features.emplace_back(place->second, value);
    }
    features_.words.push_back(std::move(entry));
  }

  LineReader reader_;
  WordFeatures features_;
  std::unordered_map<std::string, Index> lines_;         // of words
  std::unordered_map<std::string, std::size_t> places_;  // of features
};

}  // namespace

WordPairs read_word_pairs(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return PairReader(path).read(); });
}

WordFeatures read_word_features(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return FeatureReader(path).read(); });
}

}  // namespace cairn
