#include "cairn/data/trees/tree_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/sequences/alphabet.hpp"
#include "cairn/data/trees/kelp_line.hpp"
#include "cairn/data/trees/label_vectors.hpp"
#include "cairn/data/trees/tree_formats.hpp"

namespace cairn {

namespace {

constexpr Index blocks_of_a_file = Index{1} << 40;  // block numbers of the second file begin here

const std::vector<const TreeFormat*>& formats() {
  static const std::vector<const TreeFormat*> all = {&kelp_format(), &svm_light_format(), &penn_format(),
                                                     &conllu_format(), &conll_format()};
  return all;
}

const TreeFormat& format_of(const TreeSource& source) {
  const std::string name = tree_format(source);
  return **std::ranges::find(formats(), name, &TreeFormat::name);
}

// Checks for parameters that have no effect for the format.
void check_keys(const TreeSource& source, const TreeFormat& format) {
  const auto refuse = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    throw Error(ErrorKind::usage, fmt::format("{} = {} has no effect if {} is {}", source.keys(name), value,
                                              source.keys("format"), format.name));
  };
  if (!format.named) refuse("tree", source.tree);
  if (!format.texts) refuse("text", source.text);
  if (!format.numbers && has_features(source.features)) refuse("features", source.features);
  format.check(source);
}

// Uses the parameters of a result unless others are given.
void take_origin(const TreeOrigin& origin, TreeSource& source) {
  if (origin.format != source.format) return;
  if (source.tree.empty()) source.tree = origin.tree;
  if (source.text.empty()) source.text = origin.text;
  source.features = origin.features;
}

// Names of the numbers of all ranks in ascending byte order, or those of a result. Collective.
std::vector<std::string> all_feature_names(const Communicator& communicator, const ParsedTrees& parsed,
                                           const TreeSource& source) {
  if (!has_features(source.features)) return {};
  std::vector<std::string> own(parsed.feature_names.begin(), parsed.feature_names.end());
  std::vector<std::string> names = agree_on_alphabet(communicator, std::move(own))->names();
  if (source.known != nullptr) return source.known->origin().feature_names;
  if (names.empty()) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the vectors ({}) hold no numbers", source.path, source.keys("features")));
  }
  if (std::ssize(names) > most_kelp_names) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the vectors have {} different names, and at most {} can be features; choose another "
                            "vector, or none, with {}",
                            source.path, names.size(), most_kelp_names, source.keys("features")));
  }
  return names;
}

// Parses the texts of numbers into rows. Names that a result does not have are left out. Local.
void place_numbers(const std::vector<std::string>& names, TreeRecords& records) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t k = 0; k < names.size(); ++k) places.emplace(names[k], k);
  records.width = std::ssize(names);
  records.numbers.assign(static_cast<std::size_t>(records.count) * names.size(), 0.0);
  for (Index a = 0; a < records.count && !names.empty(); ++a) {
    for_each_kelp_number(records.texts[ParsedTrees::number_list].text(a), [&](std::string_view name, double value) {
      const auto found = places.find(name);
      if (found == places.end()) return;
      records.numbers[static_cast<std::size_t>(a) * names.size() + found->second] = value;
    });
  }
  records.texts.erase(records.texts.begin() + ParsedTrees::number_list);
}

// Classes of this rank's trees; none if no tree of any rank has a class. Collective.
std::vector<std::string> classes_of(const Communicator& communicator, const TreeSource& source,
                                    const RowPartition& partition, const TextList& list) {
  constexpr Index none = std::numeric_limits<Index>::max();
  Index without = none, with = 0;
  std::vector<std::string> classes;
  for (Index a = 0; a < list.size(); ++a) {
    classes.emplace_back(list.text(a));
    if (!classes.back().empty()) {
      ++with;
    } else if (without == none) {
      without = partition.range(communicator.rank()).begin + a;
    }
  }
  with = communicator.sum(with);
  without = communicator.minimum(without);
  if (with == 0) return {};
  if (without == none) return classes;
  // A second reading pass refuses the first tree without class, with file and line.
  const TreeFormat& format = format_of(source);
  for (const std::string& path : {source.path, source.test_path}) {
    if (path.empty()) continue;
    ParsedTrees again;
    again.all_have_classes = true;
    format.read(communicator, source, path, 0, again);
  }
  throw Error(ErrorKind::input, fmt::format("{}: changed while it was read", source.path));
}

Index depth_of(TreeView tree) {
  Index deepest = 0;
  std::vector<Index> ends;
  for (Index v = 0; v < std::ssize(tree); ++v) {
    while (!ends.empty() && ends.back() == v) ends.pop_back();
    ends.push_back(v + tree[v].size);
    deepest = std::max(deepest, std::ssize(ends));
  }
  return deepest;
}

