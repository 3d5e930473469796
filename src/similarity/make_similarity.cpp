#include "similarity/make_similarity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "similarity/bandwidth.hpp"
#include "similarity/composite_similarity.hpp"
#include "similarity/external_similarity.hpp"
#include "similarity/numbered_similarities.hpp"
#include "similarity/point_similarities.hpp"
#include "similarity/sampled_meaning.hpp"
#include "similarity/symmetrized_similarity.hpp"
#include "similarity/word_movers_distance.hpp"

namespace cairn {

namespace {

// Every rank has the same parameters, so every rank throws the same error here.
template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Error(ErrorKind::usage, fmt::format(text, std::forward<Arguments>(arguments)...));
}

void require_finite(const char* key, double value) {
  if (!std::isfinite(value)) refuse("{} = {} must be a finite number", key, value);
}

void require_not_negative(const char* key, double value) {
  require_finite(key, value);
  if (value < 0) refuse("{} = {} must not be negative", key, value);
}

void require_between(const char* key, Index value, Index least, Index most) {
  if (value < least || value > most) refuse("{} = {} is not from {} to {}", key, value, least, most);
}

void require_matern(const SimilarityParameters& parameters) {
  require_finite("similarity.length-scale", parameters.length_scale);
  if (parameters.length_scale <= 0) refuse("similarity.length-scale = {} must be positive", parameters.length_scale);
  const double nu = parameters.nu;
  if (nu != 0.5 && nu != 1.5 && nu != 2.5) refuse("similarity.nu = {} must be 0.5, 1.5 or 2.5", nu);
}

template <class T>
class Maker {
 public:
  using Made = std::unique_ptr<Similarity<T>>;
  Maker(const Execution& execution, const ObjectSet& objects) : execution_(execution), objects_(objects) {}

  // @param section  of the keys: similarity, or similarity.1 of a part
  Made make(const SimilarityParameters& parameters, const std::string& section) const {
    const std::string& kind = parameters.kind;
    if (kind == "matrix") return matrix(parameters, section + ".meaning");
    if (kind == "noise") return noise(parameters);
    if (kind == "external") return external(parameters, section + ".meaning");
    if (kind == "sum" || kind == "product") return composite(parameters);
    if (std::ranges::find(similarity_kinds(), kind) == similarity_kinds().end()) {
      refuse("similarity.kind = '{}' is unknown; known are {}", kind, fmt::join(similarity_kinds(), ", "));
    }
    if (kind == "wmd" || kind == "wmd-distance") return of_documents(parameters);
    return of_points(parameters);
  }

 private:
  Made of_documents(const SimilarityParameters& parameters) const {
    const std::string& kind = parameters.kind;
    const auto* documents = dynamic_cast<const DocumentSet*>(&objects_);
    if (documents == nullptr)
      refuse("similarity.kind = {} compares documents, and data.kind gives objects of another kind", kind);
    if (documents->vectors() == nullptr)
      refuse("similarity.kind = {} needs vectors of words, and the documents were read without", kind);
    if (kind == "wmd-distance") return make_wmd_distance<T>(execution_, *documents);
    if (parameters.gamma == "scale")
      refuse("similarity.gamma = scale is of points; for similarity.kind = wmd give a number >= 0 or median");
    if (parameters.gamma != "median") return make_wmd<T>(execution_, *documents, number_gamma(parameters.gamma));
    const auto distance = make_wmd_distance<double>(execution_, *documents);
    auto made = make_wmd<T>(execution_, *documents, median_gamma(execution_, *distance, *documents));
    made->count_more(distance->evaluations());
    return made;
  }

  Made of_points(const SimilarityParameters& parameters) const {
    const std::string& kind = parameters.kind;
    const auto* points = dynamic_cast<const PointSet<T>*>(&objects_);
    if (points == nullptr)
      refuse("similarity.kind = {} compares points, and data.kind gives objects of another kind", kind);
    const Index d = points->dimension();
    if (kind == "linear") return make_linear<T>(d);
    if (kind == "cosine") return make_cosine<T>(d);
    if (kind == "euclidean") return make_euclidean<T>(d);
    if (kind == "matern") {
      require_matern(parameters);
      return make_matern<T>(d, parameters.nu, parameters.length_scale);
    }
    require_finite("similarity.coef0", parameters.coef0);
    require_not_negative("similarity.degree", parameters.degree);
    const double gamma = resolve_gamma(parameters, *points);
    if (kind == "rbf") return make_rbf<T>(d, gamma);
    if (kind == "laplacian") return make_laplacian<T>(d, gamma);
    if (kind == "sigmoid") return make_sigmoid<T>(d, gamma, parameters.coef0);
    return make_polynomial<T>(d, gamma, parameters.coef0, parameters.degree);
  }

  double resolve_gamma(const SimilarityParameters& parameters, const PointSet<T>& points) const {
    const std::string& text = parameters.gamma;
    if (text == "scale") return scale_gamma(execution_, points);
    if (text == "median") {
      const auto metric = parameters.kind == "laplacian" ? Metric::manhattan : Metric::squared_euclidean;
      return median_gamma(execution_, points, metric);
    }
    return number_gamma(text);
  }

