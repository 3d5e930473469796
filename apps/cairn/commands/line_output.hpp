// Lines of an answer: to the file of --out, or printed.
#pragma once

#include <optional>
#include <string>

#include "cairn/store/text_file.hpp"
#include "commands/commands.hpp"

namespace cairn::app {

/// Takes the lines of an answer piece by piece. All members are collective; the text of rank 0 counts.
class LineOutput {
 public:
  /// @param job  must outlive this @throws as TextFile
  explicit LineOutput(const Job& job) : job_(job) {
    if (job.settings.given("out")) file_.emplace(job.communicator, job.settings.text("out"));
  }

  void take(const std::string& lines);
  /// Publishes the file and returns its name; empty if the lines were printed.
  std::string complete();

 private:
  const Job& job_;
  std::optional<TextFile> file_;
};

}  // namespace cairn::app
