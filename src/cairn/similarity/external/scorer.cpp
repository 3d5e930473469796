// One scorer: its requests and answers.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#include "cairn/similarity/external/scorers.hpp"

namespace cairn {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_line = 65536;       // most characters of an answer
constexpr std::size_t most_kept_words = 4096;  // most characters kept of its stderr
constexpr std::size_t most_shown_words = 600;
constexpr std::size_t most_shown_answer = 80;
constexpr int not_found = 127, not_executable = 126;  // exit codes of the shell

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string shown(std::string_view answer) {
  return fmt::format("'{}{}'", answer.substr(0, most_shown_answer), answer.size() > most_shown_answer ? "..." : "");
}

std::optional<double> parse_score(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);  // infinity or 0
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

Scorer::Scorer(const ScorerProgram& program, std::vector<std::pair<std::string, std::string>> environment)
    : program_(program), environment_(std::move(environment)) {
  start();
}

void Scorer::start() {
  process_.reset();  // the old process ends before a new one begins
  process_ = std::make_unique<ChildProcess>(program_.command, environment_);
  unsent_.clear(), received_.clear(), last_words_.clear();
  sent_ = 0;
  output_ended_ = errors_ended_ = missing_ = silent_ = false;
  asked_.clear();
  answered_ = finished_ = 0;
}

std::deque<Scorer::Batch> Scorer::restart() {
  std::deque<Batch> unfinished = std::move(asked_);
  start();
  return unfinished;
}

void Scorer::ask(const Batch& batch, const PairsToScore& pairs) {
  if (asked_.empty()) {
    begun_ = Clock::now();
    answered_ = 0;
  }
  asked_.push_back(batch);
  char separator = '[';
  for (Index p = batch.pairs.begin; p < batch.pairs.end; ++p) {
    unsent_ += separator;
    pairs.write(p, unsent_);
    separator = ',';
  }
  unsent_ += "]\n";
}

Scorer::Clock::time_point Scorer::deadline() const {
  if (asked_.empty()) return Clock::time_point::max();
  return begun_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(program_.time_limit));
}

// Writes before it reads: a scorer that waits for the rest of a line gets it first.
Index Scorer::move(const PairsToScore& pairs, std::span<double> values) {
  if (!unsent_.empty()) {
    const auto written = process_->write_some(std::string_view(unsent_).substr(sent_));
    sent_ += written.value_or(unsent_.size() - sent_);  // a scorer that does not read will not answer
    if (sent_ == unsent_.size()) {
      unsent_.clear();
      sent_ = 0;
    }
  }
  if (!errors_ended_) {
    errors_ended_ = !ChildProcess::read_some(process_->errors(), last_words_);
    if (last_words_.size() > most_kept_words) last_words_.erase(0, last_words_.size() - most_kept_words);
  }
  const Index before = finished_;
  if (output_ended_) return 0;
  const std::size_t had = received_.size();
  output_ended_ = !ChildProcess::read_some(process_->output(), received_);
  silent_ = received_.size() == had;
  std::size_t begin = 0;
  for (auto end = received_.find('\n'); end != std::string::npos; end = received_.find('\n', begin)) {
    take_line(trimmed(std::string_view(received_).substr(begin, end - begin)), pairs, values);
    begin = end + 1;
  }
  received_.erase(0, begin);
  if (received_.size() > most_line) {
    throw wrong(ErrorKind::input, fmt::format("printed a line of more than {} characters, beginning with {}{}",
                                              most_line, shown(received_), pair_in_work(pairs)));
  }
  return finished_ - before;
}

