#include "cairn/approximation/catalog/auto_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/cur.hpp"
#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/column_sampling/sms_nystrom.hpp"
#include "cairn/approximation/column_sampling/stacur.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/approximation/error/validation_columns.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

constexpr double truncation = 1e-3;        // tolerance of the truncated candidate
constexpr double relative_margin = 1e-9;   // errors within it count as equal
constexpr double rounding_margin = 1e-12;  // the same, relative to |K|

// E J Eᵀ: J with rows and columns of zeros appended.
BlockCyclicMatrix pad(const BlockCyclicMatrix& core_matrix, Index size) {
  const auto embed = [&](Index from) {
    BlockCyclicMatrix e(core_matrix.shared_grid(), size, from);
    e.fill([](Index i, Index j) { return i == j ? 1.0 : 0.0; });
    return e;
  };
  const BlockCyclicMatrix tall = multiply(embed(core_matrix.rows()), false, core_matrix, false);
  return multiply(tall, false, embed(core_matrix.columns()), true);
}

std::vector<Index> first(const std::vector<Index>& indices, Index count) {
  return {indices.begin(), indices.begin() + count};
}

// The first `count` columns of a tall matrix. Collective.
template <class T>
TallMatrix<T> first_columns(const Communicator& communicator, const TallMatrix<T>& columns, Index count) {
  return collectively(communicator, [&] {
    return columns.visit([&]<class N>(const RowBlock<N>& all) {
      RowBlock<N> part(all.partition(), communicator.rank(), count);
      for (Index i = part.range().begin; i < part.range().end; ++i) {
        std::copy_n(all.row(i).data(), count, part.row(i).data());
      }
      return TallMatrix<T>(std::move(part));
    });
  });
}

// Number of columns that fit the budget; landmarks.count if no budget is given.
Index columns_in_budget(const Values& values, Index landmarks, Index objects) {
  return values.given("budget") ? std::min(values.integer("budget") / objects, objects) : landmarks;
}

// Largest number of landmarks s' of SMS-Nystrom with n s' + s'² <= n `columns`.
Index shifted_landmarks_in(Index objects, Index columns) {
  const auto n = static_cast<double>(objects);
  const double most = 0.5 * (std::sqrt(n * n + 4.0 * n * static_cast<double>(columns)) - n);
  return std::max<Index>(1, static_cast<Index>(most));
}

// Order of the matrix that determines the shift of SMS-Nystrom: its landmarks, and as many other objects if there are.
Index shifted_rows(Index objects, Index columns, Index sampled) {
  return std::min(2 * shifted_landmarks_in(objects, columns), sampled);
}

// One method of the family on the shared columns.
struct Candidate {
  const MethodDescriptor* method;
  std::string sizes;  // "s1 = 60", and other settings that are not the method's default
  SpectrumRule rule;
  std::optional<double> error{};  // on the validation probe

  [[nodiscard]] std::string name() const { return fmt::format("{} ({})", method->name, sizes); }
  [[nodiscard]] bool is(const MethodDescriptor& other) const { return method == &other; }
};

template <class T>
class Contest {
 public:
  /// @param sampled  number of objects that may belong to a second sample
  Contest(Problem<T> input, TallMatrix<T> columns, Index sampled)
      : input_(std::move(input)),
        sampled_(sampled),
        columns_(std::move(columns)),
        grid_(std::make_shared<const ProcessGrid>(input_.execution.communicator)),
        block_(landmark_block(grid_, columns_, input_.landmarks.indices, input_.similarity)),
        size_(columns_.columns()) {}

  [[nodiscard]] Approximation<T> run();

 private:
  [[nodiscard]] std::vector<Candidate> candidates() const;
  void measure(std::vector<Candidate>& candidates);
  [[nodiscard]] BlockCyclicMatrix padded_core(const Candidate& candidate, MethodReport& report);
  [[nodiscard]] BlockCyclicMatrix shifted_block(MethodReport& report);
  [[nodiscard]] CoreFactors sicur_factors(const SpectrumRule& rule, MethodReport& report);
  [[nodiscard]] Approximation<T> finish(const Candidate& candidate);
  [[nodiscard]] Approximation<T> finish_stacur(const Candidate& candidate, MethodReport report);
  [[nodiscard]] FactorOrigin origin(Index count) const;
  [[nodiscard]] Index shifted_landmarks() const { return shifted_landmarks_in(input_.objects.size(), size_); }
  [[nodiscard]] Index beside_landmarks() const {
    return shifted_rows(input_.objects.size(), size_, sampled_) - shifted_landmarks();
  }

