#include "cairn/data/sequences/sequence_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/vocabulary.hpp"
#include "cairn/data/io/dealt_bytes.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/sequences/symbol_cutter.hpp"
#include "cairn/data/trees/kelp_line.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

namespace {

constexpr Index blocks_of_a_file = Index{1} << 40;  // numbers of a second file's blocks begin here

constexpr std::string_view elements_type = "SQ";

// What one rank has parsed: symbols numbered as they come.
struct ParsedSequences {
  Vocabulary names;
  Sequences sequences;
  std::string labels, splits;          // one a sequence, a byte 0 after each
  Index labelled = 0, unlabelled = 0;  // of kelp, whose lines may have labels
  std::vector<ParsedBlock> blocks;
};

class SequenceParser {
 public:
  /// @param labels  a sequence without one is refused
  explicit SequenceParser(bool characters, bool labels = false) : characters_(characters), labels_(labels) {}

  void add(std::string_view text, std::string_view label, std::string_view split) {
    const auto symbol = [this](std::string_view name) { push(name); };
    characters_ ? cut_characters(trimmed(text), symbol) : cut_at_blanks(text, symbol);
    end_sequence(label, split);
  }
  void add_elements(std::string_view text, std::string_view label, std::string_view split) {
    cut_elements(text, [this](std::string_view name) { push(name); });
    end_sequence(label, split);
  }
  void end_block(Index block) {
    parsed_.blocks.push_back({block, parsed_.sequences.size() - std::exchange(before_, parsed_.sequences.size())});
  }
  [[nodiscard]] ParsedSequences& parsed() { return parsed_; }

 private:
  void push(std::string_view name) { parsed_.sequences.symbols.push_back(parsed_.names.add(name)); }
  void end_sequence(std::string_view label, std::string_view split) {
    require_utf8(label, "the label");
    require_utf8(split, "the split");
    ++(label.empty() ? parsed_.unlabelled : parsed_.labelled);
    if (labels_ && label.empty()) throw Error(ErrorKind::input, "has no label, and others have one");
    parsed_.sequences.starts.push_back(std::ssize(parsed_.sequences.symbols));
    parsed_.labels.append(label).push_back('\0');
    parsed_.splits.append(split).push_back('\0');
  }

  bool characters_, labels_;
  ParsedSequences parsed_;
  Index before_ = 0;  // sequences before the block in hand
};

std::string format_of(const SequenceSource& source) {
  static const std::vector<std::string> known = {"lines", "tsv", "csv", "fasta", "kelp"};
  if (!source.format.empty()) return source.format;
  std::string_view name = source.path;
  for (const char* ending : {".gz", ".xz", ".zip"}) {
    if (name.ends_with(ending)) name.remove_suffix(std::string_view(ending).size());
  }
  constexpr std::array<std::pair<const char*, std::size_t>, 8> endings = {
      {{".txt", 0}, {".tsv", 1}, {".csv", 2}, {".fa", 3}, {".fasta", 3}, {".faa", 3}, {".fna", 3}, {".klp", 4}}};
  for (const auto& [ending, format] : endings) {
    if (name.ends_with(ending)) return known[format];
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: {}", source.path,
                                            source.keys("format"), joined(known, ", ")));
}

// Parameters that the format has no use for. Local.
void check_keys(const SequenceSource& source, const std::string& format) {
  const auto refuse = [&](const char* name, const std::string& value, bool used) {
    if (value.empty() || used) return;
    throw Error(ErrorKind::usage, fmt::format("{} = {} has no effect if {} is {}", source.keys(name), value,
                                              source.keys("format"), format));
  };
  const bool table = format == "tsv" || format == "csv";
  refuse("text", source.text, table);
  refuse("label", source.label, table);
  refuse("split", source.split, table);
  refuse("sequence", source.sequence, format == "kelp");
  if (!source.test_path.empty() && !source.split.empty()) {
    throw Error(ErrorKind::usage, fmt::format("give one of {} and {}, not both: two files are two splits",
                                              source.keys("split"), source.keys("test-path")));
  }
}

