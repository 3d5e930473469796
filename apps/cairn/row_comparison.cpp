#include "row_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "report.hpp"
#include "report_file.hpp"
#include "units.hpp"

namespace cairn::app {

void require_object(Index object, Index objects, const std::string& option) {
  if (object >= 0 && object < objects) return;
  throw Error(ErrorKind::usage,
              fmt::format("--{} names object {}; the result has the objects 0 to {}", option, object, objects - 1));
}

template <class T>
std::vector<double> own_part(const Execution& execution, const Approximation<T>& approximation, Index row,
                             Range columns) {
  const Range own = approximation.left.range();
  std::vector<Index> rows, wanted;
  for (Index j = std::max(own.begin, columns.begin); j < std::min(own.end, columns.end); ++j) {
    rows.push_back(row);
    wanted.push_back(j);
  }
  return approximate_entries(execution, approximation, rows, wanted);
}

template <class T>
nlohmann::ordered_json compare_row(const Job& job, const Execution& execution, const Approximation<T>& approximation,
                                   Index row, const std::vector<double>& exact, const std::string& path) {
  const Communicator& communicator = execution.communicator;
  const Index n = approximation.left.rows();
  const Range own = approximation.left.range();
  TextFile file(communicator, path);
  file.append("column,exact,approximate\n");
  double difference = 0, whole = 0, largest = 0;
  for (Index begin = 0; begin < n; begin += row_window) {
    const Range columns{begin, std::min(begin + row_window, n)};
    const Index first = std::clamp(columns.begin, own.begin, own.end) - own.begin;
    const Index last = std::clamp(columns.end, own.begin, own.end) - own.begin;
    const std::vector<double> truth =
        communicator.all_gather(std::vector<double>(exact.begin() + first, exact.begin() + last));
    const std::vector<double> values = communicator.all_gather(own_part(execution, approximation, row, columns));
    std::string text;
    for (std::size_t j = 0; j < values.size(); ++j) {
      text += fmt::format("{},{:.9g},{:.9g}\n", columns.begin + static_cast<Index>(j), truth[j], values[j]);
      difference += (values[j] - truth[j]) * (values[j] - truth[j]);
      whole += truth[j] * truth[j];
      largest = std::max(largest, std::abs(values[j] - truth[j]));
    }
    file.append(text);
  }
  file.complete();
  const double error = whole > 0 ? difference / whole : 0;
  print(job.communicator, fmt::format("  row                         {}, {} values in {}\n"
                                      "  relative squared error      {:.4g} of this row\n"
                                      "  relative error              {:.4g} of this row\n"
                                      "  largest entry error         {:.4g}\n",
                                      row, grouped(n), path, error, std::sqrt(error), largest));
  return {{"row", row},
          {"file", path},
          {"relative_squared_error", error},
          {"relative_error", std::sqrt(error)},
          {"largest_entry_error", largest}};
}

#define CAIRN_INSTANTIATE(T)                                                                                \
  template std::vector<double> own_part(const Execution&, const Approximation<T>&, Index, Range);           \
  template nlohmann::ordered_json compare_row(const Job&, const Execution&, const Approximation<T>&, Index, \
                                              const std::vector<double>&, const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app