  Problem<T> input_;
  Index sampled_;
  TallMatrix<T> columns_;  // K S
  std::shared_ptr<const ProcessGrid> grid_;
  BlockCyclicMatrix block_;  // SᵀKS
  Index size_;
  std::optional<SampleBlock<T>> beside_;  // S2 of SMS-Nystrom without S1
  std::optional<double> shift_;
};

template <class T>
std::vector<Candidate> Contest<T>::candidates() const {
  constexpr bool single = std::is_same_v<T, float>;
  const double cur = default_sicur_tolerance(single);
  const std::string all = fmt::format("s1 = {}", size_);
  std::vector<Candidate> list = {
      {&nystrom_method(), all, {-1.0, false, single}},
      {&nystrom_method(), all + ", tolerance 1e-3", {truncation, false, single}},
      {&nystrom_method(), all + ", positive spectrum", {-1.0, true, single}},
      {&sms_nystrom_method(), fmt::format("s1 = {}", shifted_landmarks()), {-1.0, false, single}},
      {&stacur_method(), all, {default_stacur_tolerance(single), true, single}}};
  if (size_ > 1) {
    list.push_back({&sicur_method(), fmt::format("s1 = {}, s2 = {}", size_ / 2, size_), {cur, false, single}});
  }
  return list;
}

template <class T>
FactorOrigin Contest<T>::origin(Index count) const {
  std::vector<Index> indices = first(input_.landmarks.indices, count);
  auto objects = input_.objects.gather(input_.execution.communicator, indices);
  return {std::move(indices), std::move(objects), nullptr};
}

// The core matrix of SMS-Nystrom on the first landmarks; the shift is computed once.
template <class T>
BlockCyclicMatrix Contest<T>::shifted_block(MethodReport& report) {
  const Index s1 = shifted_landmarks();
  const std::vector<Index> landmarks = first(input_.landmarks.indices, s1);
  BlockCyclicMatrix block =
      landmark_block(grid_, first_columns(input_.execution.communicator, columns_, s1), landmarks, input_.similarity);
  if (!shift_) {
    shift_ = submatrix_shift(input_, columns_, landmarks, block, *beside_, report);
    beside_.reset();
  }
  report.s2 = s1 + beside_landmarks();
  report.shift = *shift_;
  return shifted(std::move(block), *shift_, false, report);
}

// (S2ᵀKS1)⁺ with S2 all landmarks and S1 the first half of them.
template <class T>
CoreFactors Contest<T>::sicur_factors(const SpectrumRule& rule, MethodReport& report) {
  BlockCyclicMatrix half(grid_, size_, size_ / 2);
  half.fill([](Index i, Index j) { return i == j ? 1.0 : 0.0; });
  return pseudo_inverse_factors(multiply(block_, false, half, false), rule.tolerance, report);
}

template <class T>
BlockCyclicMatrix Contest<T>::padded_core(const Candidate& candidate, MethodReport& report) {
  const auto phase = input_.execution.phases.enter(core_phase);
  if (candidate.is(sicur_method())) {
    const CoreFactors factors = sicur_factors(candidate.rule, report);
    return pad(multiply(factors.left, false, factors.right, true), size_);
  }
  if (candidate.is(stacur_method())) {
    return stacur_core(input_.execution, columns_, block_, candidate.rule.tolerance, report);
  }
  if (candidate.is(sms_nystrom_method())) {
    return pad(pseudo_inverse(shifted_block(report), candidate.rule, report), size_);
  }
  return pseudo_inverse(block_.copy(), candidate.rule, report);
}

