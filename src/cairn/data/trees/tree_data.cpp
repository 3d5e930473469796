// The data kind "trees".
#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/trees/tree_arrays.hpp"
#include "cairn/data/trees/tree_reader.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

TreeSource source_of(const Values& values) {
  TreeSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.generator = values.text("generate");
  if (!source.generator.empty()) {
    source.trees = values.integer("points");
    source.vocabulary = values.integer("vocabulary");
    source.seed = static_cast<std::uint64_t>(values.integer("seed"));
    return source;
  }
  source.test_path = values.text("test-path");
  source.format = values.text("format");
  source.tree = values.text("tree");
  source.text = values.text("text");
  source.features = values.text("features");
  source.vectors = vector_source(values);
  source.vectors.dimension = values.integer_or("dimension", 0);
  return source;
}

std::vector<DataFact> facts_of(const TreeReport& report, Index trees, Index features) {
  return {{"trees",
           fmt::format("{} nodes, {:.3g} a tree, {} at most; at most {} levels; {} different labels{}",
                       grouped(report.nodes), static_cast<double>(report.nodes) / static_cast<double>(trees),
                       grouped(report.longest), grouped(report.deepest), grouped(report.labels),
                       features > 0 ? fmt::format("; {} features of each", grouped(features)) : std::string()),
           "nodes", report.nodes},
          {"", "", "largest", report.longest},
          {"", "", "levels", report.deepest},
          {"", "", "labels", report.labels},
          {"", "", "features", features},
          {"", "", "words", report.lexical},
          {"", "", "words_without_vector", report.without_vector}};
}

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const Values& values = input.values;
  TreeSource source = source_of(values);
  const KnownObjects* known = input.known;
  const auto* landmarks = known != nullptr ? dynamic_cast<const TreeBlock*>(known->landmarks.get()) : nullptr;
  if (landmarks != nullptr && known->new_objects && values.given("generate")) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: new objects of a result are read from a file",
                                              values.where("generate"), values.text("generate")));
  }
  if (landmarks != nullptr && !values.given("generate")) {
    source.known = landmarks->labels.get();
    if (source.known->vectors() != nullptr) {
      values.required("vectors");
    } else if (known->new_objects && values.given("vectors")) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} has no effect: the labels of the result have no vectors", values.where("vectors")));
    }
  }
  ReadTrees read = read_trees(communicator, source);
  Data<T> data;
  data.digest = data_digest(communicator, *read.trees) ^ labels_digest(*read.trees->tree_labels());
  data.facts_name = "trees";
  data.facts = facts_of(read.report, read.trees->size(), read.trees->numbers().columns);
  if (read.report.without_vector > 0) {
    data.notes.push_back(fmt::format("of {} different words of the labels {} have no vector",
                                     grouped(read.report.lexical), grouped(read.report.without_vector)));
  }
  if (read.report.repeated_vectors > 0) {
    data.warnings.push_back(repeated_words_warning(read.report.repeated_vectors, values.keys()));
  }
  data.objects = std::move(read.trees);
  return data;
}

std::vector<UnusedParameter> unused(const Values& values) {
  std::vector<UnusedParameter> all;
  if (values.given("vectors") || values.given("generate")) return all;
  for (const char* name : {"dimension", "words", "vectors-format", "repeated-words"}) {
    all.push_back({name, fmt::format("{} is not given", values.keys()("vectors"))});
  }
  return all;
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  using enum ValueType;
  std::vector<Parameter> all = {
      path("The file with the trees."),
      format({"kelp", "svm-light-tk", "penn", "conllu", "conll"},
             "kelp (a line is a label and fields as |BT:name| tree |ET|), svm-light-tk (a line is a label and trees "
             "between |BT| and |ET|), penn (trees in brackets over lines, or lines of a label, a tab and a tree), "
             "conllu (sentences of ten columns, or texts of those from # newdoc on) or conll (columns word, part of "
             "speech, chunk; a text from each '# id =' on)."),
      {"test-path", "FILE", input_path, "",
       "A second file of the same format, whose trees follow; they are of split test, the others of split train."},
      {"tree", "NAME", text, "",
       "Which tree of an object: its name (kelp), its number from 1 (svm-light-tk), which are needed if objects have "
       "several, or what is made of dependencies (conllu): grct, lct or loct."},
      {"text", "NAME", text, "",
       "The text that is kept with each tree: a string (kelp), or a comment, as text (conllu)."},
      {"features", "NAME", text, "none",
       "KeLP: the name of a vector |BV:NAME|, a bag of words, say, whose numbers similarities of points compare, in a "
       "sum with one of trees, say; all for the only one, or none."},
      {.name = "dimension",
       .value = "D",
       .type = integer,
       .help = "Coordinates that the vectors must have.",
       .lowest = 1,
       .highest = data_parameters::most_coordinates},
      generate({"dependencies"},
               ": trees of grammatical relations of 4 to 13 words, 12 to 39 nodes, the word of rank r with probability "
               "proportional to 1 / r."),
      count("Number of trees to generate."),
      {.name = "vocabulary",
       .value = "N",
       .type = integer,
       .fallback = "20000",
       .help = "Words of generated trees.",
       .lowest = 1,
       .highest = 1e8},
      seed(),
  };
  const std::string help = "Vectors of the words of lexical labels, LEX##word::p, for similarities that compare words.";
  for (Parameter& parameter : vector_parameters(help)) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

const DataKind& tree_data() {
  static const DataKind kind = {
      .name = "trees",
      .summary = "Trees whose nodes have labels, as parsers of sentences write them.",
      .subject = "trees are",
      .objects = objects::trees,
      .parameters = parameters(),
      .of_files = {"path", "format", "test-path", "tree", "text", "features", "vectors", "words", "vectors-format",
                   "repeated-words", "dimension"},
      .of_generators = {"points", "seed", "vocabulary"},
      .of_new_objects = {"path", "format", "test-path", "tree", "text", "vectors", "words", "vectors-format",
                         "repeated-words", "dimension"},
      .of_places = {"path", "format", "generate", "points", "seed", "test-path", "vectors", "words", "vectors-format",
                    "repeated-words"},
      .extendable = true,
      .check = [](const Values& values) { static_cast<void>(source_of(values)); },
      .unused = unused,
      .read_single = read<float>,
      .read_double = read<double>,
      .stored_single = read_tree_block,
      .stored_double = read_tree_block,
      .stored_common = read_common_labels,
  };
  return kind;
}

}  // namespace cairn
