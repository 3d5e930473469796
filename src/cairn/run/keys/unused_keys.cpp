#include "cairn/run/keys/unused_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/similarity_keys.hpp"
#include "cairn/run/request/request_rules.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

// Adds keys such as similarity.1.gamma without a part of that number, or whose kind does not have the key.
void add_unused_part_keys(const std::vector<SimilarityChoice>& parts, UnusedKeys& idle) {
  for (int part = 1; part <= largest_part; ++part) {
    for (const auto& [key, owners] : similarities_of_parameter()) {
      const std::string name = fmt::format("similarity.{}.{}", part, key);
      if (static_cast<std::size_t>(part) > parts.size()) {
        idle.add(name, fmt::format("there is no part {} in similarity.parts", part));
      } else {
        idle.add_unless(name, fmt::format("part {} of the similarity", part), parts[part - 1].name(), owners);
      }
    }
  }
}

void add_unused_similarity_keys(const RunRequest& request, UnusedKeys& idle) {
  const std::string& kind = request.similarity.name();
  for (const auto& [key, owners] : similarities_of_parameter()) {
    idle.add_unless("similarity." + key, "similarity.kind", kind, owners);
  }
  if (request.output.flag("distances")) {
    idle.add_unless("output.distances", "similarity.kind", kind, functions_of_distances());
  }
  for (const auto& [name, owners] : similarities_of_output()) idle.add_unless(name, "similarity.kind", kind, owners);
  add_unused_part_keys(request.similarity.parts, idle);
}

void add_unused_method_keys(const RunRequest& request, UnusedKeys& idle) {
  const MethodChoice& choice = request.method;
  const MethodDescriptor& method = *choice.method;
  for (const UnusedParameter& unused : unused_parameters(choice, problem_shape(request))) {
    idle.add(method_prefix + unused.name, unused.why);
  }
  if (choice.reuses_landmarks()) {
    idle.add("output.operator", "P and its landmarks are taken from " + choice.values.text("reuse"));
  }
  for (const auto& [name, owners] : methods_of_key()) idle.add_unless(name, method_key, method.name, owners);
  if (by_source(request) && !method.needs.rows) {
    idle.add("evaluation.pairs",
             fmt::format("similarity.kind is {}, which comes by whole rows; the error is measured on evaluation.rows",
                         request.similarity.name()));
  }
}

void add_unused_landmark_keys(const RunRequest& request, UnusedKeys& idle) {
  const MethodChoice& choice = request.method;
  const std::string& other = choice.method->count_parameter;
  if (!other.empty()) idle.add_beside("landmarks.count", method_prefix + other);
  idle.add_beside("landmarks.count", "landmarks.fraction");
  for (const UnusedParameter& unused : unused_landmark_parameters(choice)) {
    idle.add(choice.landmarks.keys()(unused.name), unused.why);
  }
  if (problem_shape(request).rectangular) {
    idle.add("evaluation.rows", "the columns of K stand for other objects than its rows");
  }
  idle.add_beside("evaluation.pairs", "evaluation.rows");
  for (const char* effort : {"evaluation.precision", "evaluation.seconds"}) {
    for (const char* fixed : {"evaluation.pairs", "evaluation.rows"}) idle.add_beside(effort, fixed);
  }
}

}  // namespace

void UnusedKeys::add(const std::string& name, const std::string& why) {
  if (!settings_.knows(name) || !settings_.given(name)) return;
  list_.push_back({name, fmt::format("{} has no effect if {}", settings_.where(name), why)});
}

void UnusedKeys::add_unless(const std::string& name, const std::string& chooser, const std::string& chosen,
                            const Names& owners) {
  if (contains(owners, chosen)) return;
  add(name, fmt::format("{} is {}; it belongs to {}", chooser, chosen, joined(owners, ", ")));
}

void UnusedKeys::add_beside(const std::string& name, const std::string& other) {
  if (!settings_.given(name) || !settings_.given(other)) return;
  list_.push_back({name, fmt::format("give one of {} and {}, not both", name, other)});
}

std::vector<UnusedKeys::Key> unused_keys(const Settings& settings, const RunRequest& request) {
  UnusedKeys idle(settings);
  add_unused_data_keys(idle);
  require_going_together(request);
  add_unused_similarity_keys(request, idle);
  add_unused_method_keys(request, idle);
  add_unused_landmark_keys(request, idle);
  require_in_range(request);
  return idle.list();
}

void refuse_unused_keys(const Settings& settings, const RunRequest& request) {
  const auto idle = unused_keys(settings, request);
  if (!idle.empty()) throw Error(ErrorKind::usage, idle.front().message);
}

RunRequest checked_request(const Settings& settings) {
  RunRequest request = request_of(settings);
  refuse_unused_keys(settings, request);
  return request;
}

void refuse_unused_data_keys(const Settings& settings) {
  UnusedKeys idle(settings);
  add_unused_data_keys(idle);
  if (!idle.list().empty()) throw Error(ErrorKind::usage, idle.list().front().message);
}

void refuse_unused_overwrite(const Settings& settings) {
  if (!settings.knows("overwrite") || !settings.given("overwrite")) return;
  for (const std::string& name : settings.known_names()) {
    if (settings.option(name).type == ValueType::output_path && !settings.text(name).empty()) return;
  }
  throw Error(ErrorKind::usage, "--overwrite has no effect without an option that names a file to be written");
}

}  // namespace cairn
