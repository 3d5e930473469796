// A method by name and what a test sets of its parameters.
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/catalog/methods.hpp"

namespace cairn::test {

struct MethodChoice {
  std::string name = "nystrom";
  std::vector<std::pair<std::string, std::string>> given{};

  /// Later values win.
  template <class Value>
  MethodChoice& set(const std::string& parameter, const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      given.emplace_back(parameter, fmt::format("{:.17g}", value));
    } else {
      given.emplace_back(parameter, fmt::format("{}", value));
    }
    return *this;
  }
  [[nodiscard]] std::string text(const std::string& parameter) const { return values().text(parameter); }
  [[nodiscard]] const MethodDescriptor& descriptor() const { return method_named(name); }
  [[nodiscard]] Values values() const { return Values(descriptor().parameters, given); }
};

inline MethodChoice method(const std::string& name) { return {name}; }

/// Runs it on a problem without parameters: {execution, similarity, objects, landmarks, count}. Collective.
template <class T>
Approximation<T> approximate(const MethodChoice& choice, const Execution& execution, const Similarity<T>& similarity,
                             const ObjectSet& objects, Landmarks<T> landmarks, Index count = 0) {
  return cairn::approximate(choice.descriptor(), Problem<T>{.execution = execution,
                                                            .similarity = similarity,
                                                            .objects = objects,
                                                            .landmarks = std::move(landmarks),
                                                            .count = count,
                                                            .parameters = choice.values()});
}

}  // namespace cairn::test
