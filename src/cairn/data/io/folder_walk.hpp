// The files of a folder and its subfolders.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cairn {

/// The files in and below a folder: paths relative to it, in byte order. Hidden files and folders are skipped. Links
/// are followed; a folder that contains itself is not entered again. Local.
class FolderWalk {
 public:
  /// @throws Error(input) for a file, a folder without files, an unreadable folder, and a broken link
  explicit FolderWalk(const std::string& folder);

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// Folders that were not entered.
  [[nodiscard]] const std::vector<std::string>& loops() const { return loops_; }

 private:
  using Identity = std::pair<unsigned long, unsigned long>;  // device and inode

  void enter(const std::filesystem::path& folder, const std::string& below);
  void meet(const std::filesystem::directory_entry& entry, const std::string& name);

  std::vector<std::string> files_, loops_;
  std::vector<Identity> above_;  // the current folder and all folders that contain it
};

}  // namespace cairn
