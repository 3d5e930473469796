// The new file of one rank that takes the place of what is under its name, or is removed.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/process/partial_file.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// An empty file ".NAME.partial-<process>" in the folder of the file that a path stands for (long names are cut), which
/// no other program has. publish() gives it that file's name, with the mode and the group of what was there; else the
/// destructor, or a signal, removes it. Local: on one rank.
class ReplacingFile {
 public:
  /// @throws Error(usage) if the folder is missing or cannot be written, the name is too long, what is there is no file
  /// or is another user's in a folder where only owners replace files, or the new file cannot be read by who made it;
  /// Error(resource) if the disk is full
  explicit ReplacingFile(const OutputPath& path);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  [[nodiscard]] const std::string& partial_path() const { return partial_path_; }

  /// Renames the closed, flushed file, and flushes the folder.
  /// @throws Error(resource); where it cannot be renamed it stays, and the message names it
  void publish();

 private:
  std::string target_;        // behind a symbolic link, so that the link stays
  std::string partial_path_;  // in the same folder
  bool exists_ = false;
  std::optional<PartialFile> registered_;
};

/// Gives a file the mode and the group of the one that it will replace, if that is there; of root also the owner. Where
/// the group cannot be kept, another one gets no more than others have. Local.
void take_permissions(const std::string& partial, const std::string& target);

/// Waits until the file is on the disk. A file system that does not flush is a warning. @throws Error(resource). Local.
void flush_to_disk(const std::string& path);
/// Waits until the names in the folder of `path` are on the disk: those of files that were made, renamed or removed
/// there. A folder that cannot be flushed, as some file systems have it, or one without permission to read, is a
/// warning. @throws Error(resource) if the disk fails. Local.
void flush_folder_of(const std::string& path);

/// The folder of a path; "." if it names none.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace cairn
