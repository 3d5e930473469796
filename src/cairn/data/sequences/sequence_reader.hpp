// Reading sequences of symbols from text files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/sequences/sequence_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Where sequences come from. Files may be .gz or .xz.
struct SequenceSource {
  std::string path{};
  std::string test_path{};       ///< a second file of the same format, whose sequences follow: those are of split test
  std::string format{};          ///< lines, tsv, csv, fasta, kelp; empty: from the name
  std::string tokens{};          ///< what a symbol is: blanks (whatever is between them), or each of the characters;
                                 ///< empty: characters of fasta, blanks of other formats
  std::string text{};            ///< tsv, csv: the column; empty: the last of at most two
  std::string label{}, split{};  ///< tsv, csv: columns; empty: none
  std::string sequence{};        ///< kelp: the name of |BSQ:name|, or of a text |BS:name|; empty: the only one
  SharedAlphabet known{};        ///< symbols in use whatever the sequences hold
  KeyNames keys{};               ///< of path, test-path, format, tokens, text, label, split, sequence
};

/// What reading found.
struct SequenceReport {
  std::string text_source{};  ///< where the sequences stand: "column 'text'"
  std::string tokens{};       ///< what a symbol is: blanks or characters
  Index symbols = 0;          ///< in all sequences
  Index different = 0;        ///< of them
  Index longest = 0;          ///< symbols of the longest sequence
  Index empty = 0;            ///< sequences without a symbol, which are kept
};

struct ReadSequences {
  std::unique_ptr<SequenceSet> sequences;
  SequenceReport report;  ///< the same on every rank
};

/// Reads sequences and cuts them into symbols. Each rank reads its part of the files; the sequences, their order and
/// the numbers of symbols are the same on any number of ranks.
///
/// - lines: a sequence a line. tsv, csv: tables, as those of documents.
/// - fasta: a line that begins with > begins a sequence, the lines up to the next are it, joined.
/// - kelp: `label |BSQ:name| (symbol)(symbol) |ESQ|`, among other representations; a text |BS:name| is cut into
/// symbols.
///
/// A sequence of characters is every character of its text, blanks too, but for those at its ends.
/// Memory: three times the sequences of this rank, and the alphabet.
/// @throws Error(usage) for parameters that do not go together; Error(input) with file:line for what cannot be read: a
///   name that a line does not have, bytes that are not UTF-8, a bracket that is not closed, a label that some lines
///   have and others not. The same on every rank. Collective.
[[nodiscard]] ReadSequences read_sequences(const Communicator& communicator, const SequenceSource& source);

}  // namespace cairn
