#include "base/phases.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cairn {

Phases::Scope::Scope(Phases& phases, const std::string& name)
    : phases_(phases), start_(std::chrono::steady_clock::now()) {
  auto& entries = phases.entries_;
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  index_ = static_cast<std::size_t>(found - entries.begin());
  if (found == entries.end()) entries.push_back({.name = name});
}

Phases::Scope::~Scope() {
  phases_.entries_[index_].seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Phases::Scope::count_evaluations(Index evaluations) { phases_.entries_[index_].evaluations += evaluations; }
void Phases::Scope::count_bytes(Index bytes) { phases_.entries_[index_].bytes += bytes; }
void Phases::Scope::count_busy(double seconds) { phases_.entries_[index_].busy += seconds; }

std::vector<PhaseSummary> Phases::summarize(const Communicator& communicator) const {
  std::vector<PhaseSummary> rows;
  for (const Entry& entry : entries_) {
    PhaseSummary row{.name = entry.name};
    row.seconds = communicator.maximum(entry.seconds);
    row.busy = communicator.maximum(entry.busy);
    const double mean = communicator.sum(entry.busy) / communicator.size();
    row.imbalance = mean > 0.0 ? row.busy / mean : 1.0;
    row.evaluations = communicator.sum(entry.evaluations);
    row.bytes = communicator.sum(entry.bytes);
    rows.push_back(row);
  }
  return rows;
}

namespace {

// A line of a file of /proc, "Key:  number kB", in bytes; 0 where there is none.
Index bytes_in(const char* path, const std::string& key) {
  std::ifstream status(path);
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) {
      std::istringstream fields(line.substr(key.size()));
      Index kibibytes = 0;
      fields >> kibibytes;
      return kibibytes * 1024;
    }
  }
  return 0;
}

}  // namespace

Index peak_resident_bytes() { return bytes_in("/proc/self/status", "VmHWM:"); }
Index resident_bytes() { return bytes_in("/proc/self/status", "VmRSS:"); }
Index available_node_bytes() { return bytes_in("/proc/meminfo", "MemAvailable:"); }

}  // namespace cairn
