#include "cairn/store/files/csv_file.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "cairn/store/text_file.hpp"

namespace cairn {

std::string next_csv_field(const std::string& text) {
  std::string field = ",";
  if (text.find_first_of(",\"\n\r") == std::string::npos) return field.append(text);
  field.push_back('"');
  for (const char c : text) {
    if (c == '"') field.push_back('"');
    field.push_back(c);
  }
  field.push_back('"');
  return field;
}

void write_csv_lines(const Communicator& communicator, const std::string& path, const std::string& heading, Index rows,
                     const std::function<std::string(Range window)>& own_lines, Index window) {
  TextFile file(communicator, path);
  if (!heading.empty()) file.append(heading + "\n");
  for (Index begin = 0; begin < rows; begin += window) {
    const std::string own = own_lines({begin, std::min(begin + window, rows)});
    const std::vector<char> lines = communicator.all_gather(std::span<const char>(own));
    file.append({lines.begin(), lines.end()});
  }
  file.complete();
}

}  // namespace cairn
