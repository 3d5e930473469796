#include "cairn/store/files/score_lists.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cairn {

hdf5::Handle write_scores(const hdf5::Handle& parent, const std::vector<StoredScore>& scores) {
  hdf5::Handle group = hdf5::create_group(parent, "scores");
  std::vector<std::string> targets, on;
  std::vector<Index> rows;
  std::vector<double> r_squared, absolute, squared;
  for (const StoredScore& score : scores) {
    targets.push_back(score.target);
    on.push_back(score.on);
    rows.push_back(score.rows);
    r_squared.push_back(score.r_squared.value_or(NAN));
    absolute.push_back(score.mean_absolute_error);
    squared.push_back(score.root_mean_squared_error);
  }
  hdf5::write_texts(group, "target", targets);
  hdf5::write_texts(group, "on", on);
  hdf5::write_numbers(group, "rows", std::span<const Index>(rows));
  hdf5::write_numbers(group, "r_squared", std::span<const double>(r_squared));
  hdf5::write_numbers(group, "mean_absolute_error", std::span<const double>(absolute));
  hdf5::write_numbers(group, "root_mean_squared_error", std::span<const double>(squared));
  return group;
}

std::vector<StoredScore> read_scores(const hdf5::InputFile& file, const std::string& group) {
  const auto in = [&](const char* name) { return group + "/" + name; };
  const std::vector<std::string> targets = file.texts(in("target")), on = file.texts(in("on"));
  const std::vector<Index> rows = file.indices(in("rows"));
  const std::vector<double> r_squared = file.numbers(in("r_squared"));
  const std::vector<double> absolute = file.numbers(in("mean_absolute_error"));
  const std::vector<double> squared = file.numbers(in("root_mean_squared_error"));
  const std::size_t count = targets.size();
  if (on.size() != count || rows.size() != count || r_squared.size() != count || absolute.size() != count ||
      squared.size() != count) {
    file.refuse(fmt::format("the lists in /{} have different lengths", group));
  }
  std::vector<StoredScore> scores;
  for (std::size_t s = 0; s < count; ++s) {
    scores.push_back({targets[s], on[s], rows[s], std::isnan(r_squared[s]) ? std::nullopt : std::optional(r_squared[s]),
                      absolute[s], squared[s]});
  }
  return scores;
}

void write_interval_scores(const hdf5::Handle& parent, const std::vector<StoredIntervalScore>& scores) {
  std::vector<StoredScore> means;
  std::vector<double> coverage, width, log_score, crps;
  for (const StoredIntervalScore& one : scores) {
    means.push_back(one.score);
    coverage.push_back(one.coverage);
    width.push_back(one.mean_width);
    log_score.push_back(one.log_score.value_or(NAN));
    crps.push_back(one.crps.value_or(NAN));
  }
  const hdf5::Handle group = write_scores(parent, means);
  hdf5::write_numbers(group, "coverage", std::span<const double>(coverage));
  hdf5::write_numbers(group, "mean_width", std::span<const double>(width));
  hdf5::write_numbers(group, "log_score", std::span<const double>(log_score));
  hdf5::write_numbers(group, "crps", std::span<const double>(crps));
}

std::vector<StoredIntervalScore> read_interval_scores(const hdf5::InputFile& file, const std::string& group) {
  const auto in = [&](const char* name) { return group + "/" + name; };
  const std::vector<StoredScore> means = read_scores(file, group);
  const std::vector<double> coverage = file.numbers(in("coverage")), width = file.numbers(in("mean_width"));
  const std::vector<double> none(means.size(), NAN);
  const std::vector<double> log_score = file.has(in("log_score")) ? file.numbers(in("log_score")) : none;
  const std::vector<double> crps = file.has(in("crps")) ? file.numbers(in("crps")) : none;
  for (const auto* list : {&coverage, &width, &log_score, &crps}) {
    if (list->size() != means.size()) file.refuse(fmt::format("the lists in /{} have different lengths", group));
  }
  const auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
  std::vector<StoredIntervalScore> scores;
  for (std::size_t s = 0; s < means.size(); ++s) {
    scores.push_back({means[s], coverage[s], width[s], known(log_score[s]), known(crps[s])});
  }
  return scores;
}

}  // namespace cairn
