#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/same_files.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/result_file.hpp"
#include "report/job.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

std::vector<FileRead> files_read(const Job& job) {
  std::vector<FileRead> files;
  const Settings& settings = job.settings;
  for (const std::string& name : settings.known_names()) {
    const bool with_columns = name == "targets" || name == "pairs" || name == "threshold-pairs";  // FILE:COLUMN
    const bool list = name == "words" && settings.given(name);                                    // FILE,FILE
    const bool text_with_file = with_columns || list || name == "data.label";  // data.label is a file for some formats
    if (settings.option(name).type != ValueType::input_path && !text_with_file) continue;
    for (const std::string& read : list ? comma_list(settings.text(name)) : settings.all(name)) {
      const bool sure = !text_with_file && settings.given(name);
      files.push_back({settings.where(name), read, sure});
      if (with_columns) files.push_back({settings.where(name), read.substr(0, read.rfind(':')), sure});
    }
  }
  return files;
}

}  // namespace

void require_no_input(const Job& job, const std::string& output, const std::string& path) {
  for (const std::string& argument : job.arguments) {
    if (&argument != &path) require_other_file(job.communicator, {path, output}, "the argument " + argument, argument);
  }
  for (const FileRead& file : files_read(job)) {
    require_other_file(job.communicator, {path, output}, file.name, file.path);
  }
}

void require_same_inputs(const Job& job) {
  std::vector<FileRead> files;
  const Settings& settings = job.settings;
  const std::string config = settings.knows("config") ? settings.text("config") : "";  // only rank 0 has read it
  for (FileRead& file : files_read(job)) {
    if (file.path != config && !file.path.empty()) files.push_back(std::move(file));
  }
  for (const std::string& argument : job.arguments) files.push_back({"the argument " + argument, argument, false});
  require_same_files(job.communicator, files);
}

namespace {

// Form given by the option, or by the file ending.
OutputForm form_of(const std::string& name, const std::string& path) {
  if (name == "json" || name == "calibrate") return OutputForm::json;
  if (name == "output.vectors") return OutputForm::vectors;
  if (name == "output.operator") return OutputForm::sparse_operator;
  return name == "output.path" ? OutputForm::result : form_of_name(path);
}

// Outputs that check their files themselves: the lines of a sweep, a checkpoint.
bool knows_its_own(const std::string& name) { return name == "output.csv" || name == "run.checkpoint"; }

}  // namespace

// Rank 0 examines the files.
void require_other_outputs(const Job& job, const std::string& name, const std::string& path) {
  const Settings& settings = job.settings;
  collectively(job.communicator, [&] {
    for (const std::string& other : settings.known_names()) {
      if (!job.communicator.is_root() || name == other || settings.option(other).type != ValueType::output_path)
        continue;
      if (settings.text(other).empty() || !same_output(settings.text(other), path)) continue;
      throw Error(ErrorKind::usage, fmt::format("--{} and --{} name the same file, {}", name, other, path));
    }
  });
}

void require_own_or_overwrite(const Job& job, const OutputPath& path, OutputForm form) {
  const bool overwrite = job.settings.knows("overwrite") && job.settings.flag("overwrite");
  if (!overwrite) require_replaceable(job.communicator, path, form);
}

void check_output(const Job& job, const std::string& name) {
  const std::string& path = job.settings.text(name);
  if (!path.empty()) check_output(job, name, form_of(name, path));
}

void check_output(const Job& job, const std::string& name, OutputForm form) {
  const Settings& settings = job.settings;
  const std::string& path = settings.text(name);
  if (path.empty()) return;
  require_other_outputs(job, name, path);
  require_no_input(job, settings.where(name), path);
  const bool text = !is_hdf5(form) && form != OutputForm::numpy;
  if (text && !knows_its_own(name)) {
    check_stream_or_file(job.communicator, {path, name});
  } else {
    check_writable(job.communicator, {path, name});
  }
  if (!knows_its_own(name)) require_own_or_overwrite(job, {path, name}, form);
}

}  // namespace cairn::app
