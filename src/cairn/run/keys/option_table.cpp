#include "cairn/run/keys/option_table.hpp"

#include <algorithm>

#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/similarity_keys.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

namespace {

using enum ValueType;

// @param keys  names with the prefix for the parameters
void append(const KeyNames& keys, std::vector<Parameter> parameters, Section& section) {
  for (Parameter& parameter : parameters) {
    parameter.name = keys(parameter.name);
    section.options.push_back(std::move(parameter));
  }
}

Section evaluation_section() {
  Section section{"evaluation", {}};
  append(evaluation_keys, estimate_parameters(evaluation_keys), section);
  return section;
}

Section run_section() {
  return {
      "run",
      {
          {"run.seed", "N", integer, "1", "Seed of every random draw but the generated points'.", {}, 0},
          {"run.threads",
           "N",
           integer,
           "1",
           "Threads of a rank; of little use to approximation.solver = petsc, whose solves are done only by ranks.",
           {},
           1,
           false,
           4096},
          {"run.precision", "NAME", choice, "double", "Precision of factors and tiles.", {"double", "single"}},
          {"run.memory",
           "SIZE",
           size,
           "",
           "Memory of a rank, as in 4GB; a run whose plan exceeds it, and a file that takes more to read, are refused. "
           "evaluate, query, embed: a core matrix in tiles that does not fit stays in the file; train: it is "
           "refused. By default, and beside a limit, what is free counts: of the machine, of the process's cgroup, of "
           "ulimit; unlimited refuses nothing.",
           {"unlimited"}},
          {"run.checkpoint", "FILE", output_path, "",
           "approximate, transport, train by iteration: finished tiles and states are kept beside this file while the "
           "run goes on, for --restart after it was "
           "stopped or killed; a finished run removes them. SIGUSR1, SIGUSR2 and, but under mpirun, SIGTERM then stop "
           "the run at its next tile with exit code 75. By default nothing is kept."},
          {"run.checkpoint-interval", "TIME", duration, "10m",
           "run.checkpoint: how often what is finished is flushed to the disk (90s, 10m, 2h, H:MM:SS or D-HH:MM:SS; a "
           "plain number is "
           "seconds): that much is lost at most if the machine itself fails. A killed process loses a tile; 0 "
           "flushes every tile."},
          {"run.max-time", "TIME", duration, "",
           "run.checkpoint: the run stops itself, with exit code 75, before it has run so long (90s, 10m, 2h, H:MM:SS "
           "or D-HH:MM:SS; a plain number is seconds; 0: after one tile). Without a checkpoint landmarks.error adds no "
           "more landmarks than are expected to fit into that time, and the result says that the error is not "
           "reached. By default there is no limit."},
          {"run.stall-timeout", "TIME", duration, "10m",
           "A rank that makes no progress for so long ends the run; 0 watches nothing."},
      }};
}

Section output_section() {
  Section section{
      "output",
      {{"output.path", "FILE", output_path, "", "The file that is written, relative to the working directory."}}};
  append(output_keys, output_parameters(similarity_keys("reuse")), section);
  return section;
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      data_section(),       similarity_section(), landmarks_section(), approximation_section(),
      evaluation_section(), run_section(),        output_section(),
  };
  return all;
}

std::vector<Parameter> keys_of(const std::vector<std::string>& names) {
  const auto named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Parameter> keys;
  for (const Section& section : sections()) {
    for (const Parameter& option : section.options) {
      if (named(section.name) || named(option.name)) keys.push_back(option);
    }
    if (section.name != "similarity" || !named(section.name)) continue;
    for (int part = 1; part <= largest_part; ++part) {
      const auto own = part_keys(part);
      keys.insert(keys.end(), own.begin(), own.end());
    }
  }
  return keys;
}

}  // namespace cairn
