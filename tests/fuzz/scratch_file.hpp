// A file that readers open by its path, written anew for each input.
#pragma once

#include <string>
#include <string_view>

namespace cairn::fuzz {

/// In the folder that TMPDIR names, or in /tmp; removed at its end.
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Replaces what is in it. @return its path
  const std::string& hold(std::string_view bytes);

 private:
  std::string path_;
  int file_;
};

/// The path of a file that holds `bytes` until the next call.
const std::string& file_of(std::string_view bytes);

}  // namespace cairn::fuzz
