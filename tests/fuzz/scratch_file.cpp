#include "scratch_file.hpp"

#include <unistd.h>

#include <cstdlib>

namespace cairn::fuzz {

namespace {

std::string name_template() {
  const char* folder = std::getenv("TMPDIR");
  return std::string(folder == nullptr ? "/tmp" : folder) + "/cairn-fuzz-XXXXXX";
}

}  // namespace

ScratchFile::ScratchFile() : path_(name_template()), file_(::mkstemp(path_.data())) {
  if (file_ < 0) std::abort();
}

ScratchFile::~ScratchFile() {
  ::close(file_);
  ::unlink(path_.c_str());
}

const std::string& ScratchFile::hold(std::string_view bytes) {
  if (::ftruncate(file_, 0) != 0) std::abort();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count <= 0) std::abort();
    done += static_cast<std::size_t>(count);
  }
  return path_;
}

const std::string& file_of(std::string_view bytes) {
  static ScratchFile file;
  return file.hold(bytes);
}

}  // namespace cairn::fuzz
