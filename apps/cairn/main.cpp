// cairn: reads the command line, starts MPI, runs one command, and leaves with one message and one code on all ranks.
#include <fmt/format.h>
#include <malloc.h>
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"
#include "base/watchdog.hpp"
#include "command_line.hpp"
#include "launch.hpp"

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

// Help, version and mistakes of usage need no MPI. Under a launcher, though, the first process to exit with a code
// takes the others with it: all wait until rank 0 has printed.
int leave_without_running(const Launch& launch, const Invocation* invocation, const Error* error) {
  if (launch.ranks > 1) MPI_Init(nullptr, nullptr);
  if (launch.rank == 0 && invocation != nullptr) std::fputs(invocation->print->c_str(), stdout);
  if (launch.rank == 0 && error != nullptr) print_error(*error);
  std::fflush(nullptr);
  if (launch.ranks > 1) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  return error != nullptr ? error->exit_code() : 0;
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

int run(const Invocation& invocation, const std::vector<std::string>& words) {
  const Communicator all_ranks(MPI_COMM_WORLD);
  const Communicator leaving(MPI_COMM_WORLD);
  start_log(LogLevel::info, all_ranks.is_root());
  handle_termination_signals(all_ranks.is_root());
  const Watchdog watchdog(all_ranks, std::chrono::seconds(invocation.settings->integer("run.stall-timeout")));
  try {
    Job job{all_ranks, *invocation.settings, invocation.arguments, command_line_text(words)};
    invocation.command->run(job);
    return 0;
  } catch (...) {
    return leave(leaving, current_error());
  }
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
  const Launch launch = launch_from_environment();
  std::optional<Invocation> invocation;
  try {
    invocation = parse_command_line(words);
  } catch (...) {
    const Error error = current_error();
    return leave_without_running(launch, nullptr, &error);
  }
  if (invocation->print) return leave_without_running(launch, &*invocation, nullptr);

  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is then an error of writing, as a full disk is
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int code = run(*invocation, words);
  std::signal(SIGTERM, SIG_DFL);  // a launcher ends the other ranks so when the first one leaves with a code
  std::fflush(nullptr);
  MPI_Finalize();
  return code;
}
