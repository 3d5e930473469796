// Word vectors in lines of text: GloVe, word2vec, fastText.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/word_vectors/vector_formats.hpp"

namespace cairn {

namespace {

constexpr std::string_view blanks = " \t";

std::string first_bytes(const std::string& path) {
  std::string bytes(4, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), std::ssize(bytes));
  return bytes.substr(0, static_cast<std::size_t>(file.gcount()));
}

Index count_fields(std::string_view line) {
  Index fields = 0;
  bool inside = false;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank && !inside) ++fields;
    inside = !blank;
  }
  return fields;
}

// The value of a positive integer field, or 0 for other fields.
Index count_of(std::string_view field) {
  Index value = 0;
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  return code == std::errc{} && end == field.data() + field.size() && value > 0 ? value : 0;
}

struct Shape {
  bool header = false;
  Index words = 0;  // as given in the header
  Index dimension = 0;
};

// Number of trailing fields that are numbers. The first field is a word.
Index count_last_numbers(std::string_view line, Index fields) {
  Index numbers = 0;
  for (; numbers + 1 < fields; ++numbers) {
    const std::size_t last = line.find_last_of(blanks);
    if (!is_number(line.substr(last + 1))) break;
    line = trimmed(line.substr(0, last));
  }
  return numbers;
}

Shape shape_of(const TextBlocks& text) {
  const std::vector<std::string> lines = text.first_lines(1);
  if (lines.empty()) throw Error(ErrorKind::input, text.path() + ": holds nothing but blanks");
  const std::string_view line = trimmed(lines.front());
  const Index fields = count_fields(line);
  if (fields == 2) {
    const Index words = count_of(line.substr(0, line.find_first_of(blanks)));
    const Index dimension = count_of(line.substr(line.find_last_of(blanks) + 1));
    if (words > 0 && dimension > 0) return {true, words, dimension};
  }
  const Index numbers = count_last_numbers(line, fields);
  if (numbers == 0) {
    throw Error(ErrorKind::input,
                text.path() + ":1: holds no numbers after the first word; is it a file of word vectors?");
  }
  return {false, 0, numbers};
}

// Splits a line into its word, which is returned, and `numbers`. The word is empty if it contains blanks.
std::string_view split_line(std::string_view line, const Shape& shape, std::string_view& numbers) {
  line = trimmed(line);
  const Index fields = count_fields(line);
  const std::size_t end = line.find_first_of(blanks);
  if (fields == shape.dimension + 1) {
    numbers = line.substr(end);
    return line.substr(0, end);
  }
  const auto fail = [&] {
    throw Error(ErrorKind::input,
                fmt::format("has {} numbers after its word, and {} {}", fields - 1,
                            shape.header ? "the first line says" : "the first line has", shape.dimension));
  };
  if (fields <= shape.dimension) fail();
  // The field before the last `dimension` numbers is the last piece of a word with blanks; it is not a number.
  std::string_view rest = line;
  for (Index k = 0; k < shape.dimension; ++k) rest = trimmed(rest.substr(0, rest.find_last_of(blanks)));
  const std::size_t last = rest.find_last_of(blanks);
  if (is_number(last == std::string_view::npos ? rest : rest.substr(last + 1))) fail();
  return {};
}

void read_numbers(std::string_view numbers, std::vector<float>& values) {
  for (;;) {
    const std::size_t begin = numbers.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return;
    const std::size_t end = std::min(numbers.find_first_of(blanks, begin), numbers.size());
    values.push_back(parse_number<float>(numbers.substr(begin, end - begin)));
    numbers.remove_prefix(end);
  }
}

}  // namespace

FoundVectors read_text_vectors(const Communicator& communicator, const WordVectorSource& source,
                               const WantedWord& wanted) {
  const auto text = collectively(communicator, [&] {
    refuse_fasttext_model(first_bytes(source.path), source.path);
    return TextBlocks(source.path);
  });
  const Shape shape = read_collectively(communicator, source.path, [&] { return shape_of(text); });
  FoundVectors found;
  found.dimension = shape.dimension;
  std::vector<ParsedBlock> blocks;
  std::vector<std::size_t> ends;  // end of the words found in each block
  bool header = shape.header && communicator.is_root();
  Index words = 0;
  std::string_view numbers;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index number) {
        if (trimmed(line).empty() || std::exchange(header, false)) return;
        ++words;
        const std::string_view word = split_line(line, shape, numbers);
        if (word.empty() || !wanted(word)) return;
        read_numbers(numbers, found.values);
        found.places.push_back(number);
        found.words.emplace_back(word);
      },
      [&](Index block, Index lines) {
        blocks.push_back({block, lines});
        ends.push_back(found.places.size());
      });
  found.words_in_file = communicator.sum(words);
  if (shape.header && found.words_in_file != shape.words) {
    throw Error(ErrorKind::input, fmt::format("{}:1: says that there are {} words, and the file has {}", source.path,
                                              shape.words, found.words_in_file));
  }
  Index lines = 0;
  const std::vector<Index> first = first_rows(communicator, blocks, lines);
  for (std::size_t b = 0, k = 0; b < ends.size(); ++b) {
    for (; k < ends[b]; ++k) found.places[k] += first[b];
  }
  return found;
}

}  // namespace cairn
