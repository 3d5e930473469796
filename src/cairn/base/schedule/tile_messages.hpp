// The messages by which ranks transfer tiles while a loop runs. Private to Schedule.
#pragma once

#include <exception>
#include <list>
#include <optional>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/schedule/schedule.hpp"

namespace cairn::detail {

/// A tile that another rank computes, with the inputs that its owner packed.
struct LentTile {
  Tile tile;
  std::vector<std::byte> inputs;
};

/// A message that has arrived.
struct TileMessage {
  enum class Kind { request, lent, result, stop } kind;
  int from = 0;
  std::vector<std::byte> bytes;
};

/// Point-to-point messages of one loop. Sends never wait: their buffers are kept here until they complete. The
/// destructor waits for them, except while an exception propagates.
class TileMessages {
 public:
  explicit TileMessages(const Communicator& communicator) : communicator_(communicator) {}
  ~TileMessages();
  TileMessages(const TileMessages&) = delete;
  TileMessages& operator=(const TileMessages&) = delete;

  void send_request(int to);
  void send_lent(int to, const std::vector<LentTile>& tiles);
  /// `computed` is false if the loop was stopped before the tile's turn.
  void send_result(int to, const Tile& tile, bool computed, std::vector<std::byte> result);
  void send_stop(int to);

  /// The next message that has arrived, if any.
  [[nodiscard]] std::optional<TileMessage> receive();
  /// True if all sends have completed; frees the buffers of completed ones.
  [[nodiscard]] bool all_sent();

  [[nodiscard]] static std::vector<LentTile> unpack_lent(const std::vector<std::byte>& bytes);
  struct Result {
    Index tile = 0;
    bool computed = false;
    std::span<const std::byte> bytes;
  };
  [[nodiscard]] static Result unpack_result(const std::vector<std::byte>& bytes);

 private:
  struct Sending {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
  };
  void send(int to, TileMessage::Kind kind, std::vector<std::byte> bytes);

  const Communicator& communicator_;
  int exceptions_ = std::uncaught_exceptions();  // in flight when this was made
  std::list<Sending> sending_;
};

}  // namespace cairn::detail
