// Keys of [data] that say how objects are generated.
#include "option_table.hpp"

namespace cairn::app {

std::vector<Parameter> generator_keys() {
  using enum ValueType;
  return {
      {"data.generate",
       "GENERATOR",
       choice,
       "",
       "Generate objects instead of reading a file: points (gaussian-mixture, swiss-roll, uniform, normal), a graph "
       "(grid), a mesh (sphere, torus, swiss-roll) or documents (zipf: 4 to 12 words each, the word of rank r with "
       "probability proportional to 1 / r).",
       {"gaussian-mixture", "swiss-roll", "uniform", "normal", "grid", "sphere", "torus", "zipf"}},
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
       "Coordinates of a point: of generated points, of a raw file, or the least number for LIBSVM; of a word's "
       "vector: "
       "in generated documents, or what the vectors that are read must have.",
       {},
       1},
      {"data.vocabulary", "N", integer, "20000", "Words of generated documents.", {}, 1},
      {"data.removed",
       "NUMBER",
       number,
       "0.2",
       "grid: the share of edges that are removed at random, below 1. Unless it is 0 the grid falls into pieces as a "
       "rule, and needs data.largest-component = true.",
       {},
       0},
      {"data.seed", "N", integer, "1", "Seed of the generated objects.", {}, 0},
  };
}

}  // namespace cairn::app
