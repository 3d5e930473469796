// Objects as JSON, for programs that score pairs of them.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/object_set.hpp"

namespace cairn {

/// What a scorer is told of an object.
enum class SentAs { texts, ids, vectors };

/// Writes objects of one kind as JSON: a string in ASCII (other characters as \uXXXX, so that no locale matters), a
/// integer, or an array of numbers that read back to the same bits.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  /// Appends object `a` of a block. @throws Error(input) for a text that is not UTF-8 @pre the block is of that kind
  virtual void write(const ObjectBlock& objects, Index a, std::string& to) const = 0;
};

/// What is sent where similarity.send does not say: texts of documents that keep them, vectors of points, else ids.
template <class T>
[[nodiscard]] SentAs default_send(const ObjectSet& objects);

/// @param T  of the coordinates @throws Error(usage) if the objects have no such thing
template <class T>
[[nodiscard]] std::unique_ptr<ObjectWriter> make_object_writer(SentAs send, const ObjectSet& objects);

/// A text in UTF-8 as a JSON string. @return false if it is not UTF-8; `to` is then of no use
[[nodiscard]] bool append_json_string(std::string_view text, std::string& to);

}  // namespace cairn
