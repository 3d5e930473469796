// cairn convert: any readable points or matrix -> HDF5.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "context.hpp"
#include "data/point_reader.hpp"
#include "report.hpp"
#include "store/point_file.hpp"
#include "store/result_file.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

PointSource source_of(const Job& job) {
  return {.path = job.arguments[0],
          .format = job.settings.text("data.format"),
          .label = job.settings.text("data.label"),
          .dataset = job.settings.text("data.dataset"),
          .dimension = job.settings.integer_or("data.dimension", 0),
          .generator = {}};
}

template <class T>
void convert_as(Job& job) {
  Context context(job.communicator, 1, 0);
  const std::string& output = job.arguments[1];
  const PointSet<T> points = [&] {
    const auto phase = context.phases().enter("read");
    return read_points<T>(job.communicator, source_of(job));
  }();
  write_points(context.execution(), output, points);
  const bool labelled = job.communicator.maximum(static_cast<Index>(points.labels().size())) > 0;
  const double seconds = context.seconds();
  print(job.communicator,
        fmt::format("{}: points {} x {} in {} precision, labels: {}; {:.2f} s\n", output, grouped(points.size()),
                    points.dimension(), job.settings.text("run.precision"), labelled ? "yes" : "none", seconds));
  write_json(job, {{"output", output},
                   {"n", points.size()},
                   {"dimension", points.dimension()},
                   {"has_labels", labelled},
                   {"seconds", {{"total", seconds}}}});
}

}  // namespace

void run_convert(Job& job) {
  require_no_input(job, "the argument " + job.arguments[1], job.arguments[1]);
  check_writable(job.communicator, job.arguments[1]);
  check_output(job, "json");
  if (job.settings.text("run.precision") == "single") {
    convert_as<float>(job);
  } else {
    convert_as<double>(job);
  }
}

}  // namespace cairn::app