// Computes the validation error of every candidate whose core matrix can be inverted.
template <class T>
void Contest<T>::measure(std::vector<Candidate>& candidates) {
  KnownPairs<T> known;
  const Index pairs = default_probe_pairs(input_.objects.size() * size_);
  std::optional<ValidationColumns<T>> whole;  // instead of pairs
  if (input_.similarity.by_source() != nullptr) whole.emplace(input_.execution, input_.similarity, input_.objects);
  Approximation<T> trial;
  trial.left = std::move(columns_);
  trial.meaning = input_.similarity.traits().meaning;
  trial.symmetrize = input_.parameters.flag("symmetrize-result");
  for (Candidate& candidate : candidates) {
    std::swap(columns_, trial.left.tall());
    try {
      MethodReport report;
      trial.core_matrix = DenseCore{padded_core(candidate, report)};
      trial.symmetric = candidate.is(nystrom_method()) || candidate.is(sms_nystrom_method());
      std::swap(columns_, trial.left.tall());
    } catch (const Error& error) {  // the same on every rank
      if (error.kind() != ErrorKind::numeric) throw;
      std::swap(columns_, trial.left.tall());
      continue;
    }
    if (whole) {
      candidate.error = whole->relative_error(input_.execution, trial);
      continue;
    }
    candidate.error =
        validation_error(input_.execution, trial, input_.similarity, input_.objects, pairs, &known).relative_error;
  }
  columns_ = std::move(trial.left.tall());
}

template <class T>
Approximation<T> Contest<T>::finish_stacur(const Candidate& candidate, MethodReport report) {
  BlockCyclicMatrix core_matrix = stacur_core(input_.execution, columns_, block_, candidate.rule.tolerance, report);
  CurColumns<T> parts{std::move(columns_), origin(size_), std::nullopt};
  if (!input_.parameters.flag("embedding"))
    return join_columns(std::move(parts), std::move(core_matrix), std::move(report));
  return embed_columns(input_.execution, std::move(parts), square_root_factors(std::move(core_matrix)),
                       std::move(report));
}

template <class T>
Approximation<T> Contest<T>::finish(const Candidate& candidate) {
  const Execution& execution = input_.execution;
  const bool embedding = input_.parameters.flag("embedding");
  const auto phase = execution.phases.enter(core_phase);
  MethodReport report;
  report.method = candidate.method->name;
  report.s1 = size_;
  if (candidate.is(stacur_method())) {
    report.s2 = size_;
    return finish_stacur(candidate, std::move(report));
  }
  if (candidate.is(sicur_method())) {
    report.s1 = size_ / 2;
    report.s2 = size_;
    CoreFactors factors = sicur_factors(candidate.rule, report);
    TallMatrix<T> left = first_columns(execution.communicator, columns_, size_ / 2);
    CurColumns<T> parts{std::move(left), origin(size_ / 2), SecondSample<T>{origin(size_), std::move(columns_)}};
    if (embedding) return embed_columns(execution, std::move(parts), std::move(factors), std::move(report));
    return join_columns(std::move(parts), multiply(factors.left, false, factors.right, true), std::move(report));
  }
  if (candidate.is(sms_nystrom_method())) {
    const Index s1 = shifted_landmarks();
    report.s1 = s1;
    BlockCyclicMatrix block = shifted_block(report);
    columns_ = first_columns(execution.communicator, columns_, s1);
    return join_symmetric(execution, std::move(columns_), std::move(block), candidate.rule, embedding, origin(s1),
                          std::move(report));
  }
  return join_symmetric(execution, std::move(columns_), std::move(block_), candidate.rule, embedding, origin(size_),
                        std::move(report));
}

template <class T>
Approximation<T> Contest<T>::run() {
  beside_ = evaluate_beside(input_, first(input_.landmarks.indices, shifted_landmarks()), beside_landmarks());
  std::vector<Candidate> list = candidates();
  measure(list);
  std::vector<std::optional<double>> errors;
  std::vector<std::string> tried;
  for (const Candidate& candidate : list) {
    tried.push_back(candidate.error ? fmt::format("{}: {:.4g}", candidate.name(), *candidate.error)
                                    : fmt::format("{}: no core matrix", candidate.name()));
    errors.push_back(candidate.error);
  }
  const std::optional<std::size_t> choice = smallest_error(errors);
  if (!choice) {
    throw Error(ErrorKind::numeric, "no method of the family yields an invertible core matrix: choose other landmarks");
  }
  const Candidate& best = list[*choice];
  Approximation<T> result = finish(best);
  result.report.notes.push_back(
      fmt::format("auto chose {}, which has the smallest relative error on the validation probe; tried: {}",
                  best.name(), joined(tried, "; ")));
  return result;
}

