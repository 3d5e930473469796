// A method and its landmarks, with the values of their parameters.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/methods.hpp"
#include "cairn/run/given.hpp"
#include "cairn/run/landmark_selections.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// What approximate() computes with, from a config or a program. Local.
struct MethodChoice {
  const MethodDescriptor* method;
  Values values;       ///< of the method
  Values landmarks;    ///< landmark_parameters()
  std::string called;  ///< how messages name the method: "approximation.method = nystrom", "the method nystrom"

  [[nodiscard]] const LandmarkSelection& selection() const;
  /// Whether P and its landmarks are those of another result. Local.
  [[nodiscard]] bool reuses_landmarks() const;
  /// Whether the number of landmarks is known only once the selection has read them from a file or a list, because
  /// neither a count nor a fraction is given. Local.
  [[nodiscard]] bool count_is_read() const;
  /// s1 for so many objects: the count, or the share of them (at least 1); 0 if neither is given and the selection or
  /// the method follows another parameter, and if landmarks are those of another result.
  /// @throws Error(usage) if neither is given, or there are more than objects. Local.
  [[nodiscard]] Index landmark_count(Index objects) const;
};

/// The choice of a program. @param given  the method's parameters, and those of landmarks with the prefix "landmarks."
/// @throws Error(usage) for an unknown name, a value of the wrong form, or one without effect on any method. Local.
[[nodiscard]] MethodChoice method_choice(const std::string& method, const GivenValues& given);

/// The selection that is the default of the method for such objects, or of any, if none is given and there is one.
/// Local.
[[nodiscard]] MethodChoice with_default_selection(MethodChoice choice, ObjectKind objects);

/// All rules of a program's choice, parameters without effect among them. @param shape  without the number of landmarks
/// @throws Error(usage) that names the parameter. Local.
void check(const MethodChoice& choice, ProblemShape shape, const std::string& similarity,
           const SimilarityTraits& traits);

/// The rule of the selection beside method and similarity alone. @throws Error(usage) that names the parameter. Local.
void check_selection(const MethodChoice& choice, const std::string& similarity, const SimilarityTraits& traits);

/// Which of the given parameters have no effect: those of the method, then those of landmarks. Local.
[[nodiscard]] std::vector<UnusedParameter> unused_parameters(const MethodChoice& choice, const ProblemShape& shape);
[[nodiscard]] std::vector<UnusedParameter> unused_landmark_parameters(const MethodChoice& choice);

/// Operators that objects of a kind have, the default first. Local.
[[nodiscard]] std::vector<std::string> operators_of(ObjectKind kind);

}  // namespace cairn
