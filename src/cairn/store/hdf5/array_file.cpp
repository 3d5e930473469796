#include "cairn/store/hdf5/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

using hdf5::ElementType;

std::string joined(const std::string& place, const std::string& name) {
  return place.empty() || name.empty() ? place + name : fmt::format("{}/{}", place, name);
}

ElementType element_of(ArrayNumber number) {
  switch (number) {
    case ArrayNumber::float32:
      return {ElementType::Kind::float32};
    case ArrayNumber::float64:
      return {ElementType::Kind::float64};
    case ArrayNumber::int32:
      return {ElementType::Kind::int32};
    case ArrayNumber::int64:
      return {ElementType::Kind::int64};
    case ArrayNumber::other:
      break;
  }
  throw Error(ErrorKind::internal, "an array of numbers that files of objects do not have");
}

ArrayNumber number_of(ElementType type) {
  for (const ArrayNumber number :
       {ArrayNumber::float32, ArrayNumber::float64, ArrayNumber::int32, ArrayNumber::int64}) {
    if (type == element_of(number)) return number;
  }
  return ArrayNumber::other;
}

}  // namespace

std::string ArrayFileWriter::path_to(const std::string& name) const {
  std::string path = joined(place_, name);
  hdf5::create_groups_of(group_, path);
  return path;
}

void ArrayFileWriter::write(const std::string& name, const ArrayShape& shape,
                            const std::function<Piece(Index)>& piece) {
  const ElementType type = element_of(shape.number);
  const hdf5::Handle table = hdf5::create_table(group_, path_to(name), type, shape.rows, shape.columns);
  for (Index begin = 0; begin < shape.rows;) {
    const Piece rows = piece(begin);
    hdf5::write_rows(table, type, {begin, begin + rows.rows}, rows.values);
    begin += rows.rows;
  }
}

void ArrayFileWriter::write_texts(const std::string& name, std::span<const std::string_view> texts) {
  hdf5::write_texts(group_, path_to(name), {texts.begin(), texts.end()});
}

void ArrayFileWriter::write_words(const std::string& name, std::span<const std::string_view> words) {
  std::size_t length = 1;
  for (const std::string_view word : words) length = std::max(length, word.size());
  const ElementType text{ElementType::Kind::text, static_cast<Index>(length)};
  std::vector<char> places(words.size() * length, '\0');
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::ranges::copy(words[k], places.begin() + static_cast<std::ptrdiff_t>(k * length));
  }
  const Index count = std::ssize(words);
  hdf5::write_rows(hdf5::create_table(group_, path_to(name), text, count, -1), text, {0, count}, places.data());
}

bool ArrayFileReader::has(const std::string& name) const { return file_.has(joined(place_, name)); }

ArrayShape ArrayFileReader::shape(const std::string& name) const {
  const hdf5::TableShape table = file_.table(joined(place_, name));
  return {number_of(table.type), table.rows, table.columns};
}

void ArrayFileReader::read(const std::string& name, void* out) const {
  const std::string path = joined(place_, name);
  const hdf5::TableShape table = file_.table(path);
  file_.read_rows(path, table, {0, table.rows}, out);
}

std::vector<std::string> ArrayFileReader::read_texts(const std::string& name) const {
  return file_.texts(joined(place_, name));
}

std::vector<std::string> ArrayFileReader::read_words(const std::string& name) const {
  const std::string path = joined(place_, name);
  return file_.row_texts(path, {0, file_.table(path).rows});
}

std::string ArrayFileReader::called(const std::string& name) const { return fmt::format("/{}", joined(place_, name)); }

}  // namespace cairn
