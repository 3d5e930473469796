// Lines of an answer, piece by piece: to the file of --out, or printed.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cairn/store/text_file.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Most lines or values that are printed where no file is named.
inline constexpr Index most_printed = 100'000;

/// Takes the lines of an answer. All members are collective; the text of rank 0 counts.
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

using Take = std::function<void(const std::string& lines)>;

/// Delivers lines that `answer` provides piece by piece. @param json  of the answer, which gets their number and file
/// @param said  text with both. Collective.
[[nodiscard]] nlohmann::ordered_json deliver_lines(const Job& job, nlohmann::ordered_json json, const char* said,
                                                   const std::function<Index(const Take& take)>& answer);

}  // namespace cairn::app
