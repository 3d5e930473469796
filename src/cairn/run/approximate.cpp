#include "cairn/run/approximate.hpp"

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/run/computation/computation.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/run/session.hpp"

namespace cairn {

template <class T>
Result<T> approximate(const Session& session, const SimilarityMatrix<T>& matrix, const std::string& method,
                      const GivenValues& given) {
  session.require_same_call("approximate", words_of(given, {method}));
  const Execution& execution = session.execution();
  const Data<T>& data = matrix.objects().data();
  const ExactMatrix<T>& entries = matrix.state().exact;
  const MethodChoice choice = collectively(session.communicator(), [&] {
    MethodChoice chosen = with_default_selection(method_choice(method, given), matrix.objects().kind());
    check(chosen, {matrix.size(), 0, operators_of(matrix.objects().kind()), data.right != nullptr}, matrix.name(),
          entries.traits);
    return chosen;
  });
  std::optional<ExactMatrix<T>> rows;
  if (choice.method->needs.rows && !entries.sources) rows = by_rows(execution, data, entries, choice);
  require_run_room(execution, data, rows ? *rows : entries, choice, session.memory());
  const auto& similarity = matrix.state().choice;
  Computed<T> computed = compute(execution, data, rows ? *rows : entries, choice,
                                 {.similarity = similarity ? &similarity->values : nullptr,
                                  .room = {session.memory(), session.options().scratch_folder},
                                  .keep_hierarchy = true});
  auto state = std::make_shared<typename Result<T>::State>();
  state->session = session.share();
  state->approximation = std::move(computed.approximation);
  state->description = std::move(computed.description);
  state->description.provenance["ranks"] = std::to_string(session.communicator().size());
  static_cast<ObjectTexts&>(*state) = texts_of(*data.objects);
  state->right_labels = data.right_labels();
  state->hierarchy = std::move(computed.hierarchy);
  state->numbers = data.numbers.of(matrix.objects().range());
  return Result<T>(std::move(state));
}

template Result<float> approximate(const Session&, const SimilarityMatrix<float>&, const std::string&,
                                   const GivenValues&);
template Result<double> approximate(const Session&, const SimilarityMatrix<double>&, const std::string&,
                                    const GivenValues&);

}  // namespace cairn
