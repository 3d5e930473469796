#include "pipeline/new_objects.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/run/computation/same_data.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn::app {

namespace {

// Objects whose blocks are converted for comparison with `others`, which contain all parts of theirs.
class MatchedObjects final : public ObjectSet {
 public:
  MatchedObjects(const Communicator& communicator, const ObjectSet& objects, const ObjectSet& others)
      : ObjectSet(objects.partition(), communicator.rank()), objects_(objects), others_(others) {}

  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override { return matched(objects_.block(rows)); }
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override { return objects_.pack(rows); }
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override {
    return matched(objects_.unpack(rows, bytes));
  }
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override {
    return matched(objects_.gather(communicator, ids));
  }

 private:
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched(std::unique_ptr<ObjectBlock> own) const {
    auto converted = own->matched_to(others_);
    return converted ? std::move(converted) : std::move(own);
  }

  const ObjectSet& objects_;
  const ObjectSet& others_;
};

// None of the objects, with what numbers their parts.
std::unique_ptr<ObjectBlock> empty_block(const ObjectSet& objects) {
  const Index begin = objects.range().begin;
  return objects.block({begin, begin});
}

// @param numbered  if not null, objects whose parts get numbers, too, if parts have numbers
template <class T>
Data<T> read_unseen(const Execution& execution, const ResultDescription& made, const std::string& known,
                    const Approximation<T>& approximation, const std::string& unseen, const ObjectSet* numbered) {
  const Communicator& communicator = execution.communicator;
  const ResultDescription description = of_new_objects(read_result_description(communicator, unseen), unseen);
  const Settings settings = stored_settings(description, unseen, Settings(std::vector<Parameter>()));
  const KnownObjects like = known_for_new_objects(made, known, approximation);
  const Values values = data_values(settings);
  Data<T> data = read_data<T>(data_kind(settings), {execution, values, &like, true});
  require_same_data(description, read_result_shape(communicator, unseen).rows, data.digest, data.objects->size(),
                    unseen, "extend the result again, by its data as they are now");
  if (numbered == nullptr) return data;
  KnownObjects all = like;  // the numbers are part of the digest above
  all.landmarks = empty_block(*numbered);
  if (all.landmarks->matched_to(*data.objects) == nullptr) return data;
  return read_data<T>(data_kind(settings), {execution, values, &all, true});
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
  const auto* old_texts = known_.template as<DocumentSet>();
  unseen_ = read_unseen<T>(execution, description, known, approximation, unseen,
                           old_texts == nullptr ? known_.objects.get() : nullptr);
  if (old_texts == nullptr && empty_block(*known_.objects)->matched_to(*unseen_.objects) != nullptr) {
    matched_ = std::make_unique<MatchedObjects>(communicator, *known_.objects, *unseen_.objects);
  }
  const auto* new_texts = unseen_.template as<DocumentSet>();
  const bool with_vectors = old_texts != nullptr && new_texts != nullptr && old_texts->vectors() != nullptr &&
                            new_texts->vectors() != nullptr;
  if (with_vectors) words_ = with_common_words(communicator, *old_texts, *new_texts);
  similarity_ = make_similarity<T>(execution, stored_similarity(description, settings),
                                   matched_ ? *unseen_.objects : this->known());
  if (similarity_->traits().defined_for_unseen) return;
  throw Error(ErrorKind::usage, fmt::format("the similarity {} is not defined for objects that were not in the data",
                                            similarity_->traits().name));
}

template class NewObjects<float>;
template class NewObjects<double>;

}  // namespace cairn::app
