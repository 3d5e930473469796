// Objects as named arrays, as stored in a file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// Type of the numbers of an array.
enum class ArrayNumber { float32, float64, int32, int64, other };

struct ArrayShape {
  ArrayNumber number = ArrayNumber::other;
  Index rows = 0;
  Index columns = -1;  ///< -1: a list of `rows` numbers
  friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// Writes arrays by name. A name may be a path ("words/names"). Names of arrays of objects are relative to a location
/// of their own; the empty name is that location itself, for objects that are a single array. Each name is written
/// once. One rank; functions throw what the file throws.
class ArrayWriter {
 public:
  virtual ~ArrayWriter() = default;

  /// Rows that are contiguous in memory.
  struct Piece {
    const void* values = nullptr;
    Index rows = 0;
  };
  /// Writes an array of `shape`. @param piece  returns rows from a given row on, at least one
  virtual void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) = 0;
  /// Writes texts of any length.
  virtual void write_texts(const std::string& name, std::span<const std::string_view> texts) = 0;
  /// Writes texts in fields of one length, that of the longest.
  virtual void write_words(const std::string& name, std::span<const std::string_view> words) = 0;

  /// T: float, double, std::int32_t or Index.
  template <class T>
  void write_list(const std::string& name, std::span<const T> values);
  template <class T>
  void write_matrix(const std::string& name, MatrixView<const T> values);
};

/// Counts the bytes of the arrays and discards them.
class ArrayBytes final : public ArrayWriter {
 public:
  [[nodiscard]] Index bytes() const { return bytes_; }
  void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) override;
  void write_texts(const std::string& name, std::span<const std::string_view> texts) override;
  void write_words(const std::string& name, std::span<const std::string_view> words) override;

 private:
  Index bytes_ = 0;
};

/// Reads arrays by the names under which they were written. The file is not trusted: functions throw Error(input) that
/// names the file if an array is missing or does not fit into it. Local.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;

  [[nodiscard]] virtual bool has(const std::string& name) const = 0;
  [[nodiscard]] virtual ArrayShape shape(const std::string& name) const = 0;
  /// Reads all numbers, row by row, with the type and size of shape().
  virtual void read(const std::string& name, void* out) const = 0;
  [[nodiscard]] virtual std::vector<std::string> read_texts(const std::string& name) const = 0;
  [[nodiscard]] virtual std::vector<std::string> read_words(const std::string& name) const = 0;
  /// Name of an array in messages: "/landmarks/objects/starts".
  [[nodiscard]] virtual std::string called(const std::string& name) const = 0;
  /// Throws Error(input): the file, `what`, and what to do.
  [[noreturn]] virtual void refuse(const std::string& what) const = 0;

  /// Reads a list of T: float, double, std::int32_t or Index. @throws Error(input), too, for an array of another type
  template <class T>
  [[nodiscard]] std::vector<T> read_list(const std::string& name) const;
};

/// The ArrayNumber of T.
template <class T>
[[nodiscard]] ArrayNumber array_number();

class CommonObjects;

/// A block of objects in a file, as ObjectBlock::write() wrote it.
struct StoredObjects {
  const ArrayReader& arrays;              ///< arrays at the location of the block
  const std::vector<Index>& indices;      ///< the objects' numbers
  Index dimension = 0;                    ///< dimension in the result
  const CommonObjects* common = nullptr;  ///< data that the blocks of the file share, if any
};

}  // namespace cairn
