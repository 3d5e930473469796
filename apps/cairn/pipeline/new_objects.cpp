#include "pipeline/new_objects.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/run/computation/same_data.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn::app {

namespace {

template <class T>
Data<T> read_unseen(const Execution& execution, const ResultDescription& made, const std::string& known,
                    const Approximation<T>& approximation, const std::string& unseen) {
  const Communicator& communicator = execution.communicator;
  const ResultDescription description = of_new_objects(read_result_description(communicator, unseen), unseen);
  const Settings settings = stored_settings(description, unseen, Settings(std::vector<Parameter>()));
  const KnownObjects like = known_for_new_objects(made, known, approximation);
  const Values values = data_values(settings);
  Data<T> data = read_data<T>(data_kind(settings), {execution, values, &like, true});
  require_same_data(description, read_result_shape(communicator, unseen).rows, data.digest, data.objects->size(),
                    unseen, "extend the result again, by its data as they are now");
  return data;
}

}  // namespace

template <class T>
NewObjects<T>::NewObjects(const Execution& execution, const Settings& given, const std::string& known,
                          const Approximation<T>& approximation, const std::string& unseen) {
  const Communicator& communicator = execution.communicator;
  const ResultDescription description = read_result_description(communicator, known);
  const Settings settings = stored_settings(description, known, given);
  const RunRequest request = checked_request(settings);
  known_ = load_stored_data<T>(execution, request, description, known, read_result_shape(communicator, known).rows);
  unseen_ = read_unseen<T>(execution, description, known, approximation, unseen);
  const auto* old_texts = known_.template as<DocumentSet>();
  const auto* new_texts = unseen_.template as<DocumentSet>();
  const bool with_vectors = old_texts != nullptr && new_texts != nullptr && old_texts->vectors() != nullptr &&
                            new_texts->vectors() != nullptr;
  if (with_vectors) words_ = with_common_words(communicator, *old_texts, *new_texts);
  similarity_ = make_similarity<T>(execution, stored_similarity(description, settings), this->known());
  if (similarity_->traits().defined_for_unseen) return;
  throw Error(ErrorKind::usage, fmt::format("the similarity {} is not defined for objects that were not in the data",
                                            similarity_->traits().name));
}

template class NewObjects<float>;
template class NewObjects<double>;

}  // namespace cairn::app
