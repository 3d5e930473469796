#include "cairn/base/schedule/schedule.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/traffic.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/base/schedule/tile_messages.hpp"

namespace cairn {

namespace {

using detail::LentTile;
using detail::TileMessage;
using detail::TileMessages;
using Clock = std::chrono::steady_clock;

constexpr double poll_seconds = 2e-3;  // between checks for messages: how long another rank may wait for this one
constexpr std::size_t lent_bytes = std::size_t{64} << 20;  // most bytes of inputs in one message

// Half of the largest MPI count: leaves space for headers and for the other tiles of a message.
void require_message_size(std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  if (bytes <= most) return;
  throw Error(ErrorKind::resource, "a tile of " + std::to_string(bytes) +
                                       " bytes is too large to be handed to another rank; use fewer landmarks");
}

// The ranks that this one asks for tiles, the last first. Half of them are those with most work, in classes of a
// quarter less each; the others are any, for a rank may be slow. Within a class the order is random, so that ranks do
// not all ask the same one.
std::vector<int> ranks_to_ask(int rank, const std::vector<double>& costs) {
  const double most = *std::max_element(costs.begin(), costs.end());
  std::vector<int> others;
  for (std::size_t r = 0; r < costs.size(); ++r) {
    if (static_cast<int>(r) != rank && costs[r] > 0) others.push_back(static_cast<int>(r));
  }
  std::shuffle(others.begin(), others.end(), std::minstd_rand(static_cast<unsigned>(rank) + 1));
  const auto cost_class = [&](int r) {
    return std::floor(std::log(most / costs[static_cast<std::size_t>(r)]) / std::log(1.25));
  };
  if (others.size() > most_asked) {
    std::vector<int> some(others.begin(), others.begin() + most_asked / 2);
    others.erase(others.begin(), others.begin() + most_asked / 2);
    std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return cost_class(a) < cost_class(b); });
    others.resize(most_asked - some.size());
    others.insert(others.end(), some.begin(), some.end());
  }
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return cost_class(a) > cost_class(b); });
  return others;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One loop on one rank, from its first tile to the agreement that no rank has tiles left.
class TileLoop {
 public:
  TileLoop(const Execution& execution, TileWork& work, const std::string& name, const std::vector<Tile>& own,
           Index total);
  TileStatistics run();

 private:
  void answer_messages();
  void lend(int to);
  [[nodiscard]] bool pays(const Tile& tile) const;
  void accept(const TileMessage& message);
  void record(const Tile& tile);
  void compute_own();
  void ask_next();
  void compute_lent(std::vector<LentTile> tiles);
  template <class Compute>
  void compute_all(Index count, Compute compute);
  [[nodiscard]] Index batch_size(Index available) const;
  void fail(const Error& error);
  void finish();

  const Execution& execution_;
  TileWork& work_;
  TileMessages messages_;
  std::vector<Tile> queue_;  // own tiles that are not started: [next_, queue_.size()), longest job first
  std::size_t next_ = 0;
  std::vector<Tile> lent_out_;  // own tiles that other ranks compute
  std::vector<int> to_ask_;     // ranks that may have tiles left, the next one last
  std::optional<std::vector<LentTile>> answer_;
  double seconds_per_tile_ = 0.0;
  bool stopped_ = false;
  std::vector<bool> stop_seen_;
  std::optional<Error> error_;
  TileStatistics statistics_;
  Progress progress_;
  Watchdog::Patience patience_;  // grace period while other ranks compute; threads may wait for each other, too
};

TileLoop::TileLoop(const Execution& execution, TileWork& work, const std::string& name, const std::vector<Tile>& own,
                   Index total)
    : execution_(execution),
      work_(work),
      messages_(execution.communicator),
      stop_seen_(static_cast<std::size_t>(execution.communicator.size()), false),
      progress_(name, static_cast<Index>(own.size()), execution.communicator.is_root(), ""),
      patience_(work.longest_seconds() * execution.threads) {
  collectively(execution.communicator, [&] {
    execution.ledger.begin(name.c_str(), total);
    for (const Tile& tile : own) {
      require_message_size(static_cast<std::size_t>(work.result_bytes(tile)));
      if (execution.ledger.get(tile.id, work.result(tile))) {
        ++statistics_.restored;
        statistics_.restored_rows += tile.rows.size();
      } else {
        queue_.push_back(tile);
      }
    }
  });
  std::stable_sort(queue_.begin(), queue_.end(), [](const Tile& a, const Tile& b) { return a.cost > b.cost; });
  const double cost =
      std::accumulate(queue_.begin(), queue_.end(), 0.0, [](double s, const Tile& t) { return s + t.cost; });
  to_ask_ = ranks_to_ask(execution.communicator.rank(), execution.communicator.all_gather_one(cost));
}

