// Documents in a CSV file. Quoted fields may hold commas, quotes and line ends.
#include <fmt/format.h>

#include <utility>

#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/table_columns.hpp"
#include "cairn/data/documents/whole_text.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/csv_records.hpp"

namespace cairn {

namespace {

std::vector<std::string> first_fields(const std::string& path) {
  CsvRecords records(path);
  std::string record;
  Index line = 0;
  if (!records.next(record, line)) throw Error(ErrorKind::input, path + ": holds nothing but blanks");
  try {
    FieldSplitter splitter(',');
    const auto& fields = splitter.split(record);
    return {fields.begin(), fields.end()};
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}:{}: {}", path, line + 1, error.what()));
  }
}

class CsvDocuments final : public DocumentFile {
 public:
  CsvDocuments(const DocumentSource& source, const std::string& path)
      : path_(path), columns_(source, path, TableKind::csv, first_fields(path)) {}

  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    bool header = columns_.has_header() && communicator.is_root();  // rank 0 has the first block of the file
    FieldSplitter splitter(',');
    for_each_in_whole_text(
        communicator, path_, [&] { return CsvRecords(path_); },
        [&](const std::string& record, Index line) {
          if (!std::exchange(header, false)) use(columns_.document(splitter.split(record)), line);
        },
        end, [&](Index line) { return place(line); });
  }
  [[nodiscard]] std::string place(Index line) const override { return fmt::format("{}:{}", path_, line + 1); }
  [[nodiscard]] std::string text_source() const override { return columns_.text_source(); }

 private:
  std::string path_;
  DocumentColumns columns_;
};

}  // namespace

std::unique_ptr<DocumentFile> open_csv_documents(const DocumentSource& source, const std::string& path) {
  return std::make_unique<CsvDocuments>(source, path);
}

}  // namespace cairn
