#include "cairn/task/model_description.hpp"

#include "cairn/store/files/model_file.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/gaussian/process_report.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

ModelDescription describe_model(const Communicator& communicator, const std::string& path) {
  ModelDescription model{.task = read_model_task(communicator, path), .report = {}, .provenance = {}};
  const ModelKind kind = model_kind(communicator, path);
  ReportText& text = model.report.text;
  if (kind == ModelKind::classes) {
    const ClassifierFile classifier = read_classifier(communicator, path);
    if (!classifier.candidates.empty()) text.add(candidate_report(classifier.candidates)).gap();
    text.add(classifier_report(classifier));
    model.report.figures = classifier_figures(classifier);
    model.provenance = classifier.provenance;
  } else if (kind == ModelKind::distributions) {
    const ProcessFile process = read_process(communicator, path);
    text = process_report(process);
    model.report.figures = process_figures(process);
    model.provenance = process.provenance;
  } else {
    const ModelFile values = read_model(communicator, path);
    text = model_file_report(values);
    model.report.figures = model_file_figures(values);
    model.provenance = values.provenance;
  }
  for (const auto& [name, value] : model.provenance) text.figure(name, value);
  return model;
}

}  // namespace cairn
