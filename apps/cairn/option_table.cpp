#include "option_table.hpp"

#include <algorithm>

namespace cairn::app {

namespace {

using enum ValueType;

Section data_section() {
  return {
      "data",
      {
          {"data.kind", "KIND", choice, "points", "What the objects are.", {"points", "matrix"}},
          {"data.path", "FILE", input_path, "", "The file with the points, or with the matrix of similarities."},
          {"data.format",
           "FORMAT",
           choice,
           "",
           "Format of the file; known from its name unless given.",
           {"csv", "svm", "idx", "npy", "raw32", "raw64", "hdf5"}},
          {"data.dataset", "NAME", text, "", "HDF5: the data set to read; by default the only two-dimensional one."},
          {"data.label", "COLUMN", text, "",
           "Labels: a column of a CSV file by name or number from 1, 'first' for LIBSVM, a label file (relative to the "
           "working directory) for IDX."},
          {"data.scaling",
           "SCALING",
           choice,
           "none",
           "How the coordinates are scaled before anything else.",
           {"none", "standard", "min-max", "unit-norm"}},
          {"data.generate",
           "GENERATOR",
           choice,
           "",
           "Generate points instead of reading a file.",
           {"gaussian-mixture", "swiss-roll", "uniform", "normal"}},
          {"data.points", "N", integer, "", "Number of points to generate.", {}, 1},
          {"data.dimension",
           "D",
           integer,
           "",
           "Coordinates of a point: of generated points, of a raw file, or the least number for LIBSVM.",
           {},
           1},
          {"data.seed", "N", integer, "1", "Seed of the generated points.", {}, 0},
      }};
}

std::vector<std::string> with_compositions(std::vector<std::string> kinds) {
  kinds.insert(kinds.end(), {"sum", "product"});
  return kinds;
}

// The keys of one similarity; `prefix` is "similarity." or "similarity.N.".
std::vector<Option> similarity_keys(const std::string& prefix) {
  return {
      {prefix + "gamma", "NUMBER", text, "scale",
       "rbf, laplacian, polynomial, sigmoid: a number >= 0, 'median' (1 / the median squared distance of 1000 points) "
       "or "
       "'scale' (1 / (dimension x variance))."},
      {prefix + "degree", "NUMBER", number, "3", "polynomial: the exponent."},
      {prefix + "coef0", "NUMBER", number, "1", "polynomial, sigmoid: the constant that is added."},
      {prefix + "nu", "NUMBER", choice, "1.5", "matern: the smoothness.", {"0.5", "1.5", "2.5"}},
      {prefix + "length-scale", "NUMBER", number, "1", "matern: the length, in units of the scaled data."},
      {prefix + "sigma", "NUMBER", number, "1", "noise: the standard deviation off the diagonal.", {}, 0},
      {prefix + "sigma-diagonal",
       "NUMBER",
       number,
       "",
       "noise: the standard deviation on the diagonal; by default sigma times the square root of 2.",
       {},
       0},
      {prefix + "seed", "N", integer, "", "noise: its seed; by default run.seed.", {}, 0},
      {prefix + "path", "FILE", input_path, "", "matrix: the file; by default data.path where data.kind is matrix."},
      {prefix + "format",
       "FORMAT",
       choice,
       "",
       "matrix: its format; known from its name unless given.",
       {"npy", "raw32", "raw64", "hdf5"}},
      {prefix + "dataset", "NAME", text, "", "matrix, HDF5: the data set; by default the only two-dimensional one."},
      {prefix + "symmetrize", "BOOL", flag, "false",
       "matrix: average both directions; costs two evaluations an entry."},
  };
}

Section similarity_section() {
  Section section{"similarity", {}};
  section.options.push_back({"similarity.kind", "KIND", choice, "", "The similarity of two objects.",
                             with_compositions(elementary_similarities())});
  for (Option& option : similarity_keys("similarity.")) section.options.push_back(std::move(option));
  section.options.push_back(
      {"similarity.parts", "KIND,KIND", text, "",
       "sum, product: the kinds of the parts, with commas; the keys of part 1 are similarity.1.gamma "
       "and so on (section [similarity.1] of a config)."});
  section.options.push_back(
      {"similarity.weights", "W,W", text, "", "sum: a weight for each part, with commas; by default all are 1."});
  return section;
}

Section landmarks_section() {
  return {"landmarks",
          {
              {"landmarks.count",
               "N",
               integer,
               "",
               "Number of landmarks, s1: columns of the matrix that are evaluated.",
               {},
               1},
              {"landmarks.fraction", "NUMBER", number, "", "The same as a share of the objects, above 0, at most 1."},
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

// Keys of [approximation] that belong to some methods alone.
std::vector<Option> keys_of_some_methods() {
  return {
      {"approximation.s2",
       "N",
       integer,
       "",
       "Size of the second sample; by default 2 s1 for sms-nystrom and sicur, s1 for skeleton and stacur.",
       {},
       1},
      {"approximation.alpha",
       "NUMBER",
       number,
       "1.5",
       "sms-nystrom, auto: the shift is -alpha times the least eigenvalue.",
       {},
       0},
      {"approximation.shift", "NAME", choice, "joining", "sms-nystrom: what is shifted.", {"joining", "both"}},
      {"approximation.rescale", "BOOL", flag, "false", "sms-nystrom: rescale the shifted joining matrix."},
      {"approximation.samples",
       "NAME",
       choice,
       "same",
       "stacur: whether both samples are the same.",
       {"same", "different"}},
      {"approximation.rank", "N", integer, "", "optimal: the rank that is kept; by default landmarks.count.", {}, 1},
      {"approximation.budget",
       "N",
       integer,
       "",
       "auto: evaluations that each method may take; by default the number of objects times landmarks.count.",
       {},
       1},
  };
}

Section approximation_section() {
  Section section{
      "approximation",
      {
          {"approximation.method",
           "METHOD",
           choice,
           "nystrom",
           "The method.",
           {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal", "auto"}},
          {"approximation.tolerance",
           "NUMBER",
           number,
           "",
           "Eigenvalues (singular values) of the joining matrix below this share of the largest are dropped; by "
           "default "
           "the method's own.",
           {},
           0},
          {"approximation.spectrum",
           "NAME",
           choice,
           "all",
           "nystrom, sms-nystrom: which eigenvalues of the joining matrix are kept.",
           {"all", "positive"}},
          {"approximation.embedding", "BOOL", flag, "false", "Return factors as embeddings, with signs between them."},
          {"approximation.symmetrize-result", "BOOL", flag, "false",
           "Let the mean of the approximation and its transpose stand for the matrix."},
      }};
  for (Option& option : keys_of_some_methods()) section.options.push_back(std::move(option));
  return section;
}

Section evaluation_section() {
  return {
      "evaluation",
      {
          {"evaluation.pairs",
           "N",
           integer,
           "",
           "Random pairs of objects off the diagonal on which the error is measured; by default the larger of 10,000 "
           "and 0.5 % of the evaluations, at most 1,000,000.",
           {},
           2},
          {"evaluation.rows", "N", text, "",
           "Whole rows on which the error is measured instead: a number, or 'all' (then it is exact)."},
      }};
}

Section run_section() {
  return {"run",
          {
              {"run.seed", "N", integer, "1", "Seed of every random draw but the generated points'.", {}, 0},
              {"run.threads", "N", integer, "1", "Threads of a rank.", {}, 1, false, 4096},
              {"run.precision", "NAME", choice, "double", "Precision of factors and tiles.", {"double", "single"}},
              {"run.memory", "SIZE", size, "",
               "Memory of a rank, as in 4GB; a run whose plan exceeds it is refused. By default there is no limit."},
              {"run.stall-timeout", "TIME", duration, "10m",
               "A rank that makes no progress for so long ends the run; 0 watches nothing."},
          }};
}

}  // namespace

const std::vector<std::string>& elementary_similarities() {
  static const std::vector<std::string> kinds = {"rbf",     "laplacian", "polynomial", "linear", "cosine",
                                                 "sigmoid", "matern",    "euclidean",  "matrix", "noise"};
  return kinds;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      data_section(),
      similarity_section(),
      landmarks_section(),
      approximation_section(),
      evaluation_section(),
      run_section(),
      {"output",
       {{"output.path", "FILE", output_path, "", "The file that is written, relative to the working directory."}}},
  };
  return all;
}

std::vector<Option> keys_of(const std::vector<std::string>& names) {
  const auto named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Option> keys;
  for (const Section& section : sections()) {
    for (const Option& option : section.options) {
      if (named(section.name) || named(option.name)) keys.push_back(option);
    }
    if (section.name != "similarity" || !named(section.name)) continue;
    for (int part = 1; part <= largest_part; ++part) {
      const auto own = similarity_keys("similarity." + std::to_string(part) + ".");
      keys.insert(keys.end(), own.begin(), own.end());
    }
  }
  return keys;
}

}  // namespace cairn::app
