#include "cairn/run/planning/calibration_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/text_file.hpp"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 2;  // 1 had neither links nor fresh memory
constexpr const char* version_field = "cairn_calibration";

// Names of numbers in the file, and their fields.
constexpr std::array<std::pair<const char*, double MachineRates::*>, 4> positive_numbers = {
    {{"product_flops_per_second", &MachineRates::products},
     {"evaluations_per_second", &MachineRates::evaluations},
     {"read_bytes_per_second", &MachineRates::read_bytes},
     {"written_bytes_per_second", &MachineRates::written_bytes}}};
constexpr std::array<std::pair<const char*, std::vector<OrderSeconds> MachineRates::*>, 2> curves = {
    {{"cholesky_seconds", &MachineRates::cholesky}, {"eigen_seconds", &MachineRates::eigen}}};
constexpr std::array<std::pair<const char*, int MachineRates::*>, 2> counts = {
    {{"ranks", &MachineRates::ranks}, {"threads", &MachineRates::threads}}};
constexpr std::array<std::tuple<const char*, Link Links::*, double Link::*>, 4> link_numbers = {
    {{"inside_latency_seconds", &Links::inside, &Link::latency},
     {"inside_bytes_per_second", &Links::inside, &Link::bytes},
     {"between_latency_seconds", &Links::between, &Link::latency},
     {"between_bytes_per_second", &Links::between, &Link::bytes}}};
constexpr std::array<std::pair<const char*, bool MeasuredLinks::*>, 2> link_flags = {
    {{"inside_measured", &MeasuredLinks::inside}, {"between_measured", &MeasuredLinks::between}}};
constexpr std::array<std::pair<const char*, std::string Calibration::*>, 4> texts = {
    {{"program", &Calibration::program},
     {"host", &Calibration::host},
     {"processor", &Calibration::processor},
     {"date", &Calibration::date}}};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input,
              fmt::format("{} is not a calibration that this program can use: {} (make one with cairn "
                          "plan --calibrate FILE)",
                          path, why));
}

const Json& field(const Json& json, const std::string& name, const std::string& path) {
  const auto found = json.find(name);
  if (found == json.end()) refuse(path, fmt::format("it has no '{}'", name));
  return *found;
}

double positive(const Json& json, const std::string& name, const std::string& path) {
  if (!json.is_number() || !(json.get<double>() > 0) || !std::isfinite(json.get<double>()))
    refuse(path, fmt::format("its '{}' is not a number above 0", name));
  return json.get<double>();
}

std::vector<OrderSeconds> curve(const Json& json, const std::string& name, const std::string& path) {
  if (!json.is_object() || json.empty())
    refuse(path, fmt::format("its '{}' is not an object of seconds by order", name));
  std::vector<OrderSeconds> all;
  for (const auto& [key, seconds] : json.items()) {
    OrderSeconds one;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), one.order);
    if (error != std::errc() || end != key.data() + key.size() || one.order < 1 ||
        (!all.empty() && one.order <= all.back().order))
      refuse(path, fmt::format("orders of its '{}' are not ascending integers", name));
    one.seconds = positive(seconds, name + "." + key, path);
    all.push_back(one);
  }
  return all;
}

int whole_number(const Json& json, const std::string& name, const std::string& path) {
  constexpr int most = 100'000'000;
  const double value = positive(json, name, path);
  if (!json.is_number_integer() || value > most) refuse(path, fmt::format("its '{}' is not an integer above 0", name));
  return json.get<int>();
}

