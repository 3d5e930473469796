// What some file systems cannot do: loaded before the program's libraries, by the variable CAIRN_MOUNT.
//
//   folders   fsync of a folder fails (EINVAL, as on FUSE and SMB)
//   locks     flock fails (ENOLCK, as on NFS without its daemon)
//   renames   rename fails (EPERM)
#include <dlfcn.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool lacks(const char* what) {
  const char* mount = std::getenv("CAIRN_MOUNT");
  return mount != nullptr && std::strstr(mount, what) != nullptr;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int fsync(int file) {
  struct stat status {};
  if (lacks("folders") && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) return errno = EINVAL, -1;
  return next<int (*)(int)>("fsync")(file);
}

int flock(int file, int operation) noexcept {
  if (lacks("locks")) return errno = ENOLCK, -1;
  return next<int (*)(int, int)>("flock")(file, operation);
}

int rename(const char* from, const char* to) noexcept {
  if (lacks("renames")) return errno = EPERM, -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"
