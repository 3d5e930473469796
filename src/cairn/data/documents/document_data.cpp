// The data kind "documents".
#include "cairn/data/documents/document_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/documents/document_arrays.hpp"
#include "cairn/data/documents/document_places.hpp"
#include "cairn/data/documents/tokenization_parameters.hpp"
#include "cairn/data/points/scaled_points.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// @throws Error(usage) if a class name is empty or a duplicate
std::vector<std::string> class_list(const Values& values) {
  std::vector<std::string> classes = comma_list(values.text("classes"));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool twice = std::ranges::count(classes, classes[c]) > 1;
    if (!classes[c].empty() && !twice) continue;
    throw Error(ErrorKind::usage, classes[c].empty()
                                      ? fmt::format("{} has an empty name between commas", values.where("classes"))
                                      : fmt::format("{} names '{}' twice", values.where("classes"), classes[c]));
  }
  return classes;
}

// Source of the documents, without stop words, which are read from a file.
DocumentSource source_of(const Values& values) {
  DocumentSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.generator = values.text("generate");
  if (!source.generator.empty()) {
    source.documents = values.integer("points");
    source.vocabulary = values.integer("vocabulary");
    values.required("dimension");
    source.dimension = values.integer("dimension");
    source.seed = static_cast<std::uint64_t>(values.integer("seed"));
    return source;
  }
  source.test_path = values.text("test-path");
  source.format = values.text("format");
  source.text = values.text("text");
  source.label = values.text("label");
  source.split = values.text("split");
  source.group = values.text("group");
  source.identifier = values.text("id");
  if (!values.text("classes").empty()) source.classes = class_list(values);
  source.vectors = vector_source(values);
  source.vectors.dimension = values.integer_or("dimension", 0);
  source.empty = values.text("empty");
  source.tokenization = tokenization_of(values);
  source.minimum_count = values.integer("minimum-count");
  source.keep_texts = values.flag("keep-texts");
  return source;
}

void require_vectors(const Values& values, const DocumentBlock& landmarks) {
  if (values.given("generate")) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {}: generated documents have words of their own, which those of the "
                            "result do not share",
                            values.where("generate"), values.text("generate")));
  }
  if (landmarks.vectors != nullptr) {
    values.required("vectors");
  } else if (values.given("vectors")) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect: the documents of the result are texts without vectors",
                                              values.where("vectors")));
  }
}

