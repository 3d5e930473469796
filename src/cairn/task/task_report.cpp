#include "cairn/task/task_report.hpp"

namespace cairn {

Metric::Record record_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  return {texts.begin(), texts.end()};
}

ReportText& ReportText::heading(std::string text) {
  parts_.push_back({Kind::heading, "", std::move(text), {}});
  return *this;
}

ReportText& ReportText::metric(std::string label, std::string text) {
  parts_.push_back({Kind::metric, std::move(label), std::move(text), {}});
  return *this;
}

ReportText& ReportText::table(std::vector<std::vector<std::string>> rows) {
  parts_.push_back({Kind::table, "", "", std::move(rows)});
  return *this;
}

ReportText& ReportText::note(std::string sentence) {
  parts_.push_back({Kind::note, "", std::move(sentence), {}});
  return *this;
}

ReportText& ReportText::notes(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) note(sentence);
  return *this;
}

ReportText& ReportText::warnings(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) parts_.push_back({Kind::warning, "", sentence, {}});
  return *this;
}

ReportText& ReportText::gap() {
  parts_.push_back({Kind::gap, "", "", {}});
  return *this;
}

ReportText& ReportText::add(const ReportText& other) {
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
  return *this;
}

}  // namespace cairn
