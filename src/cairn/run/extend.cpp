// Rows of a result's factors for new objects.
#include <fmt/format.h>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/approximation/text_means.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/extension.hpp"
#include "cairn/run/result.hpp"
#include "cairn/run/session.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn {

namespace {

std::vector<std::string> words_of(const ExtendOptions& options) {
  return {options.side == FactorSide::rows ? "rows" : "columns", fmt::format("{} pairs", options.pairs)};
}

template <class T>
void require_same_similarity(const Result<T>& result, const SimilarityMatrix<T>& unseen, const ExtendOptions& options) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::usage, why); };
  require_extendable(result.approximation(), result.description(), result.state().file);
  require_extension_pairs(options.pairs, "pairs =");
  if (options.side == FactorSide::columns && !result.approximation().rectangular) {
    refuse("the columns of the result stand for the objects of its rows: both factors get rows of new objects");
  }
  if (result.approximation().rectangular && options.pairs > 0) {
    refuse("the error of one factor's rows is not measured here: the objects of the other factor are not at hand");
  }
  const ExactMatrix<T>& exact = unseen.state().exact;
  if (exact.sources || unseen.state().by_number) {
    refuse(fmt::format("the similarity {} is not defined for objects that were not in the data", unseen.name()));
  }
  const ResultDescription& made = result.description();
  if (made.similarity != unseen.name() || made.similarity_parameters != unseen.parameters()) {
    refuse(fmt::format("the result approximates the similarity {}, and this is {}{}", made.similarity, unseen.name(),
                       made.similarity == unseen.name() ? " with other parameters" : ""));
  }
  const bool in_space = unseen.objects().data().points() != nullptr;
  if (in_space && made.dimension != unseen.objects().dimension()) {
    refuse(fmt::format("the new objects have {} coordinates, those of the result {}", unseen.objects().dimension(),
                       made.dimension));
  }
  const Scaling& scaling = unseen.objects().data().scaling;
  if (made.scaling == "none" && scaling.kind == "none" && scaling.shift != made.scaling_shift) {
    refuse(
        "the mean of the points was subtracted from those of the result or from the new ones; hand over the new points "
        "as they are instead of their similarity, and they are moved alike");
  }
  if (scaling.kind != made.scaling || scaling.shift != made.scaling_shift || scaling.factor != made.scaling_factor) {
    refuse(
        fmt::format("the points of the result are scaled ({}); hand over the new points instead of their "
                    "similarity, and they are scaled likewise",
                    made.scaling));
  }
}

template <class T>
RowBlock<T> rows_copied(const Communicator& communicator, const RowBlock<T>& rows) {
  return collectively(communicator, [&] {
    RowBlock<T> copy(rows.partition(), communicator.rank(), rows.columns());
    std::copy_n(rows.local().data, rows.range().size() * rows.columns(), copy.local().data);
    return copy;
  });
}

// The points, scaled as those of the result.
template <class T>
Objects<T> scaled_alike(const Session& session, const Result<T>& result, const Objects<T>& unseen) {
  const Communicator& communicator = session.communicator();
  const ResultDescription& made = result.description();
  const Data<T>& given = unseen.data();
  const auto* points = given.template as<PointSet<T>>();
  collectively(communicator, [&] {
    if (points == nullptr) throw Error(ErrorKind::usage, "only points are extended by the similarity's name");
    if (given.scaling.kind != "none" || !given.scaling.shift.empty()) {
      throw Error(ErrorKind::usage, fmt::format("the new points are scaled by themselves ({}); give them as they are",
                                                given.scaling.kind != "none" ? given.scaling.kind : "moved"));
    }
    if (points->dimension() != made.dimension) {
      throw Error(ErrorKind::usage, fmt::format("the new points have {} coordinates, those of the result {}",
                                                points->dimension(), made.dimension));
    }
  });
  if (made.scaling == "none" && made.scaling_shift.empty()) return unseen;
  Data<T> data;
  data.scaling = {made.scaling, made.scaling_shift, made.scaling_factor};
  auto scaled =
      std::make_unique<PointSet<T>>(points->is_sparse() && keeps_zeros(data.scaling)
                                        ? PointSet<T>(points->entries(), communicator.rank(), {})
                                        : PointSet<T>(points->all_coordinates(communicator), communicator.rank(), {}));
  scaled->set_texts(texts_of(*points));
  data.kind = given.kind;
  data.numbers = given.numbers;
  data.columns = given.columns;
  data.digest = given.digest;
  apply_scaling(communicator, data.scaling, *scaled);
  data.objects = std::move(scaled);
  return objects_of(session, std::move(data));
}

// Initial state of an extension of a result.
template <class T>
std::shared_ptr<typename Result<T>::State> extended_state(const Session& session, const Result<T>& result,
                                                          const Objects<T>& unseen, FactorSide side) {
  auto state = std::make_shared<typename Result<T>::State>();
  state->session = session.share();
  state->base = result.state().session;  // owner of its process grid
  const bool columns = side == FactorSide::columns;
  if (columns) {
    static_cast<ObjectTexts&>(*state) = static_cast<const ObjectTexts&>(result.state());
    state->right_labels = unseen.labels();
  } else {
    static_cast<ObjectTexts&>(*state) = texts_of(*unseen.data().objects);
    state->right_labels = result.state().right_labels;
  }
  state->numbers = columns ? result.state().numbers : unseen.data().numbers.of(unseen.range());
  return state;
}

// Description with the number of objects from which the landmarks were chosen.
template <class T>
ResultDescription description_of(const Result<T>& result) {
  ResultDescription description = result.description();
  if (description.landmark_population == 0) description.landmark_population = result.size();
  return description;
}