// K S for a sample other than the landmarks; columns that the landmark selection evaluated are reused.
template <class T>
SecondSample<T> sample_columns(Problem<T>& input, const std::vector<Index>& sample) {
  if (input.landmarks.columns) {
    const TallMatrix<T> known = landmark_columns(input);
    return evaluate_second_sample(input, known, input.landmarks.indices, sample);
  }
  const Communicator& communicator = input.execution.communicator;
  const auto none =
      TallMatrix<T>::of_bytes(whole_column_bytes(input.similarity), input.objects.partition(), communicator.rank(), 0);
  return evaluate_second_sample(input, none, {}, sample);
}

}  // namespace

std::optional<std::size_t> smallest_error(const std::vector<std::optional<double>>& errors) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& error : errors) smallest = std::min(smallest, error.value_or(smallest));
  const double tie = smallest + std::max(relative_margin * smallest, rounding_margin);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    if (errors[k] && *errors[k] <= tie) return k;
  }
  return std::nullopt;
}

template <class T>
Approximation<T> choose_method(Problem<T> input) {
  const Index n = input.objects.size();
  const auto given = static_cast<Index>(input.landmarks.indices.size());
  const EligibleObjects from = sampled_objects(input);
  const Index size = std::min(columns_in_budget(input.parameters, given, n), from.count());
  prepare_smallest_eigenvalue(input.execution.communicator, shifted_rows(n, size, from.count()));
  TallMatrix<T> columns;
  if (size == given) {
    columns = whole_landmark_columns(input);
  } else {
    std::vector<Index> sample = first(input.landmarks.indices, std::min(size, given));
    if (size > given) {
      const std::vector<Index> beside =
          draw_beside(from, sample, size - given, input.execution.seed, known_columns(input.similarity));
      sample.insert(sample.end(), beside.begin(), beside.end());
    }
    SecondSample<T> all = sample_columns(input, sample);
    columns = std::move(all.columns);
    input.landmarks.indices = std::move(all.origin.indices);
  }
  const Index sampled = from.count();
  return Contest<T>(std::move(input), std::move(columns), sampled).run();
}

template Approximation<float> choose_method(Problem<float>);
template Approximation<double> choose_method(Problem<double>);

namespace {

void check(const Values& values, const ProblemShape& shape) {
  if (!values.given("budget") || values.integer("budget") >= shape.objects) return;
  values.refuse("budget", fmt::format("is less than the {} evaluations of one column of K", shape.objects));
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index n = input.data.objects;
  const Index s = std::max<Index>(1, columns_in_budget(values, input.landmarks, n));
  const Index shifted = shifted_landmarks_in(n, s), pairs = default_probe_pairs(n * s);
  return {.left = s,
          .columns = s,
          .block = shifted,
          .block_sample = 2 * shifted,
          .others = input.by_source ? std::min(n, most_validation_columns) * n : pairs + validation_objects(n, pairs),
          .whole_columns = !values.flag("embedding"),
          .copies_columns = true,
          .embedding = values.flag("embedding"),
          .core_matrix = s,
          .dense = {{s, s, DenseUse::eigen}},
          .library_bytes = smallest_eigenvalue_libraries(shifted_rows(n, s, n)),
          .core_bytes = method_parameters::symmetric_core_bytes(s, input.ranks, false),
          .eigen_flops = 9 * static_cast<double>(s) * static_cast<double>(s * s) / input.ranks};
}

}  // namespace

const MethodDescriptor& auto_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "auto",
      .summary =
          "Tries the methods of this family, each within the same number of evaluations, and takes the one with "
          "the smallest error on entries of its own.",
      .source = "this program",
      .parameters = {shift_factor(),
                     {.name = "budget",
                      .value = "N",
                      .type = ValueType::integer,
                      .help = "Evaluations that each method may take; by default the number of objects times "
                              "landmarks.count.",
                      .lowest = 1},
                     embedding(),
                     symmetrize_result()},
      .check = check,
      .cost = cost,
      .run_single = choose_method<float>,
      .run_double = choose_method<double>};
  return method;
}

}  // namespace cairn
