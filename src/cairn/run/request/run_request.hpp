// All choices of an approximation run, made once: what is computed, how its error is measured, what is kept.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/computation/core_storage.hpp"
#include "cairn/run/computation/kept_distances.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/run/computation/run_keys.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// All choices of a run. Values keep their origin ("x.cfg:12") for messages; those of a config refer to its Settings,
/// which must outlive this and all copies.
struct RunRequest {
  const DataKind* kind = nullptr;
  Values data;                ///< of the kind's parameters
  bool data_at_hand = false;  ///< a program holds the objects: none are read
  SimilarityChoice similarity;
  Values reuse;  ///< of reuse_parameters()
  MethodChoice method;
  Values estimate;      ///< of estimate_parameters()
  Values output;        ///< of output_parameters()
  OutputPath path{""};  ///< of the result; empty: none is written
  bool single = false;  ///< single precision for factors and points
  int threads = 1;
  RunResources budget{};
  RunKeys keys{};
  const Settings* settings = nullptr;  ///< config from which it was made; null: choices of a program
};

/// Parameters of the error estimate: pairs, rows, precision, seconds. @param keys  names for help texts. Local.
[[nodiscard]] std::vector<Parameter> estimate_parameters(const KeyNames& keys = {});
/// The parameter `reuse`, a result whose distances or counts are reused. @param keys  names of outputs for help texts.
/// Local.
[[nodiscard]] std::vector<Parameter> reuse_parameters(const KeyNames& keys = {});
/// Parameters for what is kept beside the factors: distances, near, and the outputs of methods and similarities.
/// @param reuse  name of the parameter `reuse` in help texts. Local.
[[nodiscard]] std::vector<Parameter> output_parameters(const std::string& reuse = "reuse");

/// Similarities whose distances can be kept; similarities that are functions of co-occurrences; similarities that
/// compare documents with random ones. Local.
[[nodiscard]] std::vector<std::string> functions_of_distances();
[[nodiscard]] std::vector<std::string> functions_of_counts();
[[nodiscard]] std::vector<std::string> similarities_with_random();
/// Similarities that compare such objects. Local.
[[nodiscard]] std::vector<std::string> similarities_of(ObjectKind objects);
/// True if the similarity, or each of its parts, compares such objects. Local.
[[nodiscard]] bool compares(const SimilarityChoice& choice, ObjectKind objects);

/// True if K is evaluated by whole rows, from one object to all others: path lengths, geodesics, and any K that
/// biharmonic interpolation approximates. Local.
[[nodiscard]] bool by_source(const RunRequest& request);
/// The sizes of the problem that are known before or after its data are read. @param objects  0: not yet known
/// @param landmarks  s1 Local.
[[nodiscard]] ProblemShape problem_shape(const RunRequest& request, Index objects = 0, Index landmarks = 0);
/// True if the mean of the points is subtracted by default: in single precision, for points that are not scaled and a
/// similarity that depends only on their differences. Local.
[[nodiscard]] bool subtracts_mean(const RunRequest& request);

/// The setting that turns the error estimate off, "evaluation.pairs = 0"; empty: the error is measured. Local.
[[nodiscard]] std::string no_estimate(const RunRequest& request);
/// Number of rows of K on which the error is measured, at most `objects`. By default the maximum of an estimate if K is
/// evaluated by rows, and 0 (pairs, or nothing) otherwise.
/// @throws Error(usage) for a value that is neither 'all' nor 0 nor an integer above 1. Local.
[[nodiscard]] Index compared_rows(const RunRequest& request, Index objects);
/// EstimateEffort::share of a run: a tenth, or no limit if a precision or a time is given. Local.
[[nodiscard]] double estimated_share(const RunRequest& request);
/// Limits of the estimate. @param share  as in EstimateEffort. Local.
[[nodiscard]] EstimateEffort estimate_effort(const RunRequest& request, Index objects, double share);
/// Near entries to keep. Local.
[[nodiscard]] NearChoice near_choice(const RunRequest& request);
/// Distances to reuse and keep. Local.
[[nodiscard]] DistanceUse distance_use(const RunRequest& request);

}  // namespace cairn
