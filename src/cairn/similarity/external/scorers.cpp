#include "cairn/similarity/external/scorers.hpp"

#include <poll.h>

#include <algorithm>
#include <thread>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

using namespace std::chrono_literals;
using Clock = Scorer::Clock;

constexpr auto longest_wait = 1s;  // between two beats of the watchdog
constexpr auto grace = 2s;

}  // namespace

Scorers::Scorers(ScorerProgram program,
                 const std::function<std::vector<std::pair<std::string, std::string>>(int k)>& environment)
    : program_(std::move(program)) {
  for (int k = 0; k < program_.processes; ++k) {
    scorers_.push_back(std::make_unique<Scorer>(program_, environment(k)));
  }
}

Scorers::~Scorers() {
  for (const auto& scorer : scorers_) scorer->close_input();
  const auto end = Clock::now() + grace;
  const auto all_ended = [&] {
    return std::ranges::all_of(scorers_, [](const auto& scorer) { return scorer->has_ended(); });
  };
  while (!all_ended() && Clock::now() < end) std::this_thread::sleep_for(2ms);
}

Index Scorers::score(const PairsToScore& pairs, std::span<double> values) {
  const std::scoped_lock lock(mutex_);
  if (error_) throw Error(*error_);
  sent_again_ = 0;
  try {
    std::deque<Scorer::Batch> again;
    Index next = 0, finished = 0;
    for (const auto& scorer : scorers_) scorer->move(pairs, values);  // detects unrequested output
    while (finished < pairs.count) {
      for (const auto& scorer : scorers_) {
        while (scorer->has_room() && (!again.empty() || next < pairs.count)) {
          Scorer::Batch batch{{next, std::min(next + program_.batch, pairs.count)}};
          if (!again.empty()) {
            batch = again.front();
            again.pop_front();
            sent_again_ += batch.pairs.size();
          } else {
            next = batch.pairs.end;
          }
          scorer->ask(batch, pairs);
        }
      }
      wait_for_pipes();
      Watchdog::beat();
      for (const auto& scorer : scorers_) {
        finished += scorer->move(pairs, values);
        see_to(*scorer, pairs, again);
      }
    }
  } catch (...) {
    error_ = current_error();
    scorers_.clear();
    throw Error(*error_);
  }
  return sent_again_;
}

// Kills and restarts a scorer that will not answer any more.
void Scorers::see_to(Scorer& scorer, const PairsToScore& pairs, std::deque<Scorer::Batch>& again) {
  const auto failure = scorer.failure(pairs);
  if (!failure) return;
  if (!scorer.may_be_tried_again() || scorer.tries() > program_.retries) throw Error(*failure);
  std::deque<Scorer::Batch> unfinished = scorer.restart();
  ++unfinished.front().tries;  // the other batches only waited
  again.insert(again.end(), unfinished.begin(), unfinished.end());
}

// Waits until a pipe can be read or written, or a scorer's time is over.
void Scorers::wait_for_pipes() {
  std::vector<pollfd> pipes;
  auto until = Clock::now() + longest_wait;
  for (const auto& scorer : scorers_) {
    pipes.push_back({scorer->wanted_input(), POLLOUT, 0});
    pipes.push_back({scorer->output(), POLLIN, 0});
    pipes.push_back({scorer->errors(), POLLIN, 0});
    until = std::min(until, scorer->deadline());
  }
  const auto asked = Clock::now();
  const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(until - asked), 0ms);
  poll(pipes.data(), pipes.size(), static_cast<int>(left.count()));
  // The wait was much longer than requested: this process was stopped, and its scorers may have been stopped, too.
  const auto late = Clock::now() - asked - left;
  if (late < 1s) return;
  for (const auto& scorer : scorers_) scorer->excuse(late);
}

}  // namespace cairn
