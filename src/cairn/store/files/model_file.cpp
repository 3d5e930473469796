#include "cairn/store/files/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/hdf5/array_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/known_points.hpp"
#include "cairn/store/hdf5/seal_file.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

constexpr const char* format = "cairn-model";
constexpr const char* centers_name = "centers";
constexpr const char* objects_name = "objects";
constexpr const char* variances_name = "centers/variances";
constexpr hdf5::ElementType number{hdf5::ElementType::Kind::float64};

std::string in(const std::string& group, const std::string& name) { return group + "/" + name; }
std::string group_of(std::size_t model) { return fmt::format("model/{}", model); }

// @param spectrum  the eigenvalues of K~ are known
void write_one(const Handle& models, std::size_t place, const StoredModel& model, Index targets, bool spectrum) {
  const Handle group = hdf5::create_group(models, std::to_string(place));
  hdf5::write_attribute(group, "lambda", model.lambda);
  hdf5::write_attribute(group, "basis_digest", model.basis_digest);
  hdf5::write_attribute(group, "result", model.result);
  hdf5::write_attribute(group, "method", model.method);
  hdf5::write_attribute(group, "similarity", model.similarity);
  if (spectrum) {
    hdf5::write_attribute(group, "smallest_eigenvalue", model.smallest_eigenvalue);
    hdf5::write_attribute(group, "largest_eigenvalue", model.largest_eigenvalue);
    hdf5::write_attribute(group, "condition", model.condition);
  }
  std::vector<std::string> names, values;
  for (const auto& [name, value] : model.similarity_parameters) names.push_back(name), values.push_back(value);
  hdf5::write_texts(group, "names", names);
  hdf5::write_texts(group, "values", values);
  hdf5::write_numbers(group, "lambdas", std::span<const double>(model.lambdas));
  hdf5::write_texts(group, "warnings", model.warnings);
  if (!model.intercepts.empty()) {
    hdf5::write_numbers(group, "intercepts", std::span<const double>(model.intercepts));
  }
  const Handle table = hdf5::create_table(group, "coefficients", number, model.columns, targets);
  hdf5::write_rows(table, number, {0, model.columns}, model.coefficients.data());
  write_scores(group, model.scores);
}

StoredModel read_one(const InputFile& file, const std::string& group, Index targets, bool spectrum) {
  StoredModel model;
  model.lambda = file.number_attribute(group, "lambda");
  model.basis_digest = file.unsigned_attribute(group, "basis_digest");
  model.result = file.text_attribute(group, "result");
  model.method = file.text_attribute(group, "method");
  model.similarity = file.text_attribute(group, "similarity");
  if (spectrum) {
    model.smallest_eigenvalue = file.number_attribute(group, "smallest_eigenvalue");
    model.largest_eigenvalue = file.number_attribute(group, "largest_eigenvalue");
    model.condition = file.number_attribute(group, "condition");
  }
  const std::vector<std::string> names = file.texts(in(group, "names")), values = file.texts(in(group, "values"));
  if (names.size() != values.size()) file.refuse(fmt::format("/{} has not as many values as names", group));
  for (std::size_t i = 0; i < names.size(); ++i) model.similarity_parameters.emplace_back(names[i], values[i]);
  model.lambdas = file.numbers(in(group, "lambdas"));
  model.warnings = file.texts(in(group, "warnings"));
  model.scores = read_scores(file, in(group, "scores"));
  if (file.has(in(group, "intercepts"))) {
    model.intercepts = file.numbers(in(group, "intercepts"));
    const bool finite = std::ranges::all_of(model.intercepts, [](double value) { return std::isfinite(value); });
    if (static_cast<Index>(model.intercepts.size()) != targets || !finite) {
      file.refuse(fmt::format("/{}/intercepts is not a finite number for each target", group));
    }
  }
  const std::string name = in(group, "coefficients");
  const hdf5::TableShape shape = file.table(name);
  if (shape.columns != targets || shape.type != number) {
    file.refuse(fmt::format("/{} is not one float64 a target and a column of a factor", name));
  }
  model.columns = shape.rows;
  model.coefficients.resize(shape.rows * shape.columns);
  file.read_rows(name, shape, {0, shape.rows}, model.coefficients.data());
  for (const double value : model.coefficients) {
    if (!std::isfinite(value)) file.refuse(fmt::format("/{} holds {}", name, value));
  }
  return model;
}

