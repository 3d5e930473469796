#include "cairn/data/pairs/semeval_threads.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

const std::vector<std::string> comment_relevances = {"Good", "PotentiallyUseful", "Bad"};
const std::vector<std::string> question_relevances = {"PerfectMatch", "Relevant", "Irrelevant"};

// Attributes of an element.
class Attributes {
 public:
  explicit Attributes(const XML_Char** list) {
    for (; *list != nullptr; list += 2) all_[list[0]] = list[1];
  }
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
  std::map<std::string, std::string> all_;
};

// What the elements tell, one after another. Functions throw; the parser is stopped then.
class ThreadReader {
 public:
  void start(std::string_view element, const Attributes& attributes, Index line) {
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

  void end(std::string_view element, Index line) {
    text_ = nullptr;
    if (element == "Thread") {
      require(thread().related, "RelQuestion", line);
      for (const ForumText& comment : thread().comments) require(comment, "RelComment", line);
    }
    if (element != "OrgQuestion") return;
    if (!thread_) throw Error(ErrorKind::input, "the question has no thread");
    require(original_, "OrgQuestion", line);
    const auto [known, added] = originals_.emplace(original_.id, original_.text);
    if (!added && known->second != original_.text) {
      throw Error(ErrorKind::input, fmt::format("the question {} has another text than before", original_.id));
    }
    thread_->original = std::exchange(original_, {});
    threads_.push_back(std::move(*thread_));
    thread_.reset();
  }

  void characters(std::string_view text) {
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
  // Where the text within an element goes; null: nowhere.
  std::string* text_of(std::string_view element) {
    if (element == "OrgQSubject" || element == "OrgQBody") return &original_.text;
    if (element == "RelQSubject" || element == "RelQBody") return &thread().related.text;
    if (element != "RelCText") return nullptr;
    if (thread().comments.empty()) throw Error(ErrorKind::input, "the text is in no RelComment");
    return &thread().comments.back().text;
  }
  static void require(const ForumText& text, const char* element, Index /*line*/) {
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

struct Parsing {
  XML_Parser parser = nullptr;
  ThreadReader reader;
  std::optional<Error> error;  // nothing is thrown through the parser

  template <class Work>
  void guarded(const Work& work) {
    if (error) return;
    try {
      work();
    } catch (...) {
      error = current_error();
      XML_StopParser(parser, XML_FALSE);
    }
  }
  [[nodiscard]] Index line() const { return static_cast<Index>(XML_GetCurrentLineNumber(parser)); }
};

Parsing& parsing(void* data) { return *static_cast<Parsing*>(data); }

void on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
  Parsing& own = parsing(data);
  own.guarded([&] { own.reader.start(name, Attributes(attributes), own.line()); });
}

void on_end(void* data, const XML_Char* name) {
  Parsing& own = parsing(data);
  own.guarded([&] { own.reader.end(name, own.line()); });
}

void on_text(void* data, const XML_Char* text, int length) {
  Parsing& own = parsing(data);
  own.guarded([&] { own.reader.characters({text, static_cast<std::size_t>(length)}); });
}

// An XML file may define entities that grow without bound; these files have none.
void on_entity(void* data, const XML_Char* name, int, const XML_Char*, int, const XML_Char*, const XML_Char*,
               const XML_Char*, const XML_Char*) {
  Parsing& own = parsing(data);
  own.guarded([&] { throw Error(ErrorKind::input, fmt::format("it defines an entity '{}'", name)); });
}

}  // namespace

std::vector<ForumThread> read_threads(const std::string& path) {
  const auto stream = ByteStream::open(path);
  const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr), XML_ParserFree);
  if (!parser) throw Error(ErrorKind::resource, path + ": no memory to parse it");
  Parsing own{.parser = parser.get(), .reader = {}, .error = {}};
  XML_SetUserData(parser.get(), &own);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetEntityDeclHandler(parser.get(), on_entity);
  for (bool first = true, last = false; !last; first = false) {
    void* buffer = XML_GetBuffer(parser.get(), static_cast<int>(piece_bytes));
    if (buffer == nullptr) throw Error(ErrorKind::resource, path + ": no memory to parse it");
    const std::size_t got = stream->read(static_cast<char*>(buffer), piece_bytes);
    last = got < piece_bytes;
    if (first && got == 0) throw Error(ErrorKind::input, path + ": is empty");
    Watchdog::beat();
    if (XML_ParseBuffer(parser.get(), static_cast<int>(got), last ? 1 : 0) == XML_STATUS_OK) continue;
    const std::string reason =
        own.error ? own.error->what() : std::string(XML_ErrorString(XML_GetErrorCode(parser.get())));
    throw Error(own.error ? own.error->kind() : ErrorKind::input, fmt::format("{}:{}: {}", path, own.line(), reason));
  }
  std::vector<ForumThread> threads = own.reader.take();
  if (threads.empty()) throw Error(ErrorKind::input, path + ": has no threads");
  return threads;
}

}  // namespace cairn
