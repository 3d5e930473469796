// The data kind "sequences".
#include <fmt/format.h>

#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/sequences/sequence_reader.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

SequenceSource source_of(const Values& values) {
  return {.path = values.required("path"),
          .test_path = values.text("test-path"),
          .format = values.text("format"),
          .tokens = values.text("tokens"),
          .text = values.text("text"),
          .label = values.text("label"),
          .split = values.text("split"),
          .sequence = values.text("sequence"),
          .keys = values.keys()};
}

// Digest of the sequences and of the names of their symbols. The alphabet depends only on the data.
std::uint64_t digest_of(const Communicator& communicator, const SequenceSet& sequences) {
  std::uint64_t state = data_digest(communicator, sequences);
  for (const std::string& name : sequences.alphabet()->names()) state = hash_text(name, state);
  return state;
}

// Warns about too coarse symbols, for which only equal sequences have anything in common.
std::vector<std::string> warnings_of(const SequenceReport& report, const SequenceSet& sequences,
                                     const DataInput& input) {
  const KeyNames& keys = input.values.keys();
  const std::string way_out = report.tokens == "characters"
                                  ? ""
                                  : fmt::format("; {} = characters makes a symbol of each character", keys("tokens"));
  if (sequences.size() < 2 || report.symbols == 0) return {};
  if (report.longest == 1) {
    return {fmt::format("no sequence has more than one symbol, so that two have everything in common or nothing{}",
                        way_out)};
  }
  // New sequences add the symbols of the result.
  if (input.known == nullptr && report.different == report.symbols) {
    return {fmt::format("no symbol occurs twice, so that no two sequences have anything in common{}", way_out)};
  }
  return {};
}

template <class T>
Data<T> read(const DataInput& input) {
  SequenceSource source = source_of(input.values);
  if (input.known != nullptr) {
    const auto* landmarks = dynamic_cast<const SequenceBlock*>(input.known->landmarks.get());
    if (landmarks != nullptr) source.known = landmarks->alphabet;
    if (input.known->tokenization) source.tokens = input.known->tokenization->pieces;
  }
  ReadSequences read = read_sequences(input.execution.communicator, source);
  const SequenceReport& report = read.report;
  Data<T> data;
  data.digest = digest_of(input.execution.communicator, *read.sequences);
  data.facts_name = "sequences";
  data.facts = {{"sequences",
                 fmt::format("{}; {} symbols, {} of them different; the longest has {}", report.text_source,
                             grouped(report.symbols), grouped(report.different), grouped(report.longest)),
                 "text_source", report.text_source},
                {"", "", "symbols", report.symbols},
                {"", "", "different_symbols", report.different},
                {"", "", "longest", report.longest}};
  if (report.empty > 0) data.notes.push_back(fmt::format("{} sequences have no symbol", grouped(report.empty)));
  for (std::string& warning : warnings_of(report, *read.sequences, input)) data.warnings.push_back(std::move(warning));
  data.tokenization = Tokenization{.pieces = report.tokens, .lower_case = false};
  data.objects = std::move(read.sequences);
  return data;
}

std::vector<Parameter> parameters() {
  using enum ValueType;
  using namespace data_parameters;
  return {
      path("The file with the sequences."),
      format(
          {"lines", "tsv", "csv", "fasta", "kelp"},
          "lines (one per line), tsv (columns between tabs), csv (columns between commas, fields perhaps in quotes), "
          "fasta (a line that begins with > before each) or kelp (lines of representations between marks)."),
      {"test-path", "FILE", input_path, "",
       "A second file of the same format, whose sequences follow; those are of split test, the others of split train."},
      {.name = "tokens",
       .value = "NAME",
       .type = choice,
       .help = "What a symbol of a sequence is: blanks (whatever is between blanks) or characters (every character of "
               "the text, blanks too); by default characters of fasta, and blanks of other formats. The elements of a "
               "sequence of KeLP are symbols in any case.",
       .choices = {"blanks", "characters"}},
      {"label", "COLUMN", text, "",
       "Labels of a table: a column by number from 1, or by name if the first line is a header. Lines of KeLP begin "
       "with theirs."},
      {"text", "COLUMN", text, "",
       "The column of the sequences by number from 1, or by name if the first line is a header (by default the last of "
       "two; with more columns it must be given)."},
      {"split", "COLUMN", text, "", "The column that names the split of each sequence."},
      {"sequence", "NAME", text, "",
       "KeLP: which sequence |BSQ:NAME| or text |BS:NAME| of a line is read; by default the only one."},
  };
}

}  // namespace

const DataKind& sequence_data() {
  static const DataKind kind = {
      .name = "sequences",
      .summary = "Sequences of symbols: words of a sentence, characters of a text, letters of a protein.",
      .subject = "sequences are",
      .objects = objects::sequences,
      .parameters = parameters(),
      .of_new_objects = {"path", "test-path", "format", "text", "label", "split", "sequence"},
      .of_places = {"path", "test-path"},
      .extendable = true,
      .check = [](const Values& values) { static_cast<void>(source_of(values)); },
      .read_single = read<float>,
      .read_double = read<double>,
      .stored_single = read_sequence_block,
      .stored_double = read_sequence_block,
      .stored_common = read_common_symbols,
  };
  return kind;
}

}  // namespace cairn
