#include "cairn/similarity/catalog/nearest_searches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"

namespace cairn {

std::vector<std::string> similarities_with_nearest_search() {
  std::vector<std::string> names;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (similarity->traits.base == wmd_distance_similarity().traits.base) names.push_back(similarity->name);
  }
  return names;
}

void require_nearest_search(const std::string& where, const std::string& similarity) {
  const std::vector<std::string> names = similarities_with_nearest_search();
  if (std::ranges::count(names, similarity) > 0) return;
  throw Error(ErrorKind::usage, fmt::format("{} is for {}: of {} the nearest objects are not found without all entries",
                                            where, joined(names, " and "), similarity));
}

}  // namespace cairn
