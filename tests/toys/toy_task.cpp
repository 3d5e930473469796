// A task of a program that uses the library: one file, and one line that puts it in the table.
#include <fmt/format.h>

#include "cairn/parameters/units.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {
namespace {

// How many columns the factors of a result have in each of its rows.
TaskReport run(const TaskInput& input) {
  const ResultShape shape = read_result_shape(input.execution.communicator, input.results.front());
  const double ratio =
      input.values.number("toy-weight") * static_cast<double>(shape.left_columns) / static_cast<double>(shape.rows);
  TaskReport report;
  report.text.metric("columns per row", fmt::format("{:.4g} of {} rows", ratio, grouped(shape.rows))).gap();
  report.metrics = {{"task", "toy"}, {"ratio", ratio}};
  return report;
}

void check(const Values& values, std::size_t /*results*/) {
  if (values.number("toy-weight") > 100) values.refuse("toy-weight", "is more than anything weighs here");
}

const TaskDescriptor& toy_task() {
  static const TaskDescriptor task{.name = "toy",
                                   .summary = "A toy: columns of the left factor over rows, times a number.",
                                   .source = "this test",
                                   .parameters = {{.name = "toy-weight",
                                                   .value = "NUMBER",
                                                   .type = ValueType::number,
                                                   .fallback = "1",
                                                   .help = "The number.",
                                                   .above = 0}},
                                   .check = check,
                                   .undrawn = [](const Values&, std::size_t) { return std::string("with a toy"); },
                                   .run = run};
  return task;
}

[[maybe_unused]] const bool added = (add_task(toy_task()), true);

}  // namespace
}  // namespace cairn
