// What a command prints, in a file.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace cairn::test {

/// While it lives, what is written to the descriptor is appended to a file, which is made where there is none.
class Redirected {
 public:
  Redirected(int descriptor, const std::string& path) : descriptor_(descriptor) {
    std::fflush(nullptr);
    before_ = ::dup(descriptor);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(file, descriptor_);
    ::close(file);
  }
  ~Redirected() {
    std::fflush(nullptr);
    ::dup2(before_, descriptor_);
    ::close(before_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int descriptor_, before_ = -1;
};

}  // namespace cairn::test
