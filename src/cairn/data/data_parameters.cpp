#include "cairn/data/data_parameters.hpp"

namespace cairn::data_parameters {

Parameter path(const std::string& help) {
  return {.name = "path", .value = "FILE", .type = ValueType::input_path, .help = help};
}

Parameter format(const std::vector<std::string>& formats, const std::string& help) {
  return {.name = "format",
          .value = "FORMAT",
          .type = ValueType::choice,
          .help = "Format of the file, known from its name unless given: " + help,
          .choices = formats};
}

Parameter dataset() {
  return {.name = "dataset",
          .value = "NAME",
          .type = ValueType::text,
          .help =
              "HDF5: the data set to read; by default the only two-dimensional one. npz: the array to read; by "
              "default the only one."};
}

Parameter largest_component(const std::string& help) {
  return {.name = "largest-component",
          .value = "BOOL",
          .type = ValueType::flag,
          .fallback = "false",
          .help = "Keep only the largest connected component; " + help};
}

Parameter generate(const std::vector<std::string>& generators, const std::string& help) {
  return {.name = "generate",
          .value = "GENERATOR",
          .type = ValueType::choice,
          .help = "Generate the objects instead of reading a file" + help,
          .choices = generators};
}

Parameter split(const std::string& where) {
  return {.name = "split",
          .value = "COLUMN",
          .help = "The split of each object: train and test are those that tasks train and test on. " + where};
}

Parameter group(const std::string& where) {
  return {.name = "group",
          .value = "COLUMN",
          .help =
              "The group of each object, within which classifiers rank: the thread of a comment, the query of a "
              "page. " +
              where};
}

Parameter identifier(const std::string& where) {
  return {.name = "id",
          .value = "COLUMN",
          .help = "What other programs call each object, for files of ranks (predict --format). " + where};
}

Parameter count(const std::string& help) {
  return {
      .name = "points", .value = "N", .type = ValueType::integer, .help = help, .lowest = 1, .highest = most_objects};
}

Parameter seed() {
  return {.name = "seed",
          .value = "N",
          .type = ValueType::integer,
          .fallback = "1",
          .help = "Seed of the generated objects.",
          .lowest = 0};
}

}  // namespace cairn::data_parameters
