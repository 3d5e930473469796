#include "cairn/data/text_homes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

constexpr std::size_t shown = 40;  // characters of a key in a message

}  // namespace

TextsAtHome::TextsAtHome(const Communicator& communicator, std::span<const std::string> texts)
    : communicator_(communicator), texts_(texts.size()), sent_(static_cast<std::size_t>(communicator.size())) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<char>> messages(ranks);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text(texts[i].c_str());  // up to a character 0
    const std::size_t home = hash_text(text, 1) % ranks;
    messages[home].insert(messages[home].end(), text.begin(), text.end());
    messages[home].push_back('\0');
    sent_[home].push_back(static_cast<Index>(i));
  }
  received_ = communicator.exchange(messages);
}

std::vector<std::vector<Index>> TextsAtHome::send(std::span<const Index> values) const {
  std::vector<std::vector<Index>> messages(sent_.size());
  for (std::size_t r = 0; r < sent_.size(); ++r) {
    for (const Index text : sent_[r]) messages[r].push_back(values[text]);
  }
  return communicator_.exchange(messages);
}

std::vector<Index> TextsAtHome::send_back(const std::vector<std::vector<Index>>& values) const {
  const std::vector<std::vector<Index>> returned = communicator_.exchange(values);
  std::vector<Index> own(texts_);
  for (std::size_t r = 0; r < sent_.size(); ++r) {
    for (std::size_t k = 0; k < sent_[r].size(); ++k) own[sent_[r][k]] = returned[r][k];
  }
  return own;
}

RowKeys::RowKeys(const Communicator& communicator, const std::string& path, std::span<const std::string> keys,
                 Index first)
    : communicator_(communicator) {
  std::vector<Index> numbers(keys.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = first + static_cast<Index>(i);
  const TextsAtHome home(communicator, keys);
  const auto received = home.send(numbers);
  home.for_each([&](std::size_t rank, std::size_t place, std::string_view key) {
    rows_.push_back({std::string(key), received[rank][place]});
  });
  std::ranges::sort(rows_, {}, [](const Row& row) { return std::pair(std::string_view(row.key), row.row); });
  collectively(communicator, [&] {
    const auto twice = std::ranges::adjacent_find(rows_, {}, &Row::key);
    if (twice == rows_.end()) return;
    throw Error(ErrorKind::input, fmt::format("{}: the key '{}' is a duplicate", path, twice->key.substr(0, shown)));
  });
}

std::vector<Index> RowKeys::find(std::span<const std::string> texts) {
  const TextsAtHome home(communicator_, texts);
  std::vector<std::vector<Index>> answers(communicator_.size());
  home.for_each([&](std::size_t rank, std::size_t /*place*/, std::string_view text) {
    const auto found =
        std::ranges::lower_bound(rows_, text, {}, [](const Row& row) { return std::string_view(row.key); });
    const bool known = found != rows_.end() && found->key == text;
    if (known) found->used = true;
    answers[rank].push_back(known ? found->row : -1);
  });
  return home.send_back(answers);
}

Index RowKeys::unused() const {
  return communicator_.sum(static_cast<Index>(std::ranges::count(rows_, false, &Row::used)));
}

}  // namespace cairn
