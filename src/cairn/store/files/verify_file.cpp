#include "cairn/store/files/verify_file.hpp"

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"

namespace cairn {

VerifiedFile verify_file(const Communicator& communicator, const std::string& path) {
  VerifiedFile verified = collectively(communicator, [&] {
    VerifiedFile own;
    const hdf5::InputFile file(path, "the command that wrote it");
    for (const std::string& name : file.data_sets()) {
      ++own.data_sets;
      if (file.is_protected(name)) {
        own.bytes += file.verify(name, communicator.rank(), communicator.size());
      } else {
        ++own.without;
      }
    }
    own.removed = file.removed_data_sets(own.data_sets);
    return own;
  });
  verified.bytes = communicator.sum(verified.bytes);
  return verified;
}

}  // namespace cairn
