// External programs that score pairs, and how they are asked.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/process/child_process.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// How a scorer is run.
struct ScorerProgram {
  std::string command;      ///< of the shell
  int processes = 1;        ///< a rank
  Index batch = 32;         ///< pairs that are sent at once
  double time_limit = 300;  ///< seconds for a batch, the scorer's start included
  int retries = 0;          ///< how often a batch is sent again after its scorer died or was too slow
  KeyNames keys{};          ///< of command, time-limit

  static constexpr int most_processes = 4096, most_retries = 1000;
  static constexpr Index largest_batch = 1'000'000;
  static constexpr double longest_time_limit = 366.0 * 24 * 3600;
};

/// Pairs that are to be scored.
struct PairsToScore {
  Index count = 0;
  std::function<void(Index pair, std::string& to)> write;  ///< appends a pair as JSON: an array of two
  std::function<std::string(Index pair)> name;             ///< of its objects, for messages
};

/// One running scorer and what it was asked. It knows the protocol (docs/external-scorers.md): a line in, which is a
/// JSON array of pairs; out, a number a line for each of them, and an empty line.
class Scorer {
 public:
  /// Pairs [pairs.begin, pairs.end) that were sent, or are to be sent again.
  struct Batch {
    Range pairs;
    int tries = 1;
  };
  using Clock = std::chrono::steady_clock;

  Scorer(const ScorerProgram& program, std::vector<std::pair<std::string, std::string>> environment);

  /// Whether another batch may be sent: one that it works on and one that waits in its pipe.
  [[nodiscard]] bool has_room() const { return asked_.size() < 2; }
  /// Of the batch that it is at.
  [[nodiscard]] int tries() const { return asked_.front().tries; }
  void ask(const Batch& batch, const PairsToScore& pairs);

  /// What poll() is to look for: the three pipes. Those of which nothing is wanted are -1.
  [[nodiscard]] int wanted_input() const { return unsent_.empty() ? -1 : process_->input(); }
  [[nodiscard]] int output() const { return output_ended_ ? -1 : process_->output(); }
  [[nodiscard]] int errors() const { return errors_ended_ ? -1 : process_->errors(); }
  /// Moves what the pipes take and have. @return pairs of batches that were finished
  /// @throws Error(input) for answers that are not what was asked for, Error(numeric) for one that is not finite
  Index move(const PairsToScore& pairs, std::span<double> values);

  /// When the batch that it works on must be finished.
  [[nodiscard]] Clock::time_point deadline() const;
  /// Gives it so much more time for the batch in work.
  void excuse(Clock::duration late) { begun_ += late; }
  /// Why no answer will come any more: it ended, or its time is over. Nothing if it goes on.
  [[nodiscard]] std::optional<Error> failure(const PairsToScore& pairs);
  /// Whether another try could be of use: not where the shell did not find it.
  [[nodiscard]] bool may_be_tried_again() const { return !missing_; }
  /// Kills it and starts another. @return what it was asked and did not finish
  [[nodiscard]] std::deque<Batch> restart();

  /// The end of its input; it has then time to end by itself.
  void close_input() { process_->close_input(); }
  [[nodiscard]] bool has_ended() { return process_->ending().has_value(); }

 private:
  void start();
  void take_line(std::string_view line, const PairsToScore& pairs, std::span<double> values);
  [[nodiscard]] Error wrong(ErrorKind kind, const std::string& what) const;
  [[nodiscard]] std::string said() const;
  [[nodiscard]] std::string pair_in_work(const PairsToScore& pairs) const;

  const ScorerProgram& program_;
  std::vector<std::pair<std::string, std::string>> environment_;
  std::unique_ptr<ChildProcess> process_;
  std::string unsent_;
  std::size_t sent_ = 0;  // of unsent_
  std::string received_;  // and not a whole line
  std::string last_words_;
  bool output_ended_ = false, errors_ended_ = false, missing_ = false, silent_ = false;
  std::deque<Batch> asked_;  // the one that it works on first
  Index answered_ = 0;       // pairs of it
  Index finished_ = 0;       // pairs of batches before, since its start
  Clock::time_point begun_;  // to work on it
};

/// The scorers of a rank. Any thread may ask; one at a time is served.
class Scorers {
 public:
  /// Starts them. @param environment  variables for the k-th of them @throws Error(resource) as ChildProcess
  Scorers(ScorerProgram program,
          const std::function<std::vector<std::pair<std::string, std::string>>(int k)>& environment);
  /// They have two seconds to end by themselves.
  ~Scorers();
  Scorers(const Scorers&) = delete;
  Scorers& operator=(const Scorers&) = delete;

  /// values[p] = score of pair p. Batches are dealt to the scorers as they finish others.
  /// @return pairs that were sent again
  /// @throws Error(usage) if there is no such command, Error(resource) for a scorer that died or was too slow more
  ///   than program.retries times, Error(input) for answers that are none, Error(numeric) for NaN or infinity: each
  ///   names the pair and says what the scorer said last on its stderr. No scorer is left then. Local.
  Index score(const PairsToScore& pairs, std::span<double> values);

  [[nodiscard]] const ScorerProgram& program() const { return program_; }

 private:
  void wait_for_pipes();
  void see_to(Scorer& scorer, const PairsToScore& pairs, std::deque<Scorer::Batch>& again);

  ScorerProgram program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scorer>> scorers_;
  std::optional<Error> error_;  // after which nothing is asked any more
  Index sent_again_ = 0;
};

}  // namespace cairn
