// The data kind "words of a corpus".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/corpus/corpus_generator.hpp"
#include "cairn/data/corpus/corpus_text.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/corpus/pair_estimate.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/document_places.hpp"
#include "cairn/data/documents/kmers.hpp"
#include "cairn/data/documents/tokenization_parameters.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/data/documents/vocabulary.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

namespace {

// Reads the texts of a corpus and cuts them into words.

// The texts of this rank as word numbers, and statistics of reading them.
struct ReadCorpus {
  CorpusText text;
  CorpusWords words;
  CorpusCounts counts;
  Index stop_words = 0;                 ///< number of stop words left out
  Index not_utf8 = 0;                   ///< number of texts with bytes that are not UTF-8
  std::string first_not_utf8;           ///< place of the first of those texts
  std::string source;                   ///< source of the texts, for messages
  std::vector<std::string> file_notes;  ///< sentences that describe what was not read
  std::optional<Tokenization> tokenization;
};

// Source of the texts, without stop words, which are read from a file.
DocumentSource source_of(const Values& values) {
  DocumentSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.format = values.text("format");
  source.text = values.text("text");
  source.folder_labels = false;
  source.tokenization = tokenization_of(values);
  source.tokenization.strips_markup = values.text("markup") == "strip";
  return source;
}

// Cuts texts into words in order of appearance. Local.
class TextCutter {
 public:
  explicit TextCutter(const DocumentSource& source)
      : tokenizer_(source.tokenization, source.keys),
        keys_(source.keys),
        kmers_(source.tokenization.pieces == "k-mers" ? std::optional(source.tokenization.kmers) : std::nullopt) {
    text_.batches.clear();
  }

  void add(std::string_view text, Index line) {
    ++read_;
    if (kmers_) return add_sequence(text);
    const bool sound = tokenizer_.cut(text, [&](std::string_view word) { text_.tokens.push_back(met_.add(word)); });
    if (!sound) {
      ++not_utf8_;
      first_not_utf8_.meet(line);
    }
    end_text();
  }

  // Ends a block of the current file, which holds all texts added since the last call.
  void end_block(Index block) {
    text_.batches.push_back({batches_before_ + block, std::exchange(next_batch_, text_.texts())});
    blocks_ = std::max(blocks_, block + 1);
    first_not_utf8_.end_block(files_ * ReadFiles::blocks_of_a_file + block);
  }
  // Collective.
  void end_file(const Communicator& communicator) {
    batches_before_ += communicator.maximum(std::exchange(blocks_, 0));
    ++files_;
  }
  [[nodiscard]] const FirstPlace& first_not_utf8() const { return first_not_utf8_; }

  // Collective.
  ReadCorpus finish(const Communicator& communicator, const VocabularyLimits& limits) {
    ReadCorpus read;
    text_.all_batches = batches_before_;
    read.text = std::move(text_);
    read.words = agree_on_vocabulary(communicator, met_, limits, read.text, read.counts);
    read.counts.texts = communicator.sum(read_);
    read.stop_words = communicator.sum(tokenizer_.stop_words_met());
    read.not_utf8 = communicator.sum(not_utf8_);
    return read;
  }

 private:
  // A sequence becomes k texts of k-mers that do not overlap. The first begins at the first letter, the second at the
  // second letter, and so on.
  void add_sequence(std::string_view text) {
    const auto length = static_cast<std::size_t>(kmers_->length);
    for (const std::string& run : kmer_runs(text, *kmers_, keys_)) {
      for (std::size_t phase = 0; phase < length; ++phase) {
        for (std::size_t at = phase; at + length <= run.size(); at += length) {
          text_.tokens.push_back(met_.add(std::string_view(run).substr(at, length)));
        }
        end_text();
      }
    }
  }
  void end_text() { text_.starts.push_back(std::ssize(text_.tokens)); }

