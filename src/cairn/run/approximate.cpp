#include "cairn/run/approximate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/landmark/landmark_parameters.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "cairn/operator/neighbour_operator.hpp"
#include "cairn/run/method_values.hpp"
#include "cairn/run/plan_sizes.hpp"
#include "cairn/run/reused_rows.hpp"
#include "cairn/run/session.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "cairn/store/files/operator_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn {

namespace {

// Sources for a method that takes whole rows: those of the similarity, or its entries one object at a time.
template <class T>
std::unique_ptr<SourceSimilarity> rows_of_entries(const Session& session, const SimilarityMatrix<T>& matrix,
                                                  const MethodDescriptor& method) {
  const auto& objects = matrix.objects().data();
  collectively(session.communicator(), [&] {
    if (matrix.state().traits.whole_rows && objects.points() != nullptr) return;
    throw Error(ErrorKind::usage, fmt::format("the method {} takes whole rows of K, which the similarity {} of these "
                                              "objects does not have",
                                              method.name, matrix.name()));
  });
  return make_point_sources<T>(session.communicator(), matrix.state().again(), *objects.points());
}

template <class T>
Landmarks<T> farthest_landmarks(const Session& session, const SimilarityMatrix<T>& matrix, Index count, bool hand_on) {
  const auto& state = matrix.state();
  if (!state.sources) return select_farthest<T>(session.execution(), *state.entries, matrix.compared(), count, hand_on);
  if (matrix.objects().data().template as<Graph>() == nullptr) {
    return select_farthest<T>(session.execution(), *state.sources, matrix.compared(), count);
  }
  return select_farthest<T>(session.execution(), *state.nearest(), matrix.compared(), count);
}

template <class T>
Landmarks<T> landmarks_of(const Session& session, const SimilarityMatrix<T>& matrix, const MethodDescriptor& method,
                          const Values& values, Index count, std::vector<std::string>& warnings) {
  if (!method.needs.landmarks) return {};
  const Execution& execution = session.execution();
  const std::string& selection = values.text(landmark_parameters::selection);
  if (selection == landmark_parameters::file) {
    const std::string path =
        collectively(session.communicator(), [&] { return values.required(landmark_parameters::path); });
    const auto warning = check_landmark_file(session.communicator(), "parameter " + landmark_parameters::path, path,
                                             matrix.size(), matrix.objects().data().digest);
    if (warning) warnings.push_back(*warning);
    return read_landmarks<T>(execution, matrix.compared(), path, count);
  }
  if (selection == landmark_parameters::farthest) return farthest_landmarks(session, matrix, count, !method.needs.rows);
  if (selection == landmark_parameters::rpcholesky) {
    return select_rpcholesky<T>(execution, *matrix.state().entries, matrix.compared(), count);
  }
  Landmarks<T> landmarks = select_uniform<T>(execution, matrix.compared(), count);
  // In the order of the vertices neighbors are near each other in W, which is then better compressed.
  if (method.needs.rows) std::ranges::sort(landmarks.indices);
  return landmarks;
}

template <class T>
BiharmonicOperator operator_of(const Session& session, const Data<T>& data, const Values& values) {
  const auto phase = session.execution().phases.enter("operator");
  const Communicator& communicator = session.communicator();
  const std::string given = values.text("operator");
  const std::string kind = given == "auto" ? data.kind->operators.front() : given;
  if (kind == "file") {
    return read_operator(session.execution(), values.required("operator-path"), {data.digest, data.scaling.kind, {}});
  }
  const auto* mesh = data.template as<TriangleMesh>();
  if (kind == "graph" && mesh != nullptr) return graph_operator(communicator, *mesh);
  if (kind == "graph") return graph_operator(communicator, data.shared_graph);
  if (kind == "cotangent") return cotangent_operator(communicator, *mesh);
  return neighbour_operator(session.execution(), *data.points(),
                            {.neighbours = values.integer("neighbours"), .perplexity = values.number("perplexity")});
}

template <class T>
ResultDescription described(const Session& session, const SimilarityMatrix<T>& matrix,
                            const Approximation<T>& approximation) {
  ResultDescription description;
  description.similarity = matrix.name();
  description.similarity_parameters = matrix.parameters();
  description.precision = std::is_same_v<T, float> ? "single" : "double";
  describe_data(matrix.objects().data(), description);
  description.provenance = {{"seed", std::to_string(session.options().seed)},
                            {"ranks", std::to_string(session.communicator().size())}};
  if (const auto& report = approximation.report.interpolation) {
    description.provenance["operator"] = approximation.report.operator_kind;
    description.provenance["solver"] = report->solver;
    if (report->largest_row_sum_error) description.figures["row_sum_error"] = *report->largest_row_sum_error;
    if (report->condition_estimate > 0) description.figures["condition_estimate"] = report->condition_estimate;
  }
  return description;
}

// One computation: a method on a matrix.
template <class T>
class Computation {
 public:
  Computation(const Session& session, const SimilarityMatrix<T>& matrix, const std::string& method,
              const GivenValues& given)
      : session_(session),
        matrix_(matrix),
        method_(collectively(session.communicator(), [&] { return &method_named(method); })),
        values_(collectively(session.communicator(), [&] {
          return method_values(*method_, given, {matrix.size(), 0, operators_of(matrix.objects().kind())});
        })) {}

