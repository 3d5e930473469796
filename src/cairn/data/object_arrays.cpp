#include "cairn/data/object_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace cairn {

template <class T>
ArrayNumber array_number() {
  if constexpr (std::is_same_v<T, float>) return ArrayNumber::float32;
  if constexpr (std::is_same_v<T, double>) return ArrayNumber::float64;
  if constexpr (std::is_same_v<T, std::int32_t>) return ArrayNumber::int32;
  if constexpr (std::is_same_v<T, Index>) return ArrayNumber::int64;
}

template <class T>
void ArrayWriter::write_list(const std::string& name, std::span<const T> values) {
  const auto count = std::ssize(values);
  write(name, {array_number<T>(), count, -1}, [&](Index begin) { return Piece{values.data() + begin, count - begin}; });
}

template <class T>
void ArrayWriter::write_matrix(const std::string& name, MatrixView<const T> values) {
  const bool together = values.stride == values.columns;
  write(name, {array_number<T>(), values.rows, values.columns}, [&](Index begin) {
    return Piece{values.row(begin), together ? values.rows - begin : 1};
  });
}

void ArrayBytes::write(const std::string& /*name*/, const ArrayShape& shape,
                       const std::function<Piece(Index)>& /*piece*/) {
  const bool small = shape.number == ArrayNumber::float32 || shape.number == ArrayNumber::int32;
  bytes_ += shape.rows * (shape.columns < 0 ? 1 : shape.columns) * (small ? 4 : 8);
}

void ArrayBytes::write_texts(const std::string& /*name*/, std::span<const std::string_view> texts) {
  constexpr Index a_text = 64;  // its overhead in a heap
  for (const std::string_view text : texts) bytes_ += std::ssize(text) + a_text;
}

void ArrayBytes::write_words(const std::string& /*name*/, std::span<const std::string_view> words) {
  std::size_t longest = 1;
  for (const std::string_view word : words) longest = std::max(longest, word.size());
  bytes_ += std::ssize(words) * static_cast<Index>(longest);
}

template <class T>
std::vector<T> ArrayReader::read_list(const std::string& name) const {
  const ArrayShape stored = shape(name);
  if (stored.columns >= 0 || stored.number != array_number<T>()) {
    refuse(fmt::format("{} is not a list of numbers of the type that it should have", called(name)));
  }
  std::vector<T> values(stored.rows);
  read(name, values.data());
  return values;
}

#define CAIRN_INSTANTIATE(T)                                                           \
  template ArrayNumber array_number<T>();                                              \
  template void ArrayWriter::write_list<T>(const std::string&, std::span<const T>);    \
  template void ArrayWriter::write_matrix<T>(const std::string&, MatrixView<const T>); \
  template std::vector<T> ArrayReader::read_list<T>(const std::string&) const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
CAIRN_INSTANTIATE(std::int32_t)
CAIRN_INSTANTIATE(Index)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
