#include "cairn/base/schedule/tile_messages.hpp"

#include <cstring>
#include <limits>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/traffic.hpp"

namespace cairn::detail {

namespace {

constexpr int first_tag = 16;  // above the tags of Communicator

int tag_of(TileMessage::Kind kind) { return first_tag + static_cast<int>(kind); }

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

template <class T>
T extract(const std::vector<std::byte>& bytes, std::size_t& offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  offset += sizeof(T);
  return value;
}

}  // namespace

// While an error propagates, other ranks may not receive any more: MPI keeps the buffers of unfinished sends.
TileMessages::~TileMessages() {
  if (std::uncaught_exceptions() > exceptions_) {
    static std::list<Sending> left_to_mpi;
    if (!all_sent()) left_to_mpi.splice(left_to_mpi.end(), sending_);
    return;
  }
  for (Sending& sending : sending_) MPI_Wait(&sending.request, MPI_STATUS_IGNORE);
}

void TileMessages::send(int to, TileMessage::Kind kind, std::vector<std::byte> bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorKind::internal, "a tile is larger than 2 GB");
  }
  count_traffic({.messages = 1, .message_bytes = std::ssize(bytes)});
  Sending& sending = sending_.emplace_back();
  sending.bytes = std::move(bytes);
  MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()), MPI_BYTE, to, tag_of(kind),
            communicator_.handle(), &sending.request);
}

void TileMessages::send_request(int to) { send(to, TileMessage::Kind::request, {}); }
void TileMessages::send_stop(int to) { send(to, TileMessage::Kind::stop, {}); }

void TileMessages::send_lent(int to, const std::vector<LentTile>& tiles) {
  std::vector<std::byte> bytes;
  append(bytes, static_cast<Index>(tiles.size()));
  for (const LentTile& lent : tiles) {
    append(bytes, lent.tile);
    append(bytes, static_cast<Index>(lent.inputs.size()));
    bytes.insert(bytes.end(), lent.inputs.begin(), lent.inputs.end());
  }
  send(to, TileMessage::Kind::lent, std::move(bytes));
}

std::vector<LentTile> TileMessages::unpack_lent(const std::vector<std::byte>& bytes) {
  std::size_t offset = 0;
  std::vector<LentTile> tiles(extract<Index>(bytes, offset));
  for (LentTile& lent : tiles) {
    lent.tile = extract<Tile>(bytes, offset);
    const auto size = static_cast<std::size_t>(extract<Index>(bytes, offset));
    const auto* begin = bytes.data() + offset;
    lent.inputs.assign(begin, begin + size);
    offset += size;
  }
  return tiles;
}

// The header follows the payload, so that the payload is not moved.
void TileMessages::send_result(int to, const Tile& tile, bool computed, std::vector<std::byte> result) {
  append(result, tile.id);
  append(result, static_cast<Index>(computed ? 1 : 0));
  send(to, TileMessage::Kind::result, std::move(result));
}

TileMessages::Result TileMessages::unpack_result(const std::vector<std::byte>& bytes) {
  const std::size_t payload = bytes.size() - 2 * sizeof(Index);
  std::size_t offset = payload;
  Result result;
  result.tile = extract<Index>(bytes, offset);
  result.computed = extract<Index>(bytes, offset) != 0;
  result.bytes = std::span(bytes).first(payload);
  return result;
}

std::optional<TileMessage> TileMessages::receive() {
  for (const auto kind :
       {TileMessage::Kind::stop, TileMessage::Kind::request, TileMessage::Kind::lent, TileMessage::Kind::result}) {
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_of(kind), communicator_.handle(), &arrived, &status);
    if (arrived == 0) continue;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    TileMessage message{.kind = kind, .from = status.MPI_SOURCE, .bytes = {}};
    message.bytes.resize(size);
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.from, tag_of(kind), communicator_.handle(),
             MPI_STATUS_IGNORE);
    return message;
  }
  return std::nullopt;
}

bool TileMessages::all_sent() {
  for (auto it = sending_.begin(); it != sending_.end();) {
    int done = 0;
    MPI_Test(&it->request, &done, MPI_STATUS_IGNORE);
    it = done != 0 ? sending_.erase(it) : std::next(it);
  }
  return sending_.empty();
}

}  // namespace cairn::detail
