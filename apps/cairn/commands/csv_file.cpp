#include "commands/csv_file.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "commands/row_comparison.hpp"
#include "report/report_file.hpp"

namespace cairn::app {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

void write_csv_lines(const Communicator& communicator, const std::string& path, const std::string& heading, Index rows,
                     const std::function<std::string(Range window)>& own_lines) {
  TextFile file(communicator, path);
  file.append(heading + "\n");
  for (Index begin = 0; begin < rows; begin += row_window) {
    const std::string own = own_lines({begin, std::min(begin + row_window, rows)});
    const std::vector<char> lines = communicator.all_gather(std::span<const char>(own));
    file.append({lines.begin(), lines.end()});
  }
  file.complete();
}

}  // namespace cairn::app
