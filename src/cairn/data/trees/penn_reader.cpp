// Trees in brackets, either spread over lines as in the Penn Treebank, or with a label and a tree per line.
#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/bracket_parser.hpp"
#include "cairn/data/trees/tree_formats.hpp"

namespace cairn {

namespace {

// A tree ends where all its brackets are closed.
class BracketLines final : public ObjectLines {
 public:
  Part part(std::string_view line) override {
    if (depth_ == 0 && trimmed(line).empty()) return Part::between;
    depth_ += std::ranges::count(line, '(') - std::ranges::count(line, ')');
    if (depth_ > 0) return Part::goes_on;
    depth_ = 0;
    return Part::ends;
  }

 private:
  Index depth_ = 0;
};

class BracketObjects final : public TreeParser {
 public:
  Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) override {
    fault_ = 0;
    if (object.ends_with('\n')) object.remove_suffix(1);
    parse_brackets(object, 1, labels, tree, &fault_);
    return {};
  }
};

class LabelledLines final : public TreeParser {
 public:
  Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) override {
    const std::size_t tab = object.find('\t');
    if (tab == std::string_view::npos) throw Error(ErrorKind::input, "has no tab between a label and a tree");
    const std::string_view label = trimmed(object.substr(0, tab));
    require_utf8(label, "the label");
    parse_brackets(object.substr(tab + 1), tab + 2, labels, tree);
    return {.label = label};
  }
};

void read(const Communicator& communicator, const TreeSource& /*source*/, const std::string& path, Index first_block,
          ParsedTrees& parsed) {
  const bool labelled = collectively(communicator, [&] {
    const std::vector<std::string> first = TextBlocks(path).first_lines(1);
    return !first.empty() && first[0].find('\t') < first[0].find('(') && !trimmed(first[0]).starts_with('(');
  });
  if (labelled) {
    LabelledLines parser;
    parse_lines(communicator, path, first_block, parser, parsed);
  } else {
    BracketLines lines;
    BracketObjects parser;
    parse_objects(communicator, path, first_block, lines, parser, parsed);
  }
}

}  // namespace

const TreeFormat& penn_format() {
  static const TreeFormat format = {"penn", {".penn", ".ptb", ".mrg", ".tree", ".trees"}, false,
                                    false,  [](const TreeSource& /*source*/) {},          read};
  return format;
}

}  // namespace cairn
