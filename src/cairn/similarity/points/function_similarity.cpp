// f(scale x·y + shift) for a function f by name.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/points/dot_similarity.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/points/taylor_series.hpp"

namespace cairn {

namespace {

constexpr const char* power_name = "power";
constexpr const char* series_name = "series";

double logistic(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }
double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }

using Taylor = std::vector<double> (*)(double scale, double shift, Index degree);
struct NamedFunction {
  const char* name;
  double (*value)(double);  // null: the function has parameters
  Taylor taylor;
};
constexpr std::array functions{NamedFunction{"exp", [](double t) { return std::exp(t); }, taylor::exponential},
                               NamedFunction{"logistic", logistic, taylor::logistic},
                               NamedFunction{"tanh", [](double t) { return std::tanh(t); }, taylor::tanh},
                               NamedFunction{"softplus", softplus, taylor::softplus},
                               NamedFunction{power_name, nullptr, nullptr},
                               NamedFunction{series_name, nullptr, nullptr}};

std::vector<double> coefficients_of(const Values& values) {
  std::vector<double> coefficients;
  for (const std::string& text : comma_list(values.required("coefficients"))) {
    const std::optional<double> value = parse_number(text);
    if (!value) values.refuse("coefficients", fmt::format("holds '{}', which is not a finite number", text));
    coefficients.push_back(*value);
  }
  return coefficients;
}

std::function<double(double)> function_of(const Values& values) {
  const std::string& name = values.text("function");
  if (name == power_name) {
    return [exponent = values.number("exponent")](double t) { return std::pow(t, exponent); };
  }
  if (name == series_name) {
    return [coefficients = coefficients_of(values)](double t) {
      double sum = 0;
      for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * t + coefficients[k];
      return sum;
    };
  }
  return std::ranges::find(functions, name, &NamedFunction::name)->value;
}

std::function<std::vector<double>(Index)> taylor_of(const Values& values) {
  const std::string& name = values.text("function");
  const double scale = values.number("scale"), shift = values.number("shift");
  if (name == power_name) {
    return [=, exponent = values.number("exponent")](Index degree) {
      return taylor::power(exponent, scale, shift, degree);
    };
  }
  if (name == series_name) {
    return [=, coefficients = coefficients_of(values)](Index degree) {
      return taylor::series(coefficients, scale, shift, degree);
    };
  }
  const Taylor own = std::ranges::find(functions, name, &NamedFunction::name)->taylor;
  return [=](Index degree) { return own(scale, shift, degree); };
}

template <class T>
class FunctionSimilarity final : public DotSimilarity<T> {
 public:
  FunctionSimilarity(Index dimension, const Values& values)
      : DotSimilarity<T>("function", dimension),
        function_(function_of(values)),
        taylor_(taylor_of(values)),
        scale_(values.number("scale")),
        shift_(values.number("shift")) {
    const std::string& name = values.text("function");
    texts_.emplace_back("function", name);
    if (name == power_name) texts_.emplace_back("exponent", fmt::format("{:.17g}", values.number("exponent")));
    if (name == series_name) texts_.emplace_back("coefficients", values.text("coefficients"));
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    auto all = texts_;
    all.emplace_back("scale", fmt::format("{:.17g}", scale_));
    all.emplace_back("shift", fmt::format("{:.17g}", shift_));
    return all;
  }
  [[nodiscard]] std::optional<ProductFunction> of_products() const override {
    return ProductFunction{
        .value = [f = function_, scale = scale_, shift = shift_](double product) { return f(scale * product + shift); },
        .taylor = taylor_};
  }

 protected:
  bool apply(T /*row_norm*/, const T* /*column_norms*/, T* values, Index n) const override {
    for (Index b = 0; b < n; ++b) {
      values[b] = static_cast<T>(function_(scale_ * static_cast<double>(values[b]) + shift_));
    }
    return vector_math::finite(values, n);
  }

 private:
  std::function<double(double)> function_;
  std::function<std::vector<double>(Index)> taylor_;
  double scale_, shift_;
  std::vector<std::pair<std::string, std::string>> texts_;
};

template <class T>
std::unique_ptr<Similarity<T>> make(const SimilarityInput<T>& input) {
  return std::make_unique<FunctionSimilarity<T>>(points_in(input).dimension(), input.choice.values);
}

void check(const SimilarityChoice& choice) {
  const Values& values = choice.values;
  const std::string& name = values.text("function");
  if (name != power_name && values.given("exponent")) {
    values.refuse("exponent", fmt::format("has no effect if the function is {}", name));
  }
  if (name != series_name) {
    if (!values.text("coefficients").empty()) {
      values.refuse("coefficients", fmt::format("has no effect if the function is {}", name));
    }
    return;
  }
  (void)coefficients_of(values);
}

}  // namespace

std::vector<std::string> function_names() {
  std::vector<std::string> all;
  for (const NamedFunction& function : functions) all.emplace_back(function.name);
  return all;
}

SimilarityChoice function_by_name(const std::string& name) {
  return SimilarityChoice(function_similarity()).set("function", name);
}

const std::string& name_of_function(const SimilarityChoice& choice) { return choice.values.text("function"); }

std::function<double(double)> value_of_function(const SimilarityChoice& choice) { return function_of(choice.values); }

const SimilarityDescriptor& function_similarity() {
  using enum ValueType;
  static const SimilarityDescriptor similarity{
      .name = "function",
      .summary = "f(scale x·y + shift) for a function f of one number.",
      .parameters = {{.name = "function",
                      .value = "NAME",
                      .type = choice,
                      .fallback = "exp",
                      .help = "f: exp(t), logistic 1 / (1 + exp(-t)), tanh(t), softplus log(1 + exp(t)), power "
                              "t^exponent, or series, the polynomial whose coefficients are given.",
                      .choices = function_names()},
                     {.name = "scale", .value = "NUMBER", .type = number, .fallback = "1", .help = "Factor of x·y."},
                     {.name = "shift", .value = "NUMBER", .type = number, .fallback = "0", .help = "What is added."},
                     {.name = "exponent",
                      .value = "NUMBER",
                      .type = number,
                      .fallback = "2",
                      .help = "The exponent of power, at least 0. Unless it is an integer, no scale x·y + shift may be "
                              "negative.",
                      .lowest = 0},
                     {.name = "coefficients",
                      .value = "LIST",
                      .help = "Those of series with commas between, of t^0, t^1, ..."}},
      .objects = {objects::points, objects::mesh_vertices},
      .traits = {.whole_rows = true, .part = true},
      .check = check,
      .make_single = make<float>,
      .make_double = make<double>};
  return similarity;
}

}  // namespace cairn
