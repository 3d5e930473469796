#include "cairn/base/schedule/phases.hpp"

#include <algorithm>
#include <fstream>
#include <new>
#include <span>
#include <sstream>

#include "cairn/base/process/free_memory.hpp"
#include "cairn/base/process/peak_memory.hpp"

namespace cairn {

namespace {

// The value of a line "Key: number kB" in a file of /proc, in bytes; 0 if there is none.
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

Index high_water() { return bytes_in("/proc/self/status", "VmHWM:"); }

// Resets the system's peak to what is resident now; false if the system cannot (proc(5), since Linux 4.0).
bool restart_high_water() {
  std::ofstream file("/proc/self/clear_refs");
  file << '5' << std::flush;
  return file.good();
}

Index peak_before = 0;  // of this process, before the last reset
bool peaks_of_phases = false;

}  // namespace

void measure_peaks_of_phases() { peaks_of_phases = true; }

void restart_peak() {
  peak_before = 0;
  restart_high_water();
}

void Phases::note_peak() {
  if (!peaks_of_phases) return;
  try {
    const Index peak = high_water();
    peak_before = std::max(peak_before, peak);
    const bool told = restart_high_water();
    for (Entry& entry : entries_) {
      if (told && entry.active > 0) entry.peak_bytes = std::max(entry.peak_bytes, peak);
    }
  } catch (const std::bad_alloc&) {
    peaks_of_phases = false;  // a phase may end because memory is exhausted; that error propagates
  }
}

Phases::Scope::Scope(Phases& phases, const std::string& name)
    : phases_(phases), start_(std::chrono::steady_clock::now()), before_(cairn::traffic()) {
  auto& entries = phases.entries_;
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  index_ = static_cast<std::size_t>(found - entries.begin());
  phases_.note_peak();
  if (found == entries.end()) entries.push_back({.name = name});
  ++entries[index_].active;
}

Phases::Scope::~Scope() {
  phases_.note_peak();
  Entry& entry = phases_.entries_[index_];
  --entry.active;
  entry.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  entry.traffic += traffic() - before_;
}

void Phases::Scope::count_evaluations(Index evaluations) { phases_.entries_[index_].evaluations += evaluations; }
void Phases::Scope::count_bytes(Index bytes) { phases_.entries_[index_].bytes += bytes; }
void Phases::Scope::count_busy(double seconds) { phases_.entries_[index_].busy += seconds; }

namespace {

// The names of all ranks without duplicates, in rank order. Collective.
std::vector<std::string> names_over_ranks(const Communicator& communicator, const std::string& mine) {
  const std::vector<char> characters = communicator.all_gather(std::span<const char>(mine));
  std::istringstream lines(std::string(characters.begin(), characters.end()));
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name, '\0');) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

// Ranks may have entered different phases in a different order, so they agree on the names first.
std::vector<PhaseSummary> Phases::summarize(const Communicator& communicator) const {
  std::string own_names;
  for (const Entry& entry : entries_) own_names += entry.name + '\0';
  const std::vector<std::string> names = names_over_ranks(communicator, own_names);
  const std::size_t count = names.size();
  std::vector<double> largest(3 * count, 0.0), busy(count, 0.0);  // largest: seconds, busy, seconds of the traffic
  std::vector<Index> sums(2 * count, 0);                          // evaluations, then bytes
  std::vector<Index> most(5 * count, 0);                          // peak, then the traffic
  for (const Entry& entry : entries_) {
    const auto k = static_cast<std::size_t>(std::ranges::find(names, entry.name) - names.begin());
    largest[k] = entry.seconds;
    largest[count + k] = busy[k] = entry.busy;
    sums[k] = entry.evaluations;
    sums[count + k] = entry.bytes;
    largest[2 * count + k] = entry.traffic.seconds;
    most[k] = entry.peak_bytes;
    most[count + k] = entry.traffic.collectives;
    most[2 * count + k] = entry.traffic.collective_bytes;
    most[3 * count + k] = entry.traffic.messages;
    most[4 * count + k] = entry.traffic.message_bytes;
  }
  communicator.maximum(std::span(largest));
  communicator.sum(std::span(busy));
  communicator.sum(std::span(sums));
  communicator.maximum(std::span(most));
  std::vector<PhaseSummary> rows;
  for (std::size_t k = 0; k < count; ++k) {
    const double mean = busy[k] / communicator.size();
    rows.push_back({.name = names[k],
                    .seconds = largest[k],
                    .busy = largest[count + k],
                    .imbalance = mean > 0.0 ? largest[count + k] / mean : 1.0,
                    .evaluations = sums[k],
                    .bytes = sums[count + k],
                    .peak_bytes = most[k],
                    .traffic = {.collectives = most[count + k],
                                .collective_bytes = most[2 * count + k],
                                .messages = most[3 * count + k],
                                .message_bytes = most[4 * count + k],
                                .seconds = largest[2 * count + k]}});
  }
  return rows;
}

Index peak_resident_bytes() { return std::max(peak_before, high_water()); }
Index resident_bytes() { return bytes_in("/proc/self/status", "VmRSS:"); }
Index available_node_bytes() { return free_memory().shared; }

}  // namespace cairn
