#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "approximation/auto_method.hpp"
#include "approximation/cur.hpp"
#include "approximation/methods.hpp"
#include "approximation/nystrom.hpp"
#include "approximation/optimal.hpp"
#include "approximation/sms_nystrom.hpp"
#include "approximation/stacur.hpp"
#include "approximation/wme.hpp"
#include "base/error.hpp"

namespace cairn {

namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& demand) {
  throw Error(ErrorKind::usage, fmt::format("approximation.{} is {}; it must be {}", key, value, demand));
}

void require_one_of(const std::string& key, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  refuse(key, "'" + value + "'", fmt::format("one of {}", fmt::join(choices, ", ")));
}

// A key that only some methods have, and whether it was set.
struct Key {
  std::string name;
  bool set;
  std::vector<std::string> methods;
};

void require_meaningful(const MethodParameters& parameters) {
  const std::vector<Key> keys = {
      {"tolerance", parameters.tolerance >= 0.0, {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur"}},
      {"spectrum", parameters.spectrum != "all", {"nystrom", "sms-nystrom"}},
      {"s2", parameters.s2 != 0, {"sms-nystrom", "skeleton", "sicur", "stacur"}},
      {"alpha", parameters.alpha != 1.5, {"sms-nystrom", "auto"}},
      {"shift", parameters.shift != "joining", {"sms-nystrom"}},
      {"rescale", parameters.rescale, {"sms-nystrom"}},
      {"samples", parameters.samples != "same", {"stacur"}},
      {"rank", parameters.rank != 0, {"optimal"}},
      {"budget", parameters.budget != 0.0, {"auto"}},
      {"longest-document", parameters.longest_document != 6, {"wme"}},
  };
  for (const Key& key : keys) {
    if (!key.set || std::find(key.methods.begin(), key.methods.end(), parameters.method) != key.methods.end()) continue;
    throw Error(ErrorKind::usage,
                fmt::format("approximation.{} has no meaning for approximation.method = {}; it belongs "
                            "to {}",
                            key.name, parameters.method, fmt::join(key.methods, ", ")));
  }
}

void require_numbers(const MethodParameters& parameters) {
  if (!(parameters.tolerance < 1.0)) {
    refuse("tolerance", fmt::format("{:g}", parameters.tolerance),
           "below 1 (it is relative to the largest eigenvalue)");
  }
  if (!(parameters.alpha >= 0.0) || std::isinf(parameters.alpha)) {
    refuse("alpha", fmt::format("{:g}", parameters.alpha), "a number of at least 0");
  }
  if (!(parameters.budget >= 0.0) || std::isinf(parameters.budget)) {
    refuse("budget", fmt::format("{:g}", parameters.budget), "a number of evaluations");
  }
}

// s2 where it was not given, and its limits where it was.
Index second_sample_size(const MethodParameters& parameters, Index s1, Index objects) {
  const std::string& method = parameters.method;
  const bool superset = method == "sms-nystrom" || method == "sicur";
  if (parameters.s2 == 0) return superset ? std::min(2 * s1, objects) : s1;
  const Index least = superset ? s1 : 1;
  if (parameters.s2 < least || parameters.s2 > objects) {
    refuse("s2", fmt::format("{}", parameters.s2),
           fmt::format("between {} and the number of objects, {}", least, objects));
  }
  if (method == "stacur" && parameters.samples == "same" && parameters.s2 != s1) {
    refuse("s2", fmt::format("{}", parameters.s2), fmt::format("landmarks.count, {}, where samples = same", s1));
  }
  return parameters.s2;
}

template <class T>
Approximation<T> run(MethodInput<T> input) {
  const std::string& method = input.parameters.method;
  if (method == "nystrom") return nystrom(std::move(input));
  if (method == "sms-nystrom") return sms_nystrom(std::move(input));
  if (method == "skeleton") return skeleton(std::move(input));
  if (method == "sicur") return sicur(std::move(input));
  if (method == "stacur") return stacur(std::move(input));
  if (method == "optimal") return optimal(std::move(input));
  if (method == "wme") return word_movers_embedding(std::move(input));
  return choose_method(std::move(input));
}

}  // namespace

MethodParameters resolved_parameters(MethodParameters parameters, Index s1, Index objects) {
  require_one_of("method", parameters.method,
                 {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal", "auto", "wme"});
  require_one_of("spectrum", parameters.spectrum, {"all", "positive"});
  require_one_of("shift", parameters.shift, {"joining", "both"});
  require_one_of("samples", parameters.samples, {"same", "different"});
  require_numbers(parameters);
  require_meaningful(parameters);
  if (parameters.method == "optimal") {
    if (parameters.rank == 0) parameters.rank = s1;
    if (parameters.rank < 1 || parameters.rank > objects) {
      refuse("rank", fmt::format("{}", parameters.rank),
             fmt::format("between 1 and the number of objects, {}", objects));
    }
    return parameters;
  }
  if (parameters.method == "wme") {
    if (parameters.random_documents == 0) parameters.random_documents = s1;
    if (parameters.random_documents < 1) refuse("random-documents", "0", "at least 1");
    if (parameters.longest_document < 1) {
      refuse("longest-document", fmt::format("{}", parameters.longest_document), "at least 1");
    }
    return parameters;
  }
  if (s1 == 0) throw Error(ErrorKind::usage, "landmarks.count is 0; a method of this family needs at least 1 landmark");
  if (parameters.budget > 0.0 && parameters.budget < static_cast<double>(objects)) {
    refuse("budget", fmt::format("{:.0f}", parameters.budget),
           fmt::format("{} evaluations at least, which one column of K takes", objects));
  }
  parameters.s2 = second_sample_size(parameters, s1, objects);
  return parameters;
}

template <class T>
Approximation<T> approximate(MethodInput<T> input) {
  const auto s1 = static_cast<Index>(input.landmarks.indices.size());
  input.parameters = resolved_parameters(std::move(input.parameters), s1, input.objects.size());
  const bool symmetrize = input.parameters.symmetrize_result;
  const Meaning meaning = input.similarity.meaning();
  Approximation<T> result = run(std::move(input));
  result.meaning = meaning;
  result.symmetrize = symmetrize && !result.symmetric;
  return result;
}

template Approximation<float> approximate(MethodInput<float>);
template Approximation<double> approximate(MethodInput<double>);

}  // namespace cairn
