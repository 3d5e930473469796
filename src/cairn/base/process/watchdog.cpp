#include "cairn/base/process/watchdog.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "cairn/base/error.hpp"
#include "cairn/base/process/abort.hpp"

namespace cairn {

namespace {

// Milliseconds that this process was awake: the sum of its own wake-ups. Time in which it is stopped (SIGSTOP, a frozen
// container, a suspended job) does not count as silence.
std::atomic<long> awake{0};
std::atomic<long> last_beat{0};  // on the clock of `awake`
std::atomic<long> patience{0};   // milliseconds

long now() {
  using namespace std::chrono;
  return static_cast<long>(duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count());
}

}  // namespace

void Watchdog::beat() { last_beat.store(awake.load(std::memory_order_relaxed), std::memory_order_relaxed); }

Watchdog::Patience::Patience(double seconds)
    : milliseconds_(static_cast<long>(std::min(seconds, longest_patience) * 1e3)) {
  beat();
  patience += milliseconds_;
}

Watchdog::Patience::~Patience() {
  beat();
  patience -= milliseconds_;
}

Watchdog::Watchdog(const Communicator& communicator, std::chrono::seconds limit, const std::string& name) {
  beat();
  if (limit.count() <= 0) return;
  thread_ = std::thread(&Watchdog::watch, this, communicator.handle(), communicator.rank(), limit, name);
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::watch(MPI_Comm handle, int rank, std::chrono::seconds limit, const std::string& name) {
  const auto look = std::clamp(limit / 10, std::chrono::seconds(1), std::chrono::seconds(30));
  // Rank 0 reports first, and ends the others before they report the same.
  const long most = std::chrono::milliseconds(rank > 0 ? limit + 2 * look : limit).count();
  const std::chrono::milliseconds tick =
      std::clamp<std::chrono::milliseconds>(limit / 20, std::chrono::milliseconds(50), std::chrono::seconds(1));
  std::unique_lock lock(mutex_);
  for (long before = now(); !ended_.wait_for(lock, tick, [this] { return end_; });) {
    const long here = now();
    awake += std::min<long>(here - before, 2 * tick.count());
    before = here;
    const long silent = awake.load() - last_beat.load() - patience.load();
    if (silent < most) continue;
    const std::string named = name.empty() ? "" : " (" + name + ")";
    std::fprintf(stderr,
                 "cairn: error: rank %d has made no progress for %ld s%s: another rank, the network or the file system "
                 "may be lost; ending all ranks\n",
                 rank, static_cast<long>(limit.count()), named.c_str());
    end_all_ranks(handle, ErrorKind::resource);
  }
}

}  // namespace cairn
