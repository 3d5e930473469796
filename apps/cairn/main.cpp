// cairn: reads the command line, starts MPI, runs one command, and leaves with one message and one code on all ranks.
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/heap.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/same_words.hpp"
#include "cairn/base/printable.hpp"
#include "cairn/base/process/abort.hpp"
#include "cairn/base/process/interruption.hpp"
#include "cairn/base/process/launch.hpp"
#include "cairn/base/process/peak_memory.hpp"
#include "cairn/base/process/reading_room.hpp"
#include "cairn/base/process/signals.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/store/hdf5/replaced_file.hpp"
#include "cli/command_line.hpp"
#include "pipeline/pipeline.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

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

void print_error(const Error& error) {
  const char* word = error.kind() == ErrorKind::interrupted ? "" : "error: ";
  std::fprintf(stderr, "cairn: %s%s\n", word, printable(error.what()).c_str());
}

// Output that did not arrive, on a full disk say, is no success.
int flushed(int code) {
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || code != 0) return code;
  const Error error(ErrorKind::resource, "cannot write to the standard output");
  print_error(error);
  return error.exit_code();
}

// An error that was agreed on is printed by rank 0 and ends all ranks alike. One that a single rank has, while the
// others are inside a collective, cannot be agreed on any more: who knows it says it and aborts all.
int leave(const Communicator& leaving, const Error& error) {
  if (!all_leave_together(leaving)) {
    print_error(error);
    end_all_ranks(MPI_COMM_WORLD, error.kind());
  }
  if (leaving.is_root()) print_error(error);
  if (error.kind() == ErrorKind::resource) {
    // Libraries are not asked to clean up: HDF5 1.10 crashes at its end where a full disk kept it from closing a file.
    std::fflush(stdout);
    std::signal(SIGTERM, SIG_DFL);
    leaving.barrier();
    std::_Exit(error.exit_code());
  }
  return error.exit_code();
}

// What this rank made of the command line: something to do, or an error.
struct Reading {
  std::optional<Invocation> invocation = {};
  std::optional<Error> error = {};

  [[nodiscard]] bool runs() const { return !error && !invocation->print; }
};

Reading read_command_line(const std::vector<std::string>& words, ConfigTexts& configs) {
  try {
    return {.invocation = parse_command_line(words, configs)};
  } catch (...) {
    return {.error = current_error()};
  }
}

// One command line, one version and rank 0's configs on all ranks.
Reading read_together(const Communicator& all_ranks, const std::vector<std::string>& words, ConfigTexts& configs) {
  require_same_words(all_ranks, {version() + " (" + commit() + ")"}, "all ranks of a run need one version of cairn");
  require_same_words(all_ranks, words, "all ranks of a run need one command line",
                     "; two runs need a launcher each, and a program that is a task of mpirun or srun itself starts "
                     "cairn without the launcher's variables (OMPI_*, PMIX_*, PMI_*, SLURM_STEP_*)");
  Reading reading;
  if (all_ranks.is_root()) reading = read_command_line(words, configs);
  agree(all_ranks, reading.error);
  configs.hand_out(all_ranks);
  if (!all_ranks.is_root()) reading = read_command_line(words, configs);
  return reading;
}

// Several tasks of which each is alone would each compute the whole run, and write the same files.
std::optional<Error> error_of_single_ranks(const Communicator& all_ranks, const Reading& reading) {
  const Launch launch = find_launch();
  if (launch.ranks <= 1 || all_ranks.size() > 1 || !reading.runs()) return std::nullopt;
  const std::string tasks = std::to_string(launch.ranks), name = launch.variable;
  return Error(ErrorKind::usage,
               "the launcher started " + tasks + " tasks (" + name + "), and MPI sees each of them alone: start them " +
                   "with the mpirun of " + libraries().substr(0, libraries().find(',')) + ", or by srun --mpi=pmix " +
                   "(srun --mpi=list says what there is). A run of one rank inside such a task needs an environment " +
                   "without that variable: env -u " + name + " cairn ...");
}

bool has_checkpoint(const Settings& settings) {
  return settings.knows("run.checkpoint") && !settings.text("run.checkpoint").empty();
}

int run_command(const Communicator& all_ranks, const Reading& reading, const std::vector<std::string>& words) {
  agree(all_ranks, reading.error);
  const Invocation& invocation = *reading.invocation;
  if (invocation.print) {
    print(all_ranks, *invocation.print);
    return 0;
  }
  const bool quiet = invocation.settings->flag("quiet");
  if (quiet) be_quiet();
  start_log(quiet ? LogLevel::warning : LogLevel::info, all_ranks.is_root());
  if (has_checkpoint(*invocation.settings)) stop_on_signals(all_ranks.is_root(), !launched_by_mpirun());
  const Watchdog watchdog(all_ranks, std::chrono::seconds(invocation.settings->integer("run.stall-timeout")),
                          "run.stall-timeout");
  Job job{all_ranks, *invocation.settings, invocation.arguments, command_line_text(words)};
  require_same_inputs(job);
  const ReadingRoom room(memory_of(*invocation.settings).for_readers(all_ranks));
  invocation.command->run(job);
  return 0;
}

// @param reading  of a process that no launcher started; nothing: it is read here
int run(std::optional<Reading> reading, ConfigTexts& configs, const std::vector<std::string>& words) {
  const Communicator all_ranks(MPI_COMM_WORLD);
  const Communicator leaving(MPI_COMM_WORLD);
  handle_termination_signals(all_ranks.is_root(), "there is no run.checkpoint");
  try {
    if (all_ranks.size() > 1) {
      reading = read_together(all_ranks, words, configs);
    } else if (!reading) {
      reading = read_command_line(words, configs);
      if (const auto error = error_of_single_ranks(all_ranks, *reading)) {
        if (find_launch().rank == 0) print_error(*error);  // one message of all of them
        return error->exit_code();
      }
    }
    return run_command(all_ranks, *reading, words);
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

// What this rank alone has, before the ranks can agree on anything or after. Inside a catch block, or a terminate
// handler.
int end_alone() {
  const Error error = current_error();
  print_error(error);
  int started = 0, finished = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&finished);
  if (started != 0 && finished == 0) end_all_ranks(MPI_COMM_WORLD, error.kind());
  return error.exit_code();
}

int run_program(int argc, char** argv) {
  return_large_blocks();
  hdf5::expect_files_to_stay();
  const std::vector<std::string> words(argv + 1, argv + argc);
  ConfigTexts configs;
  std::optional<Reading> reading;
  if (find_launch().ranks == 1) reading = read_command_line(words, configs);
  if (reading && !reading->runs()) return leave_without_mpi(*reading);

  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is then an error of writing, as a full disk is
  {
    const StartWithoutDaemon start;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  end_on_mpi_errors(MPI_COMM_WORLD);
  end_on_mpi_errors(MPI_COMM_SELF);
  const int code = flushed(run(std::move(reading), configs, words));
  std::signal(SIGTERM, SIG_DFL);  // a launcher ends the other ranks so when the first one leaves with a code
  MPI_Finalize();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // A destructor that cannot allocate (nlohmann::json's) lets no exception out.
  std::set_terminate([] {
    std::set_terminate([] { std::_Exit(static_cast<int>(ErrorKind::internal)); });  // where even the message fails
    std::_Exit(end_alone());
  });
  measure_peaks_of_phases();
  try {
    return run_program(argc, argv);
  } catch (...) {
    return end_alone();
  }
}
