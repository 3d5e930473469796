// Documents in a JSON array of objects.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/whole_text.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/encoding.hpp"

namespace cairn {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_object = std::size_t{1} << 30;

// Yields the objects of an array one after another as text. It counts braces and skips the contents of strings.
class ObjectReader {
 public:
  /// @param path  must outlive the reader; it is a member of the JsonArray whose loop creates the reader
  explicit ObjectReader(const std::string& path) : path_(path), stream_(ByteStream::open(path)), buffer_(block_bytes) {
    if (!fill()) throw Error(ErrorKind::input, path + ": is empty");
    const std::string_view text(buffer_.data(), end_);
    refuse_binary(path, text);
    if (text.starts_with(utf8_mark)) at_ = utf8_mark.size();
  }

  // Reads the next object and the line, from 0, in which it begins; false after the last one.
  bool next(std::string& object, Index& line) {
    if (!begun_) {
      expect('[', "begins with no [: it is no JSON array; format jsonl has one object a line");
    } else if (skip_blanks() == ',') {
      ++at_;
      if (skip_blanks() == ']') refuse("a comma is before the end of the array");
    } else if (skip_blanks() != ']') {
      refuse("a comma or the end of the array is missing after an object");
    }
    const bool first = !std::exchange(begun_, true);
    if (skip_blanks() == ']') return end_of_array(first);
    if (skip_blanks() != '{') refuse("the array holds something else than objects");
    line = line_;
    take_object(object);
    return true;
  }
  // Current line, from 0.
  [[nodiscard]] Index line() const { return line_; }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::input, fmt::format("{}:{}: {}", path_, line_ + 1, reason));
  }
  bool fill() {
    end_ = stream_->read(buffer_.data(), buffer_.size());
    at_ = 0;
    Watchdog::beat();
    return end_ > 0;
  }
  // The next character that is no blank, without consuming it; 0 at the end of the file.
  char skip_blanks() {
    for (;; ++at_) {
      if (at_ == end_ && !fill()) return '\0';
      const char c = buffer_[at_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c == '\0' ? '\1' : c;
    }
  }
  void expect(char wanted, const char* reason) {
    if (skip_blanks() != wanted) refuse(reason);
    ++at_;
  }
  bool end_of_array(bool empty) {
    if (empty) refuse("the array is empty");
    ++at_;
    if (skip_blanks() != '\0') refuse("something follows the array");
    return false;
  }
  void take_object(std::string& object) {
    object.clear();
    int depth = 0;
    bool in_string = false, escaped = false;
    for (;; ++at_) {
      if (at_ == end_ && !fill()) refuse("is truncated: an object does not end");
      const char c = buffer_[at_];
      object += c;
      if (c == '\n') ++line_;
      if (in_string) {
        if (!escaped && c == '"') in_string = false;
        escaped = !escaped && c == '\\';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        ++at_;
        return;
      }
      if (object.size() > longest_object) refuse("an object is longer than 1 GiB");
    }
  }

  const std::string& path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
  Index line_ = 0;
  bool begun_ = false;
};

class JsonArray final : public DocumentFile {
 public:
  JsonArray(const DocumentSource& source, std::string path) : path_(std::move(path)), fields_(source) {}

  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    for_each_in_whole_text(
        communicator, path_, [&] { return ObjectReader(path_); },
        [&](const std::string& object, Index line) {
          fields_.read(object, [&](const DocumentText& document) { use(document, line); });
        },
        end, [&](Index line) { return place(line); });
  }
  [[nodiscard]] std::string place(Index line) const override { return fmt::format("{}:{}", path_, line + 1); }
  [[nodiscard]] std::string text_source() const override { return fields_.text_source(); }

 private:
  std::string path_;
  DocumentFields fields_;
};

}  // namespace

std::unique_ptr<DocumentFile> open_json_array(const DocumentSource& source, const std::string& path) {
  return std::make_unique<JsonArray>(source, path);
}

}  // namespace cairn
