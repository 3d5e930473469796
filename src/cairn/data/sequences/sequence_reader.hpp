// Reads sequences of symbols from text files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/sequences/sequence_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Source of sequences. Files may be .gz or .xz.
struct SequenceSource {
  std::string path{};
  std::string test_path{};       ///< a second file of the same format, whose sequences follow; they get split test
  std::string format{};          ///< lines, tsv, csv, fasta, kelp; empty: from the name
  std::string tokens{};          ///< definition of a symbol: blanks (text between blanks) or characters (each
                                 ///< character); empty: characters for fasta, blanks for other formats
  std::string text{};            ///< tsv, csv: the column; empty: the last of at most two
  std::string label{}, split{};  ///< tsv, csv: columns; empty: none
  std::string sequence{};        ///< kelp: name of |BSQ:name|, or of a text |BS:name|; empty: the only one
  SharedAlphabet known{};        ///< symbols that are always in use
  KeyNames keys{};               ///< of path, test-path, format, tokens, text, label, split, sequence
};

/// Statistics of the sequences that were read.
struct SequenceReport {
  std::string text_source{};  ///< source of the sequences: "column 'text'"
  std::string tokens{};       ///< definition of a symbol: blanks or characters
  Index symbols = 0;          ///< in all sequences
  Index different = 0;        ///< number of different symbols
  Index longest = 0;          ///< symbols of the longest sequence
  Index empty = 0;            ///< sequences without a symbol, which are kept
};

struct ReadSequences {
  std::unique_ptr<SequenceSet> sequences;
  SequenceReport report;  ///< the same on every rank
};

/// Reads sequences and cuts them into symbols. Each rank reads its part of the files. The sequences, their order and
/// the numbers of symbols do not depend on the number of ranks.
///
/// - lines: one sequence per line. tsv, csv: tables as for documents.
/// - fasta: a line that begins with > begins a sequence; the lines up to the next such line are joined to the sequence.
/// - kelp: `label |BSQ:name| (symbol)(symbol) |ESQ|`, among other representations; a text |BS:name| is cut into
///   symbols.
///
/// With characters, every character of the text is a symbol, including blanks except for those at its ends.
/// Memory: three times the sequences of this rank, and the alphabet.
/// @throws Error(usage) for inconsistent parameters; Error(input) with file:line for invalid input: a name that a line
///   does not have, bytes that are not UTF-8, an unclosed bracket, a label that only some lines have. The error is the
///   same on every rank. Collective.
[[nodiscard]] ReadSequences read_sequences(const Communicator& communicator, const SequenceSource& source);

}  // namespace cairn
