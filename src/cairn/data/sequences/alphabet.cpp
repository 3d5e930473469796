#include "cairn/data/sequences/alphabet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

void sort_distinct(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

Alphabet::Alphabet(std::vector<std::string> names) : names_(std::move(names)) {
  const auto falls =
      std::adjacent_find(names_.begin(), names_.end(), [](const auto& a, const auto& b) { return a >= b; });
  if (falls != names_.end()) throw Error(ErrorKind::internal, "the symbols of an alphabet do not ascend");
}

std::int32_t Alphabet::find(std::string_view name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  if (found == names_.end() || *found != name) return -1;
  return static_cast<std::int32_t>(found - names_.begin());
}

SharedAlphabet agree_on_alphabet(const Communicator& communicator, std::vector<std::string> own) {
  const std::vector<char> mine = collectively(communicator, [&] {
    sort_distinct(own);
    std::vector<char> bytes;
    for (const std::string& name : own) bytes.insert(bytes.end(), name.c_str(), name.c_str() + name.size() + 1);
    return bytes;
  });
  const std::vector<char> all = communicator.all_gather(mine);
  return collectively(communicator, [&] {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < all.size(); at += names.back().size() + 1) names.emplace_back(all.data() + at);
    sort_distinct(names);
    if (std::ssize(names) > std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorKind::resource, fmt::format("the sequences have {} different symbols; at most {} are possible",
                                                   names.size(), std::numeric_limits<std::int32_t>::max()));
    }
    return std::make_shared<const Alphabet>(std::move(names));
  });
}

}  // namespace cairn
