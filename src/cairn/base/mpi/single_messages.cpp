#include "cairn/base/mpi/single_messages.hpp"

#include <chrono>

#include "cairn/base/mpi/traffic.hpp"

namespace cairn {

namespace {

constexpr int tag = 2;
using Clock = std::chrono::steady_clock;

void count(Index messages, Index bytes, Clock::time_point start) {
  count_traffic({.messages = messages,
                 .message_bytes = bytes,
                 .seconds = std::chrono::duration<double>(Clock::now() - start).count()});
}

}  // namespace

void send_bytes(const Communicator& communicator, std::span<const char> bytes, int to) {
  const auto start = Clock::now();
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, to, tag, communicator.handle());
  count(1, static_cast<Index>(bytes.size()), start);
}

std::size_t receive_bytes(const Communicator& communicator, std::span<char> target, int from) {
  const auto start = Clock::now();
  MPI_Status status;
  MPI_Recv(target.data(), static_cast<int>(target.size()), MPI_CHAR, from, tag, communicator.handle(), &status);
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  count(0, size, start);
  return static_cast<std::size_t>(size);
}

}  // namespace cairn
