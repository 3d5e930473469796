#include "cairn/task/gaussian/predicted_distributions.hpp"

#include <fmt/format.h>

#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/task/extension_report.hpp"

namespace cairn {

TaskReport report_distributions(const PredictionInput& input, const PredictedDistributions& predicted,
                                const std::vector<std::string>& targets) {
  std::string heading;
  for (const std::string& target : targets) {
    heading += next_csv_field(target) + next_csv_field(fmt::format("sd {}", target));
  }
  predicted.rows.write(heading, [&](std::size_t at) {
    std::string fields;
    for (const std::vector<Normal>& target : predicted.distributions) {
      fields += fmt::format(",{:.17g},{:.17g}", target[at].mean, target[at].standard_deviation);
    }
    return fields;
  });
  const Index rows = predicted.rows.count();
  TaskReport report;
  report.text.heading(fmt::format("{} rows, {} target{} with standard deviations, in {}", grouped(rows), targets.size(),
                                  targets.size() == 1 ? "" : "s", input.output.file));
  report.metrics = {{"file", input.model}, {"out", input.output.file}, {"rows", rows}, {"targets", targets}};
  add_extension(report, predicted.out_of_sample.error);
  report.text.notes(predicted.rows.notes()).warnings(predicted.out_of_sample.warnings).gap();
  report.metrics.emplace_back("warnings", predicted.out_of_sample.warnings);
  return report;
}

}  // namespace cairn
