#include "report/report_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "report/job.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

void require(bool good, const std::string& path) {
  if (good) return;
  throw Error(ErrorKind::resource, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

TextFile::TextFile(const Communicator& communicator, std::string path)
    : communicator_(communicator), path_(std::move(path)), partial_(path_ + ".partial") {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    registered_.emplace(partial_);
    stream_.open(partial_, std::ios::trunc);
    require(stream_.good(), path_);
  });
}

TextFile::~TextFile() {
  if (communicator_.is_root() && !complete_) std::remove(partial_.c_str());
}

void TextFile::append(const std::string& text) {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    stream_ << text << std::flush;
    require(stream_.good(), path_);
  });
}

void TextFile::complete() {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    stream_.close();
    require(stream_.good(), path_);
    flush_to_disk(partial_);
    require(std::rename(partial_.c_str(), path_.c_str()) == 0, path_);
    flush_folder_of(path_);
  });
  complete_ = true;
  registered_.reset();
}

void write_text_file(const Communicator& communicator, const std::string& path, const std::string& text) {
  TextFile file(communicator, path);
  file.append(text);
  file.complete();
}

void require_other_file(const Job& job, const std::string& output, const std::string& path, const std::string& input,
                        const std::string& read) {
  collectively(job.communicator, [&] {
    std::error_code missing;  // no file is there: nothing is replaced
    if (!job.communicator.is_root() || !std::filesystem::equivalent(path, read, missing)) return;
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} name the same file, {}; what is read is not replaced", output, input, path));
  });
}

void require_no_input(const Job& job, const std::string& output, const std::string& path) {
  for (const std::string& argument : job.arguments) {
    if (&argument != &path) require_other_file(job, output, path, "the argument " + argument, argument);
  }
  const Settings& settings = job.settings;
  for (const std::string& name : settings.known_names()) {
    const bool with_columns = name == "targets" || name == "pairs" || name == "threshold-pairs";  // FILE:COLUMN
    const bool text_with_file = with_columns || name == "data.label";  // the latter a file of some formats
    if (settings.option(name).type != ValueType::input_path && !text_with_file) continue;
    for (const std::string& read : settings.all(name)) {
      require_other_file(job, output, path, settings.where(name), read);
      if (with_columns) {
        require_other_file(job, output, path, settings.where(name), read.substr(0, read.rfind(':')));
      }
    }
  }
}

void check_output(const Job& job, const std::string& name) {
  const Settings& settings = job.settings;
  const std::string& path = settings.text(name);
  if (path.empty()) return;
  for (const char* other : {"output.path", "output.operator", "output.csv", "out", "by-vertex", "run.checkpoint"}) {
    if (name != other && settings.knows(other) && settings.text(other) == path) {
      throw Error(ErrorKind::usage, fmt::format("--{} and --{} name the same file, {}", name, other, path));
    }
  }
  require_no_input(job, settings.where(name), path);
  check_writable(job.communicator, {path, name});
}

}  // namespace cairn::app
