// A new file of one rank that replaces the file under its name, or is removed.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/process/partial_file.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// An empty file ".NAME.partial-<process>" that no other program has, in the folder of the file that a path refers to
/// (long names are cut). publish() gives it that file's name, with the mode and the group of the old file. Otherwise
/// the destructor, or a signal, removes it. Local: on one rank.
class ReplacingFile {
 public:
  /// @throws Error(usage) if the folder is missing or not writable, the name is too long, the existing target is not a
  /// file or belongs to another user in a folder where only owners replace files, or the creator cannot read the new
  /// file; Error(resource) if the disk is full
  explicit ReplacingFile(const OutputPath& path);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  [[nodiscard]] const std::string& partial_path() const { return partial_path_; }

  /// Renames the closed, flushed file, and flushes the folder.
  /// @throws Error(resource). If the file cannot be renamed, it stays under its partial name, which the message states.
  void publish();

 private:
  std::string target_;        // target of a symbolic link, so that the link stays
  std::string partial_path_;  // in the same folder
  bool exists_ = false;
  std::optional<PartialFile> registered_;
};

/// Gives a file the mode and the group of the file that it will replace, if that exists; as root, also the owner. If
/// the group cannot be kept, the new group gets no more permissions than others have. Local.
void take_permissions(const std::string& partial, const std::string& target);

/// Waits until the file is on the disk. Warns if the file system cannot flush. @throws Error(resource). Local.
void flush_to_disk(const std::string& path);
/// Waits until the file names in the folder of `path` are on the disk: names of files that were created, renamed or
/// removed there. Warns if the file system cannot flush a folder, or there is no permission to read it. @throws
/// Error(resource) if the disk fails. Local.
void flush_folder_of(const std::string& path);

/// Folder of a path; "." if the path names none.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace cairn
