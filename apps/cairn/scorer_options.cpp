// Keys of similarity.kind = external.
#include "option_table.hpp"
#include "similarity/scorers.hpp"

namespace cairn::app {

std::vector<Parameter> scorer_keys() {
  using enum ValueType;
  return {
      {"similarity.command", "COMMAND", text, "",
       "external: the program that scores pairs, a command of the shell; docs/external-scorers.md says what it reads "
       "and writes. Every rank starts it in its working directory."},
      {"similarity.send",
       "WHAT",
       choice,
       "",
       "external: what it is told of an object: its text, its number or its vector; by default the texts of documents "
       "that "
       "keep them, vectors of points and ids of others.",
       {"texts", "ids", "vectors"}},
      {"similarity.processes",
       "N",
       integer,
       "1",
       "external: how many of it a rank starts.",
       {},
       1,
       false,
       ScorerProgram::most_processes},
      {"similarity.batch",
       "N",
       integer,
       "32",
       "external: how many pairs it is sent at once.",
       {},
       1,
       false,
       ScorerProgram::largest_batch},
      {"similarity.time-limit", "TIME", duration, "5m",
       "external: how long a batch may take, the start of the program included for the first (90s, 10m, 2h or H:MM:SS; "
       "a plain number is seconds)."},
      {"similarity.retries",
       "N",
       integer,
       "0",
       "external: how often a batch is sent again, to a program that is started anew, where the last one died or took "
       "too long.",
       {},
       0,
       false,
       ScorerProgram::most_retries},
  };
}

}  // namespace cairn::app
