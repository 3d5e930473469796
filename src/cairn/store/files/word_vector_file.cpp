#include "cairn/store/files/word_vector_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "cairn/store/text_file.hpp"

namespace cairn {

namespace {

constexpr Index window_numbers = Index{1} << 21U;  // numbers written at a time

std::string name_of(const std::vector<std::string>& words, Index local, Index row) {
  if (words.empty()) return std::to_string(row);
  std::string name = words[local];
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }, '_');
  return name.empty() ? "_" : name;
}

template <class T>
void append_text(std::string& text, std::span<const T> values) {
  for (const T value : values) fmt::format_to(std::back_inserter(text), " {:.7g}", value);
  text.push_back('\n');
}

template <class T>
void append_bytes(std::string& text, std::span<const T> values) {
  text.push_back(' ');
  for (const T value : values) {
    const auto number = static_cast<float>(value);
    const auto* bytes = reinterpret_cast<const char*>(&number);
    text.append(bytes, sizeof(number));
  }
  text.push_back('\n');
}

}  // namespace

template <class T>
void write_word_vectors(const Execution& execution, const OutputPath& path, const RowBlock<T>& rows, Index columns,
                        const std::vector<std::string>& words) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("write vectors");
  const bool binary = path.file.ends_with(".bin");
  TextFile file(communicator, path.file);
  file.append(fmt::format("{} {}\n", rows.rows(), columns));
  const Index window = std::max<Index>(1, window_numbers / std::max<Index>(columns, 1));
  for (Index begin = 0; begin < rows.rows(); begin += window) {
    std::string own;
    const Range range = rows.range();
    for (Index i = std::max(begin, range.begin); i < std::min(begin + window, range.end); ++i) {
      own += name_of(words, i - range.begin, i);
      const auto values = rows.row(i).first(columns);
      if (binary) {
        append_bytes<T>(own, values);
      } else {
        append_text<T>(own, values);
      }
    }
    const std::vector<char> all = communicator.all_gather(std::span<const char>(own));
    file.append({all.begin(), all.end()});
  }
  file.complete();
}

template void write_word_vectors(const Execution&, const OutputPath&, const RowBlock<float>&, Index,
                                 const std::vector<std::string>&);
template void write_word_vectors(const Execution&, const OutputPath&, const RowBlock<double>&, Index,
                                 const std::vector<std::string>&);

}  // namespace cairn
