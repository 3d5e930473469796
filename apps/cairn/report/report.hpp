// Output of the program: text on stdout, JSON for programs. On rank 0 only.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/run/outcome/run_metrics.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Prints on rank 0, and flushes. With --quiet only warnings are printed, on the standard error.
void print(const Communicator& communicator, const std::string& text);
/// Prints the requested result of a command, also with --quiet, which removes notes alone.
void print_result(const Communicator& communicator, const std::string& text);
/// Sets --quiet, which restricts output to warnings. Local.
void be_quiet(bool wanted);

/// Version, commit, command, date, ranks, hosts and threads: the head of every log. Collective.
[[nodiscard]] std::string header(const Job& job, int threads);

/// Aligns columns: the first to the left, others to the right; the first row is the heading.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

/// "0.0312 +- 0.0004": a relative error, the entries on which it was measured, and its square. Local.
[[nodiscard]] std::string error_report(const ErrorEstimate& error, const std::string& over);
/// A line with the mean of ((K~ - K) / K)², if it is known. Local.
[[nodiscard]] std::string mean_ratio_report(const ErrorEstimate& error);
/// The entries on which the error of a result was measured: rows, pairs. Local.
[[nodiscard]] std::string error_over(const ResultDescription& description);
/// A line with the error that was asked for and its limit; empty if none was. Local.
[[nodiscard]] std::string promise_line(const ResultDescription& description);
/// Replacement of the error if `key` disables its estimate. Local.
[[nodiscard]] std::string no_error_report(const std::string& key);
/// A line with the error against the mean of both directions. Local.
[[nodiscard]] std::string symmetric_error_report(const SymmetricError& error);
/// One line per warning.
[[nodiscard]] std::string warning_lines(const std::vector<std::string>& warnings);
/// The method's notes and warnings, one line each.
[[nodiscard]] std::string remarks(const MethodReport& method);
[[nodiscard]] std::string phase_report(const std::vector<PhaseSummary>& phases, double total_seconds);
/// The complete report of a run.
[[nodiscard]] std::string report(const RunMetrics& metrics);

/// Parts of the report as JSON, with stable snake_case keys.
[[nodiscard]] nlohmann::ordered_json error_json(const ErrorEstimate& error, const std::string& over);
/// Landmarks and relative errors that a run to a stated error saw as it grew.
[[nodiscard]] nlohmann::ordered_json growth_json(const ResultDescription& description);
/// The keys of error_json with null values, if the error was not estimated.
[[nodiscard]] nlohmann::ordered_json no_error_json();
[[nodiscard]] nlohmann::ordered_json method_json(const MethodReport& method);
[[nodiscard]] nlohmann::ordered_json phases_json(const std::vector<PhaseSummary>& phases, double total_seconds);
[[nodiscard]] nlohmann::ordered_json metrics_json(const RunMetrics& metrics);
/// Version, commit, command, ranks, threads.
[[nodiscard]] nlohmann::ordered_json header_json(const Job& job, int threads);

/// Information about the run for later readers of a file: version, commit, libraries, command, date, ranks, threads.
[[nodiscard]] std::map<std::string, std::string> run_provenance(const Job& job, int threads);

/// Writes the object to the file that --json names, if it was given. Rank 0 writes; a failure is reported on all ranks.
/// @throws Error(resource). Collective.
void write_json(const Job& job, const nlohmann::ordered_json& object);

/// @throws Error(usage) if a file that the option `name` names cannot be written, is also another output or an input of
///   the command, or is not cairn's own (output_rules.hpp). Does nothing if the option is not given. Collective.
void check_output(const Job& job, const std::string& name);

/// @throws Error(usage) if the output file `path` is the same as one of the arguments (except `path` itself) or as an
///   input file of an option. @param output  its name in the command. Collective.
void require_no_input(const Job& job, const std::string& output, const std::string& path);

/// @throws as require_same_files() if ranks see different files under an argument or an option that names an input
///   file. Collective.
void require_same_inputs(const Job& job);

/// The time as 2026-01-31 23:59:59 +0100: local time, and its offset from UTC.
[[nodiscard]] std::string now_text();

}  // namespace cairn::app
