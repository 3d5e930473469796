#include "cairn/store/result/description.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

void write_similarity(const Handle& file, const ResultDescription& description) {
  const Handle group = hdf5::create_group(file, "similarity");
  hdf5::write_attribute(group, "kind", description.similarity);
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : description.similarity_parameters) {
    names.push_back(name);
    values.push_back(value);
  }
  hdf5::write_texts(group, "names", names);
  hdf5::write_texts(group, "values", values);
}

void read_similarity(const InputFile& file, ResultDescription& description) {
  description.similarity = file.text_attribute("similarity", "kind");
  const std::vector<std::string> names = file.texts("similarity/names");
  const std::vector<std::string> values = file.texts("similarity/values");
  if (names.size() != values.size()) file.refuse("/similarity has not as many values as names");
  for (std::size_t i = 0; i < names.size(); ++i) description.similarity_parameters.emplace_back(names[i], values[i]);
}

void write_tokenization(const Handle& file, const Tokenization& tokenization) {
  const Handle group = hdf5::create_group(file, "tokenization");
  hdf5::write_attribute(group, "tokens", tokenization.pieces);
  hdf5::write_flag(group, "lower_case", tokenization.lower_case);
  hdf5::write_texts(group, "stop_words", tokenization.stop_words);
  hdf5::write_flag(group, "strips_markup", tokenization.strips_markup);
  hdf5::write_attribute(group, "kmer_length", tokenization.kmers.length);
  hdf5::write_attribute(group, "kmer_letters", tokenization.kmers.letters);
}

Tokenization read_tokenization(const InputFile& file) {
  Tokenization tokenization{file.text_attribute("tokenization", "tokens"),
                            file.flag_attribute("tokenization", "lower_case"), file.texts("tokenization/stop_words")};
  if (file.has_attribute("tokenization", "kmer_length")) {  // not in files of earlier versions
    tokenization.strips_markup = file.flag_attribute("tokenization", "strips_markup");
    tokenization.kmers = {file.index_attribute("tokenization", "kmer_length"),
                          file.text_attribute("tokenization", "kmer_letters")};
    if (tokenization.kmers.length < 1) file.refuse("tokenization: kmer_length is not positive");
  }
  try {
    const Tokenizer tokenizer(tokenization);
  } catch (const Error& error) {
    file.refuse(error.what());
  }
  return tokenization;
}

void write_columns(const Handle& file, const PointColumns& columns) {
  const Handle group = hdf5::create_group(file, "columns");
  hdf5::write_attribute(group, "label", columns.label);
  hdf5::write_attribute(group, "chosen", columns.chosen);
  hdf5::write_attribute(group, "ignored", columns.ignored);
  hdf5::write_texts(group, "names", columns.names);
}

PointColumns read_columns(const InputFile& file, Index dimension) {
  PointColumns columns{file.texts("columns/names"), file.text_attribute("columns", "label"),
                       file.text_attribute("columns", "chosen"), file.text_attribute("columns", "ignored")};
  if (!columns.names.empty() && std::ssize(columns.names) != dimension) {
    file.refuse("/columns/names does not have one name a coordinate");
  }
  return columns;
}

void write_evaluation(const Handle& file, const ErrorEstimate& error) {
  const Handle group = hdf5::create_group(file, "evaluation");
  hdf5::write_attribute(group, "relative_error", error.relative_error);
  hdf5::write_attribute(group, "relative_error_standard_error", error.relative_error_standard_error);
  hdf5::write_attribute(group, "relative_squared_error", error.relative_squared_error);
  hdf5::write_attribute(group, "relative_squared_error_standard_error", error.relative_squared_error_standard_error);
  hdf5::write_attribute(group, "largest_entry_error", error.largest_entry_error);
  hdf5::write_attribute(group, "pairs", error.pairs);
  hdf5::write_attribute(group, "diagonal", error.diagonal);
  hdf5::write_attribute(group, "evaluations", error.evaluations);
  hdf5::write_attribute(group, "constant_error", error.constant_error);
  hdf5::write_attribute(group, "constant_error_standard_error", error.constant_error_standard_error);
  hdf5::write_attribute(group, "stopped_by", name_of(error.stopped_by));
}

