// Dependency trees in CoNLL-U: ten columns per word, a blank line after each sentence.
//
// grct: SYNT##relation over the dependents in order, with POS##tag over LEX##lemma::p at the word's own place.
// lct: LEX##lemma::p over the dependents, POS##tag, SYNT##relation. loct: LEX##lemma::p over the dependents.
// p is the tag's first letter. [Croce, Moschitti, Basili 2011]
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/tree_formats.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr const char* new_text = "# newdoc";
constexpr const char* text_root = "TEXT";

enum class Form { grct, lct, loct };

Form form_of(const TreeSource& source) {
  if (source.tree == "grct") return Form::grct;
  if (source.tree == "lct") return Form::lct;
  if (source.tree == "loct") return Form::loct;
  throw Error(ErrorKind::usage, fmt::format("{}{} is not grct, lct or loct, which this format has", source.keys("tree"),
                                            source.tree.empty() ? "" : " = " + source.tree));
}

// A word and its columns. Its dependents are in the order of the sentence.
struct Word {
  std::string tag{}, relation{}, lexical{};
  std::int32_t head = 0;  // 0: root
  Index line = 0;         // in the object
  std::vector<std::int32_t> dependents{};
};

// @pre text is UTF-8
std::string small_letters(std::string_view text) {
  std::string small;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t character = 0;
    at += static_cast<std::size_t>(
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &character));
    std::array<utf8proc_uint8_t, 4> letter{};
    const auto count = utf8proc_encode_char(utf8proc_tolower(character), letter.data());
    small.append(reinterpret_cast<const char*>(letter.data()), static_cast<std::size_t>(count));
  }
  return small;
}

std::string first_letter(const std::string& tag) {
  std::size_t end = 1;
  while (end < tag.size() && (static_cast<unsigned char>(tag[end]) & 0xC0U) == 0x80U) ++end;
  return tag.substr(0, end);
}

class Sentence {
 public:
  explicit Sentence(Form form) : form_(form) {}
  void clear() { words_.clear(); }
  [[nodiscard]] bool empty() const { return words_.empty(); }

  void add(std::string_view line, Index number) {
    std::vector<std::string_view> fields;
    for (std::string_view rest = line;;) {
      const std::size_t tab = rest.find('\t');
      fields.push_back(rest.substr(0, tab));
      if (tab == std::string_view::npos) break;
      rest.remove_prefix(tab + 1);
    }
    constexpr std::size_t columns = 10;
    if (fields.size() != columns) {
      throw Error(ErrorKind::input, fmt::format("has {} columns between tabs, and not 10", fields.size()));
    }
    const std::string_view id = fields[0];
    if (id.find_first_of("-.") != std::string_view::npos && !id.starts_with('-')) return;  // a range, or an empty node
    const auto expected = std::ssize(words_) + 1;
    if (parse_integer(std::string(id)) != expected) {
      throw Error(ErrorKind::input, fmt::format("the number of the word is '{}', and not {}", excerpt(id), expected));
    }
    require_utf8(line, "the line");
    Word word{.line = number};
    word.tag = given(fields[4]) ? fields[4] : fields[3];
    const std::string_view lemma = given(fields[2]) ? fields[2] : fields[1];
    if (!given(word.tag)) throw Error(ErrorKind::input, "the word has neither XPOS nor UPOS");
    if (!given(fields[7])) throw Error(ErrorKind::input, "the word has no relation to its head");
    word.relation = fields[7];
    word.lexical = fmt::format("LEX##{}::{}", small_letters(lemma), small_letters(first_letter(word.tag)));
    const auto head = parse_integer(std::string(fields[6]));
    if (!head || *head < 0 || *head > std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorKind::input, fmt::format("the head '{}' is not the number of a word", excerpt(fields[6])));
    }
    word.head = static_cast<std::int32_t>(*head);
    words_.push_back(std::move(word));
  }

  /// Appends the tree.
  /// @param fault  set to the line of a word whose head is wrong
  void build(LabelNumbers& labels, TreeBuilder& tree, Index& fault) {
    const std::int32_t root = link(fault);
    struct Open {
      std::int32_t word;
      std::size_t next;  // next dependent
      bool said;         // the word's own place was passed
    };
    std::vector<Open> open = {{root, 0, false}};
    std::size_t built = 1;
    begin(words_[root], labels, tree);
    while (!open.empty()) {
      auto& [number, next, said] = open.back();
      const Word& word = words_[number];
      const bool more = next < word.dependents.size();
      if (form_ == Form::grct && !said && (!more || word.dependents[next] > number)) {
        tree.open(labels.number("POS##" + word.tag));
        tree.leaf(labels.number(word.lexical));
        tree.close();
        said = true;
      } else if (more) {
        const std::int32_t child = word.dependents[next++];
        begin(words_[child], labels, tree);
        open.push_back({child, 0, false});
        ++built;
      } else {
        if (form_ == Form::lct) {
          tree.leaf(labels.number("POS##" + word.tag));
          tree.leaf(labels.number("SYNT##" + word.relation));
        }
        tree.close();
        open.pop_back();
      }
    }
    if (built < words_.size()) fail_cycle(root, fault);
  }

 private:
  static bool given(std::string_view field) { return !field.empty() && field != "_"; }

  void begin(const Word& word, LabelNumbers& labels, TreeBuilder& tree) const {
    tree.open(labels.number(form_ == Form::grct ? "SYNT##" + word.relation : word.lexical));
  }

  // Finds the dependents of each word; returns the place of the root.
  std::int32_t link(Index& fault) {
    std::int32_t root = -1;
    for (std::size_t k = 0; k < words_.size(); ++k) {
      const Word& word = words_[k];
      fault = word.line;
      if (word.head == 0) {
        if (root >= 0) throw Error(ErrorKind::input, "the sentence has two roots (words with head 0)");
        root = static_cast<std::int32_t>(k);
        continue;
      }
      if (word.head > std::ssize(words_)) {
        throw Error(ErrorKind::input,
                    fmt::format("the head {} is none of the {} words of the sentence", word.head, words_.size()));
      }
      if (word.head == static_cast<std::int32_t>(k) + 1) throw Error(ErrorKind::input, "a word is its own head");
      words_[static_cast<std::size_t>(word.head) - 1].dependents.push_back(static_cast<std::int32_t>(k));
    }
    if (root < 0) throw Error(ErrorKind::input, "the sentence has no root (a word with head 0)");
    return root;
  }

  // Reports the first word that the root does not reach.
  [[noreturn]] void fail_cycle(std::int32_t root, Index& fault) const {
    std::vector<bool> reached(words_.size(), false);
    std::vector<std::int32_t> open = {root};
    while (!open.empty()) {
      const std::int32_t word = open.back();
      open.pop_back();
      reached[word] = true;
      for (const std::int32_t child : words_[word].dependents) open.push_back(child);
    }
    const auto first = static_cast<std::size_t>(std::ranges::find(reached, false) - reached.begin());
    fault = words_[first].line;
    throw Error(ErrorKind::input, fmt::format("the heads of word {} and others make a cycle", first + 1));
  }

  Form form_;
  std::vector<Word> words_;
};

