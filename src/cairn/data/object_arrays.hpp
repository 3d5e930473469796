// Objects as named arrays, as a file keeps them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// What the numbers of an array are.
enum class ArrayNumber { float32, float64, int32, int64, other };

struct ArrayShape {
  ArrayNumber number = ArrayNumber::other;
  Index rows = 0;
  Index columns = -1;  ///< -1: a list of `rows` numbers
  friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// Takes arrays by name. The name may be a path ("words/names"); where objects are written it is a path in a place of
/// their own, and the empty name is this place itself: objects that are a single array have no other name for it.
/// A name is written once. One rank; functions throw what the file throws.
class ArrayWriter {
 public:
  virtual ~ArrayWriter() = default;

  /// Rows that stand together in memory.
  struct Piece {
    const void* values = nullptr;
    Index rows = 0;
  };
  /// An array of `shape`. @param piece  gives rows from a row on, at least one
  virtual void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) = 0;
  /// Texts of any length.
  virtual void write_texts(const std::string& name, std::span<const std::string_view> texts) = 0;
  /// Texts in places of one length, that of the longest.
  virtual void write_words(const std::string& name, std::span<const std::string_view> words) = 0;

  /// T: float, double, std::int32_t or Index.
  template <class T>
  void write_list(const std::string& name, std::span<const T> values);
  template <class T>
  void write_matrix(const std::string& name, MatrixView<const T> values);
};

/// Counts the bytes of what it is given, and forgets it.
class ArrayBytes final : public ArrayWriter {
 public:
  [[nodiscard]] Index bytes() const { return bytes_; }
  void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) override;
  void write_texts(const std::string& name, std::span<const std::string_view> texts) override;
  void write_words(const std::string& name, std::span<const std::string_view> words) override;

 private:
  Index bytes_ = 0;
};

/// Gives arrays by the names that they were written under. Nothing of a file is trusted: functions throw Error(input)
/// that names the file if an array is missing or does not fit into it. Local.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;

  [[nodiscard]] virtual bool has(const std::string& name) const = 0;
  [[nodiscard]] virtual ArrayShape shape(const std::string& name) const = 0;
  /// All numbers, row by row, as shape() says.
  virtual void read(const std::string& name, void* out) const = 0;
  [[nodiscard]] virtual std::vector<std::string> read_texts(const std::string& name) const = 0;
  [[nodiscard]] virtual std::vector<std::string> read_words(const std::string& name) const = 0;
  /// What messages call an array: "/landmarks/objects/starts".
  [[nodiscard]] virtual std::string called(const std::string& name) const = 0;
  /// Throws Error(input): the file, `what`, and what to do.
  [[noreturn]] virtual void refuse(const std::string& what) const = 0;

  /// A list of T: float, double, std::int32_t or Index. @throws Error(input), too, for an array of something else
  template <class T>
  [[nodiscard]] std::vector<T> read_list(const std::string& name) const;
};

/// What arrays of T hold.
template <class T>
[[nodiscard]] ArrayNumber array_number();

class CommonObjects;

/// A block of objects in a file, as ObjectBlock::write() left it.
struct StoredObjects {
  const ArrayReader& arrays;              ///< in the place of the block
  const std::vector<Index>& indices;      ///< the objects' numbers
  Index dimension = 0;                    ///< as the result says
  const CommonObjects* common = nullptr;  ///< what the blocks of the file have in common, if anything
};

}  // namespace cairn