void write_variances(const Handle& centers, const StoredVariances& variances, Index count) {
  const Handle group = hdf5::create_group(centers, "variances");
  hdf5::write_numbers(group, "scales", std::span<const double>(variances.scales));
  hdf5::write_numbers(group, "log_likelihoods", std::span<const double>(variances.log_likelihoods));
  const Handle table = hdf5::create_table(group, "root", number, count, variances.rank);
  hdf5::write_rows(table, number, {0, count}, variances.root.data());
  write_interval_scores(group, variances.scores);
}

StoredVariances read_variances(const InputFile& file, Index count, Index targets) {
  StoredVariances variances;
  variances.scales = file.numbers(in(variances_name, "scales"));
  variances.log_likelihoods = file.numbers(in(variances_name, "log_likelihoods"));
  const bool above = std::ranges::all_of(variances.scales, [](double one) { return one > 0.0 && std::isfinite(one); });
  if (std::ssize(variances.scales) != targets || std::ssize(variances.log_likelihoods) != targets || !above) {
    file.refuse(fmt::format("/{} has no positive scale and likelihood for each target", variances_name));
  }
  const std::string name = in(variances_name, "root");
  const hdf5::TableShape shape = file.table(name);
  if (shape.rows != count || shape.columns < 1 || shape.columns > count || shape.type != number) {
    file.refuse(fmt::format("/{} is not a row of at most as many float64 for each center", name));
  }
  variances.rank = shape.columns;
  variances.root.resize(static_cast<std::size_t>(shape.rows * shape.columns));
  file.read_rows(name, shape, {0, shape.rows}, variances.root.data());
  if (!std::ranges::all_of(variances.root, [](double one) { return std::isfinite(one); })) {
    file.refuse(fmt::format("/{} holds numbers that are not finite", name));
  }
  variances.scores = read_interval_scores(file, in(variances_name, "scores"));
  return variances;
}

void write_centers(const Handle& file, const StoredCenters& centers) {
  const Handle group = hdf5::create_group(file, centers_name);
  hdf5::write_attribute(group, "way", centers.way);
  hdf5::write_attribute(group, "precision", centers.precision);
  hdf5::write_attribute(group, "residual", centers.residual);
  hdf5::write_attribute(group, "iterations", centers.iterations);
  hdf5::write_attribute(group, "preconditioner", centers.preconditioner);
  hdf5::write_numbers(group, "rows", std::span<const Index>(centers.rows));
  if (centers.variances) write_variances(group, *centers.variances, std::ssize(centers.rows));
  if (!centers.points) return;
  hdf5::write_attribute(group, "dimension", centers.points->dimension);
  ArrayFileWriter arrays(group, objects_name);
  centers.objects->write(arrays, nullptr);
  write_known_points(file, *centers.points);
}

StoredCenters read_centers(const InputFile& file, Index count, Index targets) {
  StoredCenters centers;
  centers.way = file.text_attribute(centers_name, "way");
  centers.precision = file.text_attribute(centers_name, "precision");
  centers.residual = file.number_attribute(centers_name, "residual");
  centers.iterations = file.index_attribute(centers_name, "iterations");
  centers.preconditioner = file.index_attribute(centers_name, "preconditioner");
  centers.rows = file.indices(in(centers_name, "rows"));
  const auto later = std::ranges::adjacent_find(centers.rows, [](Index a, Index b) { return a >= b; });
  if (centers.rows.empty() || std::ssize(centers.rows) != count || later != centers.rows.end() ||
      centers.rows.front() < 0) {
    file.refuse(fmt::format("/{}/rows is not an ascending row number for each coefficient", centers_name));
  }
  if (file.has(variances_name)) centers.variances = read_variances(file, count, targets);
  if (!file.has("points")) return centers;
  centers.points = read_known_points(file, file.index_attribute(centers_name, "dimension"));
  const ArrayFileReader arrays(file, in(centers_name, objects_name));
  const StoredObjects stored{arrays, centers.rows, centers.points->dimension};
  centers.objects = centers.precision == "single" ? read_point_block<float>(stored) : read_point_block<double>(stored);
  return centers;
}