  static double number_gamma(const std::string& text) {
    double gamma = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gamma);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse("similarity.gamma = '{}' must be a number >= 0, scale or median", text);
    }
    require_not_negative("similarity.gamma", gamma);
    return gamma;
  }

  // A meaning that is not given is similarity, once the values have been looked at.
  static Meaning meaning_of(const SimilarityParameters& parameters) {
    const std::string& meaning = parameters.meaning;
    if (!meaning.empty() && meaning != "similarity" && meaning != "distance") {
      refuse("similarity.meaning = '{}' must be similarity or distance", meaning);
    }
    return meaning == "distance" ? Meaning::distance : Meaning::similarity;
  }

  Made matrix(const SimilarityParameters& parameters, const std::string& meaning_key) const {
    if (parameters.path.empty()) refuse("similarity.kind = matrix needs similarity.path, the file of the matrix");
    const auto open = [&] {
      auto opened = DenseMatrix::open(parameters.path, parameters.format, parameters.dataset);
      if (opened->rows() != opened->columns()) {
        throw Error(ErrorKind::input, fmt::format("{} is {} x {}: a matrix of similarities must be square",
                                                  parameters.path, opened->rows(), opened->columns()));
      }
      if (opened->rows() != objects_.size()) {
        throw Error(ErrorKind::input, fmt::format("{} is {} x {}, and there are {} objects", parameters.path,
                                                  opened->rows(), opened->columns(), objects_.size()));
      }
      return opened;
    };
    const Meaning meaning = meaning_of(parameters);
    auto opened = collectively(execution_.communicator, open);
    if (parameters.meaning.empty()) require_meaning_of_matrix(execution_.communicator, *opened, meaning_key);
    auto matrix = make_matrix_similarity<T>(std::move(opened), {.path = parameters.path,
                                                                .format = parameters.format,
                                                                .dataset = parameters.dataset,
                                                                .directed = parameters.symmetrize,
                                                                .meaning = meaning});
    return parameters.symmetrize ? make_symmetrized<T>(std::move(matrix)) : std::move(matrix);
  }

  Made external(const SimilarityParameters& parameters, const std::string& meaning_key) const {
    const ScorerProgram& program = parameters.scorer;
    require_between("similarity.processes", program.processes, 1, ScorerProgram::most_processes);
    require_between("similarity.batch", program.batch, 1, ScorerProgram::largest_batch);
    require_between("similarity.retries", program.retries, 0, ScorerProgram::most_retries);
    if (!(program.time_limit > 0 && program.time_limit <= ScorerProgram::longest_time_limit)) {
      refuse("similarity.time-limit = {} s is not above 0 and at most a year", program.time_limit);
    }
    const Meaning meaning = meaning_of(parameters);
    auto scored = make_external<T>(execution_, program, parameters.send, objects_, meaning);
    if (parameters.meaning.empty()) {
      require_meaning_of_scorer<T>(execution_.communicator, *scored, objects_, meaning_key);
    }
    return parameters.symmetrize ? make_symmetrized<T>(std::move(scored)) : std::move(scored);
  }

  Made noise(const SimilarityParameters& parameters) const {
    require_not_negative("similarity.sigma", parameters.sigma);
    require_finite("similarity.sigma-diagonal", parameters.sigma_diagonal);
    const double diagonal =
        parameters.sigma_diagonal < 0 ? parameters.sigma * std::numbers::sqrt2 : parameters.sigma_diagonal;
    return make_noise<T>(parameters.seed.value_or(execution_.seed), parameters.sigma, diagonal);
  }

  Made composite(const SimilarityParameters& parameters) const {
    const std::size_t count = parameters.parts.size();
    if (count == 0) refuse("similarity.kind = {} needs at least one part", parameters.kind);
    std::vector<double> weights = parameters.weights;
    if (parameters.kind == "product" && !weights.empty()) refuse("similarity.weights belong to similarity.kind = sum");
    if (weights.empty()) weights.assign(count, 1.0);
    if (weights.size() != count) refuse("similarity.weights: {} weights for {} parts", weights.size(), count);
    for (const double weight : weights) require_finite("similarity.weights", weight);
    std::vector<Made> parts;
    Index preparation = 0;
    for (const auto& part : parameters.parts) {
      parts.push_back(make(part, fmt::format("similarity.{}", parts.size() + 1)));
      preparation += parts.back()->evaluations();
    }
    Made made = parameters.kind == "product" ? make_product<T>(std::move(parts))
                                             : make_sum<T>(std::move(parts), std::move(weights));
    made->count_more(preparation);
    return made;
  }

  const Execution& execution_;
  const ObjectSet& objects_;
};

}  // namespace

const std::vector<std::string>& similarity_kinds() {
  static const std::vector<std::string> kinds{"rbf",     "laplacian", "polynomial", "linear",       "cosine",
                                              "sigmoid", "matern",    "euclidean",  "matrix",       "noise",
                                              "sum",     "product",   "wmd",        "wmd-distance", "external"};
  return kinds;
}

template <class T>
std::unique_ptr<Similarity<T>> make_similarity(const Execution& execution, const SimilarityParameters& parameters,
                                               const ObjectSet& objects) {
  return Maker<T>(execution, objects).make(parameters, "similarity");
}

template std::unique_ptr<Similarity<float>> make_similarity<float>(const Execution&, const SimilarityParameters&,
                                                                   const ObjectSet&);
template std::unique_ptr<Similarity<double>> make_similarity<double>(const Execution&, const SimilarityParameters&,
                                                                     const ObjectSet&);

}  // namespace cairn
