#include "cairn/data/documents/document_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "cairn/base/joined.hpp"
#include "cairn/base/joined_texts.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/documents/document_assembly.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/document_generator.hpp"
#include "cairn/data/documents/document_parser.hpp"
#include "cairn/data/documents/document_places.hpp"
#include "cairn/data/documents/vocabulary.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

std::string without_compression(std::string name) {
  for (const char* ending : {".gz", ".xz", ".zip"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return name;
}

bool is_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none);
}

// Parameters that the format has no use for, or needs. Local.
void check_keys(const DocumentSource& source, const std::string& format) {
  const KeyNames& keys = source.keys;
  const auto refuse = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    throw Error(ErrorKind::usage, fmt::format("{} = {} has no effect if {} is {}{}", keys(name), value, keys("format"),
                                              format, format == "folder" ? ": the sub-folders are the labels" : ""));
  };
  if (format == "lines" || format == "folder") {
    refuse("text", source.text);
    refuse("label", source.label);
    refuse("split", source.split);
    refuse("group", source.group);
    refuse("id", source.identifier);
  }
  if (!source.test_path.empty() && !source.split.empty()) {
    throw Error(ErrorKind::usage, fmt::format("give one of {} and {}, not both: two files are two splits",
                                              keys("split"), keys("test-path")));
  }
  if (!source.classes.empty() && source.label.empty() && format != "folder") {
    throw Error(ErrorKind::usage, fmt::format("{} chooses documents by their labels, and there are none: give {}",
                                              keys("classes"), keys("label")));
  }
  if (source.empty != "drop" && source.empty != "keep" && source.empty != "refuse") {
    throw Error(ErrorKind::usage, fmt::format("{} = '{}' is not drop, keep or refuse", keys("empty"), source.empty));
  }
  if (source.minimum_count < 1) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} is not at least 1", keys("minimum-count"), source.minimum_count));
  }
}

std::unique_ptr<DocumentFile> open_documents(const Communicator& communicator, const DocumentSource& source,
                                             const std::string& path, const std::string& format) {
  if (format == "folder") return open_folder(communicator, path, source.folder_labels);
  return read_collectively(communicator, path, [&] {
    if (is_folder(path)) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: is a folder, which {} = {} is not", path, source.keys("format"), format));
    }
    if (format == "json") return open_json_array(source, path);
    if (format == "protein") return open_sequences(source, path);
    return format == "csv" ? open_csv_documents(source, path) : open_line_documents(source, path, format);
  });
}

// Collective.
ReadFiles open_files(const Communicator& communicator, const DocumentSource& source, const std::string& format) {
  ReadFiles read;
  read.files.push_back(open_documents(communicator, source, source.path, format));
  if (source.test_path.empty()) return read;
  read.files.push_back(open_documents(communicator, source, source.test_path, format));
  if (read.files[0]->has_labels() != read.files[1]->has_labels()) {
    const bool first = read.files[0]->has_labels();
    throw Error(ErrorKind::input,
                fmt::format("{}: the labels are missing: its files are in no sub-folders, as those "
                            "of {} do",
                            first ? source.test_path : source.path, first ? source.path : source.test_path));
  }
  return read;
}

// Collective.
void parse_files(const Communicator& communicator, const DocumentSource& source, ReadFiles& read,
                 DocumentParser& parser) {
  for (std::size_t file = 0; file < read.files.size(); ++file) {
    auto& blocks = read.blocks.emplace_back();
    if (!source.test_path.empty()) parser.set_split(file == 0 ? "train" : "test");
    const Index offset = static_cast<Index>(file) * ReadFiles::blocks_of_a_file;
    read.files[file]->for_each(
        communicator, [&](const DocumentText& document, Index line) { parser.add(document, line); },
        [&](Index block, Index lines) {
          blocks.push_back({block, lines});
          parser.end_block(offset + block);
        });
  }
}

