// The keys that biharmonic interpolation has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "idle_keys.hpp"
#include "problem.hpp"

namespace cairn::app {

std::string operator_kind(const Settings& settings) {
  static const std::map<std::string, std::vector<std::string>> operators = {
      {"graph", {"graph", "file"}},
      {"mesh", {"cotangent", "graph", "neighbours", "file"}},
      {"points", {"neighbours", "file"}}};
  const std::string data = data_kind(settings);
  std::string given = settings.text("approximation.operator");
  const std::vector<std::string>& possible = operators.at(data);
  if (given == "auto") return possible.front();
  if (std::ranges::find(possible, given) != possible.end()) return given;
  throw Error(ErrorKind::usage,
              fmt::format("{} = {} does not go with data.kind = {}; it can be {}",
                          settings.where("approximation.operator"), given, data, fmt::join(possible, ", ")));
}

void add_idle_beside_reuse(IdleKeys& idle) {
  const std::string& reused = idle.settings().text("approximation.reuse");
  if (reused.empty()) return;
  for (const char* key :
       {"landmarks.count", "landmarks.fraction", "landmarks.selection", "landmarks.path", "approximation.solver",
        "approximation.p-row", "approximation.sparsity", "approximation.tolerance", "approximation.normalize",
        "approximation.operator", "approximation.operator-path", "approximation.neighbours", "approximation.perplexity",
        "approximation.preconditioner", "approximation.soft-landmarks", "output.operator"}) {
    idle.add(key, "approximation.reuse takes P and its landmarks from " + reused);
  }
}

void add_idle_biharmonic_keys(IdleKeys& idle) {
  const Settings& settings = idle.settings();
  const std::string kind = operator_kind(settings);
  for (const char* key : {"approximation.neighbours", "approximation.perplexity"}) {
    idle.add_unless(key, "approximation.operator", kind, {"neighbours"});
  }
  idle.add_unless("approximation.operator-path", "approximation.operator", kind, {"file"});
  if (kind == "file") {
    settings.required("approximation.operator-path");
    if (settings.given("output.operator")) {
      throw Error(ErrorKind::usage, fmt::format("{} would write what approximation.operator = file reads",
                                                settings.where("output.operator")));
    }
  }
  const std::string& solver = settings.text("approximation.solver");
  idle.add_unless("approximation.preconditioner", "approximation.solver", solver, {"iterative", "auto"});
  idle.add_unless("approximation.tolerance", "approximation.solver", solver, {"local", "iterative", "auto"});
  if (settings.given("approximation.soft-landmarks") && solver == "local") {
    throw Error(ErrorKind::usage,
                fmt::format("{} does not go with approximation.solver = local, whose columns end at other landmarks; "
                            "take direct or iterative",
                            settings.where("approximation.soft-landmarks")));
  }
}

std::vector<std::string> notes_of_interpolation(const Settings& settings, const std::string& solver) {
  std::vector<std::string> notes;
  const auto add = [&](const char* key, bool used) {
    if (used || !settings.given(key)) return;
    notes.push_back(fmt::format(
        "{} counted for nothing: {}", key,
        solver == "none" ? "nothing had to be solved" : fmt::format("solver {} has no use for it", solver)));
  };
  add("approximation.tolerance", solver == "local" || solver == "iterative");
  add("approximation.preconditioner", solver == "iterative");
  if (operator_kind(settings) == "neighbours" &&
      settings.number("approximation.perplexity") >=
          static_cast<double>(settings.integer("approximation.neighbours"))) {
    notes.push_back(
        "approximation.perplexity is the number of neighbours: the weights of a point's neighbours are all equal");
  }
  return notes;
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