  Tokenizer tokenizer_;
  KeyNames keys_;
  std::optional<KmerRules> kmers_;
  Vocabulary met_;
  CorpusText text_;
  Index read_ = 0, not_utf8_ = 0;
  Index blocks_ = 0, batches_before_ = 0;  // of the current file, and of those before it
  Index next_batch_ = 0;                   // first text of the next batch
  Index files_ = 0;                        // number of files before the current one
  FirstPlace first_not_utf8_;
};

// Vocabulary limits given by the parameters. Local.
VocabularyLimits limits_of(const Values& values) {
  return {values.integer("minimum-count"), values.integer_or("vocabulary-size", 0)};
}

// Reads the files `path` and `more`, each rank its part of them. @throws Error(usage), Error(input) as
// open_document_file, DocumentFile::for_each and read_stop_words. Collective.
ReadCorpus read_texts(const Communicator& communicator, const Values& values) {
  DocumentSource source = source_of(values);
  if (values.given("stop-words")) {
    source.tokenization.stop_words = read_stop_words(communicator, values.text("stop-words"));
  }
  auto cutter = collectively(communicator, [&] { return TextCutter(source); });
  std::string texts;
  ReadFiles files;
  for (const std::string& path : {values.text("path"), values.text("more")}) {
    if (path.empty()) continue;
    source.path = path;
    const auto& file = files.files.emplace_back(open_document_file(communicator, source));
    auto& blocks = files.blocks.emplace_back();
    file->for_each(
        communicator, [&](const DocumentText& document, Index line) { cutter.add(document.text, line); },
        [&](Index block, Index lines) {
          cutter.end_block(block);
          blocks.push_back({block, lines});
          Watchdog::beat();
        });
    cutter.end_file(communicator);
    texts += texts.empty() ? file->text_source() : fmt::format("; {}: {}", path, file->text_source());
  }
  ReadCorpus read = cutter.finish(communicator, limits_of(values));
  read.source = texts;
  for (const std::string& name : name_places(communicator, files, cutter.first_not_utf8().places(), 1)) {
    read.first_not_utf8 = name;
  }
  for (const auto& file : files.files) {
    for (const std::string& note : file->notes()) read.file_notes.push_back(note);
  }
  read.tokenization = std::move(source.tokenization);
  return read;
}

Counting counting_of(const Values& values) {
  return {values.text("counts"), values.integer("window"), values.flag("harmonic")};
}

void check(const Values& values) {
  const Counting counting = counting_of(values);
  if (counting.harmonic && counting.what != "pairs") {
    values.refuse("harmonic",
                  fmt::format("weighs pairs by their distance and needs {} = pairs", values.keys()("counts")));
  }
  if (values.given("generate")) {
    for (const char* name : {"points", "text-tokens", "total-tokens"}) values.required(name);
  }
}

ReadCorpus generate(const Communicator& communicator, const Values& values) {
  const ZipfCorpus corpus{values.integer("points"), values.integer("total-tokens"), values.integer("text-tokens"),
                          static_cast<std::uint64_t>(values.integer("seed"))};
  ReadCorpus read;
  read.words = generate_corpus(communicator, corpus, limits_of(values), read.text, read.counts);
  return read;
}

void require_words(const ReadCorpus& read, const Values& values) {
  if (read.words.size() >= 2) return;
  const std::string where = values.given("path") ? values.text("path") : values.where("generate");
  throw Error(ErrorKind::input,
              fmt::format("{}: of {} different words in {} texts, {} occur at least {} times; {} needs at least 2 "
                          "words (try a smaller {})",
                          where, read.counts.different, read.counts.texts, read.words.size(),
                          values.integer("minimum-count"), "a vocabulary", values.keys()("minimum-count")));
}

bool subsamples(const Values& values) { return values.number("subsampling") > 0; }

// Expected size of generated texts.
std::optional<DataSize> size_of(const Values& values) {
  if (!values.given("generate")) return std::nullopt;
  const Index words = values.integer("points"), tokens = values.integer("total-tokens");
  double harmonic = 0;
  for (Index r = words; r >= 1; --r) harmonic += 1.0 / static_cast<double>(r);
  const VocabularyLimits limits = limits_of(values);
  std::vector<Index> frequencies;
  for (Index r = 1; r <= words; ++r) {
    const Index times = std::llround(static_cast<double>(tokens) / (static_cast<double>(r) * harmonic));
    const bool full = limits.size > 0 && std::ssize(frequencies) == limits.size;
    if (times < limits.minimum_count || full) break;
    frequencies.push_back(times);
  }
  if (subsamples(values)) {
    const Index kept = std::accumulate(frequencies.begin(), frequencies.end(), Index{0});
    for (Index& times : frequencies) {
      times = std::llround(static_cast<double>(times) * kept_share(values.number("subsampling"), times, kept));
    }
  }
  DataSize size{.objects = std::ssize(frequencies), .row_texts = 1};
  const Index length = values.integer("text-tokens");
  set_corpus_size(size, frequencies, (tokens + length - 1) / length, length, counting_of(values));
  return size;
}

std::vector<DataFact> facts_of(const ReadCorpus& read, const Values& values) {
  const CorpusCounts& counts = read.counts;
  std::vector<DataFact> facts;
  if (!read.source.empty()) facts.push_back({"texts", read.source, "text_source", read.source});
  facts.push_back({"corpus",
                   fmt::format("{} texts, {} tokens, {} different", grouped(counts.texts), grouped(counts.tokens),
                               grouped(counts.different)),
                   "texts", counts.texts});
  facts.push_back({"vocabulary",
                   fmt::format("{} words, {} tokens; from '{}' ({} times) to '{}' ({})", grouped(read.words.size()),
                               grouped(counts.kept), read.words.words.front(), grouped(read.words.counts.front()),
                               read.words.words.back(), grouped(read.words.counts.back())),
                   "vocabulary", read.words.size()});
  facts.push_back({"counted",
                   values.text("counts") == "windows"
                       ? fmt::format("windows of {} tokens that hold both words", values.integer("window"))
                       : fmt::format("pairs at most {} tokens apart{}", values.integer("window"),
                                     values.flag("harmonic") ? ", by the inverse of their distance" : ""),
                   "counts", values.text("counts")});
  facts.push_back({"", "", "window", values.integer("window")});
  facts.push_back({"", "", "tokens", counts.tokens});
  facts.push_back({"", "", "vocabulary_tokens", counts.kept});
  facts.push_back({"", "", "different_words", counts.different});
  if (subsamples(values)) {
    facts.push_back({"subsampled", fmt::format("{} tokens are left", grouped(counts.kept - counts.dropped)),
                     "dropped_tokens", counts.dropped});
  }
  return facts;
}

std::vector<std::string> notes_of(const ReadCorpus& read, const Values& values) {
  std::vector<std::string> notes = read.file_notes;
  const CorpusCounts& counts = read.counts;
  const auto add = [&](Index count, const std::string& sentence) {
    if (count > 0) notes.push_back(fmt::format("{} {}", grouped(count), sentence));
  };
  add(read.stop_words, "stop words were ignored");
  add(counts.tokens - counts.kept,
      fmt::format("tokens of {} words that are not in the vocabulary were left out before windows were cut ({}{})",
                  grouped(counts.different - read.words.size()), values.keys()("minimum-count"),
                  values.given("vocabulary-size") ? ", " + values.keys()("vocabulary-size") : ""));
  add(counts.empty, "texts have no word of the vocabulary");
  if (read.not_utf8 > 0)
    notes.push_back(not_utf8_note(read.not_utf8, "text", "these separate words", read.first_not_utf8));
  return notes;
}

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  ReadCorpus read =
      input.values.given("generate") ? generate(communicator, input.values) : read_texts(communicator, input.values);
  collectively(communicator, [&] { require_words(read, input.values); });
  if (subsamples(input.values)) {
    subsample(communicator, read.words, input.values.number("subsampling"), read.text, read.counts);
  }
  Data<T> data;
  data.tokenization = std::move(read.tokenization);
  data.digest = corpus_digest(communicator, read.words, read.text);
  data.facts_name = "corpus";
  data.facts = facts_of(read, input.values);
  data.notes = notes_of(read, input.values);
  data.objects =
      std::make_unique<WordSet>(communicator, std::move(read.words), std::move(read.text), counting_of(input.values));
  return data;
}

