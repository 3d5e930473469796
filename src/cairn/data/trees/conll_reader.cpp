// Shallow trees of tokens, parts of speech and chunks (columns of CoNLL-2000).
#include <algorithm>
#include <string_view>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/chunked_texts.hpp"
#include "cairn/data/trees/tree_formats.hpp"

namespace cairn {

namespace {

// A text begins with its id.
class TextLines final : public ObjectLines {
 public:
  Part part(std::string_view line) override {
    const bool blank = trimmed(line).empty();
    if (blank && !met_) return Part::between;
    met_ = true;
    return chunk_id(line) ? Part::begins : Part::goes_on;
  }

 private:
  bool met_ = false;  // a line that is not blank was read
};

class TextObjects final : public TreeParser {
 public:
  Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) override {
    fault_ = 0;
    text_.clear();
    bool new_sentence = true;
    for (; !object.empty(); ++fault_) {
      const std::size_t end = std::min(object.find('\n'), object.size());
      const std::string_view line = object.substr(0, end);
      object.remove_prefix(std::min(end + 1, object.size()));
      if (const auto id = chunk_id(line)) {
        if (id->empty()) throw Error(ErrorKind::input, "the id is missing");
      } else if (trimmed(line).empty()) {
        new_sentence = true;
      } else if (fault_ == 0) {
        throw Error(ErrorKind::input, "a token stands before the first '# id ='");
      } else {
        append_token(line, new_sentence, text_);
      }
    }
    fault_ = 0;
    if (text_.empty()) throw Error(ErrorKind::input, "the text has no tokens");
    append_shallow_tree(text_, {}, labels, tree);
    return {};
  }

 private:
  ChunkedText text_;
};

void read(const Communicator& communicator, const TreeSource& /*source*/, const std::string& path, Index first_block,
          ParsedTrees& parsed) {
  TextLines lines;
  TextObjects parser;
  parse_objects(communicator, path, first_block, lines, parser, parsed);
}

}  // namespace

const TreeFormat& conll_format() {
  static const TreeFormat format = {"conll", {".conll"}, false, false, [](const TreeSource& /*source*/) {}, read};
  return format;
}

}  // namespace cairn
