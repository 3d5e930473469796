#include "cairn/store/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/files/output_target.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, int reason) {
  throw Error(ErrorKind::resource, fmt::format("cannot write {}: {}", path, std::strerror(reason)));
}

int opened(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags);
  if (descriptor < 0) fail(path, errno);
  return descriptor;
}

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(path, written < 0 ? errno : EIO);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

TextFile::TextFile(const Communicator& communicator, const OutputPath& path)
    : communicator_(communicator), path_(path.file) {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    if (!is_stream(path_)) {
      file_.emplace(path);
      descriptor_ = opened(file_->partial_path(), O_TRUNC);
      return;
    }
    std::fflush(stdout);  // the path may be stdout
    const auto own = own_descriptor(path_);
    descriptor_ = own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0) : opened(path_, O_APPEND);
    if (descriptor_ < 0) fail(path_, errno);
  });
}

TextFile::~TextFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TextFile::append(const std::string& text) {
  collectively(communicator_, [&] {
    if (communicator_.is_root()) write_all(descriptor_, text, path_);
  });
}

void TextFile::complete() {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, errno);
    if (!file_) return;
    flush_to_disk(file_->partial_path());
    file_->publish();
  });
}

void write_text_file(const Communicator& communicator, const OutputPath& path, const std::string& text) {
  TextFile file(communicator, path);
  file.append(text);
  file.complete();
}

}  // namespace cairn
