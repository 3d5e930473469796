#include "report/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <sstream>

#include "cairn/base/log.hpp"
#include "cairn/base/printable.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/file_reports.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

std::string seconds_cell(double seconds) { return fmt::format("{:.3f}", seconds); }

std::string core_line(const MethodReport& method) {
  std::string line;
  if (method.rank > 0) {
    line += fmt::format("  {:<28}{}\n", method.s1 > 0 ? "rank of the core matrix" : "rank", grouped(method.rank));
  }
  if (!method.spectrum.empty()) {
    line += fmt::format("  eigenvalues                 {} dropped, {} negative\n", grouped(method.dropped_eigenvalues),
                        grouped(method.negative_eigenvalues));
  }
  if (method.shift != 0) line += fmt::format("  shift                       {:.6g}\n", method.shift);
  if (method.rescale != 1) line += fmt::format("  rescaling                   {:.6g}\n", method.rescale);
  return line;
}

// Benefit and cost of run.checkpoint.
std::string checkpoint_lines(const CheckpointSummary& summary, Index restored_evaluations) {
  std::string text =
      fmt::format("  checkpoint                  {} tiles, {}, in {:.2f} s\n", grouped(summary.written_tiles),
                  format_bytes(static_cast<double>(summary.written_bytes)), summary.seconds);
  if (summary.earlier_runs > 0) {
    text += fmt::format("  gone on from                {} stopped {}: {} tiles were there, {} of the evaluations\n",
                        summary.earlier_runs, summary.earlier_runs == 1 ? "run" : "runs",
                        grouped(summary.restored_tiles), grouped(restored_evaluations));
  }
  if (summary.damages > 0) {
    text += fmt::format("  damaged in the checkpoint   {} {}, computed again\n", summary.damages,
                        summary.damages == 1 ? "part" : "parts");
  }
  return text;
}

// The solver of P, and the memory of P and W.
std::string interpolation_lines(const MethodReport& method, const FactorSizes& factors) {
  const InterpolationReport& report = *method.interpolation;
  std::string text = fmt::format(
      "  operator                    {}\n"
      "  solver                      {}{}\n"
      "  P                           {} nonzeros, {:.3g} a row, {}\n"
      "{}",
      method.operator_kind, report.solver, report.reason.empty() ? "" : ": " + report.reason, grouped(factors.nonzeros),
      static_cast<double>(factors.nonzeros) / static_cast<double>(factors.objects),
      format_bytes(static_cast<double>(factors.left_bytes)),
      report.solver == "none" && !report.largest_row_sum_error ? ""
      : report.largest_row_sum_error
          ? fmt::format("  rows of dense P             sum to 1 within {:.2g}\n", *report.largest_row_sum_error)
          : "  rows of dense P             not summed: a checkpoint had some of the columns\n");
  if (report.dropped_norm > 0) {
    text += fmt::format("  dropped from P              {:.2g} of a column's norm (root mean square)\n",
                        report.dropped_norm);
  }
  if (report.condition_estimate > 0) {
    text += fmt::format("  condition of the system     {:.2g} (estimated{})\n", report.condition_estimate,
                        report.patches > 1 ? ", the largest over patches" : "");
  }
  if (report.iterations > 0) {
    text +=
        fmt::format("  iterations of a column      {} at most; condition {:.2g} when preconditioned (Ritz values)\n",
                    report.iterations, report.preconditioned_condition);
  }
  if (report.patches == 1) text += "  patches                     1, the whole graph\n";
  if (report.patches > 1) {
    text += fmt::format("  patches                     {}, values at their edges at most {:.2g}\n",
                        grouped(report.patches), report.edge_bound);
  }
  return text + fmt::format("  W                           {}, {}{}\n", factors.core_value,
                            format_bytes(static_cast<double>(factors.core_bytes)),
                            factors.core_on_disk ? ", on disk" : "");
}

// A resolved parameter, rounded for readers; the file contains all digits.
std::string parameter_text(const std::string& value) {
  const auto number = parse_number(value);
  return number ? fmt::format("{:.6g}", *number) : value;
}

std::string sample_text(const MethodReport& method, const std::string& selection) {
  if (method.s1 == 0) return "";
  const std::string second = method.s2 > 0 ? " and " + grouped(method.s2) : "";
  return fmt::format(", samples of {}{} ({})", grouped(method.s1), second, selection);
}

bool quiet = false;
const std::string warning_mark = "  warning: ", note_mark = "  note: ";

// Logs warnings. Of the other lines keeps those of a result that are not notes.
std::string what_quiet_leaves(const std::string& text, bool result) {
  std::istringstream lines(text);
  std::string left;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(warning_mark)) {
      log(LogLevel::warning, line.substr(warning_mark.size()));
    } else if (result && !line.starts_with(note_mark)) {
      left += line + "\n";
    }
  }
  return left;
}

