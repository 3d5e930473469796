// Pairs of the XML files of SemEval 2016, task 3, and their trees and features.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/data/pairs/pair_features.hpp"
#include "cairn/data/pairs/pair_formats.hpp"
#include "cairn/data/pairs/semeval_threads.hpp"
#include "cairn/data/trees/chunked_texts.hpp"

namespace cairn {

namespace {

constexpr const char* tree_name = "chunks";

// One of the files, and the texts of this rank's pairs.
struct ForumFile {
  std::vector<ForumThread> threads;
  ChunkedTexts texts;
};

// Where a pair is.
struct PairPlace {
  std::size_t file = 0, thread = 0;
  Index comment = -1;  // -1: the pair is of two questions
};

// What is kept of all files while features are computed.
struct Forum {
  std::string subtask;
  std::vector<ForumFile> files;
  std::vector<PairPlace> own;
  std::set<std::string> stop_words;

  [[nodiscard]] const ForumThread& thread(const PairPlace& place) const {
    return files[place.file].threads[place.thread];
  }
  [[nodiscard]] const ForumText& left(const PairPlace& place) const {
    return subtask == "A" ? thread(place).related : thread(place).original;
  }
  [[nodiscard]] const ForumText& right(const PairPlace& place) const {
    return place.comment < 0 ? thread(place).related : thread(place).comments[static_cast<std::size_t>(place.comment)];
  }
  [[nodiscard]] const std::string& relevance(const PairPlace& place) const {
    return subtask == "C" ? right(place).of_original : right(place).of_left;
  }
  [[nodiscard]] const ChunkedText& chunks(const PairPlace& place, const ForumText& text) const {
    return files[place.file].texts.texts.at(text.id);
  }
};

void check_keys(const PairSource& source) {
  const KeyNames& keys = source.keys;
  if (source.subtask.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the pairs depend on the subtask: give {} = A, B or C", keys("subtask")));
  }
  if (source.trees.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the texts of the pairs need tokens and chunks: give {}", keys("trees")));
  }
  if (source.test_path.empty() != source.test_trees.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("give both of {} and {}, or none", keys("test-path"), keys("test-trees")));
  }
  if (!source.tree.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} has no effect: the texts have one tree", keys("tree"), joined(source.tree, ",")));
  }
  if (source.features != "all" && source.features != "none") {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is not all or none", keys("features"), source.features));
  }
  const std::vector<std::string> known = source.subtask == "B"
                                             ? std::vector<std::string>{"PerfectMatch", "Relevant", "Irrelevant"}
                                             : std::vector<std::string>{"Good", "PotentiallyUseful", "Bad"};
  for (const std::string& label : source.positive) {
    if (std::ranges::find(known, label) != known.end()) continue;
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is no label of subtask {}; there are {}", keys("positive"),
                                              label, source.subtask, joined(known, ", ")));
  }
}

// All pairs of a file in their order; adds to `skipped` the threads that the subtask leaves out.
void append_places(const std::string& subtask, std::size_t file, const std::vector<ForumThread>& threads,
                   std::vector<PairPlace>& places, Index& skipped) {
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (subtask == "A" && threads[t].skipped_in_a) {
      ++skipped;
    } else if (subtask == "B") {
      places.push_back({file, t, -1});
    } else {
      for (Index c = 0; c < std::ssize(threads[t].comments); ++c) places.push_back({file, t, c});
    }
  }
}

std::set<std::string> all_ids(const std::vector<ForumThread>& threads) {
  std::set<std::string> ids;
  for (const ForumThread& thread : threads) {
    ids.insert({thread.original.id, thread.related.id});
    for (const ForumText& comment : thread.comments) ids.insert(comment.id);
  }
  return ids;
}

void read_texts(const PairSource& source, Forum& forum) {
  for (std::size_t file = 0; file < forum.files.size(); ++file) {
    std::set<std::string> wanted;
    for (const PairPlace& place : forum.own) {
      if (place.file == file) wanted.insert({forum.left(place).id, forum.right(place).id});
    }
    forum.files[file].texts =
        read_chunked_texts(file == 0 ? source.trees : source.test_trees, all_ids(forum.files[file].threads), wanted);
  }
}

ThreadPlace place_in_thread(const Forum& forum, const PairPlace& place) {
  const ForumText& right = forum.right(place);
  ThreadPlace found{.text = right.text};
  if (place.comment < 0) {
    found.place = static_cast<double>(right.rank);
    return found;
  }
  const ForumThread& thread = forum.thread(place);
  const auto is_asker = [&](const ForumText& text) { return !text.user.empty() && text.user == thread.related.user; };
  const auto at = static_cast<std::size_t>(place.comment);
  found.place = static_cast<double>(at) + 1;
  found.of_thread = static_cast<double>(thread.comments.size());
  found.by_asker = is_asker(right);
  for (std::size_t k = 0; k < at; ++k) {
    if (!right.user.empty() && thread.comments[k].user == right.user) found.earlier += 1;
  }
  found.asker_follows = at + 1 < thread.comments.size() && is_asker(thread.comments[at + 1]);
  return found;
}

