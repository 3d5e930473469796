#include "cairn/data/io/xml.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

// Forwards the calls of Expat. Nothing is thrown through Expat.
class XmlParser {
 public:
  XmlParser(const std::string& path, XmlElements& elements) : path_(path), elements_(elements) {
    if (!parser_) throw out_of_memory();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetEntityDeclHandler(parser_.get(), on_entity);
  }

  // Parses the next piece of the file; false after the last one.
  bool parse(ByteStream& stream) {
    void* buffer = XML_GetBuffer(parser_.get(), static_cast<int>(piece_bytes));
    if (buffer == nullptr) throw out_of_memory();
    const std::size_t got = stream.read(static_cast<char*>(buffer), piece_bytes);
    const bool last = got < piece_bytes;
    if (!begun_ && got == 0) throw Error(ErrorKind::input, path_ + ": is empty");
    begun_ = true;
    Watchdog::beat();
    if (XML_ParseBuffer(parser_.get(), static_cast<int>(got), last ? 1 : 0) == XML_STATUS_OK) return !last;
    throw Error(error_ ? error_->kind() : ErrorKind::input,
                fmt::format("{}:{}: {}", path_, line(),
                            error_ ? error_->what() : XML_ErrorString(XML_GetErrorCode(parser_.get()))));
  }

 private:
  [[nodiscard]] Error out_of_memory() const { return {ErrorKind::resource, path_ + ": no memory to parse it"}; }
  [[nodiscard]] Index line() const { return static_cast<Index>(XML_GetCurrentLineNumber(parser_.get())); }

  template <class Work>
  static void guarded(void* data, const Work& work) {
    auto& own = *static_cast<XmlParser*>(data);
    if (own.error_) return;
    try {
      work(own);
    } catch (...) {
      own.error_ = current_error();
      XML_StopParser(own.parser_.get(), XML_FALSE);
    }
  }
  static void on_start(void* data, const XML_Char* name, const XML_Char** list) {
    guarded(data, [&](XmlParser& own) {
      XmlAttributes attributes;
      for (; *list != nullptr; list += 2) attributes[list[0]] = list[1];
      own.elements_.start(name, attributes, own.line());
    });
  }
  static void on_end(void* data, const XML_Char* name) {
    guarded(data, [&](XmlParser& own) { own.elements_.end(name); });
  }
  static void on_text(void* data, const XML_Char* text, int length) {
    guarded(data, [&](XmlParser& own) { own.elements_.text({text, static_cast<std::size_t>(length)}); });
  }
  static void on_entity(void* data, const XML_Char* name, int, const XML_Char*, int, const XML_Char*, const XML_Char*,
                        const XML_Char*, const XML_Char*) {
    guarded(data, [&](XmlParser&) { throw Error(ErrorKind::input, fmt::format("it defines an entity '{}'", name)); });
  }

  const std::string& path_;
  XmlElements& elements_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_{XML_ParserCreate(nullptr), XML_ParserFree};
  std::optional<Error> error_;
  bool begun_ = false;
};

}  // namespace

void read_xml(const std::string& path, XmlElements& elements) {
  const auto stream = ByteStream::open(path);
  XmlParser parser(path, elements);
  while (parser.parse(*stream)) {
  }
}

}  // namespace cairn
