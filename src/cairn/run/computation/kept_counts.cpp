#include "cairn/run/computation/kept_counts.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/same_data.hpp"

namespace cairn {

namespace {

void require_same_counting(const Counting& stored, const Counting& wanted, const std::string& path,
                           const KeyNames& keys) {
  const auto require = [&](const char* name, const auto& found, const auto& own) {
    if (found == own) return;
    throw Error(ErrorKind::input, fmt::format("{} was counted with {} = {}, and this run has {} = {}", path, keys(name),
                                              found, keys(name), own));
  };
  require("counts", stored.what, wanted.what);
  require("window", stored.window, wanted.window);
  require("harmonic", stored.harmonic, wanted.harmonic);
}

}  // namespace

template <class T>
bool reuse_counts(const Execution& execution, const Data<T>& data, const std::string& path, const RunKeys& keys) {
  const auto* words = data.template as<WordSet>();
  if (words == nullptr || path.empty() || words->counted()) return words != nullptr;
  const auto phase = execution.phases.enter("read counts");
  require_reusable(execution.communicator, data, path, keys.similarity("reuse"), keys.run);
  auto counts = read_counts(execution.communicator, path);
  collectively(execution.communicator, [&] {
    if (!counts) {
      throw Error(ErrorKind::input,
                  fmt::format("{} holds no co-occurrences: make it again with {} = true", path, keys.output("counts")));
    }
    require_same_counting(counts->counting(), words->counting(), path, data.keys);
    words->adopt(std::move(*counts));
  });
  return true;
}

template <class T>
void take_stored_counts(const Execution& execution, const Data<T>& data, const std::string& path) {
  const auto* words = data.template as<WordSet>();
  if (words == nullptr) return;
  auto counts = read_counts(execution.communicator, path);
  if (counts && counts->counting() == words->counting()) words->adopt(std::move(*counts));
}

template <class T>
void describe_counts(const Execution& execution, const Data<T>& data, MethodReport& report) {
  const auto* words = data.template as<WordSet>();
  if (words == nullptr || !words->counted()) return;
  const CountSummary summary = summary_of(execution.communicator, words->counts());
  report.notes.push_back(
      fmt::format("{} pairs of words occur together, {} words with themselves; the sum of all counts "
                  "is {:.15g}, the trace {:.15g}",
                  grouped(summary.entries), grouped(summary.diagonal), summary.sum, summary.trace));
  report.metrics.emplace_back("count_pairs", static_cast<double>(summary.entries));
  report.metrics.emplace_back("count_diagonal", static_cast<double>(summary.diagonal));
  report.metrics.emplace_back("count_sum", summary.sum);
  report.metrics.emplace_back("count_trace", summary.trace);
}

template void describe_counts(const Execution&, const Data<float>&, MethodReport&);
template void describe_counts(const Execution&, const Data<double>&, MethodReport&);
template bool reuse_counts(const Execution&, const Data<float>&, const std::string&, const RunKeys&);
template bool reuse_counts(const Execution&, const Data<double>&, const std::string&, const RunKeys&);
template void take_stored_counts(const Execution&, const Data<float>&, const std::string&);
template void take_stored_counts(const Execution&, const Data<double>&, const std::string&);

}  // namespace cairn
