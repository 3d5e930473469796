#include "cairn/run/computation/near_step.hpp"

#include <fmt/format.h>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/evaluation/near_check.hpp"
#include "cairn/evaluation/near_search.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/nearest_searches.hpp"

namespace cairn {

namespace {

NearFindings findings_of(const NearCheck& check, Index near) {
  return {
      .notes = {fmt::format("on {} whole rows: of the true {} nearest objects the kept entries have {:.1f} %, and the "
                            "factors alone {:.1f} %",
                            check.rows, near, 100 * check.found, 100 * check.found_by_factors),
                fmt::format("on these rows the relative error with the kept entries is {:.4g} +- {:.1g}, of the "
                            "factors alone {:.4g} +- {:.1g}",
                            check.error.relative_error, check.error.relative_error_standard_error,
                            check.factor_error.relative_error, check.factor_error.relative_error_standard_error)},
      .metrics = {{"near_found", check.found},
                  {"near_found_by_factors", check.found_by_factors},
                  {"near_relative_error", check.error.relative_error},
                  {"near_relative_error_standard_error", check.error.relative_error_standard_error},
                  {"near_factor_error", check.factor_error.relative_error},
                  {"near_factor_error_standard_error", check.factor_error.relative_error_standard_error}}};
}

// Findings from comparing whole rows; none if K is 0. Collective.
template <class T>
NearFindings compared(const Execution& execution, const Approximation<T>& approximation, const NearEntries<T>& near,
                      const Similarity<T>& similarity, const ObjectSet& objects) {
  try {
    return findings_of(check_near_entries(execution, approximation, near, similarity, objects), near.near);
  } catch (const NoRelativeError& none) {  // thrown on all ranks
    return {.notes = {fmt::format("of the kept entries {}", none.what())}, .metrics = {}};
  }
}

// Evaluator of single entries, and its objects.
template <class T>
struct EntrySource {
  std::unique_ptr<Similarity<T>> own;
  const Similarity<T>* similarity;
  const ObjectSet* objects;
};

// Evaluates entries of points if K is evaluated by their rows. Collective.
template <class T>
EntrySource<T> entry_source(const Data<T>& data, const ExactMatrix<T>& exact) {
  if (!exact.sources || !exact.again) return {nullptr, exact.entries.get(), exact.objects};
  std::unique_ptr<Similarity<T>> own = exact.again();
  const Similarity<T>* const similarity = own.get();
  return {std::move(own), similarity, data.points()};
}

}  // namespace

std::vector<Parameter> near_parameters() {
  Parameter near{
      .name = "near",
      .value = "N",
      .type = ValueType::integer,
      .fallback = "0",
      .help =
          "Also keep the exact entries of the N nearest objects of each, and the diagonal: K ~ L J R^T + S, S "
          "sparse. query, embed of similarities and evaluate use them; tasks and extend take the factors "
          "alone, and say so. The nearest are looked for among the 3 N objects that the factors call nearest, and "
          "those that an object is such a candidate of: at most 3 n N evaluations and n^2 products of rows of the "
          "factors; about 18 N bytes an object in the file. query has all path lengths exactly where the result keeps "
          "their hierarchy.",
      .lowest = 0};
  Parameter exact{.name = "near-exact",
                  .value = "BOOL",
                  .type = ValueType::flag,
                  .fallback = "false",
                  .help = fmt::format("{}: the nearest objects are found exactly, by lower bounds of all distances and "
                                      "the distances of those whose bounds are small; none is missed.",
                                      joined(similarities_with_nearest_search(), ", "))};
  return {std::move(near), std::move(exact)};
}

void check_near_exact(const NearChoice& choice, const std::string& name, const KeyNames& keys) {
  if (!choice.exact) return;
  if (choice.near == 0)
    throw Error(ErrorKind::usage, fmt::format("{} has no effect without {}", keys("near-exact"), keys("near")));
  require_nearest_search(keys("near-exact"), name);
}

void check_near(Index near, Index objects, const SimilarityTraits& traits, bool rectangular, const KeyNames& keys) {
  if (near == 0) return;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} {}", keys("near"), near, why));
  };
  if (rectangular) refuse("has no effect if the columns of K stand for other objects than its rows");
  if (traits.one_sided) refuse("is not for values that differ between the two ends of a pair, as geodesics do");
  if (objects > 0 && near >= objects) {
    refuse(fmt::format("is too many: each of {} objects has {} others", objects, objects - 1));
  }
}

template <class T>
NearStep<T> take_near_entries(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                              const NearChoice& choice, const KeyNames& keys, Approximation<T>& approximation) {
  NearStep<T> step;
  if (choice.near == 0) return step;
  const Communicator& communicator = execution.communicator;
  collectively(communicator, [&] {
    check_near(choice.near, data.objects->size(), exact.traits, exact.right != nullptr, keys);
    check_near_exact(choice, exact.name(), keys);
  });
  const EntrySource<T> source = entry_source(data, exact);
  const Similarity<T>& similarity = *source.similarity;
  const Index before = similarity.evaluations(), restored = similarity.restored();
  step.entries = std::make_shared<const NearEntries<T>>(
      find_near_entries(execution, approximation, similarity, *source.objects, choice.near,
                        choice.exact ? NearCandidates::by_matrix : NearCandidates::by_factors));
  step.restored = communicator.sum(similarity.restored() - restored);
  step.evaluations = communicator.sum(similarity.evaluations() - before) + step.restored;
  const Index entries = kept_entries(communicator, *step.entries);
  MethodReport& report = approximation.report;
  report.metrics.emplace_back("near", static_cast<double>(choice.near));
  report.metrics.emplace_back("near_entries", static_cast<double>(entries));
  report.metrics.emplace_back("near_evaluations", static_cast<double>(step.evaluations));
  const std::string way =
      choice.exact ? std::string("exactly")
                   : fmt::format("among {} candidates each", near_candidate_count(data.objects->size(), choice.near));
  report.notes.push_back(
      fmt::format("{} exact entries are kept, of the diagonal and the {} nearest objects of each, "
                  "found {} by {} evaluations",
                  grouped(entries), choice.near, way, grouped(step.evaluations)));
  if (choice.check) {
    const NearFindings found = compared(execution, approximation, *step.entries, similarity, *source.objects);
    report.notes.insert(report.notes.end(), found.notes.begin(), found.notes.end());
    report.metrics.insert(report.metrics.end(), found.metrics.begin(), found.metrics.end());
  }
  return step;
}

template <class T>
NearFindings near_findings(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                           const Approximation<T>& approximation, const NearEntries<T>& near) {
  const EntrySource<T> source = entry_source(data, exact);
  return compared(execution, approximation, near, *source.similarity, *source.objects);
}

#define CAIRN_INSTANTIATE(T)                                                                                         \
  template NearStep<T> take_near_entries(const Execution&, const Data<T>&, const ExactMatrix<T>&, const NearChoice&, \
                                         const KeyNames&, Approximation<T>&);                                        \
  template NearFindings near_findings(const Execution&, const Data<T>&, const ExactMatrix<T>&,                       \
                                      const Approximation<T>&, const NearEntries<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
