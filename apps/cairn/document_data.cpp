#include "document_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/parameters/units.hpp"
#include "problem.hpp"

namespace cairn::app {

namespace {

const DocumentBlock* documents_of(const std::optional<FactorOrigin>& origin) {
  return origin ? dynamic_cast<const DocumentBlock*>(origin->objects.get()) : nullptr;
}

void require_vectors(const Settings& settings, const KnownDocuments& known) {
  if (settings.given("data.generate")) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {}: generated documents have words of their own, which those of the "
                            "result do not share",
                            settings.where("data.generate"), settings.text("data.generate")));
  }
  if (known.vectors != nullptr) {
    settings.required("data.vectors");
  } else if (settings.given("data.vectors")) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect: the documents of the result are texts without vectors",
                                              settings.where("data.vectors")));
  }
}

// Common function words and names aside, texts and vectors that belong together miss few words.
bool too_many_unknown(const DocumentReport& report) {
  constexpr double most = 0.2;
  return static_cast<double>(report.words_without_vector) > most * static_cast<double>(report.words);
}

std::string unknown_words(const DocumentReport& report) {
  return fmt::format("of {} words have no vector and were left out ({} of {} different words)", grouped(report.words),
                     grouped(report.vocabulary_without_vector), grouped(report.vocabulary));
}

}  // namespace

template <class T>
Data<T> load_documents(const Execution& execution, const Settings& settings, const KnownDocuments* known) {
  const Communicator& communicator = execution.communicator;
  DocumentSource source = document_source(settings);
  if (known != nullptr) {
    require_vectors(settings, *known);
    source.tokenization = known->tokenization;
    source.known = known->vectors;
    source.keep_texts = known->keep_texts;
  } else if (settings.knows("data.stop-words") && settings.given("data.stop-words")) {
    source.tokenization.stop_words = read_stop_words(communicator, settings.text("data.stop-words"));
  }
  ReadDocuments read = read_documents(communicator, source);
  Data<T> data;
  data.digest = data_digest(communicator, *read.documents);
  data.documents = read.documents.get();
  data.numbers = listed_numbers(communicator, data.documents->range(), read.documents->take_numbers());
  data.document_report = std::move(read.report);
  data.tokenization = std::move(source.tokenization);
  data.objects = std::move(read.documents);
  return data;
}

template <class T>
KnownDocuments known_documents(const Tokenization& tokenization, const Approximation<T>& approximation) {
  const DocumentBlock* landmarks = documents_of(approximation.left_origin);
  if (landmarks == nullptr) throw Error(ErrorKind::internal, "the landmarks of a result are no documents");
  return {tokenization, landmarks->vectors, !landmarks->texts.empty()};
}

template <class T>
void renumber_landmarks(const DocumentSet& documents, Approximation<T>& approximation) {
  for (auto* origin : {&approximation.left_origin, &approximation.right_origin}) {
    const DocumentBlock* landmarks = documents_of(*origin);
    if (landmarks != nullptr) (*origin)->objects = renumbered(*landmarks, documents.shared_vectors());
  }
}

std::vector<std::string> notes_of(const DocumentReport& report) {
  std::vector<std::string> notes;
  const auto add = [&](Index count, const std::string& sentence) {
    if (count > 0) notes.push_back(fmt::format("{} {}", grouped(count), sentence));
  };
  add(report.other_classes, "documents of other classes were left out");
  if (!report.absent_classes.empty()) {
    notes.push_back(fmt::format("no document has the label {} (data.classes)", fmt::join(report.absent_classes, ", ")));
  }
  const char* kept = report.texts_alone ? "kept" : "kept as a word whose vector is 0";
  add(report.empty,
      fmt::format("documents without {} were {}, the first at {}", report.texts_alone ? "content" : "a known word",
                  report.keeps_empty ? kept : "left out", fmt::join(report.first_empty, ", ")));
  add(report.not_utf8, "documents hold bytes that are not UTF-8; these separate words");
  add(report.stop_words, "stop words were left out");
  add(report.rare_words, "words that come too seldom were left out (data.minimum-count)");
  add(report.without_text, "objects have no text (their field is missing or null); their documents are empty");
  if (!too_many_unknown(report)) add(report.words_without_vector, unknown_words(report));
  return notes;
}

std::vector<std::string> warnings_of(const DocumentReport& report) {
  if (!too_many_unknown(report)) return {};
  const double share = static_cast<double>(report.words_without_vector) / static_cast<double>(report.words);
  return {
      fmt::format("{} {}, {:.0f} %: are the vectors those of the language of the texts, do they have capitals "
                  "(data.lower-case = false), and are words cut as theirs are (data.tokens; characters for Chinese "
                  "and Japanese)?",
                  grouped(report.words_without_vector), unknown_words(report), 100 * share)};
}

std::string document_lines(const DocumentReport& report, Index documents) {
  return fmt::format(
      "  documents                   {} of {} are different\n"
      "  texts                       {}; the first: {}\n",
      grouped(report.different), grouped(documents), report.text_source,
      report.first_words.empty() ? "nothing but blanks" : report.first_words);
}

nlohmann::ordered_json document_json(const DocumentReport& report) {
  return {{"different", report.different},
          {"text_source", report.text_source},
          {"first_words", report.first_words},
          {"words", report.words},
          {"words_without_vector", report.words_without_vector}};
}

#define CAIRN_INSTANTIATE(T)                                                                 \
  template Data<T> load_documents(const Execution&, const Settings&, const KnownDocuments*); \
  template KnownDocuments known_documents(const Tokenization&, const Approximation<T>&);     \
  template void renumber_landmarks(const DocumentSet&, Approximation<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app
