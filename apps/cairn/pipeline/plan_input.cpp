#include "pipeline/plan_input.hpp"

#include <fmt/format.h>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "keys/data_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"
#include "keys/value_checks.hpp"
#include "pipeline/reuse.hpp"

namespace cairn::app {

std::optional<DataShape> peek_shape(const Communicator& communicator, const Settings& settings) {
  return collectively(communicator, [&]() -> std::optional<DataShape> {
    const DataKind& kind = data_kind(settings);
    const Values values = data_values(settings);
    check_parameters(kind, values);
    const auto size = kind.size != nullptr ? kind.size(values) : std::nullopt;
    return size ? std::optional(DataShape{size->objects, size->dimension}) : std::nullopt;
  });
}

void take_document_shape(const Communicator& communicator, const DocumentSet& documents, DataShape& shape) {
  constexpr Index split_bytes = 32;  // a short std::string
  const DocumentBags& bags = documents.bags();
  const auto sum = [&](std::size_t own) { return communicator.sum(static_cast<Index>(own)); };
  Index bytes = sum(bags.words.size()) * static_cast<Index>(sizeof(std::int32_t) + sizeof(float)) +
                documents.size() * static_cast<Index>(sizeof(Index)) + sum(documents.splits().size()) * split_bytes;
  if (documents.keeps_texts())
    bytes += sum(bags.characters.size()) + documents.size() * static_cast<Index>(sizeof(Index));
  shape.document_bytes = (bytes + documents.size() - 1) / documents.size();
  shape.labelled = sum(documents.labels().size()) > 0;
  const WordVectors* vectors = documents.vectors();
  if (vectors == nullptr) return;
  constexpr Index a_word = 16;  // its characters and where they begin
  shape.word_bytes = vectors->size() * (vectors->dimension() * static_cast<Index>(sizeof(float)) + a_word);
}

namespace {

// Path lengths in edges are taken to be below 65,536; sums of lengths that are not integers fill the precision of
// the run. Squares take twice the room.
Index tile_number_bytes(const PlanInput& input, bool lengths, const Settings& settings) {
  if (input.similarity != "path-length" || lengths) return input.number_bytes;
  return settings.text("approximation.transform") == "sqrt" ? 4 : 2;
}

// Evaluations that parameters take: behind words among them, and a sample that shows distances.
Index preparation(const SimilarityChoice& similarity, Index objects) {
  const auto own = similarity.descriptor->preparation;
  Index evaluations = own != nullptr ? own(similarity.values, objects) : 0;
  for (const SimilarityChoice& part : similarity.parts) evaluations += preparation(part, objects);
  return evaluations;
}

void set_biharmonic(const Settings& settings, const DataShape& shape, PlanInput& input) {
  constexpr Index mesh_degree = 6;
  constexpr double one_sided = 1.4;  // arcs of a neighbour's edge, which may be a neighbour of both or of one
  input.solver = settings.text("approximation.solver");
  input.soft = settings.given("approximation.soft-landmarks");
  input.storage = settings.text("approximation.joining-storage");
  input.compressed = settings.text("output.compression") != "none";
  if (!settings.text("run.memory").empty()) input.memory_limit = settings.integer("run.memory");
  input.p_row = settings.integer("approximation.p-row");
  input.patch_share = patch_share(shape.objects, input.s1, interpolation_parameters(method_values(settings)));
  input.mesh = shape.mesh;
  const std::string kind = operator_kind(settings);
  const double neighbours = static_cast<double>(settings.integer("approximation.neighbours"));
  if (shape.arcs > 0) {
    input.arcs = shape.arcs;
  } else if (shape.mesh && kind != "neighbours") {
    input.arcs = mesh_degree * shape.objects;
  } else {
    input.arcs = static_cast<Index>(one_sided * neighbours * static_cast<double>(shape.objects));
  }
  input.weighted = shape.weighted || kind != "graph";
}

}  // namespace

PlanInput plan_input(const Communicator& communicator, const Settings& settings, const DataShape& shape, int ranks,
                     Index baseline) {
  require_fitting(settings, shape);
  const Index s1 = landmark_count(settings, shape.objects);
  const MethodDescriptor& method = method_of(settings);
  PlanInput input;
  input.objects = shape.objects;
  input.dimension = shape.dimension;
  input.document_bytes = shape.document_bytes;
  input.word_bytes = shape.word_bytes;
  input.number_bytes = settings.text("run.precision") == "single" ? 4 : 8;
  input.labels = shape.labelled || !settings.text("data.label").empty() || settings.text("data.missing") == "skip";
  input.interpolates = method.needs.rows;
  input.needs_count = method_takes_count(settings);
  input.selection = settings.text("landmarks.selection");
  const std::string kind = similarity_kind(settings);
  const SimilarityChoice similarity = similarity_choice(settings);
  const SimilarityTraits traits = similarity.traits();
  input.s1 = s1;
  input.evaluations_per_entry = traits.evaluations_per_entry;
  input.preparation = preparation(similarity, shape.objects);
  input.measures_error = no_estimate(settings).empty();
  input.fixed_probe = settings.given("evaluation.pairs") || settings.given("evaluation.rows");
  input.pairs = settings.integer_or("evaluation.pairs", 0);
  input.keeps_distances = settings.flag("output.distances") || !settings.text("similarity.reuse").empty();
  if (!settings.text("similarity.reuse").empty()) {
    const DistancesShape read = read_distances_shape(communicator, settings.text("similarity.reuse"), output_keys);
    input.read_columns = read.columns;
    input.read_random = read.random;
    input.read_sample = read.sample;
  }
  input.probe_rows = evaluation_rows(settings, shape.objects);
  input.ranks = ranks;
  input.threads = static_cast<int>(settings.integer("run.threads"));
  input.by_source = by_source(settings);
  if (method.cost != nullptr) {
    input.cost = method.cost(method_values(settings), {.objects = shape.objects,
                                                       .landmarks = s1,
                                                       .ranks = ranks,
                                                       .definite = traits.definite,
                                                       .by_source = input.by_source});
  }
  input.similarity = kind;
  input.tile_number_bytes = tile_number_bytes(input, shape.weighted, settings);
  input.arcs = shape.arcs;
  input.weighted = shape.weighted;
  input.baseline_bytes = baseline;
  const std::string& reused = settings.text("approximation.reuse");
  if (input.interpolates && !reused.empty()) {
    const ReusedShape interpolation = reused_shape(communicator, reused);
    input.s1 = interpolation.landmarks;
    input.reused_entries = interpolation.entries;
  }
  if (input.interpolates) set_biharmonic(settings, shape, input);
  return input;
}

void require_landmarks(const PlanInput& input) {
  if (input.s1 > 0 || !input.needs_count) return;
  throw Error(ErrorKind::usage,
              "landmarks.count is missing: a plan, and run.memory, need it where the landmarks come from a file");
}

void require_memory(const Settings& settings, const PlanInput& input) {
  if (settings.text("run.memory").empty()) return;
  require_landmarks(input);
  const Index limit = settings.integer("run.memory");
  const Plan plan = plan_memory(input);
  if (plan.peak_bytes <= limit) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("the run would take {} on the largest of {} ranks, more than run.memory = {}; use more ranks or "
                  "fewer landmarks (landmarks.count = {}){}, or raise run.memory",
                  format_bytes(static_cast<double>(plan.peak_bytes)), input.ranks,
                  format_bytes(static_cast<double>(limit)), input.s1,
                  input.number_bytes == 8 ? ", run.precision = single" : ""));
}

}  // namespace cairn::app
