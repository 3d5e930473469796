#include "cli/program.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/same_words.hpp"
#include "cairn/base/printable.hpp"
#include "cairn/base/process/abort.hpp"
#include "cairn/base/process/interruption.hpp"
#include "cairn/base/process/launch.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/base/process/signals.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/store/hdf5/replaced_file.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

std::string quoted(const std::string& word) {
  return word.find_first_of(" \t'\"$&|;<>*?()") == std::string::npos && !word.empty() ? word : "'" + word + "'";
}

std::string command_line_text(const std::vector<std::string>& words) {
  std::string text = "cairn";
  for (const std::string& word : words) text += " " + quoted(word);
  return text;
}

// An error on which the ranks agree is printed by rank 0 and ends all ranks in the same way. If a single rank has an
// error while the others are inside a collective call, agreement is impossible: that rank prints the error and aborts
// all ranks.
Ending leave(const Communicator& leaving, const Error& error) {
  if (!all_leave_together(leaving)) {
    print_error(error);
    end_all_ranks(MPI_COMM_WORLD, error.kind());
  }
  if (leaving.is_root()) print_error(error);
  return {error.exit_code(), error.kind() == ErrorKind::resource};
}

// Ensures the same command line, version and configs (those of rank 0) on all ranks.
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

bool has_checkpoint(const Settings& settings) {
  return settings.knows("run.checkpoint") && !settings.text("run.checkpoint").empty();
}

void run_command(const Communicator& all_ranks, const Reading& reading, const std::vector<std::string>& words) {
  agree(all_ranks, reading.error);
  const Invocation& invocation = *reading.invocation;
  if (invocation.print) {
    print(all_ranks, *invocation.print);
    return;
  }
  const bool quiet = invocation.settings->flag("quiet");
  be_quiet(quiet);
  start_log(quiet ? LogLevel::warning : LogLevel::info, all_ranks.is_root());
  if (has_checkpoint(*invocation.settings)) stop_on_signals(all_ranks.is_root(), !launched_by_mpirun());
  const Watchdog watchdog(all_ranks, std::chrono::seconds(invocation.settings->integer("run.stall-timeout")),
                          "run.stall-timeout");
  Job job{all_ranks, *invocation.settings, invocation.arguments, command_line_text(words)};
  require_same_inputs(job);
  const ReadingBudget budget(memory_of(*invocation.settings).for_readers(all_ranks));
  invocation.command->run(job);
}

}  // namespace

Reading read_command_line(const std::vector<std::string>& words, ConfigTexts& configs) {
  try {
    return {.invocation = parse_command_line(words, configs)};
  } catch (...) {
    return {.error = current_error()};
  }
}

void print_error(const Error& error) {
  const char* word = error.kind() == ErrorKind::interrupted ? "" : "error: ";
  std::fprintf(stderr, "cairn: %s%s\n", word, printable(error.what()).c_str());
}

int flushed(int code) {
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || code != 0) return code;
  const Error error(ErrorKind::resource, "cannot write to the standard output");
  print_error(error);
  return error.exit_code();
}

Ending run_command_line(MPI_Comm ranks, const std::vector<std::string>& words, ConfigTexts& configs,
                        std::optional<Reading> reading) {
  const Communicator all_ranks(ranks), leaving(ranks);
  const hdf5::FilesStay files_stay;
  handle_termination_signals(all_ranks.is_root(), "there is no run.checkpoint");
  try {
    if (all_ranks.size() > 1) {
      reading = read_together(all_ranks, words, configs);
    } else if (!reading) {
      reading = read_command_line(words, configs);
    }
    run_command(all_ranks, *reading, words);
    return {flushed(0)};
  } catch (...) {
    return leave(leaving, current_error());
  }
}

}  // namespace cairn::app
