#include "cairn/data/trees/bracket_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

class BracketParser {
 public:
  BracketParser(std::string_view text, std::size_t column, LabelNumbers& labels, TreeBuilder& tree, Index* line)
      : text_(text), column_(column), labels_(labels), tree_(tree), line_(line) {}

  void parse() {
    skip_blanks();
    if (at_end()) fail("the tree is empty");
    bool unlabelled = false;  // the tree is in brackets without a label
    if (text_[at_] == '(') {
      const std::size_t bracket = at_++;
      skip_blanks();
      unlabelled = !at_end() && text_[at_] == '(';
      if (!unlabelled) at_ = bracket;
    }
    parse_tree();
    skip_blanks();
    if (unlabelled) {
      if (at_end()) fail("a closing bracket is missing");
      if (text_[at_] != ')') fail("brackets without label hold more than one tree");
      ++at_;
      skip_blanks();
    }
    if (!at_end()) fail(text_[at_] == ')' ? "a closing bracket too many" : "more follows the tree");
    tree_.finish();
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[noreturn]] void fail(const char* reason) const {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t end = line_ != nullptr ? before.rfind('\n') : std::string_view::npos;
    if (end == std::string_view::npos) fail_at(column_ + at_, reason);
    *line_ = std::ranges::count(before, '\n');
    fail_at(at_ - end, reason);
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  // Parses from the first bracket to the matching one.
  void parse_tree() {
    if (at_end()) fail("the tree is empty");
    if (text_[at_] != '(') fail(text_[at_] == ')' ? "a closing bracket too many" : "a tree does not begin with (");
    do {
      if (at_end()) fail("a closing bracket is missing");
      if (text_[at_] == '(') {
        ++at_;
        skip_blanks();
        if (at_end()) fail("a closing bracket is missing");
        if (text_[at_] == '(' || text_[at_] == ')')
          fail("a node has no label; a bracket as a label is written -LRB- or -RRB-");
        tree_.open(label());
      } else if (text_[at_] == ')') {
        ++at_;
        tree_.close();
        if (tree_.depth() == 0) return;
      } else {
        tree_.leaf(label());
      }
      skip_blanks();
    } while (tree_.depth() > 0);
  }

  std::int32_t label() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n\v\f()", at_), text_.size());
    const std::string_view name = text_.substr(at_, end - at_);
    try {
      const std::int32_t number = labels_.number(name);
      at_ = end;
      return number;
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  std::string_view text_;
  std::size_t column_;
  LabelNumbers& labels_;
  TreeBuilder& tree_;
  Index* line_;
  std::size_t at_ = 0;
};

}  // namespace

void parse_brackets(std::string_view text, std::size_t column, LabelNumbers& labels, TreeBuilder& tree, Index* line) {
  try {
    BracketParser(text, column, labels, tree, line).parse();
  } catch (...) {
    tree.discard();
    throw;
  }
}

void fail_at(std::size_t column, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("column {}: {}", column, reason));
}

}  // namespace cairn
