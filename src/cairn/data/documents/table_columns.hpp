// Assigns columns of a table of documents to their roles. Private to this folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/documents/document_formats.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

enum class TableKind { tsv, csv };

/// The columns of text, label, split, group and identifier in a table, found from its first line.
class DocumentColumns {
 public:
  /// @param first_line  fields of the first line
  /// @throws Error(usage) if there are more than two columns and no text column is given, or a column has two roles;
  ///   Error(input) for a column that the table does not have. Local.
  DocumentColumns(const DocumentSource& source, const std::string& path, TableKind kind,
                  std::vector<std::string> first_line);

  /// True if a column is given by name, so that the first line is a header.
  [[nodiscard]] bool has_header() const { return header_; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::size_t text() const { return text_; }
  /// The text column, for messages: "column 'text'" or "column 2 of 2, no header line".
  [[nodiscard]] std::string text_source() const;
  /// The document in these fields. @throws Error(input) unless there are size() of them, or if a label, split, group or
  /// identifier is missing
  [[nodiscard]] DocumentText document(std::span<const std::string_view> fields) const;

 private:
  [[nodiscard]] std::optional<std::size_t> find(const std::string& column, const std::string& key);
  void require_named_text(const KeyNames& keys) const;
  [[nodiscard]] std::string_view named(std::string_view field, const char* what, std::size_t column) const;

  std::string path_;
  TableKind kind_;
  std::vector<std::string> names_;  // fields of the first line
  bool header_ = false;
  std::size_t text_ = 0;
  std::optional<std::size_t> label_, split_, group_, identifier_;
};

}  // namespace cairn