ErrorEstimate read_evaluation(const InputFile& file) {
  ErrorEstimate error;
  error.relative_error = file.number_attribute("evaluation", "relative_error");
  error.relative_error_standard_error = file.number_attribute("evaluation", "relative_error_standard_error");
  error.relative_squared_error = file.number_attribute("evaluation", "relative_squared_error");
  error.relative_squared_error_standard_error =
      file.number_attribute("evaluation", "relative_squared_error_standard_error");
  error.largest_entry_error = file.number_attribute("evaluation", "largest_entry_error");
  error.pairs = file.index_attribute("evaluation", "pairs");
  error.diagonal = file.index_attribute("evaluation", "diagonal");
  error.evaluations = file.index_attribute("evaluation", "evaluations");
  if (!file.has_attribute("evaluation", "stopped_by")) return error;  // a file of an earlier version
  error.constant_error = file.number_attribute("evaluation", "constant_error");
  error.constant_error_standard_error = file.number_attribute("evaluation", "constant_error_standard_error");
  const std::string reason = file.text_attribute("evaluation", "stopped_by");
  const std::optional<StoppedBy> known = stopped_by(reason);
  if (!known) file.refuse(fmt::format("/evaluation/stopped_by is {}, which is no reason that Cairn knows", reason));
  error.stopped_by = *known;
  return error;
}

void write_phases(const Handle& provenance, const std::vector<PhaseSummary>& phases) {
  const Handle group = hdf5::create_group(provenance, "phases");
  std::vector<std::string> names;
  std::vector<double> seconds, busy, imbalance;
  std::vector<Index> evaluations, bytes;
  for (const PhaseSummary& phase : phases) {
    names.push_back(phase.name);
    seconds.push_back(phase.seconds);
    busy.push_back(phase.busy);
    imbalance.push_back(phase.imbalance);
    evaluations.push_back(phase.evaluations);
    bytes.push_back(phase.bytes);
  }
  hdf5::write_texts(group, "name", names);
  hdf5::write_numbers(group, "seconds", std::span<const double>(seconds));
  hdf5::write_numbers(group, "busy", std::span<const double>(busy));
  hdf5::write_numbers(group, "imbalance", std::span<const double>(imbalance));
  hdf5::write_numbers(group, "evaluations", std::span<const Index>(evaluations));
  hdf5::write_numbers(group, "bytes", std::span<const Index>(bytes));
}

void write_growth(const Handle& report, const std::vector<std::pair<Index, double>>& growth) {
  std::vector<Index> landmarks;
  std::vector<double> errors;
  for (const auto& [count, error] : growth) {
    landmarks.push_back(count);
    errors.push_back(error);
  }
  hdf5::write_numbers(report, "growth_landmarks", std::span<const Index>(landmarks));
  hdf5::write_numbers(report, "growth_errors", std::span<const double>(errors));
}

std::vector<std::pair<Index, double>> read_growth(const InputFile& file) {
  const std::vector<Index> landmarks = file.indices("report/growth_landmarks");
  const std::vector<double> errors = file.numbers("report/growth_errors");
  if (landmarks.size() != errors.size()) file.refuse("/report has not as many growth_errors as growth_landmarks");
  std::vector<std::pair<Index, double>> growth;
  for (std::size_t i = 0; i < landmarks.size(); ++i) growth.emplace_back(landmarks[i], errors[i]);
  return growth;
}

