#include "cairn/data/sequences/sequence_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/vocabulary.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/kelp_line.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

namespace {

// Functions that cut texts into symbols.

// Length in bytes of the character at `at`. @pre the text is UTF-8
std::size_t character_at(std::string_view text, std::size_t at) {
  const auto begin = static_cast<unsigned char>(text[at]);
  return begin < 0x80 ? 1 : begin < 0xE0 ? 2 : begin < 0xF0 ? 3 : 4;
}

constexpr const char* what = "the sequence";

// Calls symbol(s) for the pieces of `text` between blanks (space, tab, carriage return), in order.
// @throws Error(input) for bytes that are not UTF-8, or a byte 0. Local.
void cut_at_blanks(std::string_view text, const std::function<void(std::string_view)>& symbol) {
  require_utf8(text, what);
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    symbol(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
}

// Calls symbol(s) for each character of `text` (a code point), including blanks.
void cut_characters(std::string_view text, const std::function<void(std::string_view)>& symbol) {
  require_utf8(text, what);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_at(text, at);
    symbol(text.substr(at, size));
    at += size;
  }
}

// Calls symbol(s) for the elements (a)(b) of a KeLP sequence, which may contain anything but a closing bracket.
// @throws Error(input) as cut_at_blanks; for a missing bracket, text between elements, or an empty element
void cut_elements(std::string_view text, const std::function<void(std::string_view)>& symbol) {
  require_utf8(text, what);
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = text.find(')');
    if (text.front() != '(' || end == std::string_view::npos) {
      throw Error(ErrorKind::input,
                  fmt::format("the sequence has '{}' where an element (...) is expected", excerpt(text)));
    }
    if (end == 1) throw Error(ErrorKind::input, "the sequence has an element without a name: ()");
    symbol(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
}

// Records of arbitrary bytes, parsed in any order and sent to the ranks that own them.

// The parsed records of one rank, block by block. Record k has lengths[k] bytes.
struct ParsedBytes {
  std::vector<char> bytes{};
  std::vector<Index> lengths{};
  std::vector<ParsedBlock> blocks{};  ///< in ascending order; their rows are records
};

// This rank's records in the order of their blocks, as distributed by a RowPartition.
struct DealtBytes {
  RowPartition partition{};
  std::vector<Index> starts{0};  ///< record k has the bytes [starts[k], starts[k + 1])
  std::vector<char> bytes{};

  [[nodiscard]] std::span<const char> record(Index k) const {
    const auto begin = static_cast<std::size_t>(starts[k]);
    return std::span(bytes).subspan(begin, static_cast<std::size_t>(starts[static_cast<std::size_t>(k) + 1]) - begin);
  }
};

// Consecutive records sent to one owner: `count` records from row `first` on.
struct Run {
  Index first = 0;
  Index count = 0;
};

struct Outgoing {
  std::vector<std::vector<Run>> runs;
  std::vector<std::vector<Index>> lengths;
  std::vector<std::vector<char>> bytes;
  explicit Outgoing(std::size_t ranks) : runs(ranks), lengths(ranks), bytes(ranks) {}
};

Outgoing sort_by_owner(const ParsedBytes& parsed, const std::vector<Index>& first, const RowPartition& partition) {
  Outgoing out(static_cast<std::size_t>(partition.ranks()));
  std::size_t record = 0;
  const char* bytes = parsed.bytes.data();
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (Index row = first[b]; row < first[b] + parsed.blocks[b].rows;) {
      const int rank = partition.owner(row);
      const auto owner = static_cast<std::size_t>(rank);
      const Index end = std::min(first[b] + parsed.blocks[b].rows, partition.range(rank).end);
      out.runs[owner].push_back({row, end - row});
      Index size = 0;
      for (; row < end; ++row, ++record) {
        out.lengths[owner].push_back(parsed.lengths[record]);
        size += parsed.lengths[record];
      }
      out.bytes[owner].insert(out.bytes[owner].end(), bytes, bytes + size);
      bytes += size;
    }
  }
  return out;
}

// Memory: at most three times the records of this rank. @throws Error(input) naming `path` and `what` ("sequences") if
// there are no records. Collective.
DealtBytes deal_bytes(const Communicator& communicator, const std::string& path, const std::string& what,
                      ParsedBytes parsed) {
  Index total = 0;
  const std::vector<Index> first = first_rows(communicator, parsed.blocks, total);
  if (total == 0) throw Error(ErrorKind::input, fmt::format("{}: has no {}", path, what));
  DealtBytes dealt;
  dealt.partition = RowPartition(total, communicator.size());
  Outgoing out = read_collectively(communicator, path, [&] { return sort_by_owner(parsed, first, dealt.partition); });
  parsed = {};
  const auto runs = communicator.exchange(out.runs);
  const auto lengths = communicator.exchange(out.lengths);
  const auto bytes = communicator.exchange(out.bytes);
  out.bytes = {};
  read_collectively(communicator, path, [&] {
    const Range own = dealt.partition.range(communicator.rank());
    dealt.starts.assign(static_cast<std::size_t>(own.size()) + 1, 0);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Index* source = lengths[r].data();
      for (const Run& run : runs[r]) {
        std::copy_n(source, run.count, dealt.starts.begin() + (run.first - own.begin) + 1);
        source += run.count;
      }
    }
    for (std::size_t k = 1; k < dealt.starts.size(); ++k) dealt.starts[k] += dealt.starts[k - 1];
    dealt.bytes.resize(dealt.starts.back());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const char* source = bytes[r].data();
      for (const Run& run : runs[r]) {
        const auto at = static_cast<std::size_t>(run.first - own.begin);
        const Index begin = dealt.starts[at], size = dealt.starts[at + static_cast<std::size_t>(run.count)] - begin;
        std::copy_n(source, size, dealt.bytes.begin() + begin);
        source += size;
      }
    }
  });
  return dealt;
}

constexpr Index blocks_of_a_file = Index{1} << 40;  // block numbers of the second file begin here

constexpr std::string_view elements_type = "SQ";

// The parsed sequences of one rank, with symbols numbered in order of appearance.
struct ParsedSequences {
  Vocabulary names;
  Sequences sequences;
  std::string labels, splits;          // one per sequence, each followed by a byte 0
  Index labelled = 0, unlabelled = 0;  // for kelp, whose lines may have labels
  std::vector<ParsedBlock> blocks;
};

class SequenceParser {
 public:
  /// @param labels  true: a sequence without a label is refused
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
  Index before_ = 0;  // sequences before the current block
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

// Checks for parameters that have no effect for the format. Local.
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

// Opens a file whose sequences are texts.
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

// The field of a line that holds its sequence: elements or a text.
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

// Removes the first text and its terminating byte 0 from `texts`; returns the text.
std::string_view take_text(std::string_view& texts) {
  const std::string_view text = texts.substr(0, texts.find('\0'));
  texts.remove_prefix(text.size() + 1);
  return text;
}

// Packs labels, splits and symbols of each sequence as the bytes of a record. Frees its input.
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
    for (Index k = parsed.sequences.starts[a]; k < parsed.sequences.starts[static_cast<std::size_t>(a) + 1]; ++k) {
      const auto old = static_cast<std::size_t>(parsed.sequences.symbols[k]);
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

// Either all lines of kelp have labels or none. If only some do, a second reading pass refuses the first line without
// one, with file and line. Collective.
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