TileStatistics TileLoop::run() {
  while (!stopped_) {
    answer_messages();
    if (stopped_) break;
    if (next_ < queue_.size())
      compute_own();
    else if (!to_ask_.empty())
      ask_next();
    else
      break;
  }
  finish();
  agree(execution_.communicator, error_);
  return statistics_;
}

void TileLoop::answer_messages() {
  while (const auto message = messages_.receive()) {
    Watchdog::beat();
    switch (message->kind) {
      case TileMessage::Kind::request:
        lend(message->from);
        break;
      case TileMessage::Kind::lent:
        answer_ = TileMessages::unpack_lent(message->bytes);
        break;
      case TileMessage::Kind::result:
        accept(*message);
        break;
      case TileMessage::Kind::stop:
        stopped_ = true;
        stop_seen_[message->from] = true;
        break;
    }
  }
}

// True if its result would be sent back in less time than it takes to compute here. What a rank's share of a network
// card of 100 Gbit/s sends is assumed, so that ranks of other nodes never slow a loop down whose entries are cheap.
bool TileLoop::pays(const Tile& tile) const {
  constexpr double bytes_a_second = 250e6, answer_seconds = 1e-4;
  return seconds_per_tile_ == 0.0 ||
         seconds_per_tile_ > static_cast<double>(work_.result_bytes(tile)) / bytes_a_second + answer_seconds;
}

// Gives the requesting rank tiles worth 1 / (2 ranks) of what is left here, cheapest first: pieces shrink towards the
// end. An answer is always sent: the requesting rank waits for it.
void TileLoop::lend(int to) {
  std::vector<LentTile> tiles;
  double share = 0.0;
  for (std::size_t i = next_; i < queue_.size(); ++i) share += queue_[i].cost / (2.0 * execution_.communicator.size());
  std::size_t bytes = 0;
  while (!stopped_ && next_ < queue_.size() && pays(queue_.back()) &&
         (tiles.empty() || (queue_.back().cost <= share && bytes < lent_bytes))) {
    const Tile tile = queue_.back();
    try {
      tiles.push_back({tile, work_.pack(tile)});
      require_message_size(tiles.back().inputs.size());
    } catch (...) {
      tiles.clear();
      fail(current_error());
      break;
    }
    queue_.pop_back();
    share -= tile.cost;
    bytes += tiles.back().inputs.size();
  }
  for (const LentTile& lent : tiles) lent_out_.push_back(lent.tile);
  messages_.send_lent(to, tiles);
}

// Records in the ledger that an own tile is finished.
void TileLoop::record(const Tile& tile) {
  try {
    execution_.ledger.put(tile.id, work_.result(tile));
    progress_.advance(1);
  } catch (...) {
    fail(current_error());
  }
}

void TileLoop::accept(const TileMessage& message) {
  const TileMessages::Result result = TileMessages::unpack_result(message.bytes);
  const auto lent =
      std::find_if(lent_out_.begin(), lent_out_.end(), [&](const Tile& t) { return t.id == result.tile; });
  if (lent == lent_out_.end()) throw Error(ErrorKind::internal, "a tile came back that was not lent");
  if (result.computed) {
    const std::span<std::byte> target = work_.result(*lent);
    std::memcpy(target.data(), result.bytes.data(), target.size());
    record(*lent);
  }
  lent_out_.erase(lent);
}

// Tiles until the next check for messages: few if they are expensive, and never most of what could be shared.
Index TileLoop::batch_size(Index available) const {
  const Index threads = execution_.threads;
  const Index by_time =
      seconds_per_tile_ > 0.0 ? static_cast<Index>(poll_seconds / seconds_per_tile_) * threads : threads;
  const Index by_share = available / (2 * execution_.communicator.size());
  return std::clamp(std::min(by_time, by_share), std::min(threads, available), available);
}

