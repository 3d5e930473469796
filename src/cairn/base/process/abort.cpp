#include "cairn/base/process/abort.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "cairn/base/process/partial_file.hpp"

namespace cairn {

namespace {

bool left_alone = false;

}  // namespace

void end_all_ranks(MPI_Comm communicator, ErrorKind kind) {
  remove_partial_file_from_signal_handler();
  MPI_Abort(communicator, static_cast<int>(kind));
  std::_Exit(static_cast<int>(kind));
}

bool all_leave_together(const Communicator& communicator, Index place) {
  if (left_alone) return false;
  // Static: if the others do not arrive, MPI still reads and writes these arrays.
  static std::array<Index, 2> mine, least;
  mine = {place, -place};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), least.data(), 2, MPI_INT64_T, MPI_MIN, communicator.handle(), &request);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int done = 0; std::chrono::steady_clock::now() < end;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) {
      left_alone = least[0] != -least[1];
      return !left_alone;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  left_alone = true;
  return false;
}

}  // namespace cairn
