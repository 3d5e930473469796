// cairn: reads the command line, starts MPI, runs one command, and exits with one message and one code on all ranks.
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
#include "cairn/base/process/abort.hpp"
#include "cairn/base/process/launch.hpp"
#include "cairn/base/process/peak_memory.hpp"
#include "cairn/linalg/dense/blas_kernels.hpp"
#include "cli/program.hpp"
#include "report/version.hpp"

namespace {

using namespace cairn;
using namespace cairn::app;

// Several tasks that do not see each other would each compute the whole run, and write the same files.
std::optional<Error> error_of_single_ranks(const Reading& reading) {
  const Launch launch = find_launch();
  if (launch.ranks <= 1 || !reading.runs()) return std::nullopt;
  const std::string tasks = std::to_string(launch.ranks), name = launch.variable;
  return Error(ErrorKind::usage,
               "the launcher started " + tasks + " tasks (" + name + "), and MPI sees each of them alone: start them " +
                   "with the mpirun of " + libraries().substr(0, libraries().find(',')) + ", or by srun --mpi=pmix " +
                   "(srun --mpi=list says what there is). A run of one rank inside such a task needs an environment " +
                   "without that variable: env -u " + name + " cairn ...");
}

// Help, version and usage errors do not need MPI on a single rank.
int leave_without_mpi(const Reading& reading) {
  if (reading.error) {
    print_error(*reading.error);
    return reading.error->exit_code();
  }
  std::fputs(reading.invocation->print->c_str(), stdout);
  return flushed(0);
}

// Ends with an error of this rank alone, before the ranks can agree or after. Call it in a catch block or a terminate
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

// @param reading  given in a process that no launcher started; nothing: the words are parsed here
Ending run(std::optional<Reading> reading, ConfigTexts& configs, const std::vector<std::string>& words) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1 && !reading) {
    reading = read_command_line(words, configs);
    if (const auto error = error_of_single_ranks(*reading)) {
      if (find_launch().rank == 0) print_error(*error);  // one message for all of them
      return {error->exit_code()};
    }
  }
  return run_command_line(MPI_COMM_WORLD, words, configs, std::move(reading));
}

int run_program(int argc, char** argv) {
  choose_blas_kernels();
  return_large_blocks();
  const std::vector<std::string> words(argv + 1, argv + argc);
  ConfigTexts configs;
  std::optional<Reading> reading;
  if (find_launch().ranks == 1) reading = read_command_line(words, configs);
  if (reading && !reading->runs()) return leave_without_mpi(*reading);

  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a limit on file size is then a write error, like a full disk
  {
    const StartWithoutDaemon start;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  end_on_mpi_errors(MPI_COMM_WORLD);
  end_on_mpi_errors(MPI_COMM_SELF);
  const Ending ending = run(std::move(reading), configs, words);
  if (ending.at_once) {
    std::fflush(stdout);
    std::signal(SIGTERM, SIG_DFL);
    MPI_Barrier(MPI_COMM_WORLD);
    std::_Exit(ending.code);
  }
  std::signal(SIGTERM, SIG_DFL);  // a launcher sends it to the other ranks when the first one exits with a code
  MPI_Finalize();
  return ending.code;
}

}  // namespace

int main(int argc, char** argv) {
  // A destructor that cannot allocate (nlohmann::json's) must not throw, so it terminates.
  std::set_terminate([] {
    std::set_terminate([] { std::_Exit(static_cast<int>(ErrorKind::internal)); });  // if even the message fails
    std::_Exit(end_alone());
  });
  measure_peaks_of_phases();
  try {
    return run_program(argc, argv);
  } catch (...) {
    return end_alone();
  }
}
