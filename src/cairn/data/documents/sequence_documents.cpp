// Sequences of proteins: a table with a column of them, one a line, or FASTA.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/whole_text.hpp"
#include "cairn/data/io/csv_records.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

constexpr const char* default_column = "sequence";

// The sequences of a FASTA file, one after another: a line that begins with > names one, the lines up to the next are
// it.
class FastaRecords {
 public:
  explicit FastaRecords(const std::string& path) : path_(path), reader_(path) {}

  // The line is that of the name.
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
  Index line_ = 0;  // of the last line read, from 1
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

}  // namespace

std::unique_ptr<DocumentFile> open_sequences(const DocumentSource& source, const std::string& path) {
  const std::string first = first_line_of(path);
  if (first.front() == '>') return std::make_unique<FastaDocuments>(path);
  DocumentSource table = source;
  if (table.text.empty()) table.text = default_column;
  CsvFields splitter;
  const auto& fields = splitter.split(first);
  const bool one_a_line = fields.size() == 1 && source.text.empty() && trimmed(fields.front()) != default_column;
  return one_a_line ? open_line_documents(source, path, "lines") : open_csv_documents(table, path);
}

}  // namespace cairn
