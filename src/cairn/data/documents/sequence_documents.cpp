// Protein sequences: a table with a sequence column, one sequence per line, or FASTA.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/whole_text.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/csv_records.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

constexpr const char* default_column = "sequence";

// Yields the sequences of a FASTA file. A line that begins with > names a sequence; the lines up to the next name are
// the sequence.
class FastaRecords {
 public:
  explicit FastaRecords(const std::string& path) : path_(path), reader_(path) {}

  // `line` is the line of the name.
  bool next(std::string& sequence, Index& line) {
    sequence.clear();
    std::string_view text;
    while (!named_ && reader_.next(text)) {
      ++line_;
      if (trimmed(text).empty()) continue;
      if (text.front() != '>') {
        throw Error(ErrorKind::input, fmt::format("{}:{}: a sequence without a line that begins with >", path_, line_));
      }
      named_ = true;
    }
    if (!named_) return false;
    line = line_ - 1;
    named_ = false;
    while (reader_.next(text)) {
      ++line_;
      if (!text.empty() && text.front() == '>') {
        named_ = true;
        break;
      }
      sequence += trimmed(text);
    }
    return true;
  }
  [[nodiscard]] Index line() const { return std::max<Index>(line_ - 1, 0); }

 private:
  std::string path_;
  LineReader reader_;
  Index line_ = 0;  // number of the last line read, from 1
  bool named_ = false;
};

class FastaDocuments final : public DocumentFile {
 public:
  explicit FastaDocuments(std::string path) : path_(std::move(path)) {}

  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    for_each_in_whole_text(
        communicator, path_, [&] { return FastaRecords(path_); },
        [&](const std::string& sequence, Index line) { use({.text = sequence}, line); }, end,
        [&](Index line) { return place(line); });
  }
  [[nodiscard]] std::string place(Index line) const override { return fmt::format("{}:{}", path_, line + 1); }
  [[nodiscard]] std::string text_source() const override { return "sequences of a FASTA file"; }

 private:
  std::string path_;
};

std::string first_line_of(const std::string& path) {
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (!trimmed(line).empty()) return std::string(trimmed(line));
  }
  throw Error(ErrorKind::input, path + ": holds nothing but blanks");
}

// An unclosed quote in the line is a character of a sequence.
bool is_one_field(std::string_view line) {
  FieldSplitter splitter(',');
  try {
    return splitter.split(line).size() == 1;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::unique_ptr<DocumentFile> open_sequences(const DocumentSource& source, const std::string& path) {
  const std::string first = first_line_of(path);
  if (first.front() == '>') return std::make_unique<FastaDocuments>(path);
  DocumentSource table = source;
  if (table.text.empty()) table.text = default_column;
  return is_one_field(first) && source.text.empty() && trimmed(first) != default_column
             ? open_line_documents(source, path, "lines")
             : open_csv_documents(table, path);
}

}  // namespace cairn
