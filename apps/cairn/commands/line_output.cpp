#include "commands/line_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/parameters/units.hpp"
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

nlohmann::ordered_json deliver_lines(const Job& job, nlohmann::ordered_json json, const char* said,
                                     const std::function<Index(const Take& take)>& answer) {
  LineOutput output(job);
  const Index count = answer([&](const std::string& lines) { output.take(lines); });
  const std::string out = output.complete();
  json["count"] = count;
  if (out.empty()) return json;
  print_result(job.communicator, fmt::format(fmt::runtime(said), grouped(count), out));
  json["out"] = out;
  return json;
}

}  // namespace cairn::app
