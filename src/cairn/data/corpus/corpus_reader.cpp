#include "cairn/data/corpus/corpus_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/document_places.hpp"
#include "cairn/data/documents/kmers.hpp"
#include "cairn/data/documents/tokenization_parameters.hpp"
#include "cairn/data/documents/vocabulary.hpp"

namespace cairn {

namespace {

// Where texts come from, but for stop words, which are in a file.
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

// Cuts texts into words as they come. Local.
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

  // What was added since the last call is a block of the file in hand.
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
  // A sequence is k texts of k-mers that do not overlap: those that begin at the first letter, at the second, ... of
  // it.
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
  Index blocks_ = 0, batches_before_ = 0;  // of the file in hand, and of those before it
  Index next_batch_ = 0;                   // its first text
  Index files_ = 0;                        // before the one in hand
  FirstPlace first_not_utf8_;
};

}  // namespace

VocabularyLimits limits_of(const Values& values) {
  return {values.integer("minimum-count"), values.integer_or("vocabulary-size", 0)};
}

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

}  // namespace cairn
