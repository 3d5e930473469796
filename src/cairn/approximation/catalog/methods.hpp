// The table of methods, and the function that runs one of them.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/method.hpp"

namespace cairn {

/// All methods, in the order of --help. Local.
[[nodiscard]] const std::vector<const MethodDescriptor*>& methods();

/// The method of that name. @throws Error(usage) if there is none; it suggests the nearest. Local.
[[nodiscard]] const MethodDescriptor& method_named(const std::string& name);

/// Adds a method of a program that uses this library to the table. It must outlive all use of the table. Call it before
/// any other use of the table. @throws Error(usage) if there is one of that name. Local.
void add_method(const MethodDescriptor& method);

/// Checks the form, range and choices of every given parameter, and the method's own rules. @throws Error(usage).
/// Local.
void check_parameters(const MethodDescriptor& method, const Values& values, const ProblemShape& shape);

/// Checks the parameters and runs the method. The result's report contains the findings. Collective.
/// @throws Error(usage) for parameters out of range, Error(numeric) for a core matrix without remaining eigenvalues,
///   Error(input) for a similarity that is not symmetric (the pair is named with both values), Error(resource) for more
///   objects than the method accepts
template <class T>
[[nodiscard]] Approximation<T> approximate(const MethodDescriptor& method, Problem<T> problem);

}  // namespace cairn
