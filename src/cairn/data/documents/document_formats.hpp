// Files of documents, one format each. Private to the folders that read texts.
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

/// A document as its file has it; valid while it is used.
struct DocumentText {
  std::string_view text{};
  std::string_view label{};
  std::string_view split{};
  std::string_view group{};
  std::string_view identifier{};
  bool no_text = false;  ///< its field is missing or null: `text` is empty
};

/// A file (or folder) of documents, cut into blocks of about one MiB; block b belongs to rank b mod ranks.
class DocumentFile {
 public:
  /// `line` counts from 0 in the block.
  using UseDocument = std::function<void(const DocumentText& document, Index line)>;
  using EndBlock = std::function<void(Index block, Index lines)>;

  virtual ~DocumentFile() = default;
  /// Calls use for the documents of this rank's blocks, in order, and end after each block. An Error that `use` throws
  /// gets the place in front; the first one of the file is thrown on every rank.
  /// @throws Error(input) for a text with a byte 0, too. Collective.
  void for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const;
  /// Where the document of line `line`, counted from 0 in the file, stands: "path:line".
  [[nodiscard]] virtual std::string place(Index line) const = 0;
  /// Where the texts stand, for people: "column 'text'", "field 'text'".
  [[nodiscard]] virtual std::string text_source() const = 0;
  /// True if the documents have labels that nobody asked for: a folder's sub-folders.
  [[nodiscard]] virtual bool has_labels() const { return false; }
  /// True if they have identifiers that nobody asked for: the names of a folder's files.
  [[nodiscard]] virtual bool has_identifiers() const { return false; }
  /// What was not read, in sentences.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

 private:
  /// As for_each, whose check stands in `use`. Collective.
  virtual void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const = 0;
};

/// The file or folder source.path. @throws Error(usage), Error(input) as read_documents. Collective.
[[nodiscard]] std::unique_ptr<DocumentFile> open_document_file(const Communicator& communicator,
                                                               const DocumentSource& source);

/// The fields of JSON objects that hold text, label, split, group and identifier.
class DocumentFields {
 public:
  /// @throws Error(usage) if two of them are the same. Local.
  explicit DocumentFields(const DocumentSource& source);
  /// Calls use once; a text that is missing or null is an empty one. @throws Error(input) for what is no object or
  /// lacks another field. Local.
  void read(std::string_view object, const std::function<void(const DocumentText&)>& use) const;
  [[nodiscard]] std::string text_source() const;

 private:
  std::vector<std::string> names_;  // of text, label, split, group, identifier; empty: there is none
  std::vector<std::string> keys_;   // what messages call those
};

/// One of tsv, lines and jsonl. @throws Error(input), Error(usage). Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_line_documents(const DocumentSource& source, const std::string& path,
                                                                const std::string& format);
/// A table whose fields may be quoted. Every rank passes over the whole file; each splits the records of its own
/// blocks. @throws as open_line_documents. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_csv_documents(const DocumentSource& source, const std::string& path);
/// An array of objects. Every rank passes over the whole file; each parses the objects of its own blocks. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_json_array(const DocumentSource& source, const std::string& path);
/// Sequences of proteins: FASTA if the first line begins with >; a table between commas if it has several fields, or is
/// the name of the column (source.text, by default sequence); else one a line. @throws as open_line_documents. Local.
[[nodiscard]] std::unique_ptr<DocumentFile> open_sequences(const DocumentSource& source, const std::string& path);
/// Links are followed, but for those that lead back to a folder that they are in. Rank 0 lists the folder. Memory: the
/// paths of the files, on every rank.
/// @param labelled  files beside sub-folders, which have no label, are refused; else they are left out, which a note
/// says
/// @throws Error(input) for a link that leads nowhere. Collective.
[[nodiscard]] std::unique_ptr<DocumentFile> open_folder(const Communicator& communicator, const std::string& path,
                                                        bool labelled);

/// An error, and where in the order of all documents it came up.
struct PlacedError {
  Index place = 0;
  Error error;
};
/// Throws on every rank the error with the smallest place, if any rank has one. Collective.
void throw_first(const Communicator& communicator, const std::optional<PlacedError>& mine);

}  // namespace cairn
