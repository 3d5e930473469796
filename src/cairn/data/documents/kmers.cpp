#include "cairn/data/documents/kmers.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr std::string_view amino_acids = "ACDEFGHIKLMNPQRSTVWY";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte < 0x7F ? fmt::format("'{}'", c) : fmt::format("byte {:#04x}", byte);
}

}  // namespace

std::vector<std::string> kmer_runs(std::string_view sequence, const KmerRules& rules, const KeyNames& keys) {
  std::vector<std::string> runs(1);
  Index position = 0, letters = 0;
  for (const char raw : sequence) {
    if (is_blank(raw)) continue;
    ++position;
    const char c = capital(raw);
    const bool known = amino_acids.find(c) != std::string_view::npos;
    if (known || rules.letters == "keep") {
      runs.back() += c;
      ++letters;
    } else if (rules.letters == "refuse") {
      throw Error(ErrorKind::input,
                  fmt::format("{} at position {} of the sequence is none of the 20 amino acids; {} = keep, split or "
                              "skip says what becomes of such letters",
                              shown(raw), position, keys("letters")));
    } else if (rules.letters == "split" && !runs.back().empty()) {
      runs.emplace_back();
    }
  }
  if (runs.back().empty()) runs.pop_back();
  if (letters < rules.length) {
    throw Error(ErrorKind::input, fmt::format("the sequence has {} letters, fewer than {} = {}", letters,
                                              keys("kmer-length"), rules.length));
  }
  return runs;
}

}  // namespace cairn