void add_over_ranks(const Communicator& communicator, DocumentReport& report) {
  std::array<Index, 10> sums = {report.read,       report.other_classes, report.empty,      report.not_utf8,
                                report.words,      report.stop_words,    report.rare_words, report.words_without_vector,
                                report.kept_words, report.without_text};
  communicator.sum(std::span<Index>(sums));
  report.read = sums[0];
  report.other_classes = sums[1];
  report.empty = sums[2];
  report.not_utf8 = sums[3];
  report.words = sums[4];
  report.stop_words = sums[5];
  report.rare_words = sums[6];
  report.words_without_vector = sums[7];
  report.kept_words = sums[8];
  report.without_text = sums[9];
}

// Pieces learn how many documents come before theirs. Collective.
void count_documents(const Communicator& communicator, const DocumentParser& parser,
                     std::vector<DocumentPiece>& pieces) {
  Index total = 0;
  const std::vector<Index> first = first_rows(communicator, parser.blocks(), total);
  auto block = parser.blocks().begin();
  for (DocumentPiece& piece : pieces) {  // those of the blocks that have documents
    while (block->number != piece.block) ++block;
    piece.first_number = first[static_cast<std::size_t>(block - parser.blocks().begin())];
  }
}

// Of the first block that has some. Collective.
std::string first_words(const Communicator& communicator, const DocumentParser::FirstWords& own) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index mine = own.words.empty() ? none : own.block;
  const Index first = communicator.minimum(mine);
  const std::vector<char> words =
      communicator.all_gather(std::span<const char>(first != none && mine == first ? own.words : std::string()));
  return {words.begin(), words.end()};
}

// How many documents each label has, over all ranks. Memory: the different labels of each rank. Collective.
std::map<std::string, Index> count_classes(const Communicator& communicator, const DocumentSet& documents) {
  std::map<std::string, Index> own, all;
  for (const std::string& label : documents.labels()) ++own[label];
  std::vector<char> names;
  std::vector<Index> counts;
  for (const auto& [name, count] : own) {
    join_text(names, name);
    counts.push_back(count);
  }
  const std::vector<Index> of_names = communicator.all_gather(counts);
  const std::vector<std::string> all_names = separate_texts(communicator.all_gather(names));
  for (std::size_t k = 0; k < all_names.size(); ++k) all[all_names[k]] += of_names[k];
  return all;
}

// What tells a document from others: its bag, or its text if there are no bags. Local.
std::uint64_t document_hash(const DocumentSet& documents, std::size_t k) {
  const DocumentBags& bags = documents.bags();
  const auto part = [&](const auto& values, const std::vector<Index>& starts) {
    const auto begin = static_cast<std::size_t>(starts[k]);
    return std::as_bytes(std::span(values).subspan(begin, static_cast<std::size_t>(starts[k + 1]) - begin));
  };
  if (documents.vectors() == nullptr && documents.keeps_texts()) {
    return hash_bytes(part(bags.characters, bags.text_starts), 1);
  }
  return hash_bytes(part(bags.counts, bags.starts), hash_bytes(part(bags.words, bags.starts), 1));
}

// Each hash is counted by the rank that it says. Memory: 16 bytes a document. Collective.
Index different_documents(const Communicator& communicator, const DocumentSet& documents) {
  std::vector<std::vector<std::uint64_t>> hashes(static_cast<std::size_t>(communicator.size()));
  for (std::size_t k = 0; k < static_cast<std::size_t>(documents.bags().size()); ++k) {
    const std::uint64_t hash = document_hash(documents, k);
    hashes[hash % hashes.size()].push_back(hash);
  }
  std::vector<std::uint64_t> mine;
  for (const auto& part : communicator.exchange(hashes)) mine.insert(mine.end(), part.begin(), part.end());
  std::ranges::sort(mine);
  return communicator.sum(static_cast<Index>(std::unique(mine.begin(), mine.end()) - mine.begin()));
}

// A field that no object has is a mistake in its name. Collective.
void require_texts(const Communicator& communicator, const DocumentSource& source, const DocumentReport& own) {
  const Index read = communicator.sum(own.read), without = communicator.sum(own.without_text);
  if (without == 0 || without < read) return;
  throw Error(ErrorKind::input, fmt::format("{}: none of its {} objects has the {} ({})", source.path, read,
                                            own.text_source, source.keys("text")));
}

