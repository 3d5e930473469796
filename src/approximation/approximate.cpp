#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "approximation/methods.hpp"
#include "approximation/nystrom.hpp"
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

}  // namespace

template <class T>
Approximation<T> approximate(MethodInput<T> input) {
  require_one_of("method", input.parameters.method, {"nystrom"});
  require_one_of("spectrum", input.parameters.spectrum, {"all", "positive"});
  const bool symmetrize = input.parameters.symmetrize_result;
  const Meaning meaning = input.similarity.meaning();
  Approximation<T> result = nystrom(std::move(input));
  result.meaning = meaning;
  result.symmetrize = symmetrize && !result.symmetric;
  return result;
}

template Approximation<float> approximate(MethodInput<float>);
template Approximation<double> approximate(MethodInput<double>);

}  // namespace cairn