// Collective.
TreeReport report_of(const Communicator& communicator, const TreeSet& trees) {
  TreeReport report;
  const ForestView own = trees.trees();
  for (Index a = 0; a < own.size(); ++a) {
    report.nodes += std::ssize(own.tree(a));
    report.longest = std::max(report.longest, std::ssize(own.tree(a)));
    report.deepest = std::max(report.deepest, depth_of(own.tree(a)));
  }
  report.nodes = communicator.sum(report.nodes);
  report.longest = communicator.maximum(report.longest);
  report.deepest = communicator.maximum(report.deepest);
  report.labels = trees.tree_labels()->size();
  return report;
}

}  // namespace

ReadTrees read_trees(const Communicator& communicator, const TreeSource& given) {
  if (!given.generator.empty()) {
    ReadTrees read{generate_trees(communicator, given), {}};
    read.report = report_of(communicator, *read.trees);
    return read;
  }
  TreeSource source = given;
  const TreeFormat& format = *collectively(communicator, [&] {
    const TreeFormat* found = &format_of(source);
    source.format = found->name;
    if (source.known != nullptr) take_origin(source.known->origin(), source);
    if (source.known != nullptr && !source.known->origin().feature_names.empty() && !found->numbers) {
      throw Error(ErrorKind::input, fmt::format("{}: the trees of the result have features, which {} does not have",
                                                source.path, found->name));
    }
    check_keys(source, *found);
    return found;
  });
  ParsedTrees parsed;
  std::vector<std::string> paths = {source.path};
  if (!source.test_path.empty()) paths.push_back(source.test_path);
  Index of_first = 0;  // number of trees of the first file
  for (std::size_t file = 0; file < paths.size(); ++file) {
    const Index first_block = static_cast<Index>(file) * blocks_of_a_file;
    format.read(communicator, source, paths[file], first_block, parsed);
    if (file > 0) continue;
    for (const ParsedRecords& piece : parsed.pieces) of_first += piece.records.count;
    of_first = communicator.sum(of_first);
  }
  SharedLabels shared = share_labels(communicator, parsed.labels, source.known);
  const std::vector<std::string> names = all_feature_names(communicator, parsed, source);
  shared.labels->set_origin(
      {source.format, source.tree, source.text, has_features(source.features) ? source.features : "", names});
  const LabelVectors found = read_label_vectors(communicator, *shared.labels, source.vectors, source.known);
  if (found.vectors != nullptr) collectively(communicator, [&] { shared.labels->use_vectors(found.vectors); });
  for (ParsedRecords& piece : parsed.pieces) {
    for (TreeNode& node : piece.records.forests[0].nodes) {
      node.label = shared.numbers[node.label];
    }
  }
  OwnedRecords owned = send_records(communicator, source.path, ParsedTrees::form(), std::move(parsed.pieces));
  read_collectively(communicator, source.path, [&] { place_numbers(names, owned.records); });
  auto& texts = owned.records.texts;
  std::vector<std::string> classes = classes_of(communicator, source, owned.partition, texts[ParsedTrees::class_list]);
  std::vector<std::string> splits;
  if (paths.size() > 1) {
    for (const Index id : numbers_of(owned.partition.range(communicator.rank()))) {
      splits.emplace_back(id < of_first ? "train" : "test");
    }
  }
  if (source.text.empty()) {
    texts.clear();
  } else {
    texts.erase(texts.begin() + ParsedTrees::class_list);
  }
  ReadTrees read;
  read.trees = std::make_unique<TreeSet>(owned.partition, communicator.rank(), std::move(shared.labels),
                                         std::move(owned.records), std::move(classes), std::move(splits));
  read.report = report_of(communicator, *read.trees);
  read.report.lexical = found.words;
  read.report.without_vector = found.without_vector;
  read.report.repeated_vectors = found.repeated;
  return read;
}

std::string tree_format(const TreeSource& source) {
  std::vector<std::string> names;
  for (const TreeFormat* format : formats()) names.emplace_back(format->name);
  if (!source.format.empty()) {
    if (std::ranges::find(names, source.format) != names.end()) return source.format;
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known; there are {}", source.keys("format"),
                                              source.format, joined(names, ", ")));
  }
  std::string name = source.path;
  for (const std::string_view ending : {".gz", ".xz", ".zip"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  for (const TreeFormat* format : formats()) {
    if (std::ranges::any_of(format->endings, [&](const std::string& ending) { return name.ends_with(ending); })) {
      return format->name;
    }
  }
  std::error_code code;
  if (!std::filesystem::exists(source.path, code)) {
    throw Error(ErrorKind::input, fmt::format("cannot open {}: {}", source.path, std::strerror(ENOENT)));
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: {}", source.path,
                                            source.keys("format"), joined(names, ", ")));
}

}  // namespace cairn