void require_documents(const DocumentSource& source, const DocumentReport& report) {
  if (report.empty > 0 && source.empty == "refuse") {
    throw Error(ErrorKind::input,
                fmt::format("{}: {} ({} such documents; {} = drop leaves them out, keep keeps them)",
                            report.first_empty.front(),
                            report.texts_alone ? "the text is empty" : "the text has no word with a vector",
                            report.empty, source.keys("empty")));
  }
}

// Those that were asked for and that no document has. Collective.
std::vector<std::string> absent_classes(const Communicator& communicator, const DocumentSource& source,
                                        const DocumentReport& own) {
  std::vector<Index> counts = own.of_class;
  communicator.sum(std::span<Index>(counts));
  std::vector<std::string> absent;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) absent.push_back(source.classes[c]);
  }
  if (source.classes.empty() || absent.size() < counts.size()) return absent;
  throw Error(ErrorKind::input,
              fmt::format("{}: none of its {} documents has a label of {} = {}", source.path,
                          communicator.sum(own.read), source.keys("classes"), joined(source.classes, ",")));
}

// Words numbered as in a list that every rank has. Local.
SharedWords listed_words(const Vocabulary& vocabulary, const std::vector<std::string>& list) {
  TextMap<std::int32_t> numbers;
  numbers.reserve(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) numbers.emplace(list[k], static_cast<std::int32_t>(k));
  SharedWords shared;
  shared.blank = static_cast<std::int32_t>(list.size());
  for (Index k = 0; k < vocabulary.size(); ++k) {
    const auto found = numbers.find(vocabulary.word(k));
    shared.numbers.push_back(found != numbers.end() ? found->second : SharedWords::without_vector);
  }
  return shared;
}

// What is known before words have numbers; counts are this rank's. Collective.
DocumentReport first_report(const Communicator& communicator, const DocumentSource& source, const ReadFiles& read,
                            const DocumentParser& parser) {
  DocumentReport report = parser.report();
  report.keeps_empty = source.empty == "keep";
  report.texts_alone = source.vectors.path.empty() && source.words == nullptr;
  report.text_source = read.files.front()->text_source();
  report.first_words = first_words(communicator, parser.first_words());
  require_texts(communicator, source, report);
  report.absent_classes = absent_classes(communicator, source, report);
  for (const std::string& name : name_places(communicator, read, parser.first_not_utf8().places(), 1)) {
    report.first_not_utf8 = name;
  }
  for (const auto& file : read.files) {
    for (const std::string& note : file->notes()) report.file_notes.push_back(note);
  }
  return report;
}

}  // namespace

std::unique_ptr<DocumentFile> open_document_file(const Communicator& communicator, const DocumentSource& source) {
  const std::string format = collectively(communicator, [&] {
    std::string resolved = document_format(source);
    check_keys(source, resolved);
    return resolved;
  });
  return open_documents(communicator, source, source.path, format);
}

ReadDocuments read_documents(const Communicator& communicator, const DocumentSource& source) {
  if (!source.generator.empty()) return {generate_documents(communicator, source), {.read = source.documents}};
  const std::string format = collectively(communicator, [&] {
    std::string resolved = document_format(source);
    check_keys(source, resolved);
    return resolved;
  });
  const bool vectors = !source.vectors.path.empty(), words = vectors || source.words != nullptr;
  ReadFiles read = open_files(communicator, source, format);
  DocumentTraits traits{.labels = !source.label.empty() || read.files.front()->has_labels(),
                        .splits = !source.split.empty() || !source.test_path.empty(),
                        .groups = !source.group.empty(),
                        .identifiers = !source.identifier.empty() || read.files.front()->has_identifiers(),
                        .texts = source.keep_texts || !words};
  auto parser = collectively(communicator, [&] {
    if (vectors) (void)word_vector_format(source.vectors);
    return std::make_unique<DocumentParser>(source, traits, words);
  });
  parse_files(communicator, source, read, *parser);

  ReadDocuments result;
  result.report = first_report(communicator, source, read, *parser);
  std::vector<DocumentPiece> pieces = parser->take_pieces();
  count_documents(communicator, *parser, pieces);
  SharedWords shared;
  if (vectors) {
    shared = share_words(communicator, parser->vocabulary(), source, [&](std::span<const std::int32_t> numbers) {
      return std::ranges::any_of(pieces, [&](const DocumentPiece& piece) { return has_empty(piece.bags, numbers); });
    });
  } else if (words) {
    shared = collectively(communicator, [&] { return listed_words(parser->vocabulary(), *source.words); });
  }
  parser.reset();
  Translation translation(shared, words, result.report);
  collectively(communicator, [&] {
    for (DocumentPiece& piece : pieces) translation.apply(piece);
  });
  add_over_ranks(communicator, result.report);
  result.report.vocabulary = shared.different;
  result.report.vocabulary_without_vector = shared.different_without_vector;
  result.report.repeated_vectors = shared.repeated_vectors;
  result.report.first_empty = name_places(communicator, read, translation.places(), Translation::most_places);
  require_documents(source, result.report);
  traits.numbers = result.report.other_classes > 0 || (result.report.empty > 0 && !result.report.keeps_empty);
  result.documents =
      assemble_documents(communicator, source.path, std::move(pieces), traits, std::move(shared.vectors));
  result.report.different = different_documents(communicator, *result.documents);
  if (read.files.front()->has_labels()) result.report.classes = count_classes(communicator, *result.documents);
  return result;
}

