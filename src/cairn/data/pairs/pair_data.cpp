// Pairs of texts as a kind of data.
#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/pairs/pair_reader.hpp"
#include "cairn/data/trees/tree_labels.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

std::vector<std::string> list_of(const Values& values, const char* name) {
  std::vector<std::string> list;
  if (values.text(name).empty()) return list;
  for (std::string& one : comma_list(values.text(name))) {
    if (one.empty()) values.refuse(name, "has an empty name between commas");
    list.push_back(std::move(one));
  }
  return list;
}

PairSource source_of(const Values& values) {
  return {.path = values.required("path"),
          .test_path = values.text("test-path"),
          .format = values.text("format"),
          .subtask = values.text("subtask"),
          .positive = list_of(values, "positive"),
          .trees = values.text("trees"),
          .test_trees = values.text("test-trees"),
          .stop_words = values.text("stop-words"),
          .relations = values.flag("relations"),
          .tree = list_of(values, "tree"),
          .features = values.text("features"),
          .group = values.text("group"),
          .id = values.text("id"),
          .feature_path = values.text("feature-path"),
          .vectors = vector_source(values),
          .keys = values.keys()};
}

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  PairSource source = source_of(input.values);
  if (input.known != nullptr) {
    const auto* landmarks = dynamic_cast<const PairBlock*>(input.known->landmarks.get());
    if (landmarks != nullptr) {
      take_form(*landmarks->form, source);
      if (!landmarks->left.empty()) source.known = dynamic_cast<const TreeBlock&>(*landmarks->left[0]).labels;
    }
    if (!input.known->points.scaling.shift.empty()) source.scaling = &input.known->points.scaling;
  }
  ReadPairs read = read_pairs<T>(communicator, source);
  const PairReport& report = read.report;
  Data<T> data;
  const auto labels = read.pairs->tree_labels();
  data.digest = data_digest(communicator, *read.pairs);
  if (labels != nullptr) data.digest = mix_bits(data.digest ^ labels_digest(*labels));
  data.scaling = read.scaling;
  data.facts_name = "pairs";
  const auto features = static_cast<Index>(read.pairs->form().features.size());
  data.facts = {{"pairs",
                 fmt::format("{} features of each; trees of {} nodes in all, {} different labels", grouped(features),
                             grouped(report.nodes), grouped(report.labels)),
                 "nodes", report.nodes},
                {"", "", "labels", report.labels},
                {"", "", "features", read.pairs->form().features}};
  if (report.skipped > 0) {
    data.notes.push_back(fmt::format("{} threads were left out, which the subtask skips", grouped(report.skipped)));
  }
  if (report.repeated_vectors > 0) {
    data.warnings.push_back(repeated_words_warning(report.repeated_vectors, input.values.keys()));
  }
  data.objects = std::move(read.pairs);
  return data;
}

// stop-words affects only marks and features; vectors affects only features and labels.
std::vector<UnusedParameter> unused(const Values& values) {
  std::vector<UnusedParameter> none;
  if (pair_format(source_of(values)) == "kelp") {
    const std::string why = fmt::format("{} is kelp", values.keys()("format"));
    none.push_back({"relations", why});
  } else {
    for (const char* name : {"group", "id"}) {
      none.push_back({name, fmt::format("{} is semeval: texts have ids", values.keys()("format"))});
    }
  }
  if (!values.given("vectors")) {
    const std::string why = fmt::format("{} is not given", values.keys()("vectors"));
    none.push_back({"words", why});
    none.push_back({"vectors-format", why});
    none.push_back({"repeated-words", why});
  }
  if (values.given("feature-path")) {
    none.push_back({"features", fmt::format("{} has the features", values.keys()("feature-path"))});
  }
  return none;
}

std::vector<Parameter> parameters() {
  using enum ValueType;
  using namespace data_parameters;
  std::vector<Parameter> all = {
      path("The file with the pairs."),
      format({"semeval", "kelp"},
             "semeval (XML of SemEval 2016, task 3) or kelp (lines label |<| fields |,| fields |>| fields)."),
      {"test-path", "FILE", input_path, "",
       "A second file of the same format, whose pairs follow; those are of split test, the others of split train."},
      {.name = "subtask",
       .value = "NAME",
       .type = choice,
       .help =
           "SemEval: A (a question and each comment in its thread), B (an original question and each related one) or "
           "C (an original question and each comment on a related one).",
       .choices = {"A", "B", "C"}},
      {"positive", "NAME,NAME", text, "",
       "Labels that become true, all others false: Good, or PerfectMatch,Relevant. By default labels stay as they "
       "are."},
      {"trees", "FILE", input_path, "",
       "SemEval: tokens, parts of speech and chunks of all texts (columns of CoNLL-2000; '# id =' before each text), "
       "of "
       "which trees and features are made."},
      {"test-trees", "FILE", input_path, "", "The same of the texts of the second file."},
      {"stop-words", "FILE", input_path, "",
       "SemEval: words, one per line, that are no relation between texts, and that half of the features leave out; by "
       "default none."},
      {"relations", "BOOL", flag, "true",
       "SemEval: put REL- in front of parts of speech of words that both texts have, and of chunks that hold one."},
      {"tree", "NAME,NAME", text, "",
       "KeLP: names of the trees that both sides have; by default the only one. Similarities choose one of them."},
      {"features", "NAME", text, "all",
       "SemEval: all (36 similarities of both texts and 21 features of the right one) or none. KeLP: the name of a "
       "vector "
       "|BV:NAME| behind the pair, all for the only one, or none."},
      {"group", "NAME", text, "",
       "KeLP: the name of a string |BS:NAME| that is the group of the pair: behind it or, if there is none, in its "
       "left "
       "side."},
      {"id", "NAME", text, "",
       "KeLP: the name of a string |BS:NAME| that identifies the pair: behind it or, if there is none, in its right "
       "side."},
      {"feature-path", "FILE", input_path, "",
       "A file of points with a row of numbers for each pair, which are the features instead."},
  };
  const std::string help =
      "Vectors of words, for the features that compare mean vectors (0 without) and for similarities of words.";
  for (Parameter& parameter : vector_parameters(help)) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

const DataKind& pair_data() {
  static const DataKind kind = {
      .name = "pairs",
      .summary = "Pairs of texts, as trees of both and numbers that belong to the pair: questions and comments.",
      .subject = "pairs are",
      .objects = objects::pairs,
      .parameters = parameters(),
      .of_new_objects = {"path", "test-path", "format", "positive", "trees", "test-trees", "group", "id",
                         "feature-path", "vectors", "words", "vectors-format", "repeated-words"},
      .of_places = {"path", "test-path", "trees", "test-trees", "stop-words", "feature-path", "vectors", "words"},
      .extendable = true,
      .check = [](const Values& values) { static_cast<void>(source_of(values)); },
      .unused = unused,
      .read_single = read<float>,
      .read_double = read<double>,
      .stored_single = read_pair_block<float>,
      .stored_double = read_pair_block<double>,
      .stored_common = read_common_pairs,
  };
  return kind;
}

}  // namespace cairn
