// cairn extend: factor rows for objects that were not in the data.
#include "approximation/extend.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "command.hpp"
#include "context.hpp"
#include "idle_keys.hpp"
#include "pipeline.hpp"
#include "problem.hpp"
#include "report.hpp"
#include "similarity/make_similarity.hpp"
#include "stored.hpp"
#include "units.hpp"
#include "version.hpp"

namespace cairn::app {

namespace {

void require_points(const ResultDescription& description, const std::string& path) {
  if (description.object_kind == "points") return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was made from a {}; its similarities are not defined for other objects{}", path,
                          description.object_kind,
                          description.object_kind == "matrix" ? "" : ". Approximate the new one by itself"));
}

// The factors of the new objects, under the joining matrix of the old ones.
template <class T>
Approximation<T> extend(const Execution& execution, Approximation<T> old, const Similarity<T>& similarity,
                        const ObjectSet& objects) {
  old.left = extend_factor(execution, similarity, objects, *old.left_origin, "extend-left");
  if (old.right) old.right = extend_factor(execution, similarity, objects, *old.right_origin, "extend-right");
  return old;
}

template <class T>
void extend_as(Job& job, ResultDescription description) {
  const std::string& path = job.arguments.front();
  const std::string& output = job.settings.required("output.path");
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")),
                  static_cast<std::uint64_t>(stored_number(description, "seed")));
  const Execution& execution = context.execution();
  constexpr Index no_tiles = 0;  // factors with tiles are refused
  StoredResult<T> stored = read_result<T>(job.communicator, path, no_tiles);
  if (!stored.approximation.left_origin) {
    throw Error(ErrorKind::usage,
                fmt::format("the factors in {} do not come from similarities with landmarks (method {}); "
                            "they cannot be extended",
                            path, stored.approximation.report.method));
  }
  const Scaling scaling{description.scaling, description.scaling_shift, description.scaling_factor};
  const Data<T> data = load_data<T>(execution, job.settings, &scaling);
  if (data.dimension() != description.dimension) {
    throw Error(ErrorKind::input, fmt::format("the new points have {} coordinates, those of {} have {}",
                                              data.dimension(), path, description.dimension));
  }
  const auto similarity = make_similarity<T>(
      execution, from_resolved(description.similarity, description.similarity_parameters), *data.objects);
  if (!similarity->defined_for_unseen()) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} is not defined for objects that were not in the data",
                                              similarity->name()));
  }
  const Approximation<T> extended = extend(execution, std::move(stored.approximation), *similarity, *data.objects);
  const Index evaluations = job.communicator.sum(similarity->evaluations());
  description.evaluations = evaluations;
  description.data_digest = data.digest;
  description.error.reset();
  description.provenance["kind"] = "extension";
  description.provenance["extended_from"] = path;
  description.provenance["command_line"] = job.command_line;
  description.provenance["date"] = now_text();
  description.provenance["version"] = version();
  description.provenance["commit"] = commit();
  description.phases = context.phases().summarize(job.communicator);
  write_result(execution, output, extended, description, data.labels());

  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator,
        fmt::format(
            "  new objects                 {}\n  evaluations                 {}\n  result                      {}\n\n",
            grouped(data.objects->size()), grouped(evaluations), output) +
            phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json["file"] = path;
  json["output"] = output;
  json["n"] = data.objects->size();
  json["evaluations"] = evaluations;
  json.update(phases_json(phases, total));
  write_json(job, json);
}

}  // namespace

void run_extend(Job& job) {
  refuse_idle_data_keys(job.settings);
  job.settings.required("output.path");
  check_output(job, "output.path");
  check_output(job, "json");
  const std::string& path = job.arguments.front();
  const ResultDescription description = read_result_description(job.communicator, path);
  require_points(description, path);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  with_precision(description.precision, [&](auto number) { extend_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
