// cairn: reads the command line, starts MPI, runs one command, and leaves with one message and one code on all ranks.
#include <malloc.h>
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"
#include "base/watchdog.hpp"
#include "command_line.hpp"
#include "launch.hpp"
#include "report.hpp"

namespace {

using namespace cairn;
using namespace cairn::app;

std::string quoted(const std::string& word) {
  return word.find_first_of(" \t'\"$&|;<>*?()") == std::string::npos && !word.empty() ? word : "'" + word + "'";
}

std::string command_line_text(const std::vector<std::string>& words) {
  std::string text = "cairn";
  for (const std::string& word : words) text += " " + quoted(word);
  return text;
}

void print_error(const Error& error) { std::fprintf(stderr, "cairn: error: %s\n", error.what()); }

// Output that did not arrive, on a full disk say, is no success.
int flushed(int code) {
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || code != 0) return code;
  const Error error(ErrorKind::resource, "cannot write to the standard output");
  print_error(error);
  return error.exit_code();
}

// Whether all ranks come here within a few seconds: then they agree on the error that they have.
bool all_have_failed(const Communicator& leaving) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(leaving.handle(), &request);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int done = 0; std::chrono::steady_clock::now() < end;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// An error that was agreed on is printed by rank 0 and ends all ranks alike. One that a single rank has, while the
// others are inside a collective, cannot be agreed on any more: who knows it says it and aborts all.
int leave(const Communicator& leaving, const Error& error) {
  if (!all_have_failed(leaving)) {
    print_error(error);
    MPI_Abort(MPI_COMM_WORLD, error.exit_code());
  }
  if (leaving.is_root()) print_error(error);
  return error.exit_code();
}

// What this rank made of the command line: something to do, or an error. A config may be there for some ranks alone.
struct Reading {
  std::optional<Invocation> invocation = {};
  std::optional<Error> error = {};

  [[nodiscard]] bool runs() const { return !error && !invocation->print; }
};

Reading read_command_line(const std::vector<std::string>& words) {
  try {
    return {.invocation = parse_command_line(words)};
  } catch (...) {
    return {.error = current_error()};
  }
}

int run(const Reading& reading, const std::vector<std::string>& words) {
  const Communicator all_ranks(MPI_COMM_WORLD);
  const Communicator leaving(MPI_COMM_WORLD);
  start_log(LogLevel::info, all_ranks.is_root());
  handle_termination_signals(all_ranks.is_root());
  try {
    agree(all_ranks, reading.error);
    const Invocation& invocation = *reading.invocation;
    if (invocation.print) {
      print(all_ranks, *invocation.print);
      return 0;
    }
    const Watchdog watchdog(all_ranks, std::chrono::seconds(invocation.settings->integer("run.stall-timeout")));
    Job job{all_ranks, *invocation.settings, invocation.arguments, command_line_text(words)};
    invocation.command->run(job);
    return 0;
  } catch (...) {
    return leave(leaving, current_error());
  }
}

// Help, version and mistakes of usage need no MPI where there is one rank.
int leave_without_mpi(const Reading& reading) {
  if (reading.error) {
    print_error(*reading.error);
    return reading.error->exit_code();
  }
  std::fputs(reading.invocation->print->c_str(), stdout);
  return flushed(0);
}

// Large blocks come from the system and go back to it when they are freed. SuperLU_DIST, which PETSc brings along,
// turns that off when it is loaded, and what is freed then adds to the peak: it was three times what lived at any time.
void return_large_blocks() {
  constexpr int large = 1 << 20, most_blocks = 65536, kept_bytes = 16 << 20;
  mallopt(M_MMAP_MAX, most_blocks);
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, kept_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  return_large_blocks();
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Reading reading = read_command_line(words);
  if (!reading.runs() && launched_ranks() == 1) return leave_without_mpi(reading);

  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is then an error of writing, as a full disk is
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int code = flushed(run(reading, words));
  std::signal(SIGTERM, SIG_DFL);  // a launcher ends the other ranks so when the first one leaves with a code
  MPI_Finalize();
  return code;
}
