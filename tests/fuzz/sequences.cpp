// Sequences of symbols.
#include <algorithm>
#include <string>
#include <vector>

#include "cairn/data/sequences/sequence_reader.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

void check(const ReadSequences& read) {
  const SequenceSet& set = *read.sequences;
  const Sequences& all = set.sequences();
  require(all.size() == set.size() && set.size() > 0, "not one sequence an object");
  for (std::size_t a = 0; a + 1 < all.starts.size(); ++a) {
    require(all.starts[a] <= all.starts[a + 1], "a sequence that ends before it begins");
  }
  std::vector<bool> used(set.alphabet()->size(), false);
  for (const std::int32_t symbol : all.symbols) {
    require(symbol >= 0 && symbol < set.alphabet()->size(), "a symbol out of range");
    used[symbol] = true;
  }
  require(std::ranges::find(used, false) == used.end(), "a symbol that no sequence has");
  require(read.report.symbols == std::ssize(all.symbols) && read.report.longest <= read.report.symbols, "the report");
  const auto labels = std::ssize(set.labels());
  require(labels == 0 || labels == set.size(), "not one label a sequence");
}

}  // namespace

void read_sequence_files(std::string_view input) {
  const char choice = take_choice(input);
  SequenceSource source;
  source.path = file_of(input);
  source.tokens = choice >= 'A' && choice <= 'Z' ? "characters" : "blanks";
  switch (choice) {
    case 'l':
    case 'L':
      source.format = "lines";
      break;
    case 't':
      source.format = "tsv";
      source.label = "1";
      break;
    case 'c':
      source.format = "csv";
      source.label = "1";
      break;
    case 'F':
      source.format = "fasta";
      break;
    case 'k':
    case 'K':
      source.format = "kelp";
      break;
    case 'n':
      source.format = "kelp";
      source.sequence = "s";
      break;
    default:
      return;
  }
  check(read_sequences(alone(), source));
}

}  // namespace cairn::fuzz
