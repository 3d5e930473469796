#include "base/ending.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/partial_file.hpp"

namespace cairn {

namespace {

bool left_alone = false;

}  // namespace

void end_all_ranks(MPI_Comm communicator, ErrorKind kind) {
  remove_partial_file_from_signal_handler();
  MPI_Abort(communicator, static_cast<int>(kind));
  std::_Exit(static_cast<int>(kind));
}

bool all_leave_together(const Communicator& communicator) {
  if (left_alone) return false;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator.handle(), &request);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int done = 0; std::chrono::steady_clock::now() < end;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  left_alone = true;
  return false;
}

}  // namespace cairn
