#include "cairn/data/graph/vertex_names.hpp"

#include <algorithm>
#include <limits>

#include "cairn/base/joined_texts.hpp"
#include "cairn/data/text_homes.hpp"

namespace cairn {

namespace {

// For each name of this rank: 1 if the name occurs first on this rank, else 0. A block belongs to one rank. Collective.
std::vector<Index> firsts(const TextsAtHome& home, std::span<const Index> blocks) {
  const auto received = home.send(blocks);
  std::unordered_map<std::string_view, Index> first;
  home.for_each([&](std::size_t rank, std::size_t place, std::string_view name) {
    const auto entry = first.try_emplace(name, std::numeric_limits<Index>::max()).first;
    entry->second = std::min(entry->second, received[rank][place]);
  });
  std::vector<std::vector<Index>> answers(received.size());
  home.for_each([&](std::size_t rank, std::size_t place, std::string_view name) {
    answers[rank].push_back(first.at(name) == received[rank][place] ? 1 : 0);
  });
  return home.send_back(answers);
}

// Sends the number of each name, known to one rank, to all ranks that have the name. @param own  -1 if another rank
// knows it. Collective.
std::vector<Index> numbers_from_home(const TextsAtHome& home, std::span<const Index> own) {
  const auto received = home.send(own);
  std::unordered_map<std::string_view, Index> numbers;
  home.for_each([&](std::size_t rank, std::size_t place, std::string_view name) {
    const auto entry = numbers.try_emplace(name, -1).first;
    entry->second = std::max(entry->second, received[rank][place]);
  });
  std::vector<std::vector<Index>> answers(received.size());
  home.for_each(
      [&](std::size_t rank, std::size_t, std::string_view name) { answers[rank].push_back(numbers.at(name)); });
  return home.send_back(answers);
}

}  // namespace

Index NamesOfLines::number(std::string_view name) {
  const auto [entry, is_new] = numbers_.try_emplace(std::string(name), static_cast<Index>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return entry->second;
}

VertexNames::VertexNames(const Communicator& communicator, const NamesOfLines& lines) {
  const std::vector<std::string>& names = lines.names();
  const std::vector<Index>& blocks = lines.blocks();
  const TextsAtHome home(communicator, names);
  const std::vector<Index> first = firsts(home, blocks);
  // Number of new names in the blocks before each.
  const Index last = communicator.maximum(blocks.empty() ? Index{-1} : blocks.back());
  std::vector<Index> next(last + 2, 0);
  for (std::size_t i = 0; i < names.size(); ++i) next[static_cast<std::size_t>(blocks[i]) + 1] += first[i];
  communicator.sum(std::span<Index>(next));
  for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
  partition_ = RowPartition(next.back(), communicator.size());
  numbers_.assign(names.size(), -1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (first[i] != 0) numbers_[i] = next[blocks[i]]++;
  }
  // Sends each name once to the rank that has its number.
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<char>> texts(ranks);
  std::vector<std::vector<Index>> places(ranks);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (numbers_[i] < 0) continue;
    const auto owner = static_cast<std::size_t>(partition_.owner(numbers_[i]));
    join_text(texts[owner], names[i]);
    places[owner].push_back(numbers_[i]);
  }
  const auto came = communicator.exchange(texts);
  const auto numbered = communicator.exchange(places);
  const Range own = partition_.range(communicator.rank());
  own_.resize(own.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<std::string> part = separate_texts(came[r]);
    for (std::size_t k = 0; k < part.size(); ++k) own_[numbered[r][k] - own.begin] = part[k];
  }
  numbers_ = numbers_from_home(home, numbers_);
}

std::vector<std::string> VertexNames::names_of(const Communicator& communicator, std::span<const Index> numbers) const {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<Index>> asked(ranks), places(ranks);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto owner = static_cast<std::size_t>(partition_.owner(numbers[i]));
    asked[owner].push_back(numbers[i]);
    places[owner].push_back(static_cast<Index>(i));
  }
  const auto questions = communicator.exchange(asked);
  const Index begin = partition_.range(communicator.rank()).begin;
  std::vector<std::vector<char>> answers(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const Index number : questions[r]) join_text(answers[r], own_[number - begin]);
  }
  const auto returned = communicator.exchange(answers);
  std::vector<std::string> names(numbers.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<std::string> part = separate_texts(returned[r]);
    for (std::size_t k = 0; k < part.size(); ++k) names[places[r][k]] = part[k];
  }
  return names;
}

}  // namespace cairn
