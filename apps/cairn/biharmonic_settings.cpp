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
      {"graph", {"graph", "file"}},
      {"mesh", {"cotangent", "graph", "neighbours", "file"}},
      {"points", {"neighbours", "file"}}};
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
        "approximation.operator", "approximation.operator-path", "approximation.neighbours", "approximation.perplexity",
        "approximation.preconditioner", "approximation.soft-landmarks", "output.operator"}) {
    if (!settings.given(key)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} does nothing where approximation.reuse takes P and its landmarks "
                                              "from {}",
                                              settings.where(key), settings.text("approximation.reuse")));
  }
}

void refuse_idle_biharmonic_keys(const Settings& settings) {
  const auto refuse = [&](const std::string& key, const std::string& chooser, const std::string& chosen,
                          const std::string& owner) {
    if (!settings.given(key) || chosen == owner) return;
    throw Error(ErrorKind::usage, fmt::format("{} does nothing where {} is {}; it belongs to {}", settings.where(key),
                                              chooser, chosen, owner));
  };
  const std::string kind = operator_kind(settings);
  for (const char* key : {"approximation.neighbours", "approximation.perplexity"}) {
    refuse(key, "approximation.operator", kind, "neighbours");
  }
  refuse("approximation.operator-path", "approximation.operator", kind, "file");
  if (kind == "file") {
    settings.required("approximation.operator-path");
    if (settings.given("output.operator")) {
      throw Error(ErrorKind::usage, fmt::format("{} would write what approximation.operator = file reads",
                                                settings.where("output.operator")));
    }
  }
  const std::string& solver = settings.text("approximation.solver");
  if (solver != "auto") refuse("approximation.preconditioner", "approximation.solver", solver, "iterative");
  if (solver == "direct" && settings.given("approximation.tolerance")) {
    throw Error(ErrorKind::usage, fmt::format("{} does nothing where approximation.solver is direct; it belongs to "
                                              "local and iterative",
                                              settings.where("approximation.tolerance")));
  }
  if (settings.given("approximation.soft-landmarks")) {
    if (!(settings.number("approximation.soft-landmarks") > 0)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} = {} is not above 0", settings.where("approximation.soft-landmarks"),
                              settings.text("approximation.soft-landmarks")));
    }
    if (solver == "local") {
      throw Error(ErrorKind::usage,
                  fmt::format("{} does not go with approximation.solver = local, whose columns end at other landmarks; "
                              "take direct or iterative",
                              settings.where("approximation.soft-landmarks")));
    }
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
  parameters.preconditioner = settings.text("approximation.preconditioner");
  parameters.soft_landmarks = settings.number_or("approximation.soft-landmarks", 0.0);
  parameters.memory = settings.integer_or("run.memory", 0);
  if (settings.text("approximation.transform") == "sqrt") result.transform = Transform::sqrt;
  return result;
}

}  // namespace cairn::app