Calibration parsed(const std::string& path) {
  std::ifstream file(path);
  std::stringstream content;
  if (!file || !(content << file.rdbuf())) {
    throw Error(ErrorKind::input, fmt::format("{} cannot be read, or is empty", path));
  }
  const Json json = Json::parse(content.str(), nullptr, false);
  if (!json.is_object() || !json.contains(version_field)) refuse(path, "it is damaged, or another file");
  const bool has_links = json[version_field] == format_version;
  if (!has_links && json[version_field] != 1)
    refuse(path, fmt::format("its format is {}, not {}", json[version_field].dump(), format_version));
  Calibration calibration;
  for (const auto& [name, member] : texts) {
    const Json& text = field(json, name, path);
    if (!text.is_string()) refuse(path, fmt::format("its '{}' is not a string", name));
    calibration.*member = text.get<std::string>();
  }
  MachineRates& rates = calibration.rates;
  for (const auto& [name, member] : counts) rates.*member = whole_number(field(json, name, path), name, path);
  for (const auto& [name, member] : positive_numbers) rates.*member = positive(field(json, name, path), name, path);
  for (const auto& [name, member] : curves) rates.*member = curve(field(json, name, path), name, path);
  rates.disk_measured = true;
  if (!has_links) return calibration;
  rates.fresh_bytes = positive(field(json, "fresh_bytes_per_second", path), "fresh_bytes_per_second", path);
  rates.links.layout = {rates.ranks, whole_number(field(json, "nodes", path), "nodes", path)};
  for (const auto& [name, link, number] : link_numbers)
    rates.links.links.*link.*number = positive(field(json, name, path), name, path);
  for (const auto& [name, flag] : link_flags) {
    const Json& known = field(json, name, path);
    if (!known.is_boolean()) refuse(path, fmt::format("its '{}' is neither true nor false", name));
    rates.links.*flag = known.get<bool>();
  }
  return calibration;
}

std::string counted(int number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

}  // namespace

Calibration calibrate_machine(const Execution& execution, const std::string& folder, const std::string& program) {
  MachineRates rates = measure_machine(execution, calibration_orders());
  measure_disk(execution, folder, rates);
  Calibration calibration{std::move(rates), host_name(), processor_name(),
                          fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))), program};
  for (const auto& [name, member] : texts) execution.communicator.broadcast(calibration.*member, 0);
  return calibration;
}

void write_calibration(const Communicator& communicator, const std::string& path, const Calibration& calibration) {
  Json json = {{version_field, format_version}};
  for (const auto& [name, member] : texts) json[name] = calibration.*member;
  for (const auto& [name, member] : counts) json[name] = calibration.rates.*member;
  for (const auto& [name, member] : positive_numbers) json[name] = rounded(calibration.rates.*member);
  const MeasuredLinks& links = calibration.rates.links;
  for (const auto& [name, link, number] : link_numbers) json[name] = rounded(links.links.*link.*number);
  for (const auto& [name, flag] : link_flags) json[name] = links.*flag;
  json["nodes"] = links.layout.nodes;
  json["fresh_bytes_per_second"] = rounded(calibration.rates.fresh_bytes);
  for (const auto& [name, member] : curves) {
    for (const OrderSeconds& one : calibration.rates.*member)
      json[name][std::to_string(one.order)] = rounded(one.seconds);
  }
  write_text_file(communicator, path, json.dump(2) + "\n");
}

Calibration read_calibration(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return parsed(path); });
}

void require_threads(const Calibration& calibration, const std::string& path, int threads) {
  if (calibration.rates.threads == threads) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was measured with {} a rank, and the run has {}: calibrate with as many", path,
                          counted(calibration.rates.threads, "thread"), threads));
}

std::string origin_of(const Calibration& calibration) {
  return fmt::format("measured on {} ({}) at {} with {}", calibration.host, calibration.processor, calibration.date,
                     counted(calibration.rates.ranks, "rank"));
}

std::string table_of(const Calibration& calibration) {
  const MachineRates& rates = calibration.rates;
  std::string text = fmt::format(
      "  products       {:.3g} GFLOP/s a rank\n"
      "  evaluations    {:.3g}/s of rbf in 16 dimensions, a thread\n"
      "  disk           {}/s written, {}/s read\n{}",
      rates.products / 1e9, rates.evaluations, format_bytes(rates.written_bytes), format_bytes(rates.read_bytes),
      text_of(rates.links));
  for (const auto& [name, list, flops] :
       {std::tuple{"Cholesky", &rates.cholesky, 10.0 / 3.0}, std::tuple{"eigenvalues", &rates.eigen, 9.0}}) {
    for (const OrderSeconds& one : *list) {
      const auto s = static_cast<double>(one.order);
      text += fmt::format("  {:<14} order {:>5}: {:.3g} s, {:.3g} GFLOP/s of all ranks\n", name, one.order, one.seconds,
                          flops * s * s * s / one.seconds / 1e9);
    }
  }
  return text;
}

}  // namespace cairn
