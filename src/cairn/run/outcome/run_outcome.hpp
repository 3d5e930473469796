// Runs a request: from data to a result and its metrics.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/outcome/run_metrics.hpp"
#include "cairn/run/request/run_steps.hpp"

namespace cairn {

/// Sentence about rows that have other numbers in the file.
[[nodiscard]] std::string note_of_numbers();
/// `notes` of reading, and note_of_numbers() if rows have other numbers in the file. Local.
[[nodiscard]] std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers);

/// A result of a run before it is written.
template <class T>
struct Outcome {
  Computed<T> computed;
  RunMetrics metrics;  ///< without totals
};

/// Computes an approximation from data, and its error. Collective.
template <class T>
[[nodiscard]] Outcome<T> compute(const Execution& execution, const RunRequest& request, const Data<T>& data);

/// Context of a run: where it computes, and where it reports.
struct RunSurroundings {
  const Execution& execution;  ///< uses `ledger`
  RunLedger& ledger;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  Index baseline = 0;                               ///< resident bytes of the largest rank before any data
  std::map<std::string, std::string> provenance{};  ///< for the result: version, command line
  std::function<void(const std::vector<DataFact>&)> tell_facts{};
  std::function<void(const std::string&)> tell{};  ///< prints lines for people

  [[nodiscard]] std::string version() const {
    const auto known = provenance.find("version");
    return known == provenance.end() ? "" : known->second;
  }
};

/// Reads the data of a request; plans the memory as soon as sizes are known.
/// @throws Error(resource) if the plan exceeds the limit or the free memory; as read() and plan_of(). Collective.
template <class T>
[[nodiscard]] Data<T> read_and_plan(const RunSurroundings& around, const RunRequest& request);

/// Computes a result, resumes from a checkpoint if the request names one, and writes output.path and output.vectors if
/// the request has them. The checkpoint is removed after the files are written. @throws as compute(), write_result()
/// and Checkpoint; Error(interrupted) if the run stops itself or is stopped: finished parts are then in the checkpoint.
/// Collective.
template <class T>
[[nodiscard]] Outcome<T> run_request(const RunSurroundings& around, const RunRequest& request, const Data<T>& data);

/// Takes phases, seconds since `start` and the peak of memory so far. Collective.
void take_totals(const Execution& execution, std::chrono::steady_clock::time_point start, RunTotals& totals);

/// Rate in bytes per second for `totals.result_bytes` in the phase "write"; 0 if nothing was written. Local.
[[nodiscard]] double write_rate(const RunTotals& totals);

}  // namespace cairn
