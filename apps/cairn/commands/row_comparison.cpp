#include "commands/row_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "report/report.hpp"

namespace cairn::app {

nlohmann::ordered_json compare_row(const Job& job, const Execution& execution, const RowPartition& columns, Index row,
                                   std::vector<double> exact, std::vector<double> approximate, const std::string& unit,
                                   FieldSet set, const RowNames& names, const RowNames& column_names) {
  const Communicator& communicator = execution.communicator;
  std::vector<double> differences(exact.size());
  double difference = 0, whole = 0, largest = 0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    differences[j] = approximate[j] - exact[j];
    difference += differences[j] * differences[j];
    whole += exact[j] * exact[j];
    largest = std::max(largest, std::abs(differences[j]));
  }
  difference = communicator.sum(difference);
  whole = communicator.sum(whole);
  largest = communicator.maximum(largest);
  const double error = whole > 0 ? difference / whole : 0;

  const auto title = [row](const char* what) { return fmt::format("{}, row {}", what, row); };
  std::vector<Field> fields{{"exact", title("K"), unit, FieldScale::sequential, row, std::move(exact)},
                            {"approximate", title("K~"), unit, FieldScale::sequential, row, std::move(approximate)}};
  if (wants_geometry(job.settings, "out")) {
    fields.push_back({"difference", title("K~ - K"), unit, FieldScale::diverging, row, std::move(differences)});
  }
  const std::string written =
      write_field_output(job, execution, "out", columns, "column", std::move(fields), std::move(set), column_names);
  const RowName name = names.of(row);
  print_result(job.communicator, fmt::format("  row                         {}{}, {} values in {}\n"
                                             "  relative squared error      {:.4g} of this row\n"
                                             "  relative error              {:.4g} of this row\n"
                                             "  largest entry error         {:.4g}\n",
                                             row, name.in_brackets(), grouped(columns.rows()), written, error,
                                             std::sqrt(error), largest));
  nlohmann::ordered_json json = {{"row", row},
                                 {"file", job.settings.text("out")},
                                 {"relative_squared_error", error},
                                 {"relative_error", std::sqrt(error)},
                                 {"largest_entry_error", largest}};
  add_name(json, name);
  return json;
}

}  // namespace cairn::app
