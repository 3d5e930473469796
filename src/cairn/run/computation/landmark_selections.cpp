#include "cairn/run/computation/landmark_selections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/base/error.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/store/files/landmark_file.hpp"

namespace cairn {

namespace {

// One line per selection.
std::vector<const LandmarkSelection*>& table() {
  static std::vector<const LandmarkSelection*> all = {
      &uniform_selection(),  &farthest_selection(), &rpcholesky_selection(), &frequency_selection(),
      &coreness_selection(), &file_selection(),     &by_list_selection()};
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const LandmarkSelection* selection : table()) all.push_back(selection->name);
  return all;
}

}  // namespace

const std::vector<const LandmarkSelection*>& landmark_selections() { return table(); }

const LandmarkSelection& landmark_selection_named(const std::string& name) {
  const auto found = std::ranges::find(table(), name, &LandmarkSelection::name);
  if (found != table().end()) return **found;
  throw Error(ErrorKind::usage,
              fmt::format("no selection of landmarks is called '{}'{}", name, suggestion(name, names())));
}

void add_landmark_selection(const LandmarkSelection& selection) {
  if (contains(names(), selection.name)) {
    throw Error(ErrorKind::usage, fmt::format("there is a selection of landmarks called '{}'", selection.name));
  }
  table().push_back(&selection);
}

std::vector<Parameter> landmark_count_parameters() {
  return {{.name = landmark_names::count,
           .value = "N",
           .type = ValueType::integer,
           .help = "Number of landmarks, s1: columns of the matrix that are evaluated; methods that take whole rows "
                   "evaluate only the s1 x s1 entries between them, optimal all entries.",
           .lowest = 1},
          {.name = landmark_names::fraction,
           .value = "NUMBER",
           .type = ValueType::number,
           .help = "The same as a share of the objects, above 0, at most 1.",
           .highest = 1,
           .above = 0}};
}

std::vector<Parameter> landmark_error_parameters() {
  return {
      {.name = landmark_names::error,
       .value = "SHARE",
       .type = ValueType::number,
       .help = "The relative error of the result: as many landmarks are taken as it needs, at most their number if that "
               "is given. It is certified for nystrom and similarities that are positive "
               "semidefinite by construction, and for Euclidean distances; elsewhere it is estimated.",
       .above = 0,
       .below = 1},
      {.name = landmark_names::confidence,
       .value = "SHARE",
       .type = ValueType::number,
       .fallback = "0.99",
       .help =
           "The probability with which that error holds if it is certified; an estimate takes four standard errors.",
       .above = 0,
       .below = 1},
      {.name = landmark_names::require_error,
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help = "End with exit code 6 if that error is not reached; the best result so far is written all the same."}};
}

Parameter landmark_selection_parameter() {
  std::string defaults;
  for (const MethodDescriptor* method : methods()) {
    if (method->default_selection.empty()) continue;
    for (const ObjectKind& objects : method->default_for) {
      defaults +=
          fmt::format(" The default of {} for {} is {}.", method->name, objects.name, method->default_selection);
    }
  }
  return {.name = landmark_names::selection,
          .value = "NAME",
          .type = ValueType::choice,
          .fallback = names().front(),
          .help = "How landmarks are chosen; 'cairn help selection NAME' describes one." + defaults,
          .choices = names()};
}

std::vector<Parameter> landmark_parameters() {
  std::vector<Parameter> all = landmark_count_parameters();
  all.push_back(landmark_selection_parameter());
  for (Parameter& parameter : landmark_error_parameters()) all.push_back(std::move(parameter));
  for (const LandmarkSelection* selection : table()) {
    for (const Parameter& own : selection->parameters) {
      if (std::ranges::find(all, own.name, &Parameter::name) == all.end()) all.push_back(own);
    }
  }
  return all;
}

}  // namespace cairn
