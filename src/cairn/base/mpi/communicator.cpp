#include "cairn/base/mpi/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/traffic.hpp"
#include "cairn/base/process/abort.hpp"

namespace cairn {

namespace {

constexpr Index piece_bytes = Index{1} << 30;  // below 2^31, the limit of an MPI count
constexpr Index asked_bytes = Index{1} << 16;  // from this size on, ranks agree that each has the memory

// Aborts: MPI promises nothing after an error, and the other ranks may be inside the failed call.
void abort_on_mpi_error(MPI_Comm* communicator, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(*code, text, &length);
  std::fprintf(stderr, "cairn: error: MPI reports: %s\n", text);
  end_all_ranks(*communicator, ErrorKind::internal);
}

MPI_Errhandler error_handler() {
  static const MPI_Errhandler handler = [] {
    MPI_Errhandler created = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(abort_on_mpi_error, &created);
    return created;
  }();
  return handler;
}

MPI_Datatype mpi_type(detail::Number number) {
  switch (number) {
    case detail::Number::f32:
      return MPI_FLOAT;
    case detail::Number::f64:
      return MPI_DOUBLE;
    case detail::Number::i32:
      return MPI_INT32_T;
    case detail::Number::i64:
      return MPI_INT64_T;
    case detail::Number::u64:
      return MPI_UINT64_T;
  }
  throw Error(ErrorKind::internal, "unknown number type");
}

MPI_Op mpi_operation(detail::Reduction reduction) {
  switch (reduction) {
    case detail::Reduction::sum:
      return MPI_SUM;
    case detail::Reduction::minimum:
      return MPI_MIN;
    case detail::Reduction::maximum:
      return MPI_MAX;
  }
  throw Error(ErrorKind::internal, "unknown reduction");
}

Index size_of(detail::Number number) { return number == detail::Number::f32 || number == detail::Number::i32 ? 4 : 8; }

// Calls transfer(offset, count) for pieces of at most `most` of `total`.
template <class Transfer>
void in_pieces(Index total, Index most, Transfer transfer) {
  for (Index offset = 0; offset < total; offset += most) {
    transfer(offset, static_cast<int>(std::min(most, total - offset)));
  }
}

// Counts a call from construction to destruction.
class Counted {
 public:
  Counted(int ranks, Traffic call) : ranks_(ranks), call_(call), start_(std::chrono::steady_clock::now()) {}
  ~Counted() {
    if (ranks_ == 1) return;
    call_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    count_traffic(call_);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  int ranks_;
  Traffic call_;
  std::chrono::steady_clock::time_point start_;
};

Traffic collective(Index bytes) { return {.collectives = 1, .collective_bytes = bytes}; }

// One message to each other rank that gets something.
Traffic messages_of(int rank, const std::vector<Index>& send_bytes, const std::vector<Index>& receive_bytes) {
  const auto own = static_cast<std::size_t>(rank);
  Traffic messages;
  Index sent = 0, received = 0;
  for (std::size_t r = 0; r < send_bytes.size(); ++r) {
    if (r == own) continue;
    messages.messages += send_bytes[r] > 0 ? 1 : 0;
    sent += send_bytes[r];
    received += receive_bytes[r];
  }
  messages.message_bytes = std::max(sent, received);
  return messages;
}

}  // namespace

void end_on_mpi_errors(MPI_Comm communicator) { MPI_Comm_set_errhandler(communicator, error_handler()); }

Communicator::Communicator(MPI_Comm original) {
  MPI_Comm_dup(original, &handle_);
  MPI_Comm_set_errhandler(handle_, error_handler());
  MPI_Comm_rank(handle_, &rank_);
  MPI_Comm_size(handle_, &size_);
}

Communicator::~Communicator() {
  int finished = 0;  // a program may keep a result beyond the end of MPI
  MPI_Finalized(&finished);
  if (handle_ != MPI_COMM_NULL && finished == 0) MPI_Comm_free(&handle_);
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      node_(std::move(other.node_)) {}

void Communicator::barrier() const {
  const Counted call(size_, collective(0));
  MPI_Barrier(handle_);
}

void Communicator::broadcast(std::string& text, int root) const {
  auto size = static_cast<Index>(text.size());
  broadcast(std::span(&size, 1), root);
  text.resize(size);
  broadcast_bytes(text.data(), size, root);
}

void Communicator::broadcast_bytes(void* data, Index bytes, int root) const {
  in_pieces(bytes, piece_bytes, [&](Index offset, int count) {
    const Counted call(size_, collective(count));
    MPI_Bcast(static_cast<std::byte*>(data) + offset, count, MPI_BYTE, root, handle_);
  });
}

void Communicator::reduce_numbers(void* data, Index count, detail::Number number, detail::Reduction reduction) const {
  const Index size = size_of(number);
  in_pieces(count, piece_bytes / size, [&](Index offset, int piece) {
    const Counted call(size_, collective(2 * size * piece));
    MPI_Allreduce(MPI_IN_PLACE, static_cast<std::byte*>(data) + offset * size, piece, mpi_type(number),
                  mpi_operation(reduction), handle_);
  });
}

void Communicator::all_make_room(const std::function<void()>& allocate) const {
  std::optional<Error> mine;
  try {
    allocate();
  } catch (...) {
    mine = current_error();
  }
  agree(*this, mine);
}

void Communicator::make_room(Index bytes, const std::function<void()>& allocate) const {
  if (bytes < asked_bytes) {
    allocate();
  } else {
    all_make_room(allocate);
  }
}

std::vector<Index> Communicator::gather_sizes(Index mine) const {
  std::vector<Index> sizes(size_);
  const Counted call(size_, collective((size_ - 1) * static_cast<Index>(sizeof(Index))));
  MPI_Allgather(&mine, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, handle_);
  return sizes;
}

// Small gathers take one call; if the total exceeds MPI's counts, each rank broadcasts its part in pieces.
void Communicator::all_gather_bytes(const void* mine, const std::vector<Index>& bytes, void* all) const {
  std::vector<Index> offsets(bytes.size());
  Index total = 0;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    offsets[r] = total;
    total += bytes[r];
  }
  auto* target = static_cast<std::byte*>(all);
  if (total <= piece_bytes) {
    const std::vector<int> counts(bytes.begin(), bytes.end());
    const std::vector<int> displacements(offsets.begin(), offsets.end());
    const Counted call(size_, collective(total - counts[rank_]));
    MPI_Allgatherv(mine, counts[rank_], MPI_BYTE, target, counts.data(), displacements.data(), MPI_BYTE, handle_);
    return;
  }
  const auto own = static_cast<std::size_t>(rank_);
  std::copy_n(static_cast<const std::byte*>(mine), bytes[own], target + offsets[own]);
  for (int r = 0; r < size_; ++r) {
    const auto i = static_cast<std::size_t>(r);
    broadcast_bytes(target + offsets[i], bytes[i], r);
  }
}

std::vector<Index> Communicator::exchange_sizes(const std::vector<Index>& send) const {
  if (send.size() != static_cast<std::size_t>(size_)) {
    throw Error(ErrorKind::internal, "an exchange needs one part a rank");
  }
  std::vector<Index> receive(send.size());
  const Counted call(size_, collective((size_ - 1) * static_cast<Index>(sizeof(Index))));
  MPI_Alltoall(send.data(), 1, MPI_INT64_T, receive.data(), 1, MPI_INT64_T, handle_);
  return receive;
}

// Non-blocking messages in pieces: there are no 32-bit displacements, and no data is copied into one buffer.
void Communicator::exchange_bytes(const std::vector<const void*>& sources, const std::vector<Index>& send_bytes,
                                  const std::vector<void*>& targets, const std::vector<Index>& receive_bytes) const {
  constexpr int tag = 1;
  const Counted call(size_, messages_of(rank_, send_bytes, receive_bytes));
  std::vector<MPI_Request> requests;
  for (int step = 0; step < size_; ++step) {
    const int from = (rank_ - step + size_) % size_;
    const auto i = static_cast<std::size_t>(from);
    in_pieces(receive_bytes[i], piece_bytes, [&](Index offset, int count) {
      MPI_Irecv(static_cast<std::byte*>(targets[i]) + offset, count, MPI_BYTE, from, tag, handle_,
                &requests.emplace_back());
    });
  }
  for (int step = 0; step < size_; ++step) {
    const int to = (rank_ + step) % size_;
    const auto i = static_cast<std::size_t>(to);
    in_pieces(send_bytes[i], piece_bytes, [&](Index offset, int count) {
      MPI_Isend(static_cast<const std::byte*>(sources[i]) + offset, count, MPI_BYTE, to, tag, handle_,
                &requests.emplace_back());
    });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::shared_ptr<const Communicator> Communicator::shared_node() const {
  if (node_) return node_;
  Communicator shared;
  MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &shared.handle_);
  MPI_Comm_set_errhandler(shared.handle_, error_handler());
  MPI_Comm_rank(shared.handle_, &shared.rank_);
  MPI_Comm_size(shared.handle_, &shared.size_);
  node_ = std::make_shared<const Communicator>(std::move(shared));
  return node_;
}

}  // namespace cairn