// For texts whose words are rows of a result.
void refuse_own_words(const Values& values) {
  for (const char* name : {"vectors", "words", "vectors-format", "repeated-words", "generate"}) {
    if (!values.given(name)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect: the words of texts are those of the result", values.where(name)));
  }
}

// Apart from common function words and proper names, few words lack a vector if vectors and texts match.
bool too_many_unknown(const DocumentReport& report) {
  constexpr double most = 0.2;
  return static_cast<double>(report.words_without_vector) > most * static_cast<double>(report.words);
}

std::string unknown_words(const DocumentReport& report) {
  if (report.vocabulary == 0) {  // for a result, whose words are looked up individually
    return fmt::format("of {} words are not among those of the result and were ignored", grouped(report.words));
  }
  return fmt::format("of {} words have no vector and were ignored ({} of {} different words)", grouped(report.words),
                     grouped(report.vocabulary_without_vector), grouped(report.vocabulary));
}

std::vector<std::string> notes_of(const DocumentReport& report, const Values& values) {
  std::vector<std::string> notes = report.file_notes;
  const auto add = [&](Index count, const std::string& sentence) {
    if (count > 0) notes.push_back(fmt::format("{} {}", grouped(count), sentence));
  };
  add(report.other_classes, "documents of other classes were ignored");
  if (!report.absent_classes.empty()) {
    notes.push_back(fmt::format("no document has the label {} ({})", joined(report.absent_classes, ", "),
                                values.keys()("classes")));
  }
  const char* kept = report.texts_alone ? "kept" : "kept as a word whose vector is 0";
  add(report.empty,
      fmt::format("documents without {} were {}, the first at {}", report.texts_alone ? "content" : "a known word",
                  report.keeps_empty ? kept : "ignored", joined(report.first_empty, ", ")));
  if (report.not_utf8 > 0) {
    notes.push_back(not_utf8_note(report.not_utf8, "document",
                                  report.texts_alone ? "each becomes U+FFFD" : "these separate words",
                                  report.first_not_utf8));
  }
  add(report.stop_words, "stop words were ignored");
  add(report.rare_words, fmt::format("words that are too rare were ignored ({})", values.keys()("minimum-count")));
  add(report.without_text, "objects have no text (their field is missing or null); their documents are empty");
  if (!too_many_unknown(report)) add(report.words_without_vector, unknown_words(report));
  return notes;
}

// Warns if so many words lack a vector that the vectors probably do not match the texts.
std::vector<std::string> warnings_of_unknown(const DocumentReport& report, const Values& values) {
  if (!too_many_unknown(report)) return {};
  const double share = static_cast<double>(report.words_without_vector) / static_cast<double>(report.words);
  if (report.vocabulary == 0) {
    return {fmt::format(
        "{} {}, {:.0f} %. Check that the texts are in the language of the corpus and are tokenized in the same way",
        grouped(report.words_without_vector), unknown_words(report), 100 * share)};
  }
  return {fmt::format(
      "{} {}, {:.0f} %: are the vectors those of the language of the texts, do they have capitals ({} = false), and "
      "are words cut as theirs are ({}; characters for Chinese and Japanese)?",
      grouped(report.words_without_vector), unknown_words(report), 100 * share, values.keys()("lower-case"),
      values.keys()("tokens"))};
}

std::vector<std::string> warnings_of(const DocumentReport& report, const Values& values) {
  std::vector<std::string> warnings = warnings_of_unknown(report, values);
  if (report.repeated_vectors > 0) {
    warnings.push_back(repeated_words_warning(report.repeated_vectors, values.keys()));
  }
  return warnings;
}

// The classes of a folder, listed so that a missing one is noticed.
DataFact class_fact(const std::map<std::string, Index>& classes) {
  constexpr std::size_t most = 12;
  std::vector<std::string> named;
  for (const auto& [name, count] : classes) {
    if (named.size() < most) named.push_back(fmt::format("{} {}", name, grouped(count)));
  }
  if (classes.size() > most) named.push_back(fmt::format("and {} more", grouped(std::ssize(classes) - most)));
  const char* only = classes.size() == 1 ? " (each folder in the first one is a class)" : "";
  return {"classes", fmt::format("{}: {}{}", grouped(std::ssize(classes)), joined(named, ", "), only), "classes",
          classes};
}

std::vector<DataFact> facts_of(const DocumentReport& report, Index documents) {
  if (report.text_source.empty()) return {};
  std::vector<DataFact> facts = {
      {"documents", fmt::format("{} of {} are different", grouped(report.different), grouped(documents)), "different",
       report.different},
      {"texts",
       fmt::format("{}; the first: {}", report.text_source,
                   report.first_words.empty() ? "nothing but blanks" : report.first_words),
       "text_source", report.text_source},
      {"", "", "first_words", report.first_words},
      {"", "", "words", report.words},
      {"", "", "words_without_vector", report.words_without_vector}};
  if (!report.classes.empty()) facts.insert(facts.begin() + 1, class_fact(report.classes));
  return facts;
}

// Word vectors are in single precision, whatever the precision of the run. Warns if that leaves few digits. Collective.
std::vector<std::string> warnings_of_vectors(const Communicator& communicator, const WordVectors& vectors,
                                             const std::string& path) {
  const MatrixView<const float> all = vectors.vectors();
  PointSet<float> points = collectively(communicator, [&] {
    RowBlock<float> own(RowPartition(all.rows, communicator.size()), communicator.rank(), all.columns);
    for (Index w = own.range().begin; w < own.range().end; ++w)
      std::copy_n(all.row(w), all.columns, own.row(w).begin());
    return PointSet<float>(std::move(own), communicator.rank(), {});
  });
  std::string lost = lost_digits(communicator, points, path, "subtract the mean of all vectors from each in the file");
  return lost.empty() ? std::vector<std::string>() : std::vector{std::move(lost)};
}

template <class T>
Data<T> read(const DataInput& input, DocumentSource source) {
  const Communicator& communicator = input.execution.communicator;
  const Values& values = input.values;
  const KnownObjects* known = input.known;
  const auto* landmarks = known != nullptr ? dynamic_cast<const DocumentBlock*>(known->landmarks.get()) : nullptr;
  if (known != nullptr && known->words != nullptr) {
    source.tokenization = known->tokenization.value_or(Tokenization());
    source.words = known->words;
  } else if (landmarks != nullptr) {
    require_vectors(values, *landmarks);
    source.tokenization = known->tokenization.value_or(Tokenization());
    source.known = landmarks->vectors;
    source.keep_texts = !landmarks->texts.empty();
  } else if (values.given("stop-words")) {
    source.tokenization.stop_words = read_stop_words(communicator, values.text("stop-words"));
  }
  ReadDocuments read = read_documents(communicator, source);
  Data<T> data;
  data.digest = data_digest(communicator, *read.documents);
  data.numbers = listed_numbers(communicator, read.documents->range(), read.documents->take_numbers());
  data.facts_name = "documents";
  data.facts = facts_of(read.report, read.documents->size());
  data.notes = notes_of(read.report, values);
  data.warnings = warnings_of(read.report, values);
  if (const WordVectors* vectors = read.documents->vectors(); vectors != nullptr && values.given("vectors")) {
    std::ranges::move(warnings_of_vectors(communicator, *vectors, values.text("vectors")),
                      std::back_inserter(data.warnings));
  }
  if (read.documents->vectors() != nullptr || source.words != nullptr) {
    data.tokenization = std::move(source.tokenization);
  }
  data.objects = std::move(read.documents);
  return data;
}

template <class T>
Data<T> read(const DataInput& input) {
  if (input.known != nullptr && input.known->words != nullptr) refuse_own_words(input.values);
  return read<T>(input, source_of(input.values));
}

bool vectors_hold_words(const Values& values) {
  const std::string format = word_vector_format(vector_source(values));
  return format == "text" || format == "word2vec";
}

// Tokenization parameters have no effect without vectors.
std::vector<UnusedParameter> unused(const Values& values) {
  if (values.given("generate")) return {};
  if (values.given("vectors")) {
    std::vector<UnusedParameter> none = unused_tokenization(values);
    if (values.given("words") && vectors_hold_words(values)) {
      none.push_back({"words", "the file of word vectors holds its words itself"});
    }
    return none;
  }
  std::vector<UnusedParameter> all;
  for (const char* name : {"dimension", "words", "vectors-format", "repeated-words", "tokens", "lower-case",
                           "kmer-length", "letters", "stop-words", "minimum-count", "keep-texts"}) {
    all.push_back({name, fmt::format("{} is not given: the documents are kept as texts", values.keys()("vectors"))});
  }
  return all;
}

// Parameters that select the texts and their treatment.
std::vector<Parameter> text_parameters() {
  using enum ValueType;
  return {
      {"test-path", "FILE", input_path, "",
       "A second file or folder of the same format, whose documents follow; those are of split test, the others of "
       "split train."},
      {"label", "COLUMN", text, "",
       "Labels: a column by number from 1, or by name if the first line is a header, or the field of a JSON object."},
      {"text", "COLUMN", text, "",
       "The column of the texts by number from 1, or by name if the first line is a header (by default the last of "
       "two; with more columns it must be given), or the field of a JSON object (by default text), which may be a list "
       "of texts, null or absent."},
      data_parameters::split("A column or field, as that of the labels."),
      data_parameters::group("A column or field, as that of the labels."),
      data_parameters::identifier("A column or field, as that of the labels."),
      {"classes", "NAME,NAME", text, "", "Read only those with these labels; by default all documents are read."},
      {.name = "empty",
       .value = "NAME",
       .type = choice,
       .fallback = "drop",
       .help = "What becomes of documents without a single known word, or of texts of nothing but blanks if no vectors "
               "are given: drop (the first lines are named), keep (as one word whose vector is 0; texts as they are) "
               "or refuse.",
       .choices = {"drop", "keep", "refuse"}},
      {"keep-texts", "BOOL", flag, "false",
       "Keep the raw texts, too, those of the landmarks in the result; without vectors they always are."},
  };
}

// Parameters that select words.
std::vector<Parameter> word_parameters() {
  using enum ValueType;
  return {
      {"stop-words", "FILE", input_path, "",
       "A file of words to leave out, one per line (no list ships: NLTK, for one, has some); each is cut as the texts "
       "are, and all its pieces are ignored."},
      {.name = "minimum-count",
       .value = "N",
       .type = integer,
       .fallback = "1",
       .help = "Leave out words that occur less often in all documents together.",
       .lowest = 1},
  };
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  std::vector<Parameter> all = {
      path("The file with the documents, or a folder, one document per file."),
      format({"tsv", "csv", "lines", "jsonl", "json", "folder", "protein"},
             "tsv (columns between tabs), csv (columns between commas, fields perhaps in quotes), lines (one per "
             "line), jsonl (one JSON object per line), json (an array of objects), folder (one per file; sub-folders "
             "are the labels) or protein (sequences: FASTA, one per line, or a table between commas whose column "
             "sequence has them).")};
  for (Parameter& parameter : text_parameters()) all.push_back(std::move(parameter));
  for (Parameter& parameter : tokenization_parameters()) all.push_back(std::move(parameter));
  for (Parameter& parameter : word_parameters()) all.push_back(std::move(parameter));
  const std::string help =
      "The word vectors; words without one are ignored and counted. Without this key the documents are kept as texts.";
  for (Parameter& parameter : vector_parameters(help)) all.push_back(std::move(parameter));
  all.push_back(generate({"zipf"}, ": 4 to 12 words each, the word of rank r with probability proportional to 1 / r."));
  all.push_back(count("Number of documents to generate."));
  all.push_back({.name = "dimension",
                 .value = "D",
                 .type = ValueType::integer,
                 .help = "Coordinates of a word's vector: of generated ones, or what the vectors that are read must "
                         "have.",
                 .lowest = 1,
                 .highest = data_parameters::most_coordinates});
  all.push_back({.name = "vocabulary",
                 .value = "N",
                 .type = ValueType::integer,
                 .fallback = "20000",
                 .help = "Words of generated documents.",
                 .lowest = 1,
                 .highest = 1e9});
  all.push_back(seed());
  return all;
}

}  // namespace

