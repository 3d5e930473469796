#include "cairn/store/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"

namespace cairn {

namespace {

void require(bool good, const std::string& path) {
  if (good) return;
  throw Error(ErrorKind::resource, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

TextFile::TextFile(const Communicator& communicator, std::string path)
    : communicator_(communicator), path_(std::move(path)), partial_(path_ + ".partial") {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    registered_.emplace(partial_);
    stream_.open(partial_, std::ios::trunc);
    require(stream_.good(), path_);
  });
}

TextFile::~TextFile() {
  if (communicator_.is_root() && !complete_) std::remove(partial_.c_str());
}

void TextFile::append(const std::string& text) {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    stream_ << text << std::flush;
    require(stream_.good(), path_);
  });
}

void TextFile::complete() {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    stream_.close();
    require(stream_.good(), path_);
    flush_to_disk(partial_);
    require(std::rename(partial_.c_str(), path_.c_str()) == 0, path_);
    flush_folder_of(path_);
  });
  complete_ = true;
  registered_.reset();
}

void write_text_file(const Communicator& communicator, const std::string& path, const std::string& text) {
  TextFile file(communicator, path);
  file.append(text);
  file.complete();
}

}  // namespace cairn
