// Similarity::parameters(), turned back.
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "similarity/make_similarity.hpp"

namespace cairn {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

template <class Number>
Number number(const std::string& key, const std::string& value) {
  Number result{};
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, result);
  if (error == std::errc() && stop == end) return result;
  throw Error(ErrorKind::input, fmt::format("resolved parameter similarity.{} = '{}' is not a number", key, value));
}

void set(SimilarityParameters& to, const std::string& key, const std::string& value) {
  if (key == "gamma")
    to.gamma = value;
  else if (key == "degree")
    to.degree = number<double>(key, value);
  else if (key == "coef0")
    to.coef0 = number<double>(key, value);
  else if (key == "nu")
    to.nu = number<double>(key, value);
  else if (key == "length-scale")
    to.length_scale = number<double>(key, value);
  else if (key == "sigma")
    to.sigma = number<double>(key, value);
  else if (key == "sigma-diagonal")
    to.sigma_diagonal = number<double>(key, value);
  else if (key == "seed")
    to.seed = number<std::uint64_t>(key, value);
  else if (key == "path")
    to.path = value;
  else if (key == "format")
    to.format = value;
  else if (key == "dataset")
    to.dataset = value;
  else if (key == "command")
    to.scorer.command = value;
  else if (key == "send")
    to.send = value;
  else if (key == "processes")
    to.scorer.processes = number<int>(key, value);
  else if (key == "batch")
    to.scorer.batch = number<Index>(key, value);
  else if (key == "time-limit")
    to.scorer.time_limit = number<double>(key, value);
  else if (key == "retries")
    to.scorer.retries = number<int>(key, value);
  else if (key == "symmetrize" && (value == "true" || value == "false"))
    to.symmetrize = value == "true";
  else if (key == "meaning" && (value == "similarity" || value == "distance"))
    to.meaning = value;
  else
    throw Error(ErrorKind::input, fmt::format("unknown resolved parameter similarity.{} = '{}'", key, value));
}

}  // namespace

SimilarityParameters from_resolved(const std::string& kind, const Pairs& resolved) {
  struct Part {
    std::string kind;
    std::optional<double> weight;
    Pairs pairs;
  };
  SimilarityParameters parameters{.kind = kind};
  if (kind == "matrix" || kind == "external") parameters.meaning = "similarity";  // distances say so
  std::map<std::size_t, Part> parts;
  for (const auto& [key, value] : resolved) {
    const auto dot = key.find('.');
    if (dot == std::string::npos) {
      set(parameters, key, value);
      continue;
    }
    Part& part = parts[number<std::size_t>(key, key.substr(0, dot))];
    const std::string rest = key.substr(dot + 1);
    if (rest == "kind")
      part.kind = value;
    else if (rest == "weight")
      part.weight = number<double>(key, value);
    else
      part.pairs.emplace_back(rest, value);
  }
  for (const auto& [position, part] : parts) {
    if (part.kind.empty()) {
      throw Error(ErrorKind::input, fmt::format("resolved parameter similarity.{}.kind is missing", position));
    }
    parameters.parts.push_back(from_resolved(part.kind, part.pairs));
    if (part.weight) parameters.weights.push_back(*part.weight);
  }
  return parameters;
}

}  // namespace cairn
