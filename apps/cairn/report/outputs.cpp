#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/result_file.hpp"
#include "report/job.hpp"
#include "report/report.hpp"

namespace cairn::app {

void require_no_input(const Job& job, const std::string& output, const std::string& path) {
  for (const std::string& argument : job.arguments) {
    if (&argument != &path) require_other_file(job.communicator, {path, output}, "the argument " + argument, argument);
  }
  const Settings& settings = job.settings;
  for (const std::string& name : settings.known_names()) {
    const bool with_columns = name == "targets" || name == "pairs" || name == "threshold-pairs";  // FILE:COLUMN
    const bool list = name == "words" && settings.given(name);                                    // FILE,FILE
    const bool text_with_file = with_columns || list || name == "data.label";  // the latter a file of some formats
    if (settings.option(name).type != ValueType::input_path && !text_with_file) continue;
    for (const std::string& read : list ? comma_list(settings.text(name)) : settings.all(name)) {
      require_other_file(job.communicator, {path, output}, settings.where(name), read);
      if (with_columns) {
        require_other_file(job.communicator, {path, output}, settings.where(name), read.substr(0, read.rfind(':')));
      }
    }
  }
}

void check_output(const Job& job, const std::string& name) {
  const Settings& settings = job.settings;
  const std::string& path = settings.text(name);
  if (path.empty()) return;
  for (const char* other :
       {"output.path", "output.operator", "output.vectors", "output.csv", "out", "by-vertex", "run.checkpoint"}) {
    if (name != other && settings.knows(other) && settings.text(other) == path) {
      throw Error(ErrorKind::usage, fmt::format("--{} and --{} name the same file, {}", name, other, path));
    }
  }
  require_no_input(job, settings.where(name), path);
  check_writable(job.communicator, {path, name});
}

}  // namespace cairn::app