template <class Compute>
void TileLoop::compute_all(Index count, Compute compute) {
  std::mutex failing;
  std::optional<Error> error;
  double busy = 0.0;
#pragma omp parallel for schedule(dynamic) reduction(+ : busy) num_threads(execution_.threads) if (execution_.threads > 1)
  for (Index i = 0; i < count; ++i) {
    const auto start = Clock::now();
    try {
      compute(i);
    } catch (...) {
      const std::scoped_lock lock(failing);
      if (!error) error = current_error();
    }
    busy += seconds_since(start);
  }
  Watchdog::beat();
  statistics_.busy_seconds += busy;
  seconds_per_tile_ = count > 0 ? busy / static_cast<double>(count) : seconds_per_tile_;
  if (error) fail(*error);
}

void TileLoop::compute_own() {
  const Index count = batch_size(static_cast<Index>(queue_.size() - next_));
  const std::span<const Tile> tiles(queue_.data() + next_, static_cast<std::size_t>(count));
  next_ += static_cast<std::size_t>(count);
  compute_all(count, [&](Index i) {
    const Tile& tile = tiles[i];
    work_.compute(tile, {}, work_.result(tile));
  });
  if (error_) return;
  for (const Tile& tile : tiles) record(tile);
  statistics_.computed += count;
}

// Asks one rank for tiles and answers others until its reply arrives. A rank without tiles left never gets any again.
void TileLoop::ask_next() {
  const int asked = to_ask_.back();
  messages_.send_request(asked);
  const auto start = Clock::now();
  while (!answer_) {
    answer_messages();
    if (!answer_ && seconds_since(start) > 10 * poll_seconds)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  std::vector<LentTile> tiles = std::move(*answer_);
  answer_.reset();
  if (tiles.empty())
    to_ask_.pop_back();
  else
    compute_lent(std::move(tiles));
}

void TileLoop::compute_lent(std::vector<LentTile> tiles) {
  const auto at = [&](Index i) -> LentTile& { return tiles[i]; };
  const auto owner = to_ask_.back();
  const auto count = static_cast<Index>(tiles.size());
  for (Index begin = 0; begin < count;) {
    answer_messages();
    const Index size = batch_size(count - begin);
    std::vector<std::vector<std::byte>> results(size);
    if (!stopped_) {
      compute_all(size, [&](Index i) {
        const LentTile& lent = at(begin + i);
        auto& result = results[i];
        result.resize(work_.result_bytes(lent.tile));
        work_.compute(lent.tile, lent.inputs, result);
      });
    }
    for (Index i = 0; i < size; ++i) {
      messages_.send_result(owner, at(begin + i).tile, !stopped_, std::move(results[i]));
    }
    if (!stopped_) statistics_.computed += size, statistics_.taken_over += size;
    begin += size;
  }
}

// The first error here ends the loop on all ranks: lent tiles are still returned, marked as not computed.
void TileLoop::fail(const Error& error) {
  if (error_) return;
  error_ = error;
  stopped_ = true;
  for (int r = 0; r < execution_.communicator.size(); ++r) {
    if (r != execution_.communicator.rank()) messages_.send_stop(r);
  }
}

// Waits for lent tiles, then for all ranks, and answers messages meanwhile; afterwards no message of this loop is in
// transit.
void TileLoop::finish() {
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool waiting = false;
  const auto start = Clock::now();
  for (int finished = 0; finished == 0;) {
    answer_messages();
    if (!waiting && lent_out_.empty() && messages_.all_sent()) {
      MPI_Ibarrier(execution_.communicator.handle(), &barrier);
      waiting = true;
    }
    if (waiting) MPI_Test(&barrier, &finished, MPI_STATUS_IGNORE);
    if (finished == 0) std::this_thread::yield();
  }
  if (execution_.communicator.size() > 1) count_traffic({.collectives = 1, .seconds = seconds_since(start)});
  const std::vector<int> failed = execution_.communicator.all_gather_one(error_ ? 1 : 0);
  for (std::size_t r = 0; r < failed.size(); ++r) {
    const bool expected = failed[r] != 0 && static_cast<int>(r) != execution_.communicator.rank();
    while (expected && !stop_seen_[r]) answer_messages();
  }
}

}  // namespace

Schedule::Schedule(std::string name, std::vector<Tile> own, Index total)
    : name_(std::move(name)), own_(std::move(own)), total_(total) {}

TileStatistics Schedule::run(const Execution& execution, TileWork& work) const {
  return TileLoop(execution, work, name_, own_, total_).run();
}

}  // namespace cairn