// Files whose sequences are texts.
std::unique_ptr<DocumentFile> open_texts(const SequenceSource& source, const std::string& path,
                                         const std::string& format) {
  DocumentSource texts;
  texts.path = path;
  texts.text = source.text;
  texts.label = source.label;
  texts.split = source.split;
  texts.keys = source.keys;
  if (format == "csv") return open_csv_documents(texts, path);
  if (format != "fasta") return open_line_documents(texts, path, format);
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (trimmed(line).empty()) continue;
    if (line.front() != '>') reader.fail("a sequence without a line that begins with >");
    return open_sequences(texts, path);
  }
  throw Error(ErrorKind::input, path + ": holds nothing but blanks");
}

// The field of a line that is its sequence: of elements, or a text.
const KelpField& field_of(const std::vector<KelpField>& fields, const std::string& name, const KeyNames& keys) {
  const bool elements = std::ranges::any_of(fields, [&](const KelpField& field) {
    return field.type == elements_type && (name.empty() || field.name == name);
  });
  return elements ? kelp_field(fields, elements_type, "sequence", name, keys("sequence"))
                  : kelp_field(fields, "S", "sequence or text", name, keys("sequence"));
}

// Collective.
void parse_kelp(const Communicator& communicator, const SequenceSource& source, const std::string& path,
                const std::string& split, SequenceParser& parser, const std::function<void(Index)>& end_block) {
  const auto lines = collectively(communicator, [&] { return TextBlocks(path); });
  lines.for_each_line(
      communicator,
      [&](std::string_view line, Index /*number*/) {
        if (trimmed(line).empty()) return;
        const KelpLine parts = kelp_line(line);
        const auto fields = kelp_fields(parts.rest, parts.column);
        const KelpField& field = field_of(fields, source.sequence, source.keys);
        field.type == elements_type ? parser.add_elements(field.content, parts.label, split)
                                    : parser.add(field.content, parts.label, split);
      },
      [&](Index block, Index /*lines*/) { end_block(block); });
}

// Collective.
std::string parse_file(const Communicator& communicator, const SequenceSource& source, const std::string& path,
                       const std::string& format, const std::string& split, SequenceParser& parser,
                       const std::function<void(Index)>& end_block) {
  if (format == "kelp") {
    parse_kelp(communicator, source, path, split, parser, end_block);
    return source.sequence.empty() ? "the sequence of each line" : fmt::format("sequence '{}'", source.sequence);
  }
  const auto file = read_collectively(communicator, path, [&] { return open_texts(source, path, format); });
  file->for_each(
      communicator,
      [&](const DocumentText& document, Index /*line*/) {
        parser.add(document.text, document.label, split.empty() ? document.split : std::string_view(split));
      },
      [&](Index block, Index /*lines*/) { end_block(block); });
  return file->text_source();
}

// Takes a text that a byte 0 ends off the front of `texts`.
std::string_view take_text(std::string_view& texts) {
  const std::string_view text = texts.substr(0, texts.find('\0'));
  texts.remove_prefix(text.size() + 1);
  return text;
}

// Labels, splits and symbols of each sequence as the bytes of a record. Frees what it packs.
ParsedBytes pack(ParsedSequences parsed, const Alphabet& alphabet) {
  std::vector<std::int32_t> numbers;
  for (Index k = 0; k < parsed.names.size(); ++k) numbers.push_back(alphabet.find(parsed.names.word(k)));
  ParsedBytes records;
  records.blocks = std::move(parsed.blocks);
  std::string_view labels = parsed.labels, splits = parsed.splits;
  for (Index a = 0; a < parsed.sequences.size(); ++a) {
    const std::size_t before = records.bytes.size();
    for (std::string_view* texts : {&labels, &splits}) {
      const std::string_view text = take_text(*texts);
      records.bytes.insert(records.bytes.end(), text.begin(), text.end());
      records.bytes.push_back('\0');
    }
    for (Index k = parsed.sequences.starts[static_cast<std::size_t>(a)];
         k < parsed.sequences.starts[static_cast<std::size_t>(a) + 1]; ++k) {
      const auto old = static_cast<std::size_t>(parsed.sequences.symbols[static_cast<std::size_t>(k)]);
      const auto* bytes = reinterpret_cast<const char*>(&numbers[old]);
      records.bytes.insert(records.bytes.end(), bytes, bytes + sizeof numbers[old]);
    }
    records.lengths.push_back(static_cast<Index>(records.bytes.size() - before));
  }
  return records;
}