void Scorer::take_line(std::string_view line, const PairsToScore& pairs, std::span<double> values) {
  if (asked_.empty()) {
    throw wrong(ErrorKind::input,
                fmt::format("printed {} without a pending request; it must answer each batch with one line per pair, a "
                            "number, then one empty line, and print everything else to standard error",
                            line.empty() ? "an empty line" : shown(line)));
  }
  const Range batch = asked_.front().pairs;
  const Index pair = batch.begin + answered_;
  if (line.empty()) {
    if (pair < batch.end) {
      throw wrong(ErrorKind::input, fmt::format("answered a batch of {} pairs with {} lines: there is none for {}",
                                                batch.size(), answered_, pairs.name(pair)));
    }
    finished_ += batch.size();
    answered_ = 0;
    asked_.pop_front();
    begun_ = Clock::now();
    return;
  }
  if (pair == batch.end) {
    throw wrong(
        ErrorKind::input,
        fmt::format("answered a batch of {} pairs, which ends with {}, with one line more: {}; the answers of a "
                    "batch end with an empty line",
                    batch.size(), pairs.name(pair - 1), shown(line)));
  }
  const auto score = parse_score(line);
  if (!score) {
    throw wrong(
        ErrorKind::input,
        fmt::format("answered {} for {}, which is not a number; what it prints beside its answers belongs on its "
                    "standard error",
                    shown(line), pairs.name(pair)));
  }
  if (!std::isfinite(*score)) {
    throw wrong(ErrorKind::numeric, fmt::format("answered {} for {}", shown(line), pairs.name(pair)));
  }
  values[pair] = *score;
  ++answered_;
}

std::optional<Error> Scorer::failure(const PairsToScore& pairs) {
  if (asked_.empty()) return std::nullopt;
  const bool ended = output_ended_ || (silent_ && process_->ending());  // its children may keep the pipe open
  if (!ended && Clock::now() < deadline()) return std::nullopt;
  if (!ended) {
    const bool complete = answered_ == asked_.front().pairs.size();
    return wrong(ErrorKind::resource,
                 complete ? fmt::format("did not end the answers of a batch with an empty line within {:g} s "
                                        "({}); {} was the last of them",
                                        program_.time_limit, program_.keys("time-limit"),
                                        pairs.name(asked_.front().pairs.end - 1))
                          : fmt::format("took longer than {:g} s ({}) for a batch{}", program_.time_limit,
                                        program_.keys("time-limit"), pair_in_work(pairs)));
  }
  for (int look = 0; look < 400 && !process_->ending(); ++look) std::this_thread::sleep_for(5ms);
  for (std::size_t before = 1, after = 0; !errors_ended_ && before != after; after = last_words_.size()) {
    before = last_words_.size();
    errors_ended_ = !ChildProcess::read_some(process_->errors(), last_words_);
  }
  const auto ending = process_->ending();
  const auto code = process_->exit_code();
  if (finished_ == 0 && answered_ == 0 && (code == not_found || code == not_executable)) {
    missing_ = true;
    return wrong(ErrorKind::usage, fmt::format("cannot be started ({})", *ending));
  }
  return wrong(ErrorKind::resource,
               (ending ? fmt::format("ended with {}", *ending) : "closed its standard output") + pair_in_work(pairs));
}

std::string Scorer::pair_in_work(const PairsToScore& pairs) const {
  if (asked_.empty()) return {};
  const Index next = std::min(asked_.front().pairs.begin + answered_, asked_.front().pairs.end - 1);
  return fmt::format(", before it answered for {}; it had answered {} pairs", pairs.name(next), finished_ + answered_);
}

// Its last lines, joined into one.
std::string Scorer::said() const {
  std::string line;
  std::string_view words = last_words_;
  while (!words.empty()) {
    const auto end = std::min(words.find('\n'), words.size());
    const std::string_view part = trimmed(words.substr(0, end));
    if (!part.empty()) line += fmt::format("{}{}", line.empty() ? "" : " | ", part);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (line.empty()) return "; it said nothing on its standard error";
  if (line.size() > most_shown_words) line = fmt::format("... {}", line.substr(line.size() - most_shown_words));
  return fmt::format("; it said last: {}", line);
}

Error Scorer::wrong(ErrorKind kind, const std::string& what) const {
  return Error(kind,
               fmt::format("the scorer '{}' ({}) {}{}", program_.command, program_.keys("command"), what, said()));
}

}  // namespace cairn