  Result<T> run() {
    const Communicator& communicator = session_.communicator();
    if (method_->needs.rows && !matrix_.state().sources) rows_ = rows_of_entries(session_, matrix_, *method_);
    std::optional<ReusedRows<T>> known;
    if (method_->has("reuse") && values_.values.given("reuse")) {
      known = read_reused_rows(session_, matrix_.objects(), values_.values.text("reuse"));
    }
    std::string selection = method_->needs.landmarks ? values_.values.text(landmark_parameters::selection) : "";
    if (known) selection = known->selection;
    std::vector<std::string> warnings = warnings_of(matrix_.state().sources.get());
    const Index before = own_evaluations();
    Landmarks<T> landmarks =
        known ? std::move(known->landmarks)
              : landmarks_of(session_, matrix_, *method_, values_.values, values_.landmarks, warnings);
    const Index selecting = matrix_.state().sources ? own_evaluations() - before : 0;  // it hands on no columns
    auto state = std::make_shared<typename Result<T>::State>();
    state->session = session_.share();
    state->approximation = cairn::approximate(*method_, problem(std::move(landmarks), std::move(known)));
    std::ranges::move(warnings, std::back_inserter(state->approximation.report.warnings));
    state->description = described(session_, matrix_, state->approximation);
    state->description.landmark_selection = selection;
    state->description.evaluations = communicator.sum(own_evaluations() - before - selecting);
    state->labels = matrix_.objects().labels();
    state->numbers = matrix_.objects().data().numbers.of(matrix_.objects().range());
    return Result<T>(std::move(state));
  }

 private:
  [[nodiscard]] Index own_evaluations() const { return matrix_.evaluations() + (rows_ ? rows_->evaluations() : 0); }

  [[nodiscard]] Problem<T> problem(Landmarks<T> landmarks, std::optional<ReusedRows<T>> known) {
    const auto& state = matrix_.state();
    const auto& objects = matrix_.objects().data();
    const auto size = static_cast<Index>(landmarks.indices.size());
    Problem<T> result{session_.execution(),
                      *state.entries,
                      matrix_.compared(),
                      std::move(landmarks),
                      values_.landmarks,
                      values_.values,
                      rows_ ? rows_.get() : state.sources.get()};
    result.memory = session_.options().memory;
    if (!method_->needs.rows) return result;
    if (known) result.interpolation = KnownInterpolation<T>{std::move(known->rows), known->path};
    result.geometry = [this, &objects, indices = result.landmarks.indices] {
      BiharmonicOperator op = operator_of<T>(session_, objects, values_.values);
      if (const auto* mesh = objects.template as<TriangleMesh>(); mesh != nullptr && op.kind != "neighbours") {
        require_landmarks_everywhere(session_.communicator(), *mesh, indices, "parameter largest-component");
      }
      return op;
    };
    result.storage =
        tile_storage(session_, values_.values, work_beside_tiles(session_, matrix_, *method_, values_.values, size));
    return result;
  }

  const Session& session_;
  const SimilarityMatrix<T>& matrix_;
  const MethodDescriptor* method_;
  MethodValues values_;
  std::unique_ptr<SourceSimilarity> rows_;
};

}  // namespace

template <class T>
Result<T> approximate(const Session& session, const SimilarityMatrix<T>& matrix, const std::string& method,
                      const GivenValues& given) {
  return Computation<T>(session, matrix, method, given).run();
}

template Result<float> approximate(const Session&, const SimilarityMatrix<float>&, const std::string&,
                                   const GivenValues&);
template Result<double> approximate(const Session&, const SimilarityMatrix<double>&, const std::string&,
                                    const GivenValues&);

}  // namespace cairn
