#include "pipeline/pipeline.hpp"

#include <utility>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/run/computation/kept_counts.hpp"

namespace cairn::app {

std::string note_of_numbers() {
  return "rows are counted from 0 and have other numbers in the file; these are printed beside them, and --by-number "
         "true takes them (as --by-label true does if there are no labels)";
}

std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers) {
  std::vector<std::string> all = notes;
  if (numbers.differ_from_rows()) all.push_back(note_of_numbers());
  return all;
}

template <class T>
Outcome<T> compute(const Execution& execution, const RunRequest& request, const std::string& config,
                   const Data<T>& data, std::chrono::steady_clock::time_point start) {
  reuse_counts(execution, data, request.reuse.text("reuse"), request.keys);
  const ExactMatrix<T> exact = make_exact_matrix(execution, data, request.similarity, request.method);
  Computed<T> computed = cairn::compute(execution, data, exact, request.method, computation_options(request));
  computed.description.provenance["config"] = config;
  MethodReport& report = computed.approximation.report;
  report.notes = notes_of(report.notes, data.numbers);
  std::string off = no_estimate(request);
  std::optional<MeasuredError> error;
  if (off.empty()) {
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start;
    try {
      error = measure_error(execution, request, computed.approximation, exact, seconds_for_estimate(so_far.count()));
      take_error(*error, computed.description, report);
    } catch (const NoRelativeError& none) {  // on all ranks
      off = none.what();
      report.warnings.push_back(off);
    }
  }
  RunFigures figures = figures_of(execution.communicator, data, exact, computed);
  figures.not_estimated = off;
  if (error) figures.symmetric_error = error->symmetric;
  return {std::move(computed), std::move(figures)};
}

void finish(Context& context, RunTotals& totals) {
  const Communicator& communicator = context.execution().communicator;
  totals.phases = context.phases().summarize(communicator);
  totals.seconds = context.seconds();
  totals.peak_bytes = communicator.maximum(peak_resident_bytes());
}

#define CAIRN_INSTANTIATE(T)                                                                           \
  template Outcome<T> compute(const Execution&, const RunRequest&, const std::string&, const Data<T>&, \
                              std::chrono::steady_clock::time_point);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app
