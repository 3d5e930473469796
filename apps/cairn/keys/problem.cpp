#include "keys/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"
#include "keys/data_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/option_table.hpp"

namespace cairn::app {

namespace {

// The descriptor that is the default for such objects, or null.
template <class Table>
auto default_of(const Table& table, ObjectKind objects) -> typename Table::value_type {
  for (const auto* descriptor : table) {
    if (std::ranges::find(descriptor->default_for, objects) != descriptor->default_for.end()) return descriptor;
  }
  return nullptr;
}

}  // namespace

std::string similarity_kind(const Settings& settings) {
  const std::string key = "similarity.kind";
  const SimilarityDescriptor* usual = default_of(similarities(), data_kind(settings).objects);
  return settings.given(key) || usual == nullptr ? settings.required(key) : usual->name;
}

std::string method_name(const Settings& settings) {
  if (settings.given(method_key)) return settings.text(method_key);
  const MethodDescriptor* usual = default_of(methods(), data_kind(settings).objects);
  return usual != nullptr ? usual->name : methods().front()->name;
}

bool by_source(const Settings& settings) {
  return method_of(settings).needs.rows || similarity_named(similarity_kind(settings)).traits.single_source;
}

ProblemShape problem_shape(const Settings& settings, Index objects, Index landmarks) {
  const DataKind& kind = data_kind(settings);
  return {objects, landmarks, kind.operators, kind.rectangular != nullptr && kind.rectangular(data_values(settings))};
}

Index evaluation_rows(const Settings& settings, Index objects) {
  const std::string& rows = settings.text("evaluation.rows");
  if (rows.empty()) return by_source(settings) ? most_compared_rows(objects) : 0;
  if (rows == "all") return objects;
  const auto count = parse_integer(rows);
  if (!count || *count < 0 || *count == 1) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is neither 'all' nor an integer above 1, nor 0 for none",
                                              settings.where("evaluation.rows"), rows));
  }
  return std::min(*count, objects);
}

std::string no_estimate(const Settings& settings) {
  if (parse_integer(settings.text("evaluation.rows")) == 0) return "evaluation.rows = 0";
  return settings.integer_or("evaluation.pairs", -1) == 0 ? "evaluation.pairs = 0" : "";
}

EstimateEffort estimate_effort(const Settings& settings, Index objects, double seconds) {
  EstimateEffort effort{std::nullopt, settings.number("evaluation.precision"),
                        settings.number_or("evaluation.seconds", seconds), evaluation_keys};
  if (settings.given("evaluation.pairs")) effort.count = settings.integer("evaluation.pairs");
  if (settings.given("evaluation.rows")) effort.count = evaluation_rows(settings, objects);
  return effort;
}

}  // namespace cairn::app
