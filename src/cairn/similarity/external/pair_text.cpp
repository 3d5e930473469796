#include "cairn/similarity/external/pair_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string_view>

#include "cairn/base/error.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/points/gram_similarity.hpp"

namespace cairn {

namespace {

class IdWriter final : public ObjectWriter {
 public:
  void write(const ObjectBlock& objects, Index a, std::string& to) const override {
    const Index id = objects.ids[a];
    if (id < 0) throw Error(ErrorKind::usage, "send = ids is not defined for out-of-sample objects");
    fmt::format_to(std::back_inserter(to), "{}", id);
  }
};

template <class T>
class VectorWriter final : public ObjectWriter {
 public:
  explicit VectorWriter(Index dimension) : dimension_(dimension) {}
  void write(const ObjectBlock& objects, Index a, std::string& to) const override {
    const T* point = points_of<T>(objects, dimension_).coordinates.row(a);
    for (Index k = 0; k < dimension_; ++k) {
      fmt::format_to(std::back_inserter(to), "{}{}", k == 0 ? '[' : ',', point[k]);
    }
    to += dimension_ == 0 ? "[]" : "]";
  }

 private:
  Index dimension_;
};

class TextWriter final : public ObjectWriter {
 public:
  void write(const ObjectBlock& objects, Index a, std::string& to) const override {
    const auto* documents = dynamic_cast<const DocumentBlock*>(&objects);
    if (documents == nullptr || documents->texts.size() != objects.ids.size()) {
      throw Error(ErrorKind::internal, "a scorer of texts was given objects without");
    }
    if (append_json_string(documents->texts[a], to)) return;
    const Index id = objects.ids[a];
    throw Error(ErrorKind::input, id >= 0 ? fmt::format("the text of document {} (counted from 0) is not UTF-8", id)
                                          : std::string("the text of a document is not UTF-8"));
  }
};

// Removes the code point at the beginning of `text` and returns it; negative if it is not UTF-8.
std::int32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return -1;
  auto point = static_cast<std::int32_t>(length == 1 ? first : first & (0x7fU >> length));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0U) != 0x80) return -1;
    point = point * 64 + static_cast<std::int32_t>(byte(k) & 0x3fU);
  }
  text.remove_prefix(length);
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return overlong || surrogate || point > 0x10ffff ? -1 : point;
}

void append_escaped(std::int32_t point, std::string& to) {
  if (point == '"' || point == '\\') {
    to += '\\';
    to += static_cast<char>(point);
  } else if (point >= 0x20 && point < 0x7f) {
    to += static_cast<char>(point);
  } else if (point < 0x10000) {
    fmt::format_to(std::back_inserter(to), "\\u{:04x}", point);
  } else {
    const std::int32_t rest = point - 0x10000;
    fmt::format_to(std::back_inserter(to), "\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
  }
}

}  // namespace

bool append_json_string(std::string_view text, std::string& to) {
  to += '"';
  while (!text.empty()) {
    const std::int32_t point = take_code_point(text);
    if (point < 0) return false;
    append_escaped(point, to);
  }
  to += '"';
  return true;
}

template <class T>
SentAs default_send(const ObjectSet& objects) {
  if (dynamic_cast<const PointSet<T>*>(&objects) != nullptr) return SentAs::vectors;
  const auto* documents = dynamic_cast<const DocumentSet*>(&objects);
  return documents != nullptr && documents->keeps_texts() ? SentAs::texts : SentAs::ids;
}

template <class T>
std::unique_ptr<ObjectWriter> make_object_writer(SentAs send, const ObjectSet& objects) {
  if (send == SentAs::ids) return std::make_unique<IdWriter>();
  if (send == SentAs::vectors) {
    const auto* points = dynamic_cast<const PointSet<T>*>(&objects);
    if (points != nullptr) return std::make_unique<VectorWriter<T>>(points->dimension());
    throw Error(ErrorKind::usage, "send = vectors needs points, and these objects are others");
  }
  const auto* documents = dynamic_cast<const DocumentSet*>(&objects);
  if (documents != nullptr && documents->keeps_texts()) return std::make_unique<TextWriter>();
  throw Error(ErrorKind::usage,
              "send = texts needs documents that keep their texts, and these are "
              "other objects");
}

template SentAs default_send<float>(const ObjectSet&);
template SentAs default_send<double>(const ObjectSet&);
template std::unique_ptr<ObjectWriter> make_object_writer<float>(SentAs, const ObjectSet&);
template std::unique_ptr<ObjectWriter> make_object_writer<double>(SentAs, const ObjectSet&);

}  // namespace cairn