std::vector<PhaseSummary> read_phases(const InputFile& file) {
  const std::vector<std::string> names = file.texts("provenance/phases/name");
  const std::vector<double> seconds = file.numbers("provenance/phases/seconds");
  const std::vector<double> busy = file.numbers("provenance/phases/busy");
  const std::vector<double> imbalance = file.numbers("provenance/phases/imbalance");
  const std::vector<Index> evaluations = file.indices("provenance/phases/evaluations");
  const std::vector<Index> bytes = file.indices("provenance/phases/bytes");
  const std::size_t count = names.size();
  if (seconds.size() != count || busy.size() != count || imbalance.size() != count || evaluations.size() != count ||
      bytes.size() != count) {
    file.refuse("the lists in /provenance/phases have different lengths");
  }
  std::vector<PhaseSummary> phases;
  for (std::size_t i = 0; i < count; ++i) {
    phases.push_back({.name = names[i],
                      .seconds = seconds[i],
                      .busy = busy[i],
                      .imbalance = imbalance[i],
                      .evaluations = evaluations[i],
                      .bytes = bytes[i]});
  }
  return phases;
}

constexpr const char* phases_name = "phases";

}  // namespace

void write_scaling(const Handle& file, const Scaling& scaling) {
  const Handle group = hdf5::create_group(file, "scaling");
  hdf5::write_attribute(group, "kind", scaling.kind);
  hdf5::write_numbers(group, "shift", std::span<const double>(scaling.shift));
  hdf5::write_numbers(group, "factor", std::span<const double>(scaling.factor));
}

Scaling read_scaling(const InputFile& file, Index dimension) {
  Scaling scaling{file.text_attribute("scaling", "kind"), file.numbers("scaling/shift"),
                  file.numbers("scaling/factor")};
  const std::size_t size = scaling.shift.size();
  const bool fits = size == scaling.factor.size() && (size == 0 || size == static_cast<std::size_t>(dimension));
  if (!fits) file.refuse("/scaling/shift and /scaling/factor do not have one number a coordinate");
  return scaling;
}

void write_provenance(const Handle& file, const std::map<std::string, std::string>& texts,
                      const std::vector<PhaseSummary>& phases) {
  const Handle group = hdf5::create_group(file, "provenance");
  for (const auto& [name, text] : texts) {
    if (name.empty() || name == "." || name == phases_name || name.find('/') != std::string::npos) {
      throw Error(ErrorKind::internal, fmt::format("'{}' cannot name an entry of /provenance", name));
    }
    hdf5::write_text(group, name, text);
  }
  write_phases(group, phases);
}

void read_provenance(const InputFile& file, std::map<std::string, std::string>& texts,
                     std::vector<PhaseSummary>& phases) {
  for (const std::string& name : file.children("provenance")) {
    if (name != phases_name) texts[name] = file.text("provenance/" + name);
  }
  phases = read_phases(file);
}

void write_description(const Handle& file, const ResultDescription& description) {
  hdf5::write_attribute(file, "precision", description.precision);
  hdf5::write_attribute(file, "object_kind", description.object_kind);
  hdf5::write_attribute(file, "dimension", description.dimension);
  hdf5::write_attribute(file, "data_digest", description.data_digest);
  hdf5::write_attribute(file, "evaluations", description.evaluations);
  write_similarity(file, description);
  write_scaling(file, {description.scaling, description.scaling_shift, description.scaling_factor});
  if (description.tokenization) write_tokenization(file, *description.tokenization);
  if (description.columns) write_columns(file, *description.columns);
  if (description.error) write_evaluation(file, *description.error);
  write_provenance(file, description.provenance, description.phases);
}

ResultDescription read_description(const InputFile& file) {
  ResultDescription description;
  description.precision = file.text_attribute("/", "precision");
  description.object_kind = file.text_attribute("/", "object_kind");
  description.dimension = file.index_attribute("/", "dimension");
  description.data_digest = file.unsigned_attribute("/", "data_digest");
  description.evaluations = file.index_attribute("/", "evaluations");
  description.landmark_selection = file.text_attribute("landmarks", "selection");
  description.landmark_population = file.index_attribute("landmarks", "population");
  read_similarity(file, description);
  Scaling scaling = read_scaling(file, description.dimension);
  description.scaling = std::move(scaling.kind);
  description.scaling_shift = std::move(scaling.shift);
  description.scaling_factor = std::move(scaling.factor);
  if (file.has("tokenization")) description.tokenization = read_tokenization(file);
  if (file.has("columns")) description.columns = read_columns(file, description.dimension);
  if (file.has("evaluation")) description.error = read_evaluation(file);
  read_provenance(file, description.provenance, description.phases);
  if (file.has("report/names")) description.metrics = read_metrics(file);  // not in files of earlier versions
  if (file.has("report/growth_landmarks")) description.growth = read_growth(file);
  return description;
}

