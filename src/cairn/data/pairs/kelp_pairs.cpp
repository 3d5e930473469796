// Pairs in KeLP lines: label |<| fields |,| fields |>| fields.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/pairs/pair_formats.hpp"
#include "cairn/data/sequences/alphabet.hpp"
#include "cairn/data/trees/bracket_parser.hpp"
#include "cairn/data/trees/kelp_line.hpp"

namespace cairn {

namespace {

constexpr Index blocks_of_a_file = Index{1} << 40;  // first block number of a second file
// Positions in the records' texts.
constexpr std::size_t label_list = 0, split_list = 1, feature_list = 2, group_list = 3, id_list = 4, text_lists = 5;

struct Side {
  std::string_view text{};
  std::size_t column = 0;  ///< column of its first byte, from 1
};

struct PairLine {
  std::string_view label{};
  Side left{}, right{}, behind{};
};

PairLine split_pair(std::string_view line) {
  constexpr std::string_view begin = "|<|", middle = "|,|", end = "|>|";
  const KelpLine parts = kelp_line(line);
  if (!parts.rest.starts_with(begin)) fail_at(parts.column, "the line is no pair: |<| is missing");
  const std::size_t comma = parts.rest.find(middle);
  if (comma == std::string_view::npos) fail_at(parts.column, "the pair has no right side: |,| is missing");
  const std::size_t close = parts.rest.find(end, comma);
  if (close == std::string_view::npos) fail_at(parts.column, "the pair does not end: |>| is missing");
  const auto side = [&](std::size_t from, std::size_t to) {
    return Side{parts.rest.substr(from, to - from), parts.column + from};
  };
  return {parts.label, side(begin.size(), comma), side(comma + middle.size(), close),
          side(close + end.size(), parts.rest.size())};
}

class KelpPairs {
 public:
  /// @param labels  true: a pair without a label is rejected
  explicit KelpPairs(const PairSource& source, bool labels = false)
      : labels_required_(labels),
        group_(source.group),
        id_(source.id),
        group_key_(source.keys("group")),
        id_key_(source.keys("id")),
        names_(source.tree.empty() ? std::vector<std::string>{""} : source.tree),
        vector_(source.features == "all" ? "" : source.features),
        tree_key_(source.keys("tree")),
        features_key_(source.keys("features")),
        features_(source.features != "none" && source.feature_path.empty()),
        form_(2 * names_.size(), text_lists, 0),
        piece_(form_) {}

  void add(std::string_view line, const std::string& split) {
    if (trimmed(line).empty()) return;
    const PairLine pair = split_pair(line);
    require_utf8(pair.label, "the label");
    if (labels_required_ && pair.label.empty()) throw Error(ErrorKind::input, "has no label, and others have one");
    const std::string numbers = features_ ? read_features(pair.behind) : std::string();
    std::size_t forest = 0;
    const auto left = kelp_fields(pair.left.text, pair.left.column);
    const auto right = kelp_fields(pair.right.text, pair.right.column);
    for (const std::string& name : names_) {
      for (const auto* fields : {&left, &right}) {
        const KelpField& field =
            kelp_field(*fields, "T", fields == &left ? "tree on the left" : "tree on the right", name, tree_key_);
        TreeBuilder tree(piece_.forests[forest++]);
        parse_brackets(field.content, field.column, labels_, tree);
      }
    }
    piece_.texts[label_list].append(pair.label);
    piece_.texts[split_list].append(split);
    piece_.texts[feature_list].append(numbers);
    const auto behind = kelp_fields(pair.behind.text, pair.behind.column);
    piece_.texts[group_list].append(string_of(behind, left, group_, group_key_));
    piece_.texts[id_list].append(string_of(behind, right, id_, id_key_));
    ++piece_.count;
  }
  void end_block(Index block) { pieces_.push_back({block, std::exchange(piece_, form_)}); }
  [[nodiscard]] const TreeRecords& form() const { return form_; }
  [[nodiscard]] const LabelNumbers& labels() const { return labels_; }
  /// Returns the records, with these label numbers.
  [[nodiscard]] std::vector<ParsedRecords> take(const std::vector<std::int32_t>& numbers) {
    for (ParsedRecords& piece : pieces_) renumber_labels(numbers, piece.records);
    return std::move(pieces_);
  }
  [[nodiscard]] const std::map<std::string, Index>& feature_names() const { return met_; }

 private:
  // The text of |BS:name| text |ES| after the pair or, if it is not there, in one of its sides.
  static std::string_view string_of(const std::vector<KelpField>& behind, const std::vector<KelpField>& side,
                                    const std::string& name, const std::string& key) {
    if (name.empty()) return {};
    const bool there = std::ranges::any_of(behind, [&](const KelpField& f) { return f.type == "S" && f.name == name; });
    const auto text = trimmed(kelp_field(there ? behind : side, "S", "string", name, key).content);
    require_utf8(text, "the string");
    if (text.empty()) throw Error(ErrorKind::input, fmt::format("the string '{}' ({}) is empty", name, key));
    return text;
  }

  // The content of |BV:name| name:value ... |EV|, unchanged.
  std::string read_features(const Side& behind) {
    const auto fields = kelp_fields(behind.text, behind.column);
    const KelpField& field = kelp_field(fields, "V", "vector", vector_, features_key_);
    for_each_kelp_number(field.content, [&](std::string_view name, double /*value*/) {
      require_utf8(name, "the name of a feature");
      met_.emplace(std::string(name), 0);
    });
    return std::string(field.content);
  }

