// The keys of [approximation].
#include "option_table.hpp"

namespace cairn::app {

namespace {

using enum ValueType;

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
      {"approximation.longest-document",
       "N",
       integer,
       "6",
       "wme: the most words of a random document; their number is landmarks.count.",
       {},
       1},
  };
}

// Keys of [approximation] that belong to biharmonic interpolation alone: how P is solved for.
std::vector<Option> interpolation_keys() {
  return {
      {"approximation.solver",
       "NAME",
       choice,
       "auto",
       "biharmonic: how the columns of P are solved for: direct (a factor of the whole operator), local (patches "
       "around the landmarks), iterative (conjugate gradients, where no factor fits), auto (chosen from the estimated "
       "cost and memory).",
       {"auto", "direct", "local", "iterative"}},
      {"approximation.preconditioner",
       "NAME",
       choice,
       "hypre",
       "biharmonic, solver iterative: the multigrid cycles that conjugate gradients are preconditioned by: hypre "
       "(BoomerAMG) or gamg (PETSc's own).",
       {"hypre", "gamg"}},
      {"approximation.soft-landmarks",
       "NUMBER",
       number,
       "",
       "biharmonic, solvers direct and iterative: P need not be 1 and 0 at the landmarks; the square of what it is off "
       "is minimized with this weight, above 0, along with what P minimizes. By default landmarks are hard.",
       {},
       0},
      {"approximation.operator",
       "NAME",
       choice,
       "auto",
       "biharmonic: the operator that P solves with: graph (edges of a graph or mesh), cotangent (of a mesh), "
       "neighbours (estimated from positions), file (that an earlier run wrote to output.operator); auto takes the one "
       "that the data have.",
       {"auto", "graph", "cotangent", "neighbours", "file"}},
      {"approximation.operator-path", "FILE", input_path, "",
       "biharmonic, operator file: the file, made of the same data."},
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
  };
}

// Keys of biharmonic interpolation: what is kept of P and W.
std::vector<Option> sparse_factor_keys() {
  return {
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
      {"approximation.reuse", "FILE", input_path, "",
       "biharmonic: take P and the landmarks of this result, which was made from the same data, and compute W alone, "
       "for another similarity."},
      {"approximation.normalize", "BOOL", flag, "false",
       "biharmonic: divide the rows of sparse P by their sums, which are 1 where all entries are kept."},
      {"approximation.transform",
       "NAME",
       choice,
       "none",
       "biharmonic: sqrt interpolates squared values and takes the root, which is 0 where they are below 0; of "
       "distances: similarities are refused.",
       {"none", "sqrt"}},
      {"approximation.joining-storage",
       "NAME",
       choice,
       "auto",
       "biharmonic: where W is kept while the program runs: memory, disk (a file without name in the folder of "
       "output.path), auto (disk where memory, or run.memory, has no room for it).",
       {"auto", "memory", "disk"}},
  };
}

}  // namespace

Section approximation_section() {
  Section section{
      "approximation",
      {
          {"approximation.method",
           "METHOD",
           choice,
           "",
           "The method; by default biharmonic for a graph or mesh, else nystrom.",
           {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal", "auto", "wme", "biharmonic"}},
          {"approximation.tolerance",
           "NUMBER",
           number,
           "",
           "Eigenvalues (singular values) of the joining matrix below this share of the largest are dropped; by "
           "default the method's own. biharmonic, solver local: values at the edge of a patch below this share of the "
           "landmark's own are left out; solver iterative: the residual, relative to the right-hand side; by default "
           "1e-9. Below 1.",
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
  for (Option& option : interpolation_keys()) section.options.push_back(std::move(option));
  for (Option& option : sparse_factor_keys()) section.options.push_back(std::move(option));
  return section;
}

}  // namespace cairn::app
