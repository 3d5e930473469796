#include "cairn/data/io/hdf5_open.hpp"

#include <hdf5.h>

namespace cairn::hdf5 {

namespace {

hid_t properties() {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  if (access >= 0) H5Pset_file_locking(access, 0, 1);
#endif
  return access;
}

}  // namespace

Handle without_locks() { return {properties(), H5Pclose}; }

Handle open_to_read(const std::string& path) {
  // Never closed: a close call would clear the reason of a failure.
  static const hid_t access = properties();
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose};
}

bool is_of_locks(const std::string& reason) { return reason.find("unable to lock file") != std::string::npos; }

}  // namespace cairn::hdf5
