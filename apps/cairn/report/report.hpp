// What the program prints: for people on stdout, for programs as JSON. Rank 0 alone.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/figures.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Prints on rank 0, at once. Of a quiet program only warnings are left, which go to the standard error.
void print(const Communicator& communicator, const std::string& text);
/// The same of what a command is asked for: a quiet program leaves out notes.
void print_result(const Communicator& communicator, const std::string& text);
/// Sets whether the program prints warnings alone (--quiet). Local.
void be_quiet(bool wanted);

/// Version, commit, command, date, ranks, hosts and threads: the head of every log. Collective.
[[nodiscard]] std::string header(const Job& job, int threads);

/// Columns aligned, the first to the left, others to the right; the first row is the heading.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

/// "0.0312 +- 0.0004": a relative error, on what it was measured, its square. Local.
[[nodiscard]] std::string error_report(const ErrorEstimate& error, const std::string& over);
/// The mean of ((K~ - K) / K)², a line, if it is known. Local.
[[nodiscard]] std::string mean_ratio_report(const ErrorEstimate& error);
/// On what the error of a result was measured: rows, pairs. Local.
[[nodiscard]] std::string error_over(const ResultDescription& description);
/// What stands in its place where `key` turns the estimate off. Local.
[[nodiscard]] std::string no_error_report(const std::string& key);
/// The error against the mean of both directions, a line. Local.
[[nodiscard]] std::string symmetric_error_report(const SymmetricError& error);
/// A line for each warning.
[[nodiscard]] std::string warning_lines(const std::vector<std::string>& warnings);
/// The method's notes and warnings, a line each.
[[nodiscard]] std::string remarks(const MethodReport& method);
[[nodiscard]] std::string phase_report(const std::vector<PhaseSummary>& phases, double total_seconds);
/// All of it.
[[nodiscard]] std::string report(const RunFigures& figures);

/// The same as JSON, stable snake_case keys.
[[nodiscard]] nlohmann::ordered_json error_json(const ErrorEstimate& error, const std::string& over);
/// The same keys, null: the error was not estimated.
[[nodiscard]] nlohmann::ordered_json no_error_json();
[[nodiscard]] nlohmann::ordered_json method_json(const MethodReport& method);
[[nodiscard]] nlohmann::ordered_json phases_json(const std::vector<PhaseSummary>& phases, double total_seconds);
[[nodiscard]] nlohmann::ordered_json figures_json(const RunFigures& figures);
/// Version, commit, command, ranks, threads.
[[nodiscard]] nlohmann::ordered_json header_json(const Job& job, int threads);

/// What a later reader of a file may want to know about the run that wrote it: version, commit, libraries, command,
/// date, ranks, threads.
[[nodiscard]] std::map<std::string, std::string> run_provenance(const Job& job, int threads);

/// Writes the object to the file that --json names, if it was given. Rank 0 writes; all ranks learn of a failure.
/// @throws Error(resource). Collective.
void write_json(const Job& job, const nlohmann::ordered_json& object);

/// @throws Error(usage) if a file that the option `name` names cannot be written, or is another output, or a file
/// that the command reads, too, or not cairn's own (output_rules.hpp). Does nothing if it is not given. Collective.
void check_output(const Job& job, const std::string& name);

/// @throws Error(usage) if the file `path`, which is to be written, is the same as one of the arguments (but for
/// `path` itself) or as that of an option that names a file to be read. @param output  how the command names it.
/// Collective.
void require_no_input(const Job& job, const std::string& output, const std::string& path);

/// @throws as require_same_files() where ranks see different files under an argument or an option that names a file to
/// be read. Collective.
void require_same_inputs(const Job& job);

/// The time as 2026-01-31 23:59:59 +0100: local, and what it is ahead of UTC.
[[nodiscard]] std::string now_text();

}  // namespace cairn::app