class ConlluParser final : public TreeParser {
 public:
  ConlluParser(const TreeSource& source, bool texts) : sentence_(form_of(source)), name_(source.text), texts_(texts) {}

  Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) override {
    label_.clear();
    text_.clear();
    sentence_.clear();
    fault_ = 0;
    try {
      return parse_lines_of(object, labels, tree);
    } catch (...) {
      tree.discard();
      throw;
    }
  }

 private:
  Parsed parse_lines_of(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) {
    Index line = 0, sentences = 0;
    const auto end_sentence = [&] {
      if (sentence_.empty()) return;
      if (texts_ && sentences == 0) tree.open(labels.number(text_root));
      sentence_.build(labels, tree, fault_);
      sentence_.clear();
      ++sentences;
    };
    for (std::string_view rest = object; !rest.empty(); ++line) {
      fault_ = line;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view one = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (trimmed(one).empty()) {
        end_sentence();
      } else if (one.starts_with('#')) {
        take_comment(one);
      } else {
        sentence_.add(one, line);
      }
    }
    end_sentence();
    if (sentences == 0) {
      fault_ = 0;
      throw Error(ErrorKind::input, texts_ ? "the text has no words" : "the sentence has no words");
    }
    if (texts_) tree.close();
    tree.finish();
    return {label_, text_};
  }

  // "# name = value"
  void take_comment(std::string_view line) {
    const std::size_t equal = line.find('=');
    if (equal == std::string_view::npos) return;
    const std::string_view name = trimmed(line.substr(1, equal - 1)), value = trimmed(line.substr(equal + 1));
    require_utf8(value, "the comment");
    if (name == "label") label_ = value;
    if (name_.empty() || name != name_) return;
    if (!text_.empty()) text_ += ' ';
    text_ += value;
  }

  Sentence sentence_;
  std::string name_, label_, text_;
  bool texts_;  // objects are texts of several sentences
};

// A sentence ends with a blank line, a text with the first line of the next text.
class SentenceLines final : public ObjectLines {
 public:
  explicit SentenceLines(bool texts) : texts_(texts) {}
  Part part(std::string_view line) override {
    const bool blank = trimmed(line).empty();
    if (texts_) {
      if (line.starts_with(new_text)) return begun_ = true, Part::begins;
      return blank && !begun_ ? Part::between : Part::goes_on;
    }
    if (!blank) return begun_ = true, Part::goes_on;
    return std::exchange(begun_, false) ? Part::ends : Part::between;
  }

 private:
  bool texts_, begun_ = false;
};

void read(const Communicator& communicator, const TreeSource& source, const std::string& path, Index first_block,
          ParsedTrees& parsed) {
  // Files of texts begin with a line that begins a text.
  const bool texts = collectively(communicator, [&] {
    constexpr std::size_t comments = 16;
    for (const std::string& line : TextBlocks(path).first_lines(comments)) {
      if (!line.starts_with('#')) return false;
      if (line.starts_with(new_text)) return true;
    }
    return false;
  });
  SentenceLines lines(texts);
  ConlluParser parser(source, texts);
  parse_objects(communicator, path, first_block, lines, parser, parsed);
}

}  // namespace

const TreeFormat& conllu_format() {
  static const TreeFormat format = {"conllu",
                                    {".conllu", ".conll-u"},
                                    true,
                                    true,
                                    [](const TreeSource& source) { static_cast<void>(form_of(source)); },
                                    read};
  return format;
}

}  // namespace cairn
