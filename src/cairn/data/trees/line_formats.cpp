// Trees in line-based files of KeLP and of SVM-light with tree kernels.
#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/bracket_parser.hpp"
#include "cairn/data/trees/kelp_line.hpp"
#include "cairn/data/trees/tree_formats.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

class KelpParser final : public TreeParser {
 public:
  explicit KelpParser(const TreeSource& source)
      : tree_(source.tree),
        text_(source.text),
        features_(source.features),
        tree_key_(source.keys("tree")),
        text_key_(source.keys("text")),
        features_key_(source.keys("features")) {}

  Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) override {
    const KelpLine line = kelp_line(object);
    require_utf8(line.label, "the label");
    const std::vector<KelpField> fields = kelp_fields(line.rest, line.column);
    Parsed parsed{.label = line.label};
    if (!text_.empty()) {
      parsed.text = trimmed(kelp_field(fields, "S", "string", text_, text_key_).content);
      require_utf8(parsed.text, "the text");
    }
    if (has_features(features_)) {
      parsed.numbers =
          trimmed(kelp_field(fields, "V", "vector", features_ == "all" ? "" : features_, features_key_).content);
    }
    const KelpField& field = kelp_field(fields, "T", "tree", tree_, tree_key_);
    parse_brackets(field.content, field.column, labels, tree);
    return parsed;
  }

 private:
  std::string tree_, text_, features_, tree_key_, text_key_, features_key_;
};

// label |BT| (...) |BT| (...) |ET| 1:.5 2:1 |BV| 7:1 |EV|
class SvmLightParser final : public TreeParser {
 public:
  explicit SvmLightParser(const TreeSource& source) : key_(source.keys("tree")) {
    if (source.tree.empty()) return;
    const auto number = parse_integer(source.tree);
    if (!number || *number < 1) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} = {}: the trees of this format are named by number, from 1", key_, source.tree));
    }
    number_ = *number;
  }

  Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) override {
    constexpr std::string_view begin = "|BT|", end = "|ET|";
    const std::size_t first = object.find(begin);
    if (first == std::string_view::npos) throw Error(ErrorKind::input, "has no tree: |BT| is missing");
    const std::size_t last = object.find(end, first);
    if (last == std::string_view::npos) fail_at(first + 1, "the trees do not end: |ET| is missing");
    const std::string_view label = trimmed(object.substr(0, first));
    require_utf8(label, "the label");
    Index found = 0, trees = 0;
    std::size_t from = 0, to = 0;
    for (std::size_t at = first; at < last;) {
      const std::size_t inside = at + begin.size();
      const std::size_t next = std::min(object.find(begin, inside), last);
      if (++trees == std::max<Index>(number_, 1)) found = trees, from = inside, to = next;
      at = next;
    }
    if (number_ == 0 && trees > 1) {
      throw Error(ErrorKind::input, fmt::format("has {} trees: choose one with {}: 1 to {}", trees, key_, trees));
    }
    if (found == 0) {
      throw Error(ErrorKind::input, fmt::format("has no tree {} ({}); there are {}", number_, key_, trees));
    }
    parse_brackets(object.substr(from, to - from), from + 1, labels, tree);
    return {.label = label};
  }

 private:
  std::string key_;
  Index number_ = 0;  // 0: the only one
};

template <class Parser>
void read_with(const Communicator& communicator, const TreeSource& source, const std::string& path, Index first_block,
               ParsedTrees& parsed) {
  Parser parser(source);
  parse_lines(communicator, path, first_block, parser, parsed);
}

}  // namespace

const TreeFormat& kelp_format() {
  static const TreeFormat format = {
      "kelp", {".klp", ".kelp"}, true, true, [](const TreeSource& /*source*/) {}, read_with<KelpParser>, true};
  return format;
}

const TreeFormat& svm_light_format() {
  static const TreeFormat format = {
      "svm-light-tk",           {}, true, false, [](const TreeSource& source) { SvmLightParser{source}; },
      read_with<SvmLightParser>};
  return format;
}

void parse_lines(const Communicator& communicator, const std::string& path, Index first_block, TreeParser& parser,
                 ParsedTrees& parsed) {
  TreeRecords records = ParsedTrees::form();
  TextBlocks(path).for_each_line(
      communicator,
      [&](std::string_view line, Index /*number*/) {
        if (!trimmed(line).empty()) append_object(parser, line, parsed, records);
      },
      [&](Index block, Index /*lines*/) {
        if (records.count > 0) parsed.pieces.push_back({first_block + block, std::move(records)});
        records = ParsedTrees::form();
      });
}

}  // namespace cairn
