// Word vectors in binary files: rows of numbers with a list of words, and the format of word2vec.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/matrix/row_major_file.hpp"
#include "cairn/data/word_vectors/vector_formats.hpp"

namespace cairn {

namespace {

// The wanted words of this rank's blocks of the list, and their lines. words_in_file is the total number of lines.
FoundVectors find_words(const Communicator& communicator, const std::string& path, const WantedWord& wanted) {
  const auto text = collectively(communicator, [&] { return TextBlocks(path); });
  FoundVectors found;
  std::vector<ParsedBlock> blocks;
  std::vector<std::size_t> ends;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index number) {
        if (!wanted(line)) return;
        found.places.push_back(number);
        found.words.emplace_back(line);
      },
      [&](Index block, Index lines) {
        blocks.push_back({block, lines});
        ends.push_back(found.places.size());
      });
  const std::vector<Index> first = first_rows(communicator, blocks, found.words_in_file);
  for (std::size_t b = 0, k = 0; b < ends.size(); ++b) {
    for (; k < ends[b]; ++k) found.places[k] += first[b];
  }
  return found;
}

std::shared_ptr<const DenseMatrix> open_rows(const std::string& path, const std::string& format,
                                             const std::string& words_file, Index words) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::input, fmt::format("{}: holds {}, and {} has {} words", path, what, words_file, words));
  };
  if (words == 0) throw Error(ErrorKind::input, words_file + ": holds no words");
  if (format == "npy") {
    auto rows = open_npy(path);
    if (rows->rows() != words) refuse(fmt::format("{} vectors", rows->rows()));
    return rows;
  }
  const Index bytes = content_size(path);
  const Index row = words * size_of(NumberType::f32);
  if (bytes == 0 || bytes % row != 0) refuse(fmt::format("{} bytes, not an integer number of float32 for each", bytes));
  return open_raw(path, NumberType::f32, bytes / row, {});
}

// Reads the vectors of the words that this rank found, in pieces. Local.
void read_found_rows(const DenseMatrix& rows, FoundVectors& found) {
  constexpr std::size_t piece = 1024;
  found.dimension = rows.columns();
  std::vector<Index> columns(rows.columns());
  std::iota(columns.begin(), columns.end(), Index{0});
  std::vector<double> values(std::min(piece, found.places.size()) * columns.size());
  for (std::size_t begin = 0; begin < found.places.size(); begin += piece) {
    const auto places = std::span(found.places).subspan(begin, std::min(piece, found.places.size() - begin));
    rows.read(places, columns, MatrixView<double>(values.data(), std::ssize(places), rows.columns()));
    for (std::size_t k = 0; k < places.size() * columns.size(); ++k) {
      const auto value = static_cast<float>(values[k]);
      if (!std::isfinite(value)) {
        throw Error(ErrorKind::input,
                    fmt::format("{}: entry ({}, {}) is {}: too large for single precision", rows.path(),
                                places[k / columns.size()], k % columns.size(), values[k]));
      }
      found.values.push_back(value);
    }
    Watchdog::beat();
  }
}

// Reads a word2vec file from its beginning.
class Word2vecReader {
 public:
  explicit Word2vecReader(const std::string& path) : lines_(path) {
    std::string_view line;
    if (!lines_.next(line)) lines_.fail("is empty");
    refuse_fasttext_model(line, path);
    try {
      words_ = take_integer(line, "the number of words");
      dimension_ = take_integer(line, "the number of values of a vector");
    } catch (const Error& error) {
      lines_.fail(
          fmt::format("{}; a file of word2vec begins with the number of words and the dimension", error.what()));
    }
    constexpr Index most_values = Index{1} << 20;
    const Index bytes = file_size(path) * ByteStream::open(path)->largest_expansion();
    if (words_ < 1 || dimension_ < 1 || dimension_ > most_values || !take_field(line).empty()) {
      lines_.fail("a file of word2vec begins with the number of words and the dimension");
    }
    if (words_ > bytes / (dimension_ * size_of(NumberType::f32) + 2)) {
      lines_.fail(
          fmt::format("says that there are {} words of {} values, which the file does not hold", words_, dimension_));
    }
    values_.resize(dimension_);
  }

