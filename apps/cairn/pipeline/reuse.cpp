#include "pipeline/reuse.hpp"

#include <fmt/format.h>

#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/result_file.hpp"
#include "keys/key_names.hpp"
#include "pipeline/stored.hpp"

namespace cairn::app {

namespace {

ResultShape biharmonic_shape(const Communicator& communicator, const std::string& path) {
  ResultShape shape = read_result_shape(communicator, path);
  if (shape.sparse && shape.joining_layout == "symmetric-tiles") return shape;
  throw Error(ErrorKind::input, fmt::format("approximation.reuse: {} holds no P: it was made by {}", path,
                                            read_result_report(communicator, path).method));
}

// Whether what the file at `path`, named by `key`, holds was made of this run's data.
template <class T>
void require_reusable(const Settings& settings, const std::string& key, const std::string& path,
                      const ResultShape& shape, const ResultDescription& description, const Data<T>& data) {
  // Before the digest, which is one of the numbers in this precision.
  if (shape.precision != settings.text("run.precision")) {
    throw Error(ErrorKind::usage, fmt::format("{}: {} is in {} precision; set run.precision = {}", key, path,
                                              shape.precision, shape.precision));
  }
  require_same_data(description, shape.rows, data.digest, data.objects->size(), path, key + " needs them");
  if (description.scaling != data.scaling.kind) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {} was made with data.scaling = {}, and this run has data.scaling = {}", key, path,
                            description.scaling, data.scaling.kind));
  }
}

template <class T>
std::shared_ptr<DistanceTable<T>> read_table(const Execution& execution, const Settings& settings, const Data<T>& data,
                                             const Similarity<T>& similarity) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read distances");
  const std::string key = "similarity.reuse";
  const std::string& path = settings.text(key);
  require_reusable(settings, key, path, read_result_shape(communicator, path),
                   read_result_description(communicator, path), data);
  StoredDistances<T> stored = read_distances<T>(communicator, path, output_keys);
  if (stored.distance != similarity.base_name()) {
    throw Error(ErrorKind::input, fmt::format("{}: {} holds distances called {}, and similarity.kind = {} takes {}",
                                              key, path, stored.distance, similarity.name(), similarity.base_name()));
  }
  return std::make_shared<DistanceTable<T>>(std::move(stored), similarity_keys, run_keys);
}

}  // namespace

ReusedShape reused_shape(const Communicator& communicator, const std::string& path) {
  const ResultShape shape = biharmonic_shape(communicator, path);
  return {shape.left_columns, shape.left_entries};
}

template <class T>
ReusedInterpolation<T> read_reused(const Execution& execution, const Settings& settings, const Data<T>& data) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read P");
  const std::string& path = settings.text("approximation.reuse");
  const ResultShape shape = biharmonic_shape(communicator, path);
  const ResultDescription description = read_result_description(communicator, path);
  require_reusable(settings, "approximation.reuse", path, shape, description, data);
  StoredResult<T> stored = read_left_factor<T>(communicator, path);
  if (!stored.approximation.left_origin) {
    throw Error(ErrorKind::input, fmt::format("approximation.reuse: {} does not say its landmarks", path));
  }
  return {std::move(stored.approximation.left.sparse()),
          {.indices = stored.approximation.left_origin->indices},
          description.landmark_selection,
          path};
}

template <class T>
std::shared_ptr<DistanceTable<T>> use_distances(const Execution& execution, const Settings& settings,
                                                const Data<T>& data, const ExactMatrix<T>& exact) {
  Similarity<T>& similarity = *exact.entries;
  std::shared_ptr<DistanceTable<T>> table;
  if (!settings.text("similarity.reuse").empty()) {
    table = read_table(execution, settings, data, similarity);
  } else if (settings.flag("output.distances")) {
    table = std::make_shared<DistanceTable<T>>(similarity.base_name());
  }
  if (table) similarity.use_distances(table);
  return table;
}

template <class T>
std::vector<std::string> notes_of_reuse(const Settings& settings, const DistanceTable<T>* table) {
  const std::string& path = settings.text("similarity.reuse");
  if (path.empty() || table == nullptr) return {};
  const auto& use = table->use();
  std::vector<std::string> notes;
  if (const Index columns = use.known_columns + use.other_columns; columns > 0) {
    notes.push_back(fmt::format("of {} columns of distances {} were in {}{}", grouped(columns),
                                grouped(use.known_columns), path,
                                use.other_columns > 0 ? "; the others were evaluated" : ""));
  }
  if (use.known_block + use.other_block > 0) {
    notes.push_back(fmt::format("the {} distances of a sample among itself were {} {}",
                                grouped(use.known_block + use.other_block),
                                use.other_block > 0 ? "evaluated: they are not all in" : "all in", path));
  }
  return notes;
}

template std::vector<std::string> notes_of_reuse(const Settings&, const DistanceTable<float>*);
template std::vector<std::string> notes_of_reuse(const Settings&, const DistanceTable<double>*);
template std::shared_ptr<DistanceTable<float>> use_distances(const Execution&, const Settings&, const Data<float>&,
                                                             const ExactMatrix<float>&);
template std::shared_ptr<DistanceTable<double>> use_distances(const Execution&, const Settings&, const Data<double>&,
                                                              const ExactMatrix<double>&);
template ReusedInterpolation<float> read_reused(const Execution&, const Settings&, const Data<float>&);
template ReusedInterpolation<double> read_reused(const Execution&, const Settings&, const Data<double>&);

}  // namespace cairn::app