  bool labels_required_;
  std::string group_, id_, group_key_, id_key_;
  std::vector<std::string> names_;
  std::string vector_, tree_key_, features_key_;
  bool features_;
  LabelNumbers labels_;
  TreeRecords form_, piece_;
  std::vector<ParsedRecords> pieces_;
  std::map<std::string, Index> met_;
};

void check_keys(const PairSource& source) {
  const auto refuse = [&](const char* name, bool given) {
    if (!given) return;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect if {} is kelp", source.keys(name), source.keys("format")));
  };
  refuse("subtask", !source.subtask.empty());
  refuse("trees", !source.trees.empty());
  refuse("test-trees", !source.test_trees.empty());
  refuse("stop-words", !source.stop_words.empty());
}

// Collective.
void parse_file(const Communicator& communicator, const std::string& path, Index first_block, const std::string& split,
                KelpPairs& pairs) {
  const auto lines = collectively(communicator, [&] { return TextBlocks(path); });
  lines.for_each_line(
      communicator, [&](std::string_view line, Index /*number*/) { pairs.add(line, split); },
      [&](Index block, Index /*count*/) { pairs.end_block(first_block + block); });
}

// Feature names of all ranks, in byte order. Collective.
std::vector<std::string> all_features(const Communicator& communicator, const KelpPairs& pairs,
                                      const PairSource& source) {
  std::vector<std::string> own;
  for (const auto& [name, unused] : pairs.feature_names()) own.push_back(name);
  std::vector<std::string> names = agree_on_alphabet(communicator, std::move(own))->names();
  if (!source.known_features.empty()) return source.known_features;
  if (std::ssize(names) > most_kelp_names) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the vectors have {} different names, and at most {} can be features; choose another "
                            "vector, or none, with {}",
                            source.path, names.size(), most_kelp_names, source.keys("features")));
  }
  return names;
}

void place_features(const TreeRecords& owned, const std::vector<std::string>& names, ParsedPairs& parsed) {
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t k = 0; k < names.size(); ++k) places.emplace(names[k], k);
  parsed.records.width = std::ssize(names);
  parsed.records.numbers.assign(static_cast<std::size_t>(owned.count) * names.size(), 0.0);
  for (Index a = 0; a < owned.count; ++a) {
    for_each_kelp_number(owned.texts[feature_list].text(a), [&](std::string_view name, double value) {
      const auto found = places.find(name);  // a result may not know it
      if (found == places.end()) return;
      parsed.records.numbers[static_cast<std::size_t>(a) * names.size() + found->second] = value;
    });
  }
}

// Collective.
void take_texts(const Communicator& communicator, const PairSource& source, const TreeRecords& owned,
                ObjectTexts& texts) {
  Index labelled = 0;
  for (Index a = 0; a < owned.count; ++a) {
    const std::string label(owned.texts[label_list].text(a));
    if (!label.empty()) ++labelled;
    const bool positive = std::ranges::find(source.positive, label) != source.positive.end();
    texts.labels.push_back(source.positive.empty() || label.empty() ? label : positive ? "true" : "false");
    if (!source.test_path.empty()) texts.splits.emplace_back(owned.texts[split_list].text(a));
    if (!source.group.empty()) texts.groups.emplace_back(owned.texts[group_list].text(a));
    if (!source.id.empty()) texts.identifiers.emplace_back(owned.texts[id_list].text(a));
  }
  labelled = communicator.sum(labelled);
  const Index all = communicator.sum(owned.count);
  if (labelled == 0) texts.labels.clear();
  if (labelled == 0 || labelled == all) return;
  // Reads the files again to find the first pair without a label: this reader reports file and line.
  KelpPairs pairs(source, true);
  for (const std::string& path : {source.path, source.test_path}) {
    if (!path.empty()) parse_file(communicator, path, 0, "", pairs);
  }
  throw Error(ErrorKind::input, fmt::format("{}: changed while it was read", source.path));
}

}  // namespace

ParsedPairs parse_kelp_pairs(const Communicator& communicator, const PairSource& source) {
  collectively(communicator, [&] { check_keys(source); });
  ParsedPairs parsed;
  KelpPairs pairs(source);
  const bool two = !source.test_path.empty();
  parse_file(communicator, source.path, 0, two ? "train" : "", pairs);
  if (two) parse_file(communicator, source.test_path, blocks_of_a_file, "test", pairs);
  const bool has_features = source.features != "none" && source.feature_path.empty();
  if (has_features) parsed.form.features = all_features(communicator, pairs, source);
  SharedLabels shared = share_labels(communicator, pairs.labels(), source.known.get());
  OwnedRecords owned = send_records(communicator, source.path, pairs.form(), pairs.take(shared.numbers));
  parsed.labels = std::move(shared.labels);
  parsed.partition = owned.partition;
  take_texts(communicator, source, owned.records, parsed.texts);
  read_collectively(communicator, source.path, [&] {
    parsed.form.trees = source.tree.empty() ? std::vector<std::string>{"tree"} : source.tree;
    parsed.records = TreeRecords(owned.records.forests.size(), 0, 0);
    if (!parsed.form.features.empty()) place_features(owned.records, parsed.form.features, parsed);
    parsed.records.forests = std::move(owned.records.forests);
    parsed.records.count = owned.records.count;
  });
  return parsed;
}

}  // namespace cairn
