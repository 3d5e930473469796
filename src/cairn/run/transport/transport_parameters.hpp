// The parameters of a transport, and their rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/run/computation/method_choice.hpp"

namespace cairn {

/// Those of every transport; a method that gives the kernel has its own beside them.
[[nodiscard]] const std::vector<Parameter>& transport_parameters();

/// Methods that can give the kernel (MethodDescriptor::diagonal_joining). Local.
[[nodiscard]] std::vector<const MethodDescriptor*> kernel_methods();
/// The method whose landmarks `auto` doubles. Local.
[[nodiscard]] const MethodDescriptor& automatic_method();

/// What a transport is computed with.
struct TransportChoice {
  Values values;                       ///< of transport_parameters()
  std::optional<MethodChoice> method;  ///< that gives the kernel; nothing: exact or positive

  [[nodiscard]] std::string kernel() const { return values.text("kernel"); }
  /// Whether the kernel is found; never for costs that only the exact kernel has.
  [[nodiscard]] bool automatic() const { return kernel() == "auto" && squared_euclidean(); }
  [[nodiscard]] bool exact() const { return kernel() == "exact" || (kernel() == "auto" && !squared_euclidean()); }
  [[nodiscard]] bool squared_euclidean() const { return values.text("cost") == "squared-euclidean"; }
  [[nodiscard]] bool positive() const { return kernel() == "positive"; }
};

/// The name of the method that this kernel takes; empty: none. Local.
[[nodiscard]] std::string method_of_kernel(const Values& values);

/// Landmarks that `auto` begins with, and those beyond which it takes the exact kernel.
inline constexpr Index first_landmarks = 64, most_landmarks = 2048;

/// Rules about values and those that have no effect. @throws Error(usage) that names the parameter. Local.
void check(const TransportChoice& choice);

/// The choice of a program. @param given  of transport_parameters(); those of the method with the prefix "method.", of
/// landmarks with the prefix "landmarks."
/// @throws Error(usage) for an unknown name or a bad value. Local.
[[nodiscard]] TransportChoice transport_choice(const GivenValues& given);

}  // namespace cairn
