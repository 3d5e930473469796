#include "cairn/task/classification/svm_repeats.hpp"

#include <fmt/format.h>

#include "cairn/task/classification/classifier_report.hpp"

namespace cairn {

Figure::Record repeat_figures(const std::vector<SvmRepeat>& repeats, const std::vector<std::string>& results,
                              ReportText& text) {
  Figure::List runs, means;
  std::vector<std::vector<std::string>> rows = {{"on", "repeats", "accuracy", "+-", "macro F1", "+-"}};
  for (const SvmRepeat& repeat : repeats) {
    runs.emplace_back(Figure::Record{{"seed", repeat.seed},
                                     {"file", results[repeat.file]},
                                     {"cost", repeat.cost},
                                     {"scores", class_score_figures(repeat.model.scores)}});
  }
  for (const char* on : {"cross-validation", "train", "test"}) {
    std::vector<double> accuracy, macro_f1;
    for (const SvmRepeat& repeat : repeats) {
      for (const StoredClassScore& score : repeat.model.scores) {
        if (score.on == on) accuracy.push_back(score.accuracy), macro_f1.push_back(score.macro_f1);
      }
    }
    if (accuracy.empty()) continue;
    const auto a = mean_and_deviation(accuracy), f = mean_and_deviation(macro_f1);
    means.emplace_back(Figure::Record{{"on", on},
                                      {"repeats", accuracy.size()},
                                      {"accuracy_mean", a.mean},
                                      {"accuracy_deviation", a.deviation},
                                      {"macro_f1_mean", f.mean},
                                      {"macro_f1_deviation", f.deviation}});
    rows.push_back({on, std::to_string(accuracy.size()), fmt::format("{:.4f}", a.mean),
                    fmt::format("{:.4f}", a.deviation), fmt::format("{:.4f}", f.mean),
                    fmt::format("{:.4f}", f.deviation)});
  }
  if (repeats.size() > 1) text.heading("mean and standard deviation over repeats").table(rows).gap();
  return {{"runs", runs}, {"means", means}};
}

}  // namespace cairn
