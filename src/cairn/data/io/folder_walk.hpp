// The files of a folder and of those below it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cairn {

/// What is in and below a folder: paths relative to it, in the order of their bytes. Hidden files and folders are
/// skipped. Links are followed; a folder that is met below itself is not entered again. Local.
class FolderWalk {
 public:
  /// @throws Error(input) for a file, a folder without files, one that cannot be read, and a link that leads nowhere
  explicit FolderWalk(const std::string& folder);

  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// Folders that were not entered.
  [[nodiscard]] const std::vector<std::string>& loops() const { return loops_; }

 private:
  using Identity = std::pair<unsigned long, unsigned long>;  // device and inode

  void enter(const std::filesystem::path& folder, const std::string& below);
  void meet(const std::filesystem::directory_entry& entry, const std::string& name);

  std::vector<std::string> files_, loops_;
  std::vector<Identity> above_;  // the folders that the one in hand is in, and itself
};

}  // namespace cairn