void lay_out(const std::string& path, const ModelFile& model) {
  Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(format));
  const bool intercepts = std::ranges::any_of(model.models, [](const auto& one) { return !one.intercepts.empty(); });
  const int version = model.centers ? centers_format_version : intercepts ? intercepts_format_version : 1;
  hdf5::write_attribute(file, "format_version", Index{version});
  hdf5::write_attribute(file, "task", model.task);
  hdf5::write_attribute(file, "training_rows", model.training_rows);
  hdf5::write_texts(file, "targets", model.targets);
  {
    const Handle models = hdf5::create_group(file, "model");
    const auto targets = static_cast<Index>(model.targets.size());
    for (std::size_t m = 0; m < model.models.size(); ++m)
      write_one(models, m, model.models[m], targets, !model.centers);
    write_scores(file, model.scores);
    if (model.centers) write_centers(file, *model.centers);
    const Handle provenance = hdf5::create_group(file, "provenance");
    for (const auto& [name, text] : model.provenance) hdf5::write_text(provenance, name, text);
  }
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

Index bytes_of(const ModelFile& model) {
  constexpr Index headers = Index{1} << 16, a_model = Index{1} << 15, a_score = 256;
  auto total = headers;
  for (const StoredModel& one : model.models) {
    total += a_model + static_cast<Index>((one.coefficients.size() + one.lambdas.size()) * sizeof(double));
    total += a_score * static_cast<Index>(one.scores.size());
  }
  if (model.centers) {
    ArrayBytes arrays;
    if (model.centers->objects != nullptr) model.centers->objects->write(arrays, nullptr);
    total += arrays.bytes() + std::ssize(model.centers->rows) * static_cast<Index>(sizeof(Index));
    if (const auto& variances = model.centers->variances) {
      total += a_model + std::ssize(variances->root) * static_cast<Index>(sizeof(double)) +
               a_score * std::ssize(variances->scores);
    }
  }
  for (const auto& [name, text] : model.provenance) total += static_cast<Index>(512 + text.size());
  for (const std::string& name : model.targets) total += static_cast<Index>(64 + name.size());
  return total;
}

bool says_model(const InputFile& file) {
  return file.has_attribute("/", "format") && file.text_attribute("/", "format") == format;
}

// Task of a model file, after checking that this program can read it.
std::string checked_task(const InputFile& file) {
  if (!says_model(file)) {
    throw Error(ErrorKind::input, fmt::format("{} is an HDF5 file, but no model of cairn train", file.path()));
  }
  const Index version = file.index_attribute("/", "format_version");
  if (version > model_format_version) {
    throw Error(ErrorKind::input,
                fmt::format("{} has format version {}; this program reads up to version {}: use a newer Cairn",
                            file.path(), version, model_format_version));
  }
  return file.text_attribute("/", "task");
}

}  // namespace

void write_model(const Execution& execution, const OutputPath& path, const ModelFile& model) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  AtomicFile target(communicator, path);
  target.require_space(bytes_of(model));
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), model);
  });
  target.commit();
}

bool is_model_file(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return says_model(InputFile(path)); });
}

std::string read_model_task(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return checked_task(InputFile(path, "cairn train")); });
}

ModelFile read_model(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    const InputFile file(path, "cairn train");
    hdf5::note_missing_checksums(communicator, file);
    ModelFile model;
    model.task = checked_task(file);
    if (!file.has("targets")) file.refuse(fmt::format("its task is '{}', which has no targets", model.task));
    model.training_rows = file.index_attribute("/", "training_rows");
    model.targets = file.texts("targets");
    if (model.targets.empty()) file.refuse("it has no targets");
    const std::size_t count = file.children("model").size();
    if (count == 0) file.refuse("it has no coefficients");
    for (std::size_t m = 0; m < count; ++m) {
      model.models.push_back(
          read_one(file, group_of(m), static_cast<Index>(model.targets.size()), !file.has(centers_name)));
    }
    model.scores = read_scores(file, "scores");
    if (file.has(centers_name)) {
      if (count != 1) file.refuse(fmt::format("/{} belongs to one model, and it has {}", centers_name, count));
      model.centers = read_centers(file, model.models.front().columns, std::ssize(model.targets));
    }
    for (const std::string& name : file.children("provenance")) {
      model.provenance[name] = file.text(in("provenance", name));
    }
    return model;
  });
}

}  // namespace cairn
