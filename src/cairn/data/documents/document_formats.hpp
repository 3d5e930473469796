// Readers for files of documents, one per format. Private to the folders that read texts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/document_reader.hpp"

namespace cairn {

/// A document as read from its file; valid during the callback.
struct DocumentText {
  std::string_view text{};
  std::string_view label{};
  std::string_view split{};
  std::string_view group{};
  std::string_view identifier{};
  bool no_text = false;  ///< the text field is missing or null; `text` is empty
};

/// A file (or folder) of documents, cut into blocks of about one MiB; block b belongs to rank b mod ranks.
class DocumentFile {
 public:
  /// `line` counts from 0 in the block.
  using UseDocument = std::function<void(const DocumentText& document, Index line)>;
  using EndBlock = std::function<void(Index block, Index lines)>;

  virtual ~DocumentFile() = default;
  /// Calls use for the documents of this rank's blocks, in order, and end after each block. If `use` throws an Error,
  /// its message is prefixed with the place. The first error of the file is thrown on every rank.
  /// @throws Error(input) also for a text with a byte 0. Collective.
  void for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const;
  /// The place of the document in line `line`, counted from 0 in the file: "path:line".
  [[nodiscard]] virtual std::string place(Index line) const = 0;
  /// The source of the texts, for messages: "column 'text'", "field 'text'".
  [[nodiscard]] virtual std::string text_source() const = 0;
  /// True if the documents have labels without a request: a folder's sub-folders.
  [[nodiscard]] virtual bool has_labels() const { return false; }
  /// True if they have identifiers without a request: the names of a folder's files.
  [[nodiscard]] virtual bool has_identifiers() const { return false; }
  /// Sentences that describe what was not read.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

 private:
  /// As for_each, without the checks, which are part of `use`. Collective.
  virtual void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const = 0;
};

/// Opens the file or folder source.path. @throws Error(usage), Error(input) as read_documents. Collective.
[[nodiscard]] std::unique_ptr<DocumentFile> open_document_file(const Communicator& communicator,
                                                               const DocumentSource& source);

/// Names of the fields of JSON objects that hold text, label, split, group and identifier.
class DocumentFields {
 public:
  /// @throws Error(usage) if two of the names are equal. Local.
  explicit DocumentFields(const DocumentSource& source);
  /// Calls use once. A missing or null text is read as an empty one. @throws Error(input) if `object` is no JSON object
  /// or lacks another field. Local.
  void read(std::string_view object, const std::function<void(const DocumentText&)>& use) const;
  [[nodiscard]] std::string text_source() const;

 private:
  std::vector<std::string> names_;  // of text, label, split, group, identifier; empty: no such field
  std::vector<std::string> keys_;   // the same fields as messages call them
};

/// Opens a file in the format tsv, lines or jsonl. @throws Error(input), Error(usage). Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_line_documents(const DocumentSource& source, const std::string& path,
                                                                const std::string& format);
/// Opens a table whose fields may be quoted. Every rank reads the whole file; each splits the records of its own
/// blocks.
/// @throws as open_line_documents. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_csv_documents(const DocumentSource& source, const std::string& path);
/// Opens an array of objects. Every rank reads the whole file; each parses the objects of its own blocks. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_json_array(const DocumentSource& source, const std::string& path);
/// Opens a file of protein sequences. It is FASTA if the first line begins with >; a comma-separated table if the first
/// line has several fields or is the column name (source.text, by default sequence); else one sequence per line.
/// @throws as open_line_documents. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_sequences(const DocumentSource& source, const std::string& path);
/// The texts that a program passes, source.given. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_given_texts(const DocumentSource& source);
/// Opens a folder. Links are followed, except for links to a folder that contains them. Rank 0 lists the folder.
/// Memory: the paths of the files, on every rank.
/// @param labelled  true: files beside sub-folders, which have no label, are refused; false: they are left out, which a
///   note reports
/// @throws Error(input) for a broken link. Collective.
[[nodiscard]] std::unique_ptr<DocumentFile> open_folder(const Communicator& communicator, const std::string& path,
                                                        bool labelled);

/// An error, and its position in the order of all documents.
struct PlacedError {
  Index place = 0;
  Error error;
};
/// Throws on every rank the error with the smallest place, if any rank has one. Collective.
void throw_first(const Communicator& communicator, const std::optional<PlacedError>& mine);

}  // namespace cairn
