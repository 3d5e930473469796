#include "cairn/data/trees/chunked_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

constexpr std::string_view id_mark = "# id =";

// Removes the first column of `line`, up to the next tab or blank, and returns it.
std::string_view take_column(std::string_view& line) {
  const std::size_t tab = std::min(line.find_first_of("\t "), line.size());
  const std::string_view column = line.substr(0, tab);
  line.remove_prefix(std::min(tab + 1, line.size()));
  return column;
}

class TextsReader {
 public:
  TextsReader(const std::string& path, const std::set<std::string>& known, const std::set<std::string>& wanted)
      : reader_(path), known_(known), wanted_(wanted) {}

  ChunkedTexts read() {
    for (std::string_view line; reader_.next(line);) {
      try {
        take(line);
      } catch (const Error& error) {
        reader_.fail(error.what());
      }
      if (reader_.number() % 65536 == 0) Watchdog::beat();
    }
    try {
      end_text();
    } catch (const Error& error) {
      reader_.fail(error.what());
    }
    for (const std::string& id : known_) {
      if (!met_.contains(id)) {
        throw Error(ErrorKind::input, fmt::format("{}: the text of {} is missing", reader_.path(), id));
      }
    }
    return std::move(found_);
  }

 private:
  void take(std::string_view line) {
    if (const auto id = chunk_id(line)) {
      end_text();
      begin_text(std::string(*id));
    } else if (trimmed(line).empty()) {
      new_sentence_ = true;
    } else {
      if (!id_) throw Error(ErrorKind::input, "a token stands before the first '# id ='");
      append_token(line, new_sentence_, text_);
    }
  }
  void begin_text(std::string id) {
    if (id.empty()) throw Error(ErrorKind::input, "the id is missing");
    if (!known_.contains(id)) throw Error(ErrorKind::input, fmt::format("no text has the id {}", excerpt(id)));
    if (!met_.insert(id).second) throw Error(ErrorKind::input, fmt::format("the id {} is a duplicate", id));
    id_ = std::move(id);
    new_sentence_ = true;
  }
  void end_text() {
    if (!id_) return;
    if (text_.empty()) throw Error(ErrorKind::input, fmt::format("the text of {} has no tokens", *id_));
    ++found_.count;
    std::set<std::string> words;
    for (const ChunkedToken& token : text_) words.insert(small(token.word));
    for (const std::string& word : words) ++found_.frequencies[word];
    if (wanted_.contains(*id_)) found_.texts.emplace(*id_, std::move(text_));
    text_.clear();
    id_.reset();
  }

  LineReader reader_;
  const std::set<std::string>& known_;
  const std::set<std::string>& wanted_;
  std::set<std::string> met_;
  std::optional<std::string> id_;
  ChunkedText text_;
  bool new_sentence_ = true;
  ChunkedTexts found_;
};

}  // namespace

void append_token(std::string_view line, bool& new_sentence, ChunkedText& text) {
  require_utf8(line, "the line");
  ChunkedToken token;
  token.word = take_column(line);
  token.speech = take_column(line);
  const std::string_view chunk = take_column(line);
  if (token.word.empty() || token.speech.empty() || chunk.empty() || !trimmed(line).empty()) {
    throw Error(ErrorKind::input, "is not a word, its part of speech and its chunk, with tabs between");
  }
  if (chunk != "O") {
    if (chunk.size() < 3 || chunk[1] != '-' || (chunk[0] != 'B' && chunk[0] != 'I')) {
      throw Error(ErrorKind::input, fmt::format("the chunk '{}' is not O, B-KIND or I-KIND", excerpt(chunk)));
    }
    token.chunk = chunk.substr(2);
    const bool goes_on = !new_sentence && !text.empty() && text.back().chunk == token.chunk;
    token.begins_chunk = chunk[0] == 'B' || !goes_on;
  }
  token.begins_sentence = std::exchange(new_sentence, false);
  text.push_back(std::move(token));
}

std::optional<std::string_view> chunk_id(std::string_view line) {
  if (!line.starts_with(id_mark)) return std::nullopt;
  return trimmed(line.substr(id_mark.size()));
}

std::string small(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool begins_with_letter(std::string_view word) {
  const auto first = word.empty() ? '\0' : word.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || static_cast<unsigned char>(first) >= 0x80;
}

ChunkedTexts read_chunked_texts(const std::string& path, const std::set<std::string>& known,
                                const std::set<std::string>& wanted) {
  return TextsReader(path, known, wanted).read();
}

std::set<std::string> content_words(const ChunkedText& text, const std::set<std::string>& stop_words) {
  std::set<std::string> words;
  for (const ChunkedToken& token : text) {
    if (!begins_with_letter(token.word)) continue;
    if (std::string word = small(token.word); !stop_words.contains(word)) words.insert(std::move(word));
  }
  return words;
}

void append_shallow_tree(const ChunkedText& text, const std::set<std::string>& related, LabelNumbers& labels,
                         TreeBuilder& tree) {
  constexpr const char* mark = "REL-";
  const auto is_related = [&](const ChunkedToken& token) {
    return begins_with_letter(token.word) && related.contains(small(token.word));
  };
  bool in_sentence = false, in_chunk = false;
  const auto close = [&](bool& open) {
    if (std::exchange(open, false)) tree.close();
  };
  tree.open(labels.number("TEXT"));
  for (std::size_t k = 0; k < text.size(); ++k) {
    const ChunkedToken& token = text[k];
    if (token.begins_sentence || token.begins_chunk || token.chunk.empty()) close(in_chunk);
    if (token.begins_sentence) {
      close(in_sentence);
      tree.open(labels.number("S"));
      in_sentence = true;
    }
    if (token.begins_chunk) {
      bool marked = is_related(token);
      for (std::size_t next = k + 1;
           next < text.size() && !text[next].begins_chunk && !text[next].chunk.empty() && !text[next].begins_sentence;
           ++next) {
        marked = marked || is_related(text[next]);
      }
      tree.open(labels.number(fmt::format("{}{}", marked ? mark : "", token.chunk)));
      in_chunk = true;
    }
    tree.open(labels.number(fmt::format("{}{}", is_related(token) ? mark : "", token.speech)));
    tree.leaf(labels.number(fmt::format("LEX##{}::", small(token.word))));
    tree.close();
  }
  close(in_chunk);
  close(in_sentence);
  tree.close();
  tree.finish();
}

}  // namespace cairn