void write_metrics(const Handle& report, const std::map<std::string, double>& metrics) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : metrics) {
    names.push_back(name);
    values.push_back(value);
  }
  hdf5::write_texts(report, "names", names);
  hdf5::write_numbers(report, "values", std::span<const double>(values));
}

std::map<std::string, double> read_metrics(const InputFile& file) {
  const std::vector<std::string> names = file.texts("report/names");
  const std::vector<double> values = file.numbers("report/values");
  if (names.size() != values.size()) file.refuse("/report has not as many values as names");
  std::map<std::string, double> metrics;
  for (std::size_t i = 0; i < names.size(); ++i) metrics[names[i]] = values[i];
  return metrics;
}

void write_report(const Handle& file, const MethodReport& report, const ResultDescription& description) {
  const Handle group = hdf5::create_group(file, "report");
  hdf5::write_attribute(group, "method", report.method);
  hdf5::write_attribute(group, "s1", report.s1);
  hdf5::write_attribute(group, "s2", report.s2);
  hdf5::write_attribute(group, "rank", report.rank);
  hdf5::write_attribute(group, "dropped_eigenvalues", report.dropped_eigenvalues);
  hdf5::write_attribute(group, "negative_eigenvalues", report.negative_eigenvalues);
  hdf5::write_attribute(group, "shift", report.shift);
  hdf5::write_attribute(group, "rescale", report.rescale);
  hdf5::write_numbers(group, "spectrum", std::span<const double>(report.spectrum));
  hdf5::write_texts(group, "warnings", report.warnings);
  hdf5::write_texts(group, "notes", report.notes);
  write_metrics(group, description.metrics);
  if (!description.growth.empty()) write_growth(group, description.growth);
}

MethodReport read_report(const InputFile& file) {
  MethodReport report;
  report.method = file.text_attribute("report", "method");
  report.s1 = file.index_attribute("report", "s1");
  report.s2 = file.index_attribute("report", "s2");
  report.rank = file.index_attribute("report", "rank");
  report.dropped_eigenvalues = file.index_attribute("report", "dropped_eigenvalues");
  report.negative_eigenvalues = file.index_attribute("report", "negative_eigenvalues");
  report.shift = file.number_attribute("report", "shift");
  report.rescale = file.number_attribute("report", "rescale");
  report.spectrum = file.numbers("report/spectrum");
  report.warnings = file.texts("report/warnings");
  report.notes = file.texts("report/notes");
  return report;
}

Index description_bytes(const ResultDescription& description, const MethodReport& report) {
  constexpr Index headers = Index{1} << 16;  // superblock, groups, attributes
  constexpr Index a_text = 512;              // per text: header of its data set and its entry in a heap
  Index texts = 0;
  const auto count = [&](const std::string& text) { texts += a_text + static_cast<Index>(text.size()); };
  for (const auto& [name, text] : description.provenance) count(name), count(text);
  for (const auto& [name, value] : description.similarity_parameters) count(name), count(value);
  for (const PhaseSummary& phase : description.phases) count(phase.name);
  for (const auto& [name, value] : description.metrics) count(name);
  if (description.tokenization) {
    for (const std::string& word : description.tokenization->stop_words) count(word);
  }
  if (description.columns) {
    for (const std::string& name : description.columns->names) count(name);
    for (const auto* text :
         {&description.columns->label, &description.columns->chosen, &description.columns->ignored}) {
      count(*text);
    }
  }
  for (const std::string& warning : report.warnings) count(warning);
  for (const std::string& note : report.notes) count(note);
  const std::size_t numbers = report.spectrum.size() + 2 * description.scaling_shift.size() +
                              description.metrics.size() + 2 * description.growth.size();
  return headers + texts + static_cast<Index>(numbers * sizeof(double));
}

}  // namespace cairn
