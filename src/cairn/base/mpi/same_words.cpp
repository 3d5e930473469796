#include "cairn/base/mpi/same_words.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Each word followed by a NUL, which no word contains.
std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\0';
  return text;
}

std::vector<std::string> split_at_nul(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\0', begin);
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// FNV-1a.
std::uint64_t digest_of(const std::string& text) {
  std::uint64_t digest = 14695981039346656037ULL;
  for (const char letter : text) digest = (digest ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return digest;
}

std::string shown(const std::vector<std::string>& words, std::size_t place) {
  constexpr std::size_t most = 200;
  if (place >= words.size()) return "nothing";
  std::string text = "'";
  text.append(words[place], 0, most);
  if (words[place].size() > most) text += "...";
  text += "'";
  return text;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

void require_same_words(const Communicator& communicator, const std::vector<std::string>& words,
                        const std::string& rule, const std::string& advice) {
  const std::string own = joined(words);
  const std::uint64_t digest = digest_of(own);
  std::array<std::uint64_t, 2> least = {digest, ~digest};  // the smallest digest, then the largest as its complement
  communicator.minimum(std::span<std::uint64_t>(least));
  if (least[0] == ~least[1]) return;
  std::string first = own;
  communicator.broadcast(first, 0);
  std::optional<Error> error;
  if (own != first) {
    const std::vector<std::string> theirs = split_at_nul(first);
    const auto differs = std::ranges::mismatch(words, theirs);
    const auto place = static_cast<std::size_t>(differs.in1 - words.begin());
    error.emplace(ErrorKind::usage, rule + ": rank " + std::to_string(communicator.rank()) + " on " + host_name() +
                                        " has " + shown(words, place) + " where rank 0 has " + shown(theirs, place) +
                                        advice);
  }
  agree(communicator, error);
}

}  // namespace cairn