template <class T>
std::uint64_t basis_of(const Session& session, const Result<T>& result) {
  return basis_digest(session.communicator(), result.approximation(), result.description().similarity_parameters);
}

// Extends a result of words by rows of texts.
template <class T>
Result<T> extend_by_texts(const Session& session, const Result<T>& result, const Objects<T>& texts) {
  auto state = extended_state(session, result, texts, FactorSide::rows);
  state->approximation = approximation_of_texts(session.execution(), result.approximation(),
                                                *texts.data().template as<DocumentSet>(), WordWeights::mean);
  state->description = describe_rows(description_of(result), result.state().file, texts.data().digest,
                                     basis_of(session, result), std::nullopt);
  state->description.object_kind = texts.data().kind->name;
  state->description.evaluations = 0;
  return Result<T>(std::move(state));
}

// Unchanged parts of an extension: J, the origins of the factors, and the other factor. Collective.
template <class T>
Approximation<T> without_rows(const Communicator& communicator, const Approximation<T>& base, FactorSide side) {
  Approximation<T> extended;
  extended.core_matrix = collectively(communicator, [&] { return copy_of(base.core_matrix); });
  extended.transform = base.transform;
  extended.meaning = base.meaning;
  extended.symmetric = base.symmetric;
  extended.symmetrize = base.symmetrize;
  extended.left_origin = base.left_origin;
  extended.right_origin = base.right_origin;
  extended.report = base.report;
  extended.rectangular = base.rectangular;
  if (base.rectangular && side == FactorSide::columns) {
    extended.left = rows_copied(communicator, base.left.dense());
  } else if (base.rectangular) {
    extended.right = rows_copied(communicator, base.right->dense());
  } else if (base.right) {
    extended.right.emplace();
  }
  return extended;
}

// The similarity of a result, between other objects.
template <class T>
SimilarityMatrix<T> similarity_of(const Session& session, const Result<T>& result, const Objects<T>& unseen) {
  const SimilarityChoice choice = collectively(session.communicator(), [&] {
    const ResultDescription& made = result.description();
    const auto& known = similarities();
    if (std::ranges::find(known, made.similarity, &SimilarityDescriptor::name) == known.end()) {
      throw Error(ErrorKind::usage, fmt::format("the similarity {} is a function of the program that made the result: "
                                                "extend() takes similarity(session, function, new objects)",
                                                made.similarity));
    }
    return from_resolved(made.similarity, made.similarity_parameters);
  });
  return similarity(session, choice, unseen);
}

}  // namespace

template <class T>
Result<T> extend(const Session& session, const Result<T>& result, const SimilarityMatrix<T>& unseen,
                 const ExtendOptions& options) {
  const Communicator& communicator = session.communicator();
  session.require_same_call("extend", words_of(options));
  collectively(communicator, [&] { require_same_similarity(result, unseen, options); });
  const ResultDescription made = description_of(result);
  Extension<T> extension = extend_by_similarities(
      session.execution(), without_rows(communicator, result.approximation(), options.side), made.landmark_population,
      {*unseen.state().exact.entries, unseen.compared(), options.side, options.pairs});
  auto state = extended_state(session, result, unseen.objects(), options.side);
  state->description = describe_rows(made, result.state().file, unseen.objects().data().digest,
                                     basis_of(session, result), extension.error);
  state->description.evaluations = extension.evaluations;
  state->approximation = std::move(extension.approximation);
  state->approximation.report.warnings = std::move(extension.warnings);
  state->approximation.report.notes = std::move(extension.notes);
  return Result<T>(std::move(state));
}

template <class T>
Result<T> extend(const Session& session, const Result<T>& result, const Objects<T>& unseen,
                 const ExtendOptions& options) {
  return extend(session, result, similarity_of(session, result, scaled_alike(session, result, unseen)), options);
}

template <class T>
Result<T> extend(const Session& session, const Result<T>& result, const GivenValues& source,
                 const ExtendOptions& options) {
  session.require_same_call("extend", words_of(source, words_of(options)));
  const ResultDescription& made = result.description();
  const DataKind* kind = nullptr;
  const Values values = collectively(session.communicator(), [&] {
    kind = &data_kind_named(made.object_kind);
    if (!kind->extended_by.empty()) kind = &data_kind_named(kind->extended_by);
    if (!kind->extendable) {
      throw Error(ErrorKind::usage,
                  fmt::format("the similarities of data of the kind {} are not defined for other objects", kind->name));
    }
    const bool texts = kind->name != made.object_kind;
    if (texts && (options.pairs != 0 || options.side != FactorSide::rows)) {
      throw Error(ErrorKind::usage,
                  "rows of texts are means of rows of words, and K is not evaluated: extend() takes no "
                  "options for them");
    }
    return values_of(kind->parameters, source);
  });
  KnownObjects known = known_for_new_objects(made, result.state().file, result.approximation());
  const bool texts = kind->name != made.object_kind;
  if (texts) known.words = replicated_words(session.communicator(), result.state().labels);
  const Objects<T> unseen = objects_of(session, read_data<T>(*kind, {session.execution(), values, &known, true}));
  if (texts) return extend_by_texts(session, result, unseen);
  return extend(session, result, similarity_of(session, result, unseen), options);
}

#define CAIRN_INSTANTIATE(T)                                                                                     \
  template Result<T> extend(const Session&, const Result<T>&, const SimilarityMatrix<T>&, const ExtendOptions&); \
  template Result<T> extend(const Session&, const Result<T>&, const Objects<T>&, const ExtendOptions&);          \
  template Result<T> extend(const Session&, const Result<T>&, const GivenValues&, const ExtendOptions&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
