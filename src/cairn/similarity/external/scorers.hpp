// External programs that score pairs, and the communication with them.
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

/// Settings of a scorer.
struct ScorerProgram {
  std::string command;      ///< shell command
  int processes = 1;        ///< per rank
  Index batch = 32;         ///< pairs sent at once
  double time_limit = 300;  ///< seconds for a batch, including the scorer's start
  int retries = 0;          ///< resends of a batch after its scorer died or was too slow
  KeyNames keys{};          ///< names of command and time-limit

  static constexpr int most_processes = 4096, most_retries = 1000;
  static constexpr Index largest_batch = 1'000'000;
  static constexpr double longest_time_limit = 366.0 * 24 * 3600;
};

/// Pairs to score.
struct PairsToScore {
  Index count = 0;
  std::function<void(Index pair, std::string& to)> write;  ///< appends a pair as JSON: an array of two
  std::function<std::string(Index pair)> name;             ///< names its objects, for messages
};

/// One running scorer and its pending requests. It implements the protocol (docs/external-scorers.md). Input: a line
/// with a JSON array of pairs. Output: a line with a number for each pair, then an empty line.
class Scorer {
 public:
  /// Pairs [pairs.begin, pairs.end) that were sent or will be sent again.
  struct Batch {
    Range pairs;
    int tries = 1;
  };
  using Clock = std::chrono::steady_clock;

  Scorer(const ScorerProgram& program, std::vector<std::pair<std::string, std::string>> environment);

  /// True if another batch may be sent: one is in work, one waits in the pipe.
  [[nodiscard]] bool has_room() const { return asked_.size() < 2; }
  /// Tries of the batch in work.
  [[nodiscard]] int tries() const { return asked_.front().tries; }
  void ask(const Batch& batch, const PairsToScore& pairs);

  /// The three pipes for poll(); -1 for pipes that are not needed.
  [[nodiscard]] int wanted_input() const { return unsent_.empty() ? -1 : process_->input(); }
  [[nodiscard]] int output() const { return output_ended_ ? -1 : process_->output(); }
  [[nodiscard]] int errors() const { return errors_ended_ ? -1 : process_->errors(); }
  /// Writes and reads as much as the pipes allow. @return pairs of finished batches
  /// @throws Error(input) for answers that were not requested, Error(numeric) for one that is not finite
  Index move(const PairsToScore& pairs, std::span<double> values);

  /// Time by which the batch in work must be finished.
  [[nodiscard]] Clock::time_point deadline() const;
  /// Extends the time for the batch in work.
  void excuse(Clock::duration late) { begun_ += late; }
  /// Reason why no answers will come any more: the scorer ended, or its time is over. Nothing while it works.
  [[nodiscard]] std::optional<Error> failure(const PairsToScore& pairs);
  /// False if the shell did not find the program: another try is of no use.
  [[nodiscard]] bool may_be_tried_again() const { return !missing_; }
  /// Kills the scorer and starts another. @return unfinished batches
  [[nodiscard]] std::deque<Batch> restart();

  /// Closes its input; the scorer then has time to end by itself.
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
  std::size_t sent_ = 0;  // bytes of unsent_ that are sent
  std::string received_;  // an incomplete line
  std::string last_words_;
  bool output_ended_ = false, errors_ended_ = false, missing_ = false, silent_ = false;
  std::deque<Batch> asked_;  // the batch in work comes first
  Index answered_ = 0;       // answered pairs of the batch in work
  Index finished_ = 0;       // pairs of earlier batches since its start
  Clock::time_point begun_;  // start of work on the batch
};

/// Scorers of a rank. Any thread may call score(); one call at a time is served.
class Scorers {
 public:
  /// Starts the scorers. @param environment  variables for the k-th scorer @throws Error(resource) as ChildProcess
  Scorers(ScorerProgram program,
          const std::function<std::vector<std::pair<std::string, std::string>>(int k)>& environment);
  /// Gives the scorers two seconds to end by themselves.
  ~Scorers();
  Scorers(const Scorers&) = delete;
  Scorers& operator=(const Scorers&) = delete;

  /// values[p] = score of pair p. A scorer gets a new batch when it has finished another.
  /// @return pairs that were sent again
  /// @throws Error(usage) if the command does not exist, Error(resource) for a scorer that died or was too slow more
  ///   than program.retries times, Error(input) for invalid answers, Error(numeric) for NaN or infinity. Each names the
  ///   pair and quotes the last stderr output of the scorer. No scorer is left then. Local.
  Index score(const PairsToScore& pairs, std::span<double> values);

  [[nodiscard]] const ScorerProgram& program() const { return program_; }

 private:
  void wait_for_pipes();
  void see_to(Scorer& scorer, const PairsToScore& pairs, std::deque<Scorer::Batch>& again);

  ScorerProgram program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scorer>> scorers_;
  std::optional<Error> error_;  // after it, nothing is sent any more
  Index sent_again_ = 0;
};

}  // namespace cairn
