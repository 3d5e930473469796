#include "cairn/run/computation/kept_distances.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/same_data.hpp"

namespace cairn {

namespace {

template <class T>
std::shared_ptr<DistanceTable<T>> read_table(const Execution& execution, const Data<T>& data,
                                             const Similarity<T>& similarity, const std::string& path,
                                             const RunKeys& keys) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read distances");
  const std::string parameter = keys.similarity("reuse");
  require_reusable(communicator, data, path, parameter, keys.run);
  StoredDistances<T> stored = read_distances<T>(communicator, path, keys.output);
  if (stored.distance != similarity.traits().base) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {} holds distances called {}, and {} = {} takes {}", parameter, path, stored.distance,
                            keys.similarity("kind"), similarity.traits().name, similarity.traits().base));
  }
  return std::make_shared<DistanceTable<T>>(std::move(stored), keys.similarity, keys.run);
}

}  // namespace

template <class T>
std::shared_ptr<DistanceTable<T>> use_distances(const Execution& execution, const Data<T>& data,
                                                const ExactMatrix<T>& exact, const DistanceUse& use,
                                                const RunKeys& keys) {
  Similarity<T>& similarity = *exact.entries;
  std::shared_ptr<DistanceTable<T>> table;
  const bool by_distance = !similarity.traits().base.empty();
  if (!by_distance && !exact.traits.base.empty() && (use.keep || !use.reuse.empty())) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect: values of {} between such objects are no function of a distance that "
                            "is kept",
                            use.keep ? keys.output("distances") : keys.similarity("reuse"), similarity.traits().name));
  }
  if (by_distance && !use.reuse.empty()) {
    table = read_table(execution, data, similarity, use.reuse, keys);
  } else if (use.keep) {
    table = std::make_shared<DistanceTable<T>>(similarity.traits().base);
  }
  if (table) similarity.use_distances(table);
  return table;
}

template <class T>
std::vector<std::string> notes_of(const DistanceTable<T>* table, const DistanceUse& distances) {
  const std::string& path = distances.reuse;
  if (path.empty() || table == nullptr) return {};
  const auto& use = table->use();
  std::vector<std::string> notes;
  if (const Index columns = use.known_columns + use.other_columns; columns > 0) {
    notes.push_back(fmt::format("of {} columns of distances {} were in {}{}", grouped(columns),
                                grouped(use.known_columns), path,
                                use.other_columns > 0 ? "; the others were evaluated" : ""));
  }
  if (use.known_block + use.other_block > 0) {
    notes.push_back(fmt::format("the {} distances of a sample among itself were {} {}",
                                grouped(use.known_block + use.other_block),
                                use.other_block > 0 ? "evaluated: they are not all in" : "all in", path));
  }
  return notes;
}

#define CAIRN_INSTANTIATE(T)                                                                                        \
  template std::shared_ptr<DistanceTable<T>> use_distances(const Execution&, const Data<T>&, const ExactMatrix<T>&, \
                                                           const DistanceUse&, const RunKeys&);                     \
  template std::vector<std::string> notes_of(const DistanceTable<T>*, const DistanceUse&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