void say(const Communicator& communicator, const std::string& text, bool result) {
  if (!communicator.is_root()) return;
  std::fputs(printable_lines(quiet ? what_quiet_leaves(text, result) : text).c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

std::string warning_lines(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += warning_mark + warning + "\n";
  return text;
}

std::string remarks(const MethodReport& method) {
  std::string text;
  for (const std::string& note : method.notes) text += note_mark + note + "\n";
  return text + warning_lines(method.warnings);
}

void print(const Communicator& communicator, const std::string& text) { say(communicator, text, false); }
void print_result(const Communicator& communicator, const std::string& text) { say(communicator, text, true); }
void be_quiet(bool wanted) { quiet = wanted; }

std::string now_text() { return fmt::format("{:%Y-%m-%d %H:%M:%S %z}", fmt::localtime(std::time(nullptr))); }

std::string header(const Job& job, int threads) {
  const int ranks = job.communicator.size();
  const int hosts = job.communicator.sum(job.communicator.node().is_root() ? 1 : 0);
  return fmt::format("cairn {} ({}), {}, {} rank{} x {} thread{}{}\n{}\n\n", version(), commit(), now_text(), ranks,
                     ranks == 1 ? "" : "s", threads, threads == 1 ? "" : "s",
                     hosts == 1 ? "" : fmt::format(" on {} hosts", hosts), job.command_line);
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c == 0 ? fmt::format("  {:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

namespace {

// The reason why the estimate ended.
std::string precision_text(const ErrorEstimate& error) {
  if (error.stopped_by == StoppedBy::all) return "exact: all entries were compared";
  const double share = error.relative_error > 0 ? error.relative_error_standard_error / error.relative_error : 0.0;
  const std::string reached = fmt::format("{:.2g} % of the error (one standard error)", 100 * share);
  if (error.stopped_by == StoppedBy::precision) return reached + ", as evaluation.precision asks";
  if (error.stopped_by == StoppedBy::time) {
    return reached + "; stopped by time before evaluation.precision was reached (see evaluation.seconds)";
  }
  if (error.stopped_by == StoppedBy::limit) {
    return reached + "; stopped at the most that is compared before evaluation.precision was reached";
  }
  return reached + ", of the number that was asked for";
}

// " +- 0.0004", or ", exact" if everything was compared.
std::string deviation(double standard_error) {
  return standard_error > 0 ? fmt::format(" +- {:.2g}", standard_error) : ", exact";
}

std::string interval_line(const ErrorEstimate& error) {
  if (!(error.relative_error_standard_error > 0)) return "";
  const auto [low, high] = error.interval();
  return fmt::format("  between                     {:.4g} and {:.4g} with probability {:.0f} %, estimated\n", low,
                     high, 100 * ErrorEstimate::confidence);
}

std::string constant_line(const ErrorEstimate& error) {
  if (std::isnan(error.constant_error)) return "";  // missing in files of earlier versions
  return fmt::format("  error of a constant         {:.4g}{}   (relative; the mean of K in place of every entry)\n",
                     error.constant_error, deviation(error.constant_error_standard_error));
}

}  // namespace

std::string error_over(const ResultDescription& description) {
  const auto entry = description.provenance.find("error_over");
  return entry == description.provenance.end() ? "pairs" : entry->second;
}

std::string promise_line(const ResultDescription& description) {
  const auto promise = description.provenance.find("error_promise");
  if (promise == description.provenance.end()) return "";
  const auto metric = [&](const char* name) {
    const auto found = description.metrics.find(name);
    return found == description.metrics.end() ? 0.0 : found->second;
  };
  const double goal = metric("error_goal"), limit = metric("error_limit");
  if (promise->second == "not reached") {
    return fmt::format("  error that was asked for    {:g}: not reached, at most {:.4g}\n", goal, limit);
  }
  if (promise->second == "estimated") {
    return fmt::format("  error that was asked for    {:g}: at most {:.4g}, estimated (with four standard errors)\n",
                       goal, limit);
  }
  return fmt::format("  error that was asked for    {:g}: at most {:.4g} with probability {:g}, {}\n", goal, limit,
                     metric("error_confidence"), promise->second);
}

std::string no_error_report(const std::string& key) {
  return fmt::format("  relative error              not estimated ({})\n", key);
}

std::string error_report(const ErrorEstimate& error, const std::string& over) {
  const std::string sample =
      over == "rows"
          ? fmt::format("{} whole rows", grouped(error.diagonal))
          : fmt::format("{} pairs{}, drawn apart from the landmarks", grouped(error.pairs),
                        error.diagonal > 0 ? fmt::format(" and {} diagonal entries", grouped(error.diagonal)) : "");
  return fmt::format(
      "  relative error              {:.4g}{}   (Frobenius norm, not squared; +- one standard error)\n"
      "{}{}"
      "  relative squared error      {:.4g}{}\n"
      "  largest entry error         {:.4g}\n"
      "  measured on                 {}; {} evaluations\n"
      "  precision                   {}\n",
      error.relative_error, deviation(error.relative_error_standard_error), interval_line(error), constant_line(error),
      error.relative_squared_error, deviation(error.relative_squared_error_standard_error), error.largest_entry_error,
      sample, grouped(error.evaluations), precision_text(error));
}

std::string mean_ratio_report(const ErrorEstimate& error) {
  if (std::isnan(error.mean_squared_ratio)) return "";
  return fmt::format("  mean of ((K~ - K) / K)^2    {:.4g}\n", error.mean_squared_ratio);
}

std::string symmetric_error_report(const SymmetricError& error) {
  return fmt::format(
      "  against both directions     {:.4g} relative squared error of the mean of K_ij and K_ji, between {} of the "
      "rows "
      "({:.4g} against K_ij there)\n",
      error.relative_squared_error, grouped(error.rows), error.one_sided_relative_squared_error);
}

std::string phase_report(const std::vector<PhaseSummary>& phases, double total_seconds) {
  std::vector<std::vector<std::string>> rows = {
      {"phase", "seconds", "max/mean", "evaluations", "bytes", "peak memory"}};
  const auto calls = [](const PhaseSummary& phase) { return phase.traffic.collectives + phase.traffic.messages; };
  const bool moved = std::ranges::any_of(phases, [&](const PhaseSummary& phase) { return calls(phase) > 0; });
  if (moved) rows.front().insert(rows.front().end(), {"messages", "moved", "waiting"});
  for (const PhaseSummary& phase : phases) {
    rows.push_back({phase.name, seconds_cell(phase.seconds), fmt::format("{:.2f}", phase.imbalance),
                    phase.evaluations > 0 ? grouped(phase.evaluations) : "",
                    phase.bytes > 0 ? format_bytes(static_cast<double>(phase.bytes)) : "",
                    phase.peak_bytes > 0 ? format_bytes(static_cast<double>(phase.peak_bytes)) : ""});
    if (!moved) continue;
    const Index bytes = phase.traffic.collective_bytes + phase.traffic.message_bytes;
    rows.back().insert(rows.back().end(), {calls(phase) > 0 ? grouped(calls(phase)) : "",
                                           bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "",
                                           calls(phase) > 0 ? seconds_cell(phase.traffic.seconds) : ""});
  }
  rows.push_back({"total", seconds_cell(total_seconds)});
  return table(rows);
}

std::string report(const RunMetrics& metrics) {
  const MethodReport& method = metrics.method;
  const ResultDescription& description = metrics.description;
  const FactorSizes& factors = metrics.factors;
  std::string parameters;
  for (const auto& [key, value] : description.similarity_parameters)
    if (!value.empty()) parameters += fmt::format(", {} = {}", key, parameter_text(value));
  std::string text = fmt::format(
      "  objects                     {}{}\n"
      "  similarity                  {}{}\n"
      "  meaning                     {}\n"
      "  method                      {}{}\n",
      grouped(factors.objects) + (factors.right_objects > 0 ? " x " + grouped(factors.right_objects) : ""),
      factors.dimension > 0 ? fmt::format(" in {} dimensions", factors.dimension) : "", description.similarity,
      parameters,
      factors.meaning == Meaning::distance ? "distance: a smaller value is nearer"
                                           : "similarity: a larger value is nearer",
      method.method, sample_text(method, description.landmark_selection));
  text += core_line(method);
  if (method.interpolation) text += interpolation_lines(method, factors);
  text += evaluations_line(description.evaluations, metrics.entries(), metrics.totals.phases);
  text += description.error ? error_report(*description.error, error_over(description))
                            : no_error_report(metrics.not_estimated);
  if (const auto trace = description.metrics.find("trace_of_error"); trace != description.metrics.end()) {
    text += fmt::format("  trace of the error          {:.4g} of that of K, exact up to rounding\n", trace->second);
  }
  text += promise_line(description);
  if (metrics.symmetric_error) text += symmetric_error_report(*metrics.symmetric_error);
  if (metrics.checkpoint) text += checkpoint_lines(*metrics.checkpoint, metrics.restored_evaluations);
  text += remarks(method);
  text += "\n" + phase_report(metrics.totals.phases, metrics.totals.seconds);
  return text + fmt::format("\n  peak memory                 {} on the largest rank\n",
                            format_bytes(static_cast<double>(metrics.totals.peak_bytes)));
}

}  // namespace cairn::app