std::vector<Parameter> text_parameters() {
  using enum ValueType;
  return {
      {"text", "COLUMN", text, "",
       "The column of the texts by number from 1, or by name if the first line is a header (by default the last of "
       "two; with more columns it must be given), or the field of a JSON object (by default text)."},
      {.name = "markup",
       .value = "NAME",
       .type = choice,
       .fallback = "keep",
       .help = "Tags of HTML and XML in the texts (<br />): keep (their letters are words) or strip.",
       .choices = {"keep", "strip"}},
      {"stop-words", "FILE", input_path, "",
       "A file of words to leave out before windows are cut, one per line (no list ships: NLTK, for one, has some); "
       "each is cut as the texts are. subsampling thins frequent words without a list."},
      {.name = "minimum-count",
       .value = "N",
       .type = integer,
       .fallback = "5",
       .help = "Words that occur less often in all texts together are left out before windows are cut.",
       .lowest = 1},
      {.name = "vocabulary-size",
       .value = "N",
       .type = integer,
       .help = "Keep only the N most frequent words; by default all that occur often enough.",
       .lowest = 2,
       .highest = 2147483647},
      {.name = "subsampling",
       .value = "SHARE",
       .type = number,
       .fallback = "0",
       .help = "Tokens of words whose share f of all tokens exceeds this are left out at random before windows are "
               "cut, with "
               "probability 1 - sqrt(subsampling / f), as in word2vec (1e-5 to 1e-3); 0 leaves none out.",
       .lowest = 0,
       .highest = 1},
  };
}

