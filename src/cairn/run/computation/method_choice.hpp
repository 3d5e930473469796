// A method and its landmarks, with their parameter values.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/parameters/given.hpp"
#include "cairn/run/computation/landmark_selections.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Input of approximate(), from a config or a program. Local.
struct MethodChoice {
  const MethodDescriptor* method;
  Values values;       ///< of the method's parameters
  Values landmarks;    ///< of landmark_parameters()
  std::string called;  ///< name of the method in messages: "approximation.method = nystrom", "the method nystrom"

  [[nodiscard]] const LandmarkSelection& selection() const;
  /// True if P and its landmarks are taken from another result. Local.
  [[nodiscard]] bool reuses_landmarks() const;
  /// True if the number of landmarks follows from an error. Local.
  [[nodiscard]] bool grows() const;
  /// True if the number of landmarks is known only during the run, because neither a count nor a fraction is given: the
  /// selection reads them from a file or a list, or it grows. Local.
  [[nodiscard]] bool count_is_read() const;
  /// s1 for this number of objects: the count, or the fraction of them (at least 1). 0 if neither is given and the
  /// selection or the method uses another parameter, and if landmarks are taken from another result.
  /// @throws Error(usage) if neither is given, or s1 exceeds the number of objects. Local.
  [[nodiscard]] Index landmark_count(Index objects) const;
};

/// The choice of a program. @param given  the method's parameters, and those of landmarks with the prefix "landmarks."
/// @throws Error(usage) for an unknown name, a value of the wrong form, or one without effect on any method. Local.
[[nodiscard]] MethodChoice method_choice(const std::string& method, const GivenValues& given);

/// Adds the default selection of the method for such objects, or that of any method, if none is given and a default
/// exists. Local.
[[nodiscard]] MethodChoice with_default_selection(MethodChoice choice, ObjectKind objects);

/// Checks all rules of a program's choice, including parameters without effect. @param shape  without the number of
/// landmarks @throws Error(usage) that names the parameter. Local.
void check(const MethodChoice& choice, ProblemShape shape, const std::string& similarity,
           const SimilarityTraits& traits);

/// Checks only the rule of the selection with method and similarity. @throws Error(usage) that names the parameter.
/// Local.
void check_selection(const MethodChoice& choice, const std::string& similarity, const SimilarityTraits& traits);

/// Given parameters that have no effect: those of the method, then those of landmarks. Local.
[[nodiscard]] std::vector<UnusedParameter> unused_parameters(const MethodChoice& choice, const ProblemShape& shape);
[[nodiscard]] std::vector<UnusedParameter> unused_landmark_parameters(const MethodChoice& choice);

/// Operators available for objects of a kind, the default first. Local.
[[nodiscard]] std::vector<std::string> operators_of(ObjectKind kind);

}  // namespace cairn
