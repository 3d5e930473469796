#include "cairn/evaluation/word_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

std::vector<LabelRows> find_labels(const Communicator& communicator, const RowPartition& partition,
                                   std::span<const std::string> labels, const std::vector<std::string>& words) {
  constexpr Index none = std::numeric_limits<Index>::max();
  std::unordered_map<std::string_view, std::size_t> places;  // index of each word in the two lists below
  std::vector<Index> counts, first;
  collectively(communicator, [&] {
    for (const std::string& word : words) places.try_emplace(word, places.size());
    counts.resize(places.size(), 0);
    first.resize(places.size(), none);
    Index row = partition.range(communicator.rank()).begin;
    for (const std::string& label : labels) {
      if (const auto found = places.find(label); found != places.end()) {
        ++counts[found->second];
        first[found->second] = std::min(first[found->second], row);
      }
      ++row;
    }
  });
  communicator.sum(std::span<Index>(counts));
  communicator.minimum(std::span<Index>(first));
  std::vector<LabelRows> rows;
  for (const std::string& word : words) {
    const std::size_t place = places.at(word);
    rows.push_back({counts[place] > 0 ? first[place] : -1, counts[place]});
  }
  return rows;
}

Index single_row(const LabelRows& rows, const std::string& word, const std::string& where) {
  if (rows.count <= 1) return rows.first;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: the label '{}' is a duplicate: {} rows of the result have it, the first of them is row {}",
                  where, word, grouped(rows.count), rows.first));
}

std::vector<std::string> in_lower_case(const std::vector<std::string>& words) {
  Tokenizer tokenizer(Tokenization{.pieces = "blanks", .lower_case = true});
  std::vector<std::string> lower;
  for (const std::string& word : words) {
    std::string text;
    const bool sound = tokenizer.cut(word, [&](std::string_view piece) {
      if (!text.empty()) text += ' ';
      text += piece;
    });
    lower.push_back(sound ? text : word);
  }
  return lower;
}

}  // namespace cairn
