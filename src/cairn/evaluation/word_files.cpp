#include "cairn/evaluation/word_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

// Reads a JSON object of named numbers.

using Json = nlohmann::json;

class NumberReader final : public nlohmann::json_sax<Json> {
 public:
  std::vector<std::pair<std::string, double>> fields;
  std::string failure;

  bool null() override { return refuse_value("null"); }
  bool boolean(bool value) override { return refuse_value(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& /*value*/) override { return refuse_value("a text"); }
  bool binary(binary_t& /*value*/) override { return refuse_value("binary data"); }
  bool start_object(std::size_t /*elements*/) override {
    if (inside_) return refuse_value("an object");
    inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return refuse_value("an array"); }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (!names_.insert(name).second) return refuse(fmt::format("its field '{}' is a duplicate", name));
    fields.emplace_back(name, 0.0);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& error) override {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::size_t column = what.find("column");
    return refuse("it is no JSON object of numbers: " + (column == std::string::npos ? what : what.substr(column)));
  }

 private:
  bool put(double value) {
    if (!inside_) return refuse_value("a number");
    fields.back().second = value;
    return true;
  }
  bool refuse_value(const char* what) {
    if (!inside_) return refuse("it is no JSON object of numbers");
    return refuse(fmt::format("its field '{}' is {}, not a number", fields.back().first, what));
  }
  bool refuse(std::string reason) {
    failure = std::move(reason);
    return false;
  }

  std::unordered_set<std::string> names_;
  bool inside_ = false;
};

// The fields of a JSON object whose values are all numbers, in the order of the text: {"a": 0.25, "b": 1}.
// @throws Error(input) if `text` is no JSON object, a value is not a number or out of range, or a name is repeated.
//   Local.
std::vector<std::pair<std::string, double>> read_json_numbers(std::string_view text) {
  NumberReader reader;
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) throw Error(ErrorKind::input, reader.failure);
  return std::move(reader.fields);
}

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

// Converts "SimLex999" and "Human (mean)" to simlex999 and humanmean.
std::string plain_name(std::string_view field) {
  std::string name;
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) name += static_cast<char>(std::tolower(byte));
  }
  return name;
}

// False for "1,5", which is a malformed number.
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

  // True if the first line is a header. Sets the positions of its columns if they are named.
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
  std::size_t count_ = 0, first_ = 0, second_ = 1, score_ = 2;  // fields per line, and positions of the parts
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
  std::unordered_map<std::string, Index> lines_;         // line of each word
  std::unordered_map<std::string, std::size_t> places_;  // index of each feature
};

}  // namespace

WordPairs read_word_pairs(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return PairReader(path).read(); });
}

WordFeatures read_word_features(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return FeatureReader(path).read(); });
}

}  // namespace cairn
