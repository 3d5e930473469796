// Objects as JSON, for programs that score pairs of them.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/object_set.hpp"

namespace cairn {

/// Form in which a scorer gets an object.
enum class SentAs { texts, ids, vectors };

/// Writes objects of one kind as JSON: an ASCII string (other characters as \uXXXX, independent of the locale), an
/// integer, or an array of numbers that are read back to the same bits.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  /// Appends object `a` of a block. @throws Error(input) for a text that is not UTF-8 @pre the block is of that kind
  virtual void write(const ObjectBlock& objects, Index a, std::string& to) const = 0;
};

/// Form used if similarity.send is not given: texts of documents that keep them, vectors of points, else ids.
template <class T>
[[nodiscard]] SentAs default_send(const ObjectSet& objects);

/// @param T  type of the coordinates @throws Error(usage) if the objects lack what is sent
template <class T>
[[nodiscard]] std::unique_ptr<ObjectWriter> make_object_writer(SentAs send, const ObjectSet& objects);

/// Appends a UTF-8 text as a JSON string. @return false if it is not UTF-8; `to` is then unusable
[[nodiscard]] bool append_json_string(std::string_view text, std::string& to);

}  // namespace cairn