struct Unpacked {
  Sequences sequences;
  std::vector<std::string> labels, splits;
};

Unpacked unpack(const DealtBytes& dealt) {
  Unpacked all;
  std::vector<std::int32_t> symbols;
  for (Index k = 0; k + 1 < std::ssize(dealt.starts); ++k) {
    std::string_view rest(dealt.record(k).data(), dealt.record(k).size());
    all.labels.emplace_back(take_text(rest));
    all.splits.emplace_back(take_text(rest));
    symbols.resize(rest.size() / sizeof(std::int32_t));
    if (!rest.empty()) std::memcpy(symbols.data(), rest.data(), rest.size());
    all.sequences.append(symbols);
  }
  return all;
}

void add_up(const Communicator& communicator, const Sequences& own, SequenceReport& report) {
  report.symbols = communicator.sum(std::ssize(own.symbols));
  Index longest = 0, empty = 0;
  for (std::size_t a = 0; a + 1 < own.starts.size(); ++a) {
    longest = std::max(longest, own.starts[a + 1] - own.starts[a]);
    if (own.starts[a + 1] == own.starts[a]) ++empty;
  }
  report.longest = communicator.maximum(longest);
  report.empty = communicator.sum(empty);
}

// Lines of kelp may have labels, all or none: the first without one is looked for again, by a parser that refuses it
// with file and line. Collective.
bool have_labels(const Communicator& communicator, const SequenceSource& source, const std::string& format,
                 bool characters, const ParsedSequences& parsed) {
  const Index labelled = communicator.sum(parsed.labelled), unlabelled = communicator.sum(parsed.unlabelled);
  if (labelled == 0 || unlabelled == 0) return labelled > 0;
  SequenceParser parser(characters, true);
  for (const std::string& path : {source.path, source.test_path}) {
    if (!path.empty()) parse_file(communicator, source, path, format, "", parser, [](Index /*block*/) {});
  }
  throw Error(ErrorKind::input, fmt::format("{}: changed while it was read", source.path));
}

}  // namespace

ReadSequences read_sequences(const Communicator& communicator, const SequenceSource& source) {
  const std::string format = collectively(communicator, [&] {
    std::string resolved = format_of(source);
    check_keys(source, resolved);
    return resolved;
  });
  ReadSequences read;
  read.report.tokens = !source.tokens.empty() ? source.tokens : format == "fasta" ? "characters" : "blanks";
  const bool characters = read.report.tokens == "characters";
  SequenceParser parser(characters);
  std::vector<std::string> paths = {source.path};
  if (!source.test_path.empty()) paths.push_back(source.test_path);
  for (std::size_t file = 0; file < paths.size(); ++file) {
    const std::string split = paths.size() == 1 ? "" : file == 0 ? "train" : "test";
    const Index offset = static_cast<Index>(file) * blocks_of_a_file;
    read.report.text_source = parse_file(communicator, source, paths[file], format, split, parser,
                                         [&](Index block) { parser.end_block(offset + block); });
  }
  const bool labels = have_labels(communicator, source, format, characters, parser.parsed());
  const SharedAlphabet alphabet = agree_on_alphabet(communicator, collectively(communicator, [&] {
                                                      std::vector<std::string> names;
                                                      if (source.known != nullptr) names = source.known->names();
                                                      for (Index k = 0; k < parser.parsed().names.size(); ++k)
                                                        names.push_back(parser.parsed().names.word(k));
                                                      return names;
                                                    }));
  auto records =
      read_collectively(communicator, source.path, [&] { return pack(std::move(parser.parsed()), *alphabet); });
  const DealtBytes dealt = deal_bytes(communicator, source.path, "sequences", std::move(records));
  auto all = read_collectively(communicator, source.path, [&] { return unpack(dealt); });
  add_up(communicator, all.sequences, read.report);
  read.report.different = alphabet->size();
  if (!labels) all.labels.clear();
  if (source.split.empty() && source.test_path.empty()) all.splits.clear();
  read.sequences =
      std::make_unique<SequenceSet>(dealt.partition, communicator.rank(), alphabet, std::move(all.sequences),
                                    std::move(all.labels), std::move(all.splits));
  return read;
}

}  // namespace cairn
