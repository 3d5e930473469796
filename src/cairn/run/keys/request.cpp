#include "cairn/run/keys/request.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "cairn/run/computation/error_goal.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/similarity_keys.hpp"

namespace cairn {

namespace {

RunResources room_of(const Settings& settings) {
  const std::string path = "output.path";
  RunResources budget{.memory = memory_of(settings), .folder_name = path};
  const std::string limit = "run.max-time";  // with a checkpoint it stops the run
  if (settings.knows(limit) && settings.given(limit) && settings.text("run.checkpoint").empty()) {
    budget.time = {std::chrono::steady_clock::now() + std::chrono::seconds(settings.integer(limit)),
                   fmt::format("{} = {}", settings.where(limit), settings.text(limit))};
  }
  if (settings.knows(path)) {
    budget.scratch_folder = std::filesystem::path(settings.text(path)).parent_path().string();
  }
  return budget;
}

}  // namespace

MemoryLimit memory_of(const Settings& settings) {
  if (!settings.knows("run.memory")) return {.keys = run_keys};
  return {settings.integer_or("run.memory", 0), run_keys, settings.text("run.memory") == "unlimited"};
}

RunRequest request_of(const Settings& settings) {
  const SimilarityChoice similarity = similarity_choice(settings);
  return {.kind = &data_kind(settings),
          .data = data_values(settings),
          .similarity = similarity,
          .reuse = Values(reuse_parameters(output_keys), settings, "similarity."),
          .method = for_error_goal(method_choice(settings), similarity.traits()),
          .estimate = Values(estimate_parameters(evaluation_keys), settings, "evaluation."),
          .output = Values(output_parameters(similarity_keys("reuse")), settings, "output."),
          .path = {settings.knows("output.path") ? settings.text("output.path") : "", "output.path"},
          .single = settings.knows("run.precision") && settings.text("run.precision") == "single",
          .threads = settings.knows("run.threads") ? static_cast<int>(settings.integer("run.threads")) : 1,
          .budget = room_of(settings),
          .keys = named_keys(),
          .settings = &settings};
}

}  // namespace cairn
