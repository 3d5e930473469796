#include "cairn/data/word_vectors/vector_parameters.hpp"

#include <fmt/format.h>

#include "cairn/parameters/units.hpp"

namespace cairn {

Parameter repeated_words_parameter() {
  return {.name = "repeated-words",
          .value = "NAME",
          .type = ValueType::choice,
          .fallback = "refuse",
          .help =
              "What becomes of a word in use that has several vectors: refuse, or first (its first vector in the file "
              "counts, and a warning says how many were left out).",
          .choices = {"refuse", "first"}};
}

std::string repeated_words_warning(Index count, const KeyNames& keys) {
  return fmt::format("{} vectors were left out: their words have one before them in the file ({} = first)",
                     grouped(count), keys("repeated-words"));
}

}  // namespace cairn