template <class T>
Data<T> data_of(const DataInput& input, GivenTexts texts) {
  DocumentSource source = source_of(input.values);
  source.path = "the texts";
  const bool labelled = input.execution.communicator.maximum(std::ssize(texts.labels)) > 0;
  if (labelled) source.label = "labels";  // on ranks without texts, too
  source.given = std::make_shared<const GivenTexts>(std::move(texts));
  return read<T>(input, std::move(source));
}
template Data<float> data_of(const DataInput&, GivenTexts);
template Data<double> data_of(const DataInput&, GivenTexts);

const DataKind& document_data() {
  static const DataKind kind = {
      .name = "documents",
      .summary = "Texts, as bags of words with vectors, or as they are.",
      .subject = "documents are",
      .objects = objects::documents,
      .parameters = parameters(),
      .of_files = {"path",          "format",        "label",      "test-path",   "text",
                   "split",         "group",         "id",         "classes",     "empty",
                   "keep-texts",    "tokens",        "lower-case", "kmer-length", "letters",
                   "stop-words",    "minimum-count", "vectors",    "words",       "vectors-format",
                   "repeated-words"},
      .of_generators = {"points", "seed", "vocabulary"},
      .of_new_objects = {"path", "format", "label", "generate", "points", "dimension", "seed", "test-path", "text",
                         "split", "group", "id", "classes", "empty", "vectors", "words", "vectors-format",
                         "repeated-words"},
      .of_places = {"path", "format", "label", "generate", "points", "dimension", "seed", "test-path", "vectors",
                    "vectors-format", "words", "repeated-words", "stop-words"},
      .extendable = true,
      .check = [](const Values& values) { static_cast<void>(source_of(values)); },
      .unused = unused,
      .read_single = read<float>,
      .read_double = read<double>,
      .stored_single = read_document_block,
      .stored_double = read_document_block,
      .stored_common = read_common_words,
      .drawn_landmarks = true,
  };
  return kind;
}

}  // namespace cairn
