// The Nystrom and CUR family: one function a method.
#pragma once

#include <string>

#include "approximation/approximation.hpp"
#include "landmark/landmarks.hpp"

namespace cairn {

/// The keys of [approximation] that this family has. A key counts as set where its value is not the one given here: only
/// the command line and the config, which know what was written, can refuse a default written out for another method.
struct MethodParameters {
  std::string method = "nystrom";     ///< nystrom, sms-nystrom, skeleton, sicur, stacur, optimal, auto, wme
  double tolerance = -1.0;            ///< relative to the largest eigenvalue; negative: the method's default
  std::string spectrum = "all";       ///< all, positive
  Index s2 = 0;                       ///< second sample; 0: 2 s1 for sms-nystrom and sicur, s1 for skeleton and stacur
  double alpha = 1.5;                 ///< sms-nystrom: shift e = -alpha lambda_min
  std::string shift = "joining";      ///< sms-nystrom: joining, both
  bool rescale = false;               ///< sms-nystrom: section 4.3
  std::string samples = "same";       ///< stacur: same, different
  bool embedding = false;             ///< factors as embeddings (DESIGN, section 1)
  bool symmetrize_result = false;
  Index rank = 0;                     ///< optimal: rank kept; 0: landmarks.count
  double budget = 0;                  ///< auto: evaluations; 0: n * landmarks.count
  Index random_documents = 0;         ///< wme: how many; 0: landmarks.count
  Index longest_document = 6;         ///< wme: the most words of a random document
};

/// What a method works on. `landmarks` are S1, from any selection (unused by optimal and wme).
template <class T>
struct MethodInput {
  const Execution& execution;
  const Similarity<T>& similarity;
  const ObjectSet& objects;
  Landmarks<T> landmarks;
  MethodParameters parameters;
};

/// Checks the parameters and fills in those that depend on the sizes: s2, the rank of optimal, the number of wme.
/// @param s1 landmarks, @param objects n @throws Error(usage) as approximate. Local.
[[nodiscard]] MethodParameters resolved_parameters(MethodParameters parameters, Index s1, Index objects);

/// Runs the method that the parameters name. The factors' reports carry what it found. Collective.
/// @throws Error(usage) for parameters out of range or set for another method, Error(numeric) for a joining matrix without
///   an eigenvalue left, Error(input) for a similarity that is not symmetric (the pair is named with both values),
///   Error(resource) for more objects than `optimal` takes
template <class T>
[[nodiscard]] Approximation<T> approximate(MethodInput<T> input);

}  // namespace cairn
