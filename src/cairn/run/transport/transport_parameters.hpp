// The parameters of a transport, and their rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/run/computation/method_choice.hpp"

namespace cairn {

/// Parameters of every transport; a method that provides the kernel adds its own.
[[nodiscard]] const std::vector<Parameter>& transport_parameters();

/// Methods that can provide the kernel (MethodDescriptor::diagonal_core). Local.
[[nodiscard]] std::vector<const MethodDescriptor*> kernel_methods();
/// The method for which `auto` doubles the landmarks. Local.
[[nodiscard]] const MethodDescriptor& automatic_method();

/// Choices of a transport.
struct TransportChoice {
  Values values;                       ///< of transport_parameters()
  std::optional<MethodChoice> method;  ///< method that provides the kernel; nothing: exact or positive

  [[nodiscard]] std::string kernel() const { return values.text("kernel"); }
  /// True if the kernel is chosen automatically; never for costs that only the exact kernel supports.
  [[nodiscard]] bool automatic() const { return kernel() == "auto" && squared_euclidean(); }
  [[nodiscard]] bool exact() const { return kernel() == "exact" || (kernel() == "auto" && !squared_euclidean()); }
  [[nodiscard]] bool squared_euclidean() const { return values.text("cost") == "squared-euclidean"; }
  [[nodiscard]] bool positive() const { return kernel() == "positive"; }
};

/// Name of the method for this kernel; empty: none. Local.
[[nodiscard]] std::string method_of_kernel(const Values& values);

/// Number of landmarks with which `auto` begins, and number above which it uses the exact kernel.
inline constexpr Index first_landmarks = 64, most_landmarks = 2048;

/// Checks the rules for values, and values without effect. @throws Error(usage) that names the parameter. Local.
void check(const TransportChoice& choice);

/// The choice of a program. @param given  of transport_parameters(); those of the method with the prefix "method.",
/// those of landmarks with the prefix "landmarks."
/// @throws Error(usage) for an unknown name or a bad value. Local.
[[nodiscard]] TransportChoice transport_choice(const GivenValues& given);

}  // namespace cairn