std::vector<Parameter> count_parameters() {
  using enum ValueType;
  return {
      {.name = "counts",
       .value = "NAME",
       .type = choice,
       .fallback = "windows",
       .help =
           "What counts as an occurrence of two words together: windows (of window consecutive tokens of a text that "
           "hold both, however often; the diagonal: a word twice or more) or pairs (of places at most window tokens "
           "apart, each once).",
       .choices = {"windows", "pairs"}},
      {.name = "window",
       .value = "N",
       .type = integer,
       .fallback = "10",
       .help = "Tokens of a window, or the largest distance of a pair.",
       .lowest = 2,
       .highest = static_cast<double>(most_window)},
      {"harmonic", "BOOL", flag, "false", "pairs: one at distance d counts 1 / d, as in GloVe."},
  };
}

std::vector<Parameter> generator_parameters() {
  using enum ValueType;
  return {
      data_parameters::generate({"zipf"}, ": the word of rank r with probability proportional to 1 / r."),
      data_parameters::count("Words that texts are generated from; those that come too rarely are left out."),
      {.name = "total-tokens",
       .value = "N",
       .type = integer,
       .help = "Tokens to generate.",
       .lowest = 1,
       .highest = 1e15},
      {.name = "text-tokens",
       .value = "N",
       .type = integer,
       .fallback = "500",
       .help = "Tokens of a generated text.",
       .lowest = 1,
       .highest = 1e9},
      data_parameters::seed(),
  };
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  std::vector<Parameter> all = {
      path("The file with the texts, or a folder, one text per file."),
      format({"tsv", "csv", "lines", "jsonl", "json", "folder", "protein"},
             "tsv (columns between tabs), csv (columns between commas, fields perhaps in quotes), lines (one text per "
             "line), jsonl (one JSON object per line), json (an array of objects), folder (one per file) or protein "
             "(sequences: FASTA, one per line, or a table between commas whose column sequence has them)."),
      {"more", "FILE", ValueType::input_path, "",
       "A second file or folder of texts; it may have another format if the names tell them."}};
  for (const auto& more : {text_parameters(), tokenization_parameters(), count_parameters(), generator_parameters()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

const DataKind& corpus_data() {
  static const DataKind kind = {
      .name = "corpus",
      .summary = "The words of texts, and how often they occur together.",
      .subject = "texts are",
      .objects = objects::words,
      .parameters = parameters(),
      .of_files = {"path", "more", "format", "text", "markup", "tokens", "lower-case", "kmer-length", "letters",
                   "stop-words"},
      .of_generators = {"points", "total-tokens", "text-tokens", "seed"},
      .of_places = {"path", "more", "format", "stop-words", "generate", "points", "total-tokens", "text-tokens",
                    "seed"},
      .extended_by = "documents",
      .check = check,
      .unused =
          [](const Values& values) {
            return values.given("generate") ? std::vector<UnusedParameter>() : unused_tokenization(values);
          },
      .size = size_of,
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn
