// Pairs of the XML files of SemEval 2016, task 3, and their trees and features.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/data/io/xml.hpp"
#include "cairn/data/pairs/pair_features.hpp"
#include "cairn/data/pairs/pair_formats.hpp"
#include "cairn/data/trees/chunked_texts.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Threads of questions and comments in SemEval 2016, task 3.

// A question (subject and body) or a comment.
struct ForumText {
  std::string id{};
  std::string user{};         ///< id of the author; empty: unknown
  std::string text{};         ///< a question's subject and body, with a line end between
  std::string of_left{};      ///< its relevance to the question of its thread (comments) or to the original question
  std::string of_original{};  ///< a comment's relevance to the original question
  Index rank = 0;             ///< a related question's rank in the search
  Index line = 0;             ///< line where its element begins, from 1
};

// An original question, a related one, and the comments on the related one, in the order of the thread.
struct ForumThread {
  ForumText original, related;
  std::vector<ForumText> comments;
  bool skipped_in_a = false;  ///< the thread is also that of another question (SubtaskA_Skip...)
};

const std::vector<std::string> comment_relevances = {"Good", "PotentiallyUseful", "Bad"};
const std::vector<std::string> question_relevances = {"PerfectMatch", "Relevant", "Irrelevant"};

// Attributes of an element.
class Attributes {
 public:
  explicit Attributes(const XmlAttributes& all) : all_(all) {}
  [[nodiscard]] const std::string* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::string& required(const char* name) const {
    const std::string* value = find(name);
    if (value == nullptr) throw Error(ErrorKind::input, fmt::format("the attribute {} is missing", name));
    if (value->empty()) throw Error(ErrorKind::input, fmt::format("the attribute {} is empty", name));
    return *value;
  }
  [[nodiscard]] const std::string& one_of(const char* name, const std::vector<std::string>& known) const {
    const std::string& value = required(name);
    if (std::ranges::find(known, value) != known.end()) return value;
    throw Error(ErrorKind::input, fmt::format("{} = '{}' is not one of {}", name, value, joined(known, ", ")));
  }
  [[nodiscard]] bool any_begins_with(std::string_view prefix) const {
    return std::ranges::any_of(all_, [&](const auto& one) { return one.first.starts_with(prefix); });
  }

 private:
  const XmlAttributes& all_;
};

class ThreadReader final : public XmlElements {
 public:
  void start(std::string_view element, const XmlAttributes& all, Index line) override {
    const Attributes attributes(all);
    if (std::exchange(first_, false) && element != "xml" && element != "root") {
      throw Error(ErrorKind::input,
                  fmt::format("the first element is '{}'; this is no file of SemEval's task 3", element));
    }
    if (element == "OrgQuestion") {
      original_ = ForumText{.id = attributes.required("ORGQ_ID"), .line = line};
    } else if (element == "Thread") {
      thread_ = ForumThread{};
      thread_->skipped_in_a = attributes.any_begins_with("SubtaskA_Skip");
    } else if (element == "RelQuestion") {
      thread().related = related(attributes, line);
    } else if (element == "RelComment") {
      thread().comments.push_back(comment(attributes, line));
    }
    text_ = text_of(element);
    if (text_ != nullptr && !text_->empty()) *text_ += '\n';
  }

  void end(std::string_view element) override {
    text_ = nullptr;
    if (element == "Thread") {
      require(thread().related, "RelQuestion");
      for (const ForumText& comment : thread().comments) require(comment, "RelComment");
    }
    if (element != "OrgQuestion") return;
    if (!thread_) throw Error(ErrorKind::input, "the question has no thread");
    require(original_, "OrgQuestion");
    const auto [known, added] = originals_.emplace(original_.id, original_.text);
    if (!added && known->second != original_.text) {
      throw Error(ErrorKind::input, fmt::format("the question {} has another text than before", original_.id));
    }
    thread_->original = std::exchange(original_, {});
    threads_.push_back(std::move(*thread_));
    thread_.reset();
  }

  void text(std::string_view text) override {
    if (text_ != nullptr) *text_ += text;
  }

  [[nodiscard]] std::vector<ForumThread> take() { return std::move(threads_); }

 private:
  ForumThread& thread() {
    if (!thread_) throw Error(ErrorKind::input, "the element is in no Thread");
    return *thread_;
  }
  ForumText related(const Attributes& attributes, Index line) {
    const auto rank = parse_integer(attributes.required("RELQ_RANKING_ORDER"));
    if (!rank) throw Error(ErrorKind::input, "RELQ_RANKING_ORDER is no integer");
    const std::string* user = attributes.find("RELQ_USERID");
    return ForumText{.id = own_id(attributes.required("RELQ_ID")),
                     .user = user != nullptr ? *user : "",
                     .of_left = attributes.one_of("RELQ_RELEVANCE2ORGQ", question_relevances),
                     .rank = *rank,
                     .line = line};
  }
  ForumText comment(const Attributes& attributes, Index line) {
    const std::string* user = attributes.find("RELC_USERID");
    return ForumText{.id = own_id(attributes.required("RELC_ID")),
                     .user = user != nullptr ? *user : "",
                     .of_left = attributes.one_of("RELC_RELEVANCE2RELQ", comment_relevances),
                     .of_original = attributes.one_of("RELC_RELEVANCE2ORGQ", comment_relevances),
                     .line = line};
  }
  std::string own_id(const std::string& id) {
    if (!ids_.insert(id).second) throw Error(ErrorKind::input, fmt::format("the id {} is a duplicate", id));
    return id;
  }
  // Destination of the text in an element; null: the text is ignored.
  std::string* text_of(std::string_view element) {
    if (element == "OrgQSubject" || element == "OrgQBody") return &original_.text;
    if (element == "RelQSubject" || element == "RelQBody") return &thread().related.text;
    if (element != "RelCText") return nullptr;
    if (thread().comments.empty()) throw Error(ErrorKind::input, "the text is in no RelComment");
    return &thread().comments.back().text;
  }
  static void require(const ForumText& text, const char* element) {
    if (text.id.empty()) throw Error(ErrorKind::input, fmt::format("the {} is missing", element));
    if (text.text.find_first_not_of(" \t\r\n") != std::string::npos) return;
    throw Error(ErrorKind::input, fmt::format("{} has no text", text.id));
  }

  bool first_ = true;
  ForumText original_;
  std::optional<ForumThread> thread_;
  std::string* text_ = nullptr;
  std::set<std::string> ids_;
  std::map<std::string, std::string> originals_;
  std::vector<ForumThread> threads_;
};

// Reads all threads of an XML file, plain, .gz or .xz, into memory.
// @throws Error(input) with file:line for another kind of file, a missing text or attribute, an unknown relevance, an
// id of two related questions or two comments, or two texts of one original question. Local.
std::vector<ForumThread> read_threads(const std::string& path) {
  ThreadReader reader;
  read_xml(path, reader);
  std::vector<ForumThread> threads = reader.take();
  if (threads.empty()) throw Error(ErrorKind::input, path + ": has no threads");
  return threads;
}

constexpr const char* tree_name = "chunks";

// One of the files, and the texts of this rank's pairs.
struct ForumFile {
  std::vector<ForumThread> threads;
  ChunkedTexts texts;
};

// Position of a pair.
struct PairPlace {
  std::size_t file = 0, thread = 0;
  Index comment = -1;  // -1: a pair of two questions
};

// Data of all files that are kept while features are computed.
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
    return place.comment < 0 ? thread(place).related : thread(place).comments[place.comment];
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

// Appends all pairs of a file in order; adds to `skipped` the threads that the subtask leaves out.
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
