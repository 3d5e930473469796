// The keys that biharmonic interpolation has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "problem.hpp"

namespace cairn::app {

std::string operator_kind(const Settings& settings) {
  static const std::map<std::string, std::vector<std::string>> operators = {
      {"graph", {"graph"}}, {"mesh", {"cotangent", "neighbours"}}, {"points", {"neighbours"}}};
  const std::string data = data_kind(settings), given = settings.text("approximation.operator");
  const std::vector<std::string>& possible = operators.at(data);
  if (given == "auto") return possible.front();
  if (std::ranges::find(possible, given) != possible.end()) return given;
  throw Error(ErrorKind::usage,
              fmt::format("{} = {} does not go with data.kind = {}; it can be {}",
                          settings.where("approximation.operator"), given, data, fmt::join(possible, ", ")));
}

void refuse_beside_reuse(const Settings& settings) {
  if (settings.text("approximation.reuse").empty()) return;
  for (const char* key :
       {"landmarks.count", "landmarks.fraction", "landmarks.selection", "landmarks.path", "approximation.solver",
        "approximation.p-row", "approximation.sparsity", "approximation.tolerance", "approximation.normalize",
        "approximation.operator", "approximation.neighbours", "approximation.perplexity"}) {
    if (!settings.given(key)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} does nothing where approximation.reuse takes P and its landmarks "
                                              "from {}",
                                              settings.where(key), settings.text("approximation.reuse")));
  }
}

BiharmonicParameters biharmonic_parameters(const Settings& settings) {
  BiharmonicParameters result;
  InterpolationParameters& parameters = result.interpolation;
  parameters.solver = settings.text("approximation.solver");
  parameters.p_row = settings.integer("approximation.p-row");
  parameters.sparsity = settings.text("approximation.sparsity");
  parameters.tolerance = settings.number_or("approximation.tolerance", parameters.tolerance);
  parameters.normalize = settings.flag("approximation.normalize");
  if (settings.text("approximation.transform") == "sqrt") result.transform = Transform::sqrt;
  return result;
}

}  // namespace cairn::app
