// The subcommands, as a table.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/parameter.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// What a subcommand runs with.
struct Job {
  const Communicator& communicator;
  Settings settings;
  std::vector<std::string> arguments;  ///< positional ones
  std::string command_line;            ///< as typed, for the record
};

/// A positional argument; all are required. A last name that ends in ... stands for one or more.
struct Argument {
  std::string name;
  std::string help;
};

struct Command {
  std::string name;
  std::string summary;  ///< one sentence
  std::string details;  ///< more sentences
  std::vector<Argument> arguments;
  std::vector<std::string> keys;   ///< sections and single keys that it takes
  std::vector<Parameter> options;  ///< its own options
  bool takes_config = false;       ///< whether --config FILE is accepted
  void (*run)(Job& job);           ///< collective over job.communicator
  /// What can be refused without MPI and without files. @throws Error(usage). Local. May be null.
  void (*check)(const Settings& settings, const std::vector<std::string>& arguments) = nullptr;
};

[[nodiscard]] const std::vector<Command>& commands();

// One file each. check_... is Command::check of the command.
void check_approximate(const Settings& settings, const std::vector<std::string>& arguments);
void run_approximate(Job& job);
void check_evaluate(const Settings& settings, const std::vector<std::string>& arguments);
void run_evaluate(Job& job);
void check_query(const Settings& settings, const std::vector<std::string>& arguments);
void run_query(Job& job);
void check_extend(const Settings& settings, const std::vector<std::string>& arguments);
void run_extend(Job& job);
void check_embed(const Settings& settings, const std::vector<std::string>& arguments);
void run_embed(Job& job);
void check_cluster(const Settings& settings, const std::vector<std::string>& arguments);
void run_cluster(Job& job);
void check_plan(const Settings& settings, const std::vector<std::string>& arguments);
void run_plan(Job& job);
void run_info(Job& job);
void check_convert(const Settings& settings, const std::vector<std::string>& arguments);
void run_convert(Job& job);
void check_sweep(const Settings& settings, const std::vector<std::string>& arguments);
void run_sweep(Job& job);

}  // namespace cairn::app
