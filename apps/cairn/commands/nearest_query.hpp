// The nearest objects that `cairn query` prints: by the values of a result, by the cosine of rows, or by K itself.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cairn/run/answers/result_answers.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// @throws Error(usage) for options that contradict --nearest-exact, if that is given. Local.
void check_nearest_exact(const Settings& settings);

/// Protects the data that --nearest-exact reads from being replaced by --out. @throws Error(usage). Collective.
void protect_compared(const Job& job);

/// True if the nearest objects are those by the cosine of rows of the left factor: for words, unless another comparison
/// is requested. Local.
[[nodiscard]] bool by_cosine(const Settings& settings, const ResultDescription& description);

/// Answers --nearest, --nearest-to and --nearest-exact, and adds the answers to `json`. Collective.
template <class T>
void query_neighbors(const Job& job, const Execution& execution, const ResultAnswers<T>& answers, bool cosine,
                     nlohmann::ordered_json& json);

}  // namespace cairn::app