void append_trees(const Forum& forum, bool relations, LabelNumbers& labels, ParsedPairs& parsed) {
  for (const PairPlace& place : forum.own) {
    const ChunkedText& left = forum.chunks(place, forum.left(place));
    const ChunkedText& right = forum.chunks(place, forum.right(place));
    std::set<std::string> shared;
    if (relations) {
      const auto x = content_words(left, forum.stop_words), y = content_words(right, forum.stop_words);
      std::ranges::set_intersection(x, y, std::inserter(shared, shared.end()));
    }
    TreeBuilder left_tree(parsed.records.forests[0]), right_tree(parsed.records.forests[1]);
    append_shallow_tree(left, shared, labels, left_tree);
    append_shallow_tree(right, shared, labels, right_tree);
    ++parsed.records.count;
  }
}

void compute_features(const Forum& forum, const TreeLabels& labels, TreeRecords& records) {
  const auto vector = [&](std::string_view word) -> std::span<const float> {
    if (labels.vectors() == nullptr) return {};
    const std::int32_t label = labels.find(fmt::format("LEX##{}::", word));
    const std::int32_t row = label < 0 ? TreeLabels::none : labels.vector_of(label);
    if (row < 0) return {};
    return {labels.vectors()->vectors().row(row), static_cast<std::size_t>(labels.vectors()->dimension())};
  };
  for (const PairPlace& place : forum.own) {
    const ChunkedText& left = forum.chunks(place, forum.left(place));
    const ChunkedText& right = forum.chunks(place, forum.right(place));
    const FeatureResources resources{forum.stop_words, forum.files[place.file].texts, vector};
    for (const auto& part :
         {similarity_features(left, right, resources), comment_features(left, right, place_in_thread(forum, place))}) {
      records.numbers.insert(records.numbers.end(), part.begin(), part.end());
    }
  }
}

void append_texts(const Forum& forum, const PairSource& source, ObjectTexts& texts) {
  for (const PairPlace& place : forum.own) {
    const std::string& relevance = forum.relevance(place);
    const bool positive = std::ranges::find(source.positive, relevance) != source.positive.end();
    texts.labels.push_back(source.positive.empty() ? relevance : positive ? "true" : "false");
    if (!source.test_path.empty()) texts.splits.emplace_back(place.file == 0 ? "train" : "test");
    texts.groups.push_back(forum.left(place).id);
    texts.identifiers.push_back(forum.right(place).id);
  }
}

}  // namespace

ParsedPairs parse_semeval_pairs(const Communicator& communicator, const PairSource& source) {
  collectively(communicator, [&] { check_keys(source); });
  auto forum = std::make_shared<Forum>();
  forum->subtask = source.subtask;
  if (!source.stop_words.empty()) {
    for (const std::string& word : read_stop_words(communicator, source.stop_words)) {
      forum->stop_words.insert(small(word));
    }
  }
  forum->stop_words.insert(source.known_stop_words.begin(), source.known_stop_words.end());
  ParsedPairs parsed;
  parsed.form.stop_words.assign(forum->stop_words.begin(), forum->stop_words.end());
  LabelNumbers labels;
  read_collectively(communicator, source.path, [&] {
    std::vector<PairPlace> places;
    for (const std::string& path : {source.path, source.test_path}) {
      if (path.empty()) continue;
      forum->files.push_back({read_threads(path), {}});
      append_places(source.subtask, forum->files.size() - 1, forum->files.back().threads, places, parsed.skipped);
    }
    if (places.empty()) {
      throw Error(ErrorKind::input, fmt::format("{}: has no pairs of subtask {}", source.path, source.subtask));
    }
    parsed.partition = RowPartition(std::ssize(places), communicator.size());
    const Range own = parsed.partition.range(communicator.rank());
    forum->own.assign(places.begin() + own.begin, places.begin() + own.end);
    read_texts(source, *forum);
    parsed.records = TreeRecords(2, 0, 0);
    parsed.form.trees = {tree_name};
    append_trees(*forum, source.relations, labels, parsed);
    append_texts(*forum, source, parsed.texts);
  });
  SharedLabels shared = share_labels(communicator, labels, source.known.get());
  collectively(communicator, [&] { renumber_labels(shared.numbers, parsed.records); });
  parsed.labels = std::move(shared.labels);
  if (source.features == "none" || !source.feature_path.empty()) return parsed;
  parsed.form.features = similarity_names();
  for (const std::string& name : comment_names()) parsed.form.features.push_back(name);
  parsed.records.width = std::ssize(parsed.form.features);
  parsed.features = [forum](const TreeLabels& all, TreeRecords& records) { compute_features(*forum, all, records); };
  return parsed;
}

}  // namespace cairn
