#include "commands/line_output.hpp"

#include "report/report.hpp"

namespace cairn::app {

void LineOutput::take(const std::string& lines) {
  file_ ? file_->append(lines) : print_result(job_.communicator, lines);
}

std::string LineOutput::complete() {
  if (!file_) return "";
  file_->complete();
  return job_.settings.text("out");
}

}  // namespace cairn::app
