// From settings to what the libraries take: sources, similarities, methods.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/methods.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/similarity/similarities.hpp"
#include "keys/key_names.hpp"

namespace cairn::app {

/// Sentences for help: for which objects a method or similarity of the table is the default. Local.
template <class Table>
[[nodiscard]] std::string defaults_help(const Table& table) {
  std::string text;
  for (const auto* descriptor : table) {
    for (const ObjectKind& objects : descriptor->default_for) {
      text += " The default for " + std::string(objects.name) + " is " + descriptor->name + ".";
    }
  }
  return text;
}

/// similarity.kind; by default the similarity that is the default for the objects of the data.
/// @throws Error(usage) if there is none.
[[nodiscard]] std::string similarity_kind(const Settings& settings);

/// approximation.method; by default the method that is the default for the objects of the data, or the first one.
[[nodiscard]] std::string method_name(const Settings& settings);

/// True if K is evaluated by whole rows, from one object to all: path lengths, geodesics, and what biharmonic
/// interpolation takes.
[[nodiscard]] bool by_source(const Settings& settings);

/// What is known of the problem before and after its data are read. @param landmarks  s1 @param objects  0: not yet
/// known
[[nodiscard]] ProblemShape problem_shape(const Settings& settings, Index objects = 0, Index landmarks = 0);

/// Rows of the matrix on which the error is measured (evaluation.rows), at most `objects`; by default the most that an
/// estimate takes where K comes by source and 0, which means pairs or nothing, elsewhere. @throws Error(usage) for a
/// value that is neither 'all' nor 0 nor an integer above 1
[[nodiscard]] Index evaluation_rows(const Settings& settings, Index objects);

/// The key that turns the estimate of the error off, "evaluation.pairs = 0"; empty: the error is measured.
[[nodiscard]] std::string no_estimate(const Settings& settings);

/// How far the estimate goes: a number that [evaluation] fixes, or evaluation.precision.
/// @param seconds  that it may take if no number is fixed
[[nodiscard]] EstimateEffort estimate_effort(const Settings& settings, Index objects, double seconds);

}  // namespace cairn::app