  [[nodiscard]] Index words() const { return words_; }
  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] const std::vector<float>& values() const { return values_; }

  // Reads word number `place`, which must be the next one.
  void next(Index place) {
    constexpr std::size_t longest_word = 4096;
    try {
      word_.clear();
      for (char c = 0;;) {
        lines_.bytes(&c, 1);
        if (c == ' ') break;
        if (c != '\n' || !word_.empty()) word_ += c;
        if (word_.size() > longest_word) {
          throw Error(ErrorKind::input, fmt::format("{}: word number {} is longer than {} bytes; is the dimension {}?",
                                                    lines_.path(), place + 1, longest_word, dimension_));
        }
      }
      lines_.bytes(reinterpret_cast<char*>(values_.data()), values_.size() * sizeof(float));
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{} (its first line says that there are {} words; this is number {})",
                                            error.what(), words_, place + 1));
    }
  }
  void require_end() {
    std::string_view line;
    if (!lines_.next(line) || (line.empty() && !lines_.next(line))) return;
    throw Error(ErrorKind::input, fmt::format("{}: its first line says that there are {} words, and more follows",
                                              lines_.path(), words_));
  }

 private:
  LineReader lines_;
  Index words_ = 0, dimension_ = 0;
  std::string word_;
  std::vector<float> values_;
};

}  // namespace

FoundVectors read_row_vectors(const Communicator& communicator, const WordVectorSource& source,
                              const std::string& format, const WantedWord& wanted) {
  const std::string words_file = words_path(source);
  FoundVectors found = find_words(communicator, words_file, wanted);
  read_collectively(communicator, source.path,
                    [&] { read_found_rows(*open_rows(source.path, format, words_file, found.words_in_file), found); });
  return found;
}

FoundVectors read_word2vec(const Communicator& communicator, const WordVectorSource& source, const WantedWord& wanted) {
  constexpr Index block = 1024;  // number of words assigned to one rank at a time
  return read_collectively(communicator, source.path, [&] {
    Word2vecReader reader(source.path);
    FoundVectors found;
    found.dimension = reader.dimension();
    found.words_in_file = reader.words();
    for (Index place = 0; place < reader.words(); ++place) {
      reader.next(place);
      if (place / block % communicator.size() != communicator.rank() || !wanted(reader.word())) continue;
      for (const float value : reader.values()) {
        if (std::isfinite(value)) continue;
        throw Error(ErrorKind::input, fmt::format("{}: the vector of '{}' (word number {}) holds {}", source.path,
                                                  reader.word(), place + 1, value));
      }
      found.places.push_back(place);
      found.words.push_back(reader.word());
      found.values.insert(found.values.end(), reader.values().begin(), reader.values().end());
    }
    reader.require_end();
    return found;
  });
}

void refuse_fasttext_model(std::string_view begin, const std::string& path) {
  constexpr std::string_view mark = "\xba\x16\x4f\x2f";  // 793712314 in the byte order of x86
  if (!begin.starts_with(mark)) return;
  const std::string stem = path.substr(0, path.rfind('.'));
  throw Error(
      ErrorKind::input,
      fmt::format("{}: is a model of fastText, whose vectors are made of parts of words; name the file of vectors "
                  "that fastText writes beside it, {}.vec",
                  path, stem));
}

std::string vector_place(const WordVectorSource& source, const std::string& format, Index place) {
  if (format == "text") return fmt::format("{}:{}", source.path, place + 1);
  if (format == "word2vec") return fmt::format("{}: word number {}", source.path, place + 1);
  return fmt::format("{}:{}", words_path(source), place + 1);
}

}  // namespace cairn
