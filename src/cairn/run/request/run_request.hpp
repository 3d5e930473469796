// A run of an approximation by its choices, made once: what is computed, how its error is measured, what is kept.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/run/computation/joining_storage.hpp"
#include "cairn/run/computation/kept_distances.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/run/run_keys.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn {

/// All choices of a run. Values keep their origin ("x.cfg:12") for messages; those of a config refer to its Settings,
/// which outlive this and all copies.
struct RunRequest {
  const DataKind* kind = nullptr;
  Values data;  ///< of the kind's parameters
  SimilarityChoice similarity;
  Values reuse;  ///< reuse_parameters()
  MethodChoice method;
  Values estimate;      ///< estimate_parameters()
  Values output;        ///< output_parameters()
  bool single = false;  ///< precision of factors and points
  int threads = 1;
  RunRoom room{};
  RunKeys keys{};
};

/// Parameters of the error estimate: pairs, rows, precision, seconds. @param keys  names for help texts. Local.
[[nodiscard]] std::vector<Parameter> estimate_parameters(const KeyNames& keys = {});
/// The parameter `reuse`, a result whose distances or counts are used. @param keys  names of outputs for help texts.
/// Local.
[[nodiscard]] std::vector<Parameter> reuse_parameters(const KeyNames& keys = {});
/// Parameters of what is kept beside the factors: distances, near, and the outputs of methods and similarities.
/// @param reuse  name of the parameter `reuse` in help texts. Local.
[[nodiscard]] std::vector<Parameter> output_parameters(const std::string& reuse = "reuse");

/// Similarities whose distances can be kept, that are functions of co-occurrences, and that compare documents with
/// random ones. Local.
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

/// The value that turns the estimate of the error off, "evaluation.pairs = 0"; empty: the error is measured. Local.
[[nodiscard]] std::string no_estimate(const RunRequest& request);
/// Rows of K on which the error is measured, at most `objects`; by default the most that an estimate takes if K comes
/// by rows, and 0 (pairs, or nothing) otherwise.
/// @throws Error(usage) for a value that is neither 'all' nor 0 nor an integer above 1. Local.
[[nodiscard]] Index compared_rows(const RunRequest& request, Index objects);
/// Limits of the estimate. @param seconds  time limit if no number of entries is fixed. Local.
[[nodiscard]] EstimateEffort estimate_effort(const RunRequest& request, Index objects, double seconds);
/// Near entries that are kept. Local.
[[nodiscard]] NearChoice near_choice(const RunRequest& request);
/// Distances that are used and kept. Local.
[[nodiscard]] DistanceUse distance_use(const RunRequest& request);

}  // namespace cairn
