#include "option_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "method_keys.hpp"
#include "similarity_keys.hpp"

namespace cairn::app {

namespace {

using enum ValueType;

// Keys of [data] for documents: where texts stand, how they become words, and what vectors the words have.
std::vector<Parameter> document_keys() {
  return {
      {"data.test-path", "FILE", input_path, "",
       "documents: a second file or folder of the same format, whose documents follow; those are of split test, the "
       "others of split train."},
      {"data.text", "COLUMN", text, "",
       "documents: the column of the texts by number from 1, or by name if the first line is a header (by default the "
       "last of two; with more columns it must be given), or the field of a JSON object (by default text), which may "
       "be "
       "a list of texts, null or absent."},
      {"data.split", "COLUMN", text, "", "documents: the column or field that names the split of each document."},
      {"data.classes", "NAME,NAME", text, "",
       "documents: read those with these labels alone; by default all documents are read."},
      {"data.tokens",
       "NAME",
       choice,
       "words",
       "documents: what a word is: words (runs of letters and digits), letters (runs of letters only), blanks "
       "(whatever "
       "is between blanks) or characters (each letter and each digit by itself, for Chinese and Japanese).",
       {"words", "letters", "blanks", "characters"}},
      {"data.lower-case", "BOOL", flag, "true", "documents: make capitals small before words are looked up."},
      {"data.stop-words", "FILE", input_path, "",
       "documents: words to leave out, one a line; each is cut as the texts are, and all its pieces are left out."},
      {"data.minimum-count",
       "N",
       integer,
       "1",
       "documents: leave out words that come less often in all documents together.",
       {},
       1},
      {"data.empty",
       "NAME",
       choice,
       "drop",
       "documents: what becomes of those without a single known word, or of texts of nothing but blanks where no "
       "vectors are given: drop (the first lines are named), keep (as one word whose vector is 0; texts as they are) "
       "or refuse.",
       {"drop", "keep", "refuse"}},
      {"data.keep-texts", "BOOL", flag, "false",
       "documents: keep the raw texts, too, those of the landmarks in the result; without data.vectors they always "
       "are."},
      {"data.vectors", "FILE", input_path, "",
       "documents: the word vectors; words without one are left out and counted. Without this key the documents are "
       "kept as texts."},
      {"data.words", "FILE", input_path, "",
       "documents: the words of vectors in raw32 or npy, one a line in the order of the rows; by default the file that "
       "has .words.txt in place of the ending of data.vectors. Other formats hold their words, and refuse this key."},
      {"data.vectors-format",
       "FORMAT",
       choice,
       "",
       "documents: raw32 (rows of float32), npy, text (GloVe, word2vec, fastText) or word2vec (its binary format); "
       "known from the name unless given.",
       {"raw32", "npy", "text", "word2vec"}},
  };
}

Section data_section() {
  Section section{
      "data",
      {
          {"data.kind",
           "KIND",
           choice,
           "points",
           "What the objects are; ids are numbers alone, which a scorer knows.",
           {"points", "matrix", "graph", "mesh", "documents", "ids"}},
          {"data.count", "N", integer, "", "ids: how many objects there are; their numbers begin with 0.", {}, 1},
          {"data.path", "FILE", input_path, "",
           "The file with the points, the matrix of similarities, the graph, the mesh or the documents; documents may "
           "also stand in a folder, one a file."},
          {"data.format",
           "FORMAT",
           choice,
           "",
           "Format of the file; known from its name unless given. Of a graph: edges (u v [length], as SNAP has it), gr "
           "(DIMACS), mtx (MatrixMarket), cedge (id u v length) or hdf5; of a mesh: obj, off, ply or gifti; of "
           "documents: tsv (columns between tabs), csv (columns between commas, fields perhaps in quotes), lines (one "
           "a "
           "line), jsonl (one JSON object a line), json (an array "
           "of objects) "
           "or folder (one a file; sub-folders are the labels); the others are for points and matrices.",
           {"csv",   "svm", "idx", "npy", "npz",   "raw32", "raw64", "hdf5",  "edges", "gr",    "mtx",
            "cedge", "obj", "off", "ply", "gifti", "tsv",   "lines", "jsonl", "json",  "folder"}},
          {"data.dataset", "NAME", text, "",
           "HDF5: the data set to read; by default the only two-dimensional one. npz: the array to read; by default "
           "the "
           "only one."},
          {"data.label", "COLUMN", text, "",
           "Labels: a column of a CSV file by name or number from 1, 'first' for LIBSVM, a label file (in a config "
           "relative to its folder, as data.path) for IDX; of documents: a column by number from 1, or by name where "
           "the first line is a "
           "header, or the field of a JSON object."},
          {"data.scaling",
           "SCALING",
           choice,
           "none",
           "How the coordinates are scaled before anything else.",
           {"none", "standard", "min-max", "unit-norm"}},
          {"data.weighted", "BOOL", flag, "true",
           "graph: take the lengths of edges from the file, where it has any; otherwise every edge has length 1."},
          {"data.largest-component", "BOOL", flag, "false",
           "graph, mesh: keep the largest connected component alone; otherwise several pieces of a graph are an error, "
           "and of a mesh where similarity.kind is geodesic."},
          {"data.drop-unused", "BOOL", flag, "false",
           "mesh: leave out vertices that belong to no triangle; otherwise they are an error."},
          {"data.drop-degenerate", "BOOL", flag, "false",
           "mesh: leave out triangles of zero area; otherwise they are an error where angles count: for the operator "
           "cotangent and for geodesics."},
      }};
  for (Parameter& option : column_keys()) section.options.push_back(std::move(option));
  for (Parameter& option : document_keys()) section.options.push_back(std::move(option));
  for (Parameter& option : generator_keys()) section.options.push_back(std::move(option));
  return section;
}

Section landmarks_section() {
  return {
      "landmarks",
      {
          {"landmarks.count",
           "N",
           integer,
           "",
           "Number of landmarks, s1: columns of the matrix that are evaluated; biharmonic evaluates only the s1 x s1 "
           "entries between them, optimal all entries.",
           {},
           1},
          {.name = "landmarks.fraction",
           .value = "NUMBER",
           .type = number,
           .help = "The same as a share of the objects, above 0, at most 1.",
           .highest = 1,
           .above = 0},
          {"landmarks.selection",
           "NAME",
           choice,
           "uniform",
           "How landmarks are chosen.",
           {"uniform", "farthest", "rpcholesky", "file"}},
          {"landmarks.path", "FILE", input_path, "",
           "selection file: row numbers from 0, one a line, or a Cairn result whose landmarks are taken."},
      }};
}

Section evaluation_section() {
  return {
      "evaluation",
      {
          {"evaluation.pairs",
           "N",
           integer,
           "",
           "Random pairs of objects off the diagonal on which the error is measured, a fixed number of them; by "
           "default "
           "as many as evaluation.precision asks for. Half of them are uniform, the others are drawn where the "
           "diagonal "
           "of a sample of objects shows errors; all are weighted accordingly. 0 measures no error.",
           {},
           0},
          {"evaluation.rows", "N", text, "",
           "Whole rows on which the error is measured instead: a number, or 'all' (then it is exact); 0 measures no "
           "error. Path lengths, geodesics and biharmonic are measured on rows, by default as many as "
           "evaluation.precision asks for."},
          {"evaluation.precision",
           "SHARE",
           number,
           "0.02",
           "The error is measured on more and more entries until its standard error is below this share of it, or a "
           "tenth of the run's time (half a second at least) is spent; evaluate has no limit of time.",
           {},
           0.0001,
           false,
           1.0},
      }};
}

Section run_section() {
  return {
      "run",
      {
          {"run.seed", "N", integer, "1", "Seed of every random draw but the generated points'.", {}, 0},
          {"run.threads",
           "N",
           integer,
           "1",
           "Threads of a rank; of no use to approximation.solver = iterative, whose work is done by ranks alone.",
           {},
           1,
           false,
           4096},
          {"run.precision", "NAME", choice, "double", "Precision of factors and tiles.", {"double", "single"}},
          {"run.memory", "SIZE", size, "",
           "Memory of a rank, as in 4GB; a run whose plan exceeds it is refused. evaluate, query, embed: a joining "
           "matrix in tiles that does not fit stays in the file; train: it is refused. By default there is no limit."},
          {"run.checkpoint", "FILE", output_path, "",
           "approximate: finished tiles are kept beside this file while the run goes on, for --restart after it was "
           "stopped or killed; a finished run removes them. SIGUSR1, SIGUSR2 and, but under mpirun, SIGTERM then stop "
           "the run at its next tile with exit code 75. By default nothing is kept."},
          {"run.checkpoint-interval", "TIME", duration, "10m",
           "run.checkpoint: how often what is finished is flushed to the disk (90s, 10m, 2h, H:MM:SS or D-HH:MM:SS; a "
           "plain number is "
           "seconds): that much is lost at most where the machine itself fails. A killed process loses a tile; 0 "
           "flushes every tile."},
          {"run.max-time", "TIME", duration, "",
           "run.checkpoint: the run stops itself, with exit code 75, before it has run so long (90s, 10m, 2h, H:MM:SS "
           "or D-HH:MM:SS; a "
           "plain number is seconds; 0: after one tile). By default it does not."},
          {"run.stall-timeout", "TIME", duration, "10m",
           "A rank that makes no progress for so long ends the run; 0 watches nothing."},
      }};
}

Section output_section() {
  Section section{
      "output",
      {{"output.path", "FILE", output_path, "", "The file that is written, relative to the working directory."},
       {"output.distances", "BOOL", flag, "false",
        fmt::format(
            "{}: also write the distances that the similarities were made of, for runs with similarity.reuse; as "
            "much as the evaluated columns again, in memory and in the file.",
            fmt::join(functions_of_distances(), ", "))}}};
  for (Parameter& key : method_output_keys()) section.options.push_back(std::move(key));
  return section;
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      data_section(),       similarity_section(), landmarks_section(), approximation_section(),
      evaluation_section(), run_section(),        output_section(),
  };
  return all;
}

std::vector<Parameter> keys_of(const std::vector<std::string>& names) {
  const auto named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Parameter> keys;
  for (const Section& section : sections()) {
    for (const Parameter& option : section.options) {
      if (named(section.name) || named(option.name)) keys.push_back(option);
    }
    if (section.name != "similarity" || !named(section.name)) continue;
    for (int part = 1; part <= largest_part; ++part) {
      const auto own = part_keys(part);
      keys.insert(keys.end(), own.begin(), own.end());
    }
  }
  return keys;
}

}  // namespace cairn::app
