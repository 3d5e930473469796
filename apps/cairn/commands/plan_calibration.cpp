#include "commands/plan_calibration.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "pipeline/context.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

constexpr const char* variable = "CAIRN_CALIBRATION";

std::string path_of(const Settings& settings) {
  if (settings.given("calibration")) return settings.text("calibration");
  const char* path = std::getenv(variable);
  return path == nullptr ? "" : path;
}

double gigaflops(double flops, const OrderSeconds& one) {
  const auto s = static_cast<double>(one.order);
  return flops * s * s * s / one.seconds / 1e9;
}

}  // namespace

void check_calibration(const Settings& settings) {
  static constexpr std::array beside = {"calibrate", "config", "output.path",      "run.threads",
                                        "json",      "quiet",  "run.stall-timeout"};
  for (const std::string& name : settings.known_names()) {
    if (settings.given(name) && std::ranges::find(beside, name) == beside.end())
      throw Error(ErrorKind::usage, fmt::format("{} has no effect beside calibrate, which plans nothing: plan with "
                                                "calibration = FILE afterwards",
                                                settings.where(name)));
  }
}

void run_calibration(Job& job) {
  const Settings& settings = job.settings;
  check_output(job, "calibrate");
  Context context(job.communicator, settings);
  const std::string& path = settings.text("calibrate");
  const std::string& result = settings.given("output.path") ? settings.text("output.path") : path;
  MachineRates rates = measure_machine(context.execution(), calibration_orders());
  measure_disk(context.execution(), std::filesystem::path(result).parent_path().string(), rates);
  const Calibration made = calibration_of(job.communicator, std::move(rates), version());
  write_calibration(job.communicator, path, made);
  const MachineRates& all = made.rates;
  print_result(job.communicator,
               fmt::format("Calibration of {} ({}), {} rank{} of {} thread{}\n\n"
                           "  products       {:.3g} GFLOP/s a rank\n"
                           "  Cholesky       {:.3g} GFLOP/s at order {}, all ranks\n"
                           "  eigenvalues    {:.3g} GFLOP/s at order {}, all ranks\n"
                           "  evaluations    {:.3g}/s of rbf in 16 dimensions, a thread\n"
                           "  disk           {}/s written, {}/s read\n"
                           "  written to     {}\n",
                           made.host, made.processor, all.ranks, all.ranks == 1 ? "" : "s", all.threads,
                           all.threads == 1 ? "" : "s", all.products / 1e9, gigaflops(10.0 / 3.0, all.cholesky.back()),
                           all.cholesky.back().order, gigaflops(9.0, all.eigen.back()), all.eigen.back().order,
                           all.evaluations, format_bytes(all.written_bytes), format_bytes(all.read_bytes), path));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json["calibration"] = path;
  json["host"] = made.host;
  write_json(job, json);
}

std::optional<Calibration> known_calibration(const Job& job) {
  const std::string path = path_of(job.settings);
  if (path.empty()) return std::nullopt;
  Calibration known = read_calibration(job.communicator, path);
  const Index threads = job.settings.integer("run.threads");
  if (known.rates.threads != threads) {
    throw Error(ErrorKind::usage,
                fmt::format("{} was measured with {} threads a rank, but run.threads is {}: calibrate with as many",
                            path, known.rates.threads, threads));
  }
  return known;
}

std::string calibration_text(const Settings& settings, const std::optional<Calibration>& known) {
  if (!known) return "";
  return fmt::format("  rates          of {}, measured on {} at {} with {} rank{}{}\n", path_of(settings), known->host,
                     known->date, known->rates.ranks, known->rates.ranks == 1 ? "" : "s",
                     settings.given("calibration") ? "" : fmt::format(" ({})", variable));
}

}  // namespace cairn::app
