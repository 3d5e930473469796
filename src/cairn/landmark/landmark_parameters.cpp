#include "cairn/landmark/landmark_parameters.hpp"

namespace cairn::landmark_parameters {

std::vector<Parameter> of_all_methods() {
  return {{.name = count,
           .value = "N",
           .type = ValueType::integer,
           .help = "Number of landmarks, s1: columns of the matrix that are evaluated; biharmonic evaluates only the "
                   "s1 x s1 entries between them, optimal all entries.",
           .lowest = 1},
          {.name = fraction,
           .value = "NUMBER",
           .type = ValueType::number,
           .help = "The same as a share of the objects, above 0, at most 1.",
           .highest = 1,
           .above = 0}};
}

std::vector<Parameter> of_selections() {
  return {{.name = selection,
           .value = "NAME",
           .type = ValueType::choice,
           .fallback = uniform,
           .help = "How landmarks are chosen.",
           .choices = {uniform, farthest, rpcholesky, file}},
          {.name = path,
           .value = "FILE",
           .type = ValueType::input_path,
           .help = "selection file: row numbers from 0, one per line, or a Cairn result whose landmarks are taken."}};
}

}  // namespace cairn::landmark_parameters
