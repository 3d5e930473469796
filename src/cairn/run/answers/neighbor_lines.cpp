#include "cairn/run/answers/neighbor_lines.hpp"

#include <fmt/format.h>

#include "cairn/store/files/csv_file.hpp"

namespace cairn {

std::string NeighborLines::heading() const {
  std::string text = "object,nearest,value";
  if (objects_.any()) text += ",object_label";
  text += nearest_.heading();
  if (objects_.said()) text += ",object_name";
  return text + (nearest_.said() ? ",name\n" : "\n");
}

std::string NeighborLines::lines(const std::vector<Index>& objects,
                                 const std::vector<std::vector<Neighbor>>& nearest) const {
  std::vector<Index> found;
  for (const auto& list : nearest) {
    for (const Neighbor& neighbor : list) found.push_back(neighbor.object);
  }
  const std::vector<RowName> of_objects = objects_.of(objects), of_found = nearest_.of(found);
  std::string text;
  std::size_t at = 0;
  for (std::size_t o = 0; o < objects.size(); ++o) {
    for (const Neighbor& neighbor : nearest[o]) {
      text += fmt::format("{}{}{}{}{}", objects[o], separator_, neighbor.object, separator_, neighbor.value);
      if (objects_.any()) add(text, of_objects[o].label);
      if (nearest_.any()) add(text, of_found[at].label);
      if (nearest_.both()) add(text, of_found[at].number);
      if (objects_.said()) add(text, of_objects[o].text, 2);
      if (nearest_.said()) add(text, of_found[at].text, 2);
      text += '\n';
      ++at;
    }
  }
  return text;
}

void NeighborLines::add(std::string& line, const std::string& name, std::size_t blanks) const {
  line += separator_ == ',' ? next_csv_field(name) : std::string(blanks, separator_) + name;
}

}  // namespace cairn
