// Parameters given by a program.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/values.hpp"

namespace cairn {

/// A parameter name, as in its descriptor, and a value: {"gamma", "median"}, {"landmarks.count", 500}.
struct Given {
  Given(std::string parameter, std::string value) : name(std::move(parameter)), text(std::move(value)) {}
  Given(std::string parameter, const char* value) : name(std::move(parameter)), text(value) {}
  Given(std::string parameter, bool value) : name(std::move(parameter)), text(value ? "true" : "false") {}
  Given(std::string parameter, std::integral auto value) : Given(std::move(parameter), std::to_string(value)) {}
  /// Uses as many digits as reproduce the same number.
  Given(std::string parameter, double value);

  std::string name;
  std::string text;
};

using GivenValues = std::vector<Given>;

/// Each parameter as "name = text", after the texts of `before`; require_same_call() compares them. Local.
[[nodiscard]] std::vector<std::string> words_of(const GivenValues& given, std::vector<std::string> before = {});

/// `more` and the path. Local.
[[nodiscard]] GivenValues with_path(const std::string& path, GivenValues more);

/// Values of these parameters. @throws Error(usage) for an unknown name (suggests the nearest one), a name given twice,
/// or a value of the wrong form or out of range: "parameter alpha = -1 is below 0". Local.
[[nodiscard]] Values values_of(const std::vector<Parameter>& own, const GivenValues& given);
/// The same, added to `values`, in which none of them is given yet.
[[nodiscard]] Values with_given(Values values, const GivenValues& given);

}  // namespace cairn
