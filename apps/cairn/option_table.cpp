#include "option_table.hpp"

#include <algorithm>

namespace cairn::app {

namespace {

using enum ValueType;

// Keys of [data] that say how objects are generated.
std::vector<Option> generator_keys() {
  return {
      {"data.generate",
       "GENERATOR",
       choice,
       "",
       "Generate objects instead of reading a file: points (gaussian-mixture, swiss-roll, uniform, normal), a graph "
       "(grid) or a mesh (sphere, torus, swiss-roll).",
       {"gaussian-mixture", "swiss-roll", "uniform", "normal", "grid", "sphere", "torus"}},
      {"data.points",
       "N",
       integer,
       "",
       "Number of objects to generate; graphs and meshes have as many as their form allows, at most this.",
       {},
       1},
      {"data.dimension",
       "D",
       integer,
       "",
       "Coordinates of a point: of generated points, of a raw file, or the least number for LIBSVM.",
       {},
       1},
      {"data.removed", "NUMBER", number, "0.2", "grid: the share of edges that are removed at random, below 1.", {}, 0},
      {"data.seed", "N", integer, "1", "Seed of the generated objects.", {}, 0},
  };
}

Section data_section() {
  Section section{
      "data",
      {
          {"data.kind", "KIND", choice, "points", "What the objects are.", {"points", "matrix", "graph", "mesh"}},
          {"data.path", "FILE", input_path, "",
           "The file with the points, the matrix of similarities, the graph or the mesh."},
          {"data.format",
           "FORMAT",
           choice,
           "",
           "Format of the file; known from its name unless given. Of a graph: edges (u v [length], as SNAP has it), gr "
           "(DIMACS), mtx (MatrixMarket), cedge (id u v length) or hdf5; of a mesh: obj, off, ply or gifti; the others "
           "are for points and matrices.",
           {"csv", "svm", "idx", "npy", "raw32", "raw64", "hdf5", "edges", "gr", "mtx", "cedge", "obj", "off", "ply",
            "gifti"}},
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
          {"data.weighted", "BOOL", flag, "true",
           "graph: take the lengths of edges from the file, where it has any; otherwise every edge has length 1."},
          {"data.largest-component", "BOOL", flag, "false",
           "graph, mesh: keep the largest connected component alone; otherwise several pieces are an error."},
          {"data.drop-unused", "BOOL", flag, "false",
           "mesh: leave out vertices that belong to no triangle; otherwise they are an error."},
          {"data.drop-degenerate", "BOOL", flag, "false",
           "mesh: leave out triangles of zero area; otherwise they are an error."},
      }};
  for (Option& option : generator_keys()) section.options.push_back(std::move(option));
  return section;
}

std::vector<std::string> all_similarities() {
  std::vector<std::string> kinds = elementary_similarities();
  kinds.insert(kinds.end(), {"sum", "product", "path-length", "geodesic"});
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
  section.options.push_back({"similarity.kind", "KIND", choice, "",
                             "The similarity or distance of two objects; by default matrix where the data are one, and "
                             "path-length where they are a graph, geodesic where they are a mesh.",
                             all_similarities()});
  for (Option& option : similarity_keys("similarity.")) section.options.push_back(std::move(option));
  section.options.push_back(
      {"similarity.parts", "KIND,KIND", text, "",
       "sum, product: the kinds of the parts, with commas; the keys of part 1 are similarity.1.gamma "
       "and so on (section [similarity.1] of a config)."});
  section.options.push_back(
      {"similarity.search",
       "NAME",
       choice,
       "auto",
       "path-length: how paths are searched; all are exact. By default a hierarchy on graphs like "
       "roads, else breadth-first where all edges have length 1, dijkstra where not.",
       {"auto", "hierarchy", "breadth-first", "dijkstra"}});
  section.options.push_back({"similarity.time-factor",
                             "NUMBER",
                             number,
                             "1",
                             "geodesic: the time step of the heat method, in squares of the mean edge length.",
                             {},
                             0});
  section.options.push_back({"similarity.boundary",
                             "NAME",
                             choice,
                             "average",
                             "geodesic, of a surface with boundary: average (of heat that no boundary stops and heat "
                             "that it swallows) or neumann (the first alone).",
                             {"average", "neumann"}});
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

// Keys of [approximation] that belong to biharmonic interpolation alone.
std::vector<Option> biharmonic_keys() {
  return {
      {"approximation.solver",
       "NAME",
       choice,
       "auto",
       "biharmonic: how the columns of P are solved for: direct (a factor of the whole operator), local (patches "
       "around "
       "the landmarks), auto (chosen from the estimated cost).",
       {"auto", "direct", "local"}},
      {"approximation.operator",
       "NAME",
       choice,
       "auto",
       "biharmonic: the operator that P solves with: graph (edges), cotangent (of a mesh), neighbours (estimated from "
       "positions); auto takes the one that the data have.",
       {"auto", "graph", "cotangent", "neighbours"}},
      {"approximation.neighbours",
       "T",
       integer,
       "20",
       "biharmonic, operator neighbours: nearest neighbours of a point.",
       {},
       1},
      {"approximation.perplexity",
       "NUMBER",
       number,
       "20",
       "biharmonic, operator neighbours: perplexity of a point's weights, above 1, at most the neighbours.",
       {},
       1},
      {"approximation.p-row",
       "N",
       integer,
       "50",
       "biharmonic: nonzeros that are kept in a row of P, on average; the number of landmarks or more keeps all.",
       {},
       1},
      {"approximation.sparsity",
       "NAME",
       choice,
       "columns",
       "biharmonic: keep the largest entries of every column of P, or of every row.",
       {"columns", "rows"}},
      {"approximation.normalize", "BOOL", flag, "false",
       "biharmonic: divide the rows of sparse P by their sums, which are 1 where all entries are kept."},
      {"approximation.transform",
       "NAME",
       choice,
       "none",
       "biharmonic: sqrt interpolates squared values and takes the root.",
       {"none", "sqrt"}},
  };
}

Section approximation_section() {
  Section section{
      "approximation",
      {
          {"approximation.method",
           "METHOD",
           choice,
           "",
           "The method; by default biharmonic for a graph or mesh, else nystrom.",
           {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal", "auto", "biharmonic"}},
          {"approximation.tolerance",
           "NUMBER",
           number,
           "",
           "Eigenvalues (singular values) of the joining matrix below this share of the largest are dropped; by "
           "default the method's own. biharmonic, solver local: values at the edge of a patch below this share of the "
           "landmark's own are left out, by default 1e-6.",
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
  for (Option& option : biharmonic_keys()) section.options.push_back(std::move(option));
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
           "and 0.5 % of the evaluations, at most 1,000,000. Half of them are uniform, the others are drawn where the "
           "diagonal, which is compared as a whole, shows errors; all are weighted accordingly.",
           {},
           2},
          {"evaluation.rows", "N", text, "",
           "Whole rows on which the error is measured instead: a number, or 'all' (then it is exact). biharmonic is "
           "measured on rows, 1000 by default."},
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
