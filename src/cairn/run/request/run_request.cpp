#include "cairn/run/request/run_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/parameters/merged_parameters.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/points/point_differences.hpp"

namespace cairn {

namespace {

template <class Which>
std::vector<std::string> names_of_similarities(Which which) {
  std::vector<std::string> names;
  for (const SimilarityDescriptor* similarity : similarities()) {
    if (which(*similarity)) names.push_back(similarity->name);
  }
  return names;
}

template <class Descriptors>
void append_outputs(const Descriptors& descriptors, std::vector<Parameter>& all) {
  std::vector<ParameterOwner> owners;
  for (const auto* descriptor : descriptors) owners.push_back({descriptor->name, &descriptor->output});
  for (Parameter& parameter : merged_parameters("", owners)) all.push_back(std::move(parameter));
}

}  // namespace

std::vector<Parameter> estimate_parameters(const KeyNames& keys) {
  using enum ValueType;
  const std::string precision = keys("precision");
  return {
      {.name = "pairs",
       .value = "N",
       .type = integer,
       .help = fmt::format(
           "Random pairs of objects off the diagonal on which the error is measured, a fixed number of them; by "
           "default as many as {} asks for, but no more than a tenth of the entries that the left factor has. A third "
           "of them is uniform; the others are drawn where the factors have large rows and where the diagonal shows "
           "errors, and are weighted accordingly. 0 measures no error.",
           precision),
       .lowest = 0},
      {.name = "rows",
       .value = "N",
       .help = fmt::format(
           "Whole rows on which the error is measured instead: a number, or 'all' (then it is exact); 0 measures no "
           "error. Path lengths, geodesics and biharmonic are measured on rows, by default as many as {} asks for, but "
           "no more than 64 or a tenth of the number of landmarks.",
           precision)},
      {.name = "precision",
       .value = "SHARE",
       .type = number,
       .fallback = "0.02",
       .help = fmt::format("The error is measured on more and more entries until its standard error is below this "
                           "share of it, or {} are spent. If one of both is given, a tenth of the entries of the left "
                           "factor is no limit.",
                           keys("seconds")),
       .lowest = 0.0001,
       .highest = 1.0},
      {.name = "seconds",
       .value = "SECONDS",
       .type = number,
       .help = fmt::format(
           "The error is measured on no more entries if twice as many would take longer than this, also if {} is not "
           "reached; by default there is no such limit. The first entries (4,096 pairs, or 64 rows) are compared in "
           "any case.",
           precision),
       .lowest = 0.0},
  };
}

std::vector<Parameter> reuse_parameters(const KeyNames& keys) {
  return {{.name = "reuse",
           .value = "FILE",
           .type = ValueType::input_path,
           .help = fmt::format(
               "{}: a result of the same data made with {} = true, whose distances are not evaluated again: for "
               "another gamma, method or number of landmarks. A second sample is then drawn from its objects first. "
               "Distances to the random documents of wme serve only wme. {}: a result of the same corpus made with {} "
               "= true, whose co-occurrences are not counted again.",
               joined(functions_of_distances(), ", "), keys("distances"), joined(functions_of_counts(), ", "),
               keys("counts"))}};
}

std::vector<Parameter> output_parameters(const std::string& reuse) {
  std::vector<Parameter> all = {
      {.name = "distances",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help = fmt::format("{}: also write the distances that the similarities were made of, for runs with {}; as much "
                           "as the evaluated columns again, in memory and in the file.",
                           joined(functions_of_distances(), ", "), reuse)}};
  for (Parameter& parameter : near_parameters()) all.push_back(std::move(parameter));
  append_outputs(similarities(), all);
  append_outputs(methods(), all);
  return all;
}

std::vector<std::string> functions_of_distances() {
  return names_of_similarities([](const SimilarityDescriptor& similarity) { return !similarity.traits.base.empty(); });
}

std::vector<std::string> functions_of_counts() {
  return names_of_similarities([](const SimilarityDescriptor& similarity) { return similarity.traits.counts; });
}

std::vector<std::string> similarities_with_random() {
  return names_of_similarities(
      [](const SimilarityDescriptor& similarity) { return similarity.traits.random_documents; });
}

std::vector<std::string> similarities_of(ObjectKind objects) {
  return names_of_similarities([&](const SimilarityDescriptor& similarity) {
    return std::ranges::find(similarity.objects, objects) != similarity.objects.end();
  });
}

bool compares(const SimilarityChoice& choice, ObjectKind objects) {
  if (choice.traits().composite) {
    return std::ranges::all_of(choice.parts, [&](const SimilarityChoice& part) { return compares(part, objects); });
  }
  return std::ranges::find(choice.descriptor->objects, objects) != choice.descriptor->objects.end();
}

bool by_source(const RunRequest& request) {
  return request.method.method->needs.rows || request.similarity.descriptor->traits.single_source;
}

ProblemShape problem_shape(const RunRequest& request, Index objects, Index landmarks) {
  const DataKind& kind = *request.kind;
  return {objects, landmarks, kind.operators, kind.rectangular != nullptr && kind.rectangular(request.data),
          by_source(request)};
}

bool subtracts_mean(const RunRequest& request) {
  if (request.kind != &point_data() || !request.single) return false;
  return !request.data.given("offset") && request.data.text("scaling") == "none" &&
         depends_on_differences(request.similarity);
}

std::string no_estimate(const RunRequest& request) {
  const Values& estimate = request.estimate;
  if (parse_integer(estimate.text("rows")) == 0) return estimate.keys()("rows") + " = 0";
  return estimate.integer_or("pairs", -1) == 0 ? estimate.keys()("pairs") + " = 0" : "";
}

Index compared_rows(const RunRequest& request, Index objects) {
  const std::string& rows = request.estimate.text("rows");
  if (rows.empty()) {
    if (!by_source(request) || objects == 0) return 0;
    return most_compared_rows(objects, request.method.landmark_count(objects), estimated_share(request));
  }
  if (rows == "all") return objects;
  const auto count = parse_integer(rows);
  if (!count || *count < 0 || *count == 1) {
    request.estimate.refuse("rows", "is neither 'all' nor an integer above 1, nor 0 for none");
  }
  return std::min(*count, objects);
}

double estimated_share(const RunRequest& request) {
  const bool asked = request.estimate.given("precision") || request.estimate.given("seconds");
  return asked ? EstimateEffort::no_limit : share_of_run;
}

EstimateEffort estimate_effort(const RunRequest& request, Index objects, double share) {
  const Values& estimate = request.estimate;
  EstimateEffort effort{.precision = estimate.number("precision"), .share = share, .keys = estimate.keys()};
  if (estimate.given("seconds")) effort.seconds = estimate.number("seconds");
  if (estimate.given("pairs")) effort.count = estimate.integer("pairs");
  if (estimate.given("rows")) effort.count = compared_rows(request, objects);
  return effort;
}

NearChoice near_choice(const RunRequest& request) {
  return {request.output.integer("near"), no_estimate(request).empty(), request.output.flag("near-exact")};
}

DistanceUse distance_use(const RunRequest& request) {
  return {request.reuse.text("reuse"), request.output.flag("distances")};
}

}  // namespace cairn