std::string document_format(const DocumentSource& source) {
  const std::string &path = source.path, &format = source.format;
  static const std::vector<std::string> known = {"tsv", "csv", "lines", "jsonl", "json", "folder", "protein"};
  if (!format.empty()) {
    if (std::find(known.begin(), known.end(), format) != known.end()) return format;
    throw Error(ErrorKind::usage,
                fmt::format("{}: '{}' is not known; there are {}", source.keys("format"), format, joined(known, ", ")));
  }
  if (is_folder(path)) return "folder";
  const std::string name = without_compression(path);
  if (name.ends_with(".tsv")) return "tsv";
  if (name.ends_with(".csv")) return "csv";
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return "jsonl";
  if (name.ends_with(".json")) return "json";
  std::error_code code;
  if (!std::filesystem::exists(path, code)) {
    throw Error(ErrorKind::input, fmt::format("cannot open {}: {}", path, std::strerror(ENOENT)));
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: the name does not tell the format; name it with {}: {} (lines: a text a line; a file that "
                  "is one text: put it in a folder, and name that)",
                  path, source.keys("format"), joined(known, ", ")));
}

std::string word_vector_format(const WordVectorSource& source) {
  static const std::vector<std::string> known = {"raw32", "npy", "text", "word2vec"};
  if (!source.format.empty()) {
    if (std::find(known.begin(), known.end(), source.format) != known.end()) return source.format;
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known; there are {}", source.keys("vectors-format"),
                                              source.format, joined(known, ", ")));
  }
  const std::string name = without_compression(source.path);
  for (const char* ending : {".f32le", ".f32", ".raw32"}) {
    if (name.ends_with(ending)) return "raw32";
  }
  if (name.ends_with(".npy")) return "npy";
  if (name.ends_with(".txt") || name.ends_with(".vec")) return "text";
  if (name.ends_with(".bin")) return "word2vec";
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: {}", source.path,
                                            source.keys("vectors-format"), joined(known, ", ")));
}

// glove.f32le.gz stands beside glove.words.txt.gz, or glove.words.txt.
std::string words_path(const WordVectorSource& source) {
  if (!source.words.empty()) return source.words;
  const std::string name = without_compression(source.path);
  const std::string compression = source.path.substr(name.size());
  const std::string stem = name.substr(0, name.rfind('.'));
  std::error_code none;
  for (const std::string& ending : {compression, std::string(), std::string(".gz"), std::string(".xz")}) {
    const std::string path = stem + ".words.txt" + ending;
    if (std::filesystem::exists(path, none)) return path;
  }
  if (!std::filesystem::exists(source.path, none)) {
    throw Error(ErrorKind::input, fmt::format("{}: {}", source.path, std::strerror(ENOENT)));
  }
  throw Error(ErrorKind::usage, fmt::format("{}: there is no {}.words.txt{} beside it; name the file of its words with "
                                            "{}",
                                            source.path, stem, compression, source.keys("words")));
}

}  // namespace cairn
