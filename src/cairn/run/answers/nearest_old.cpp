#include "cairn/run/answers/nearest_old.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/answers/neighbor_lines.hpp"
#include "cairn/store/result/extension.hpp"

namespace cairn {

namespace {

constexpr Index block_bytes = Index{64} << 20;  // of K~ on a rank
constexpr Index most_together = 1024;           // new objects

}  // namespace

template <class T>
void require_extension(const Communicator& communicator, const ResultAnswers<T>& known, const std::string& path,
                       const StoredResult<T>& unseen, const std::string& unseen_path) {
  const Approximation<T>& factors = *known.factors();
  if (factors.rectangular || factors.left.is_sparse()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {}", path,
                            factors.rectangular
                                ? "its columns stand for other objects than its rows; ask the extension itself, whose "
                                  "rows are the new objects, with --nearest"
                                : "its left factor is sparse, and has no extensions"));
  }
  const auto digests = digests_of_columns(communicator, unseen.approximation, unseen.description);
  const bool same = std::ranges::count(digests, columns_digest(communicator, factors, known.description())) > 0;
  if (is_extension(unseen.description) && same && factors.left.columns() == unseen.approximation.left.columns()) return;
  const std::string base = extendable_file(factors, known.description(), path);
  throw Error(ErrorKind::input, fmt::format("{} is no extension of {}{}{}", unseen_path, path,
                                            base.empty() ? "" : "; make it with cairn extend ", base));
}

template <class T>
Index answer_nearest(const Execution& execution, const ResultAnswers<T>& answers, const NearestQuestion& question,
                     const std::function<void(const std::string& lines)>& take) {
  const Communicator& communicator = execution.communicator;
  const Approximation<T>& known = *answers.factors();
  StoredResult<T> unseen = read_result<T>(communicator, question.unseen, question.most_tile_bytes);
  const auto phase = execution.phases.enter("nearest");
  require_extension(communicator, answers, question.known, unseen, question.unseen);
  for (const std::string& warning : extension_warnings(unseen.description, question.unseen)) {
    log(LogLevel::warning, warning);
  }
  const Approximation<T>& rows = unseen.approximation;
  const RowNames names(communicator, rows.left.partition(), std::move(unseen.labels), std::move(unseen.numbers),
                       std::move(unseen.texts));
  const Index n = rows.left.rows(), lines = n * std::min(static_cast<Index>(question.k), known.left.rows());
  if (question.most_lines > 0 && lines > question.most_lines) {
    throw Error(ErrorKind::usage, fmt::format("the neighbors of {} new objects are {} lines; name a file for them with "
                                              "--out",
                                              grouped(n), grouped(lines)));
  }
  const NeighborLines line_names(names, answers.names(), question.separator);
  if (question.separator == ',') take(line_names.heading());
  const Index own_bytes = communicator.maximum(known.left.range().size()) * static_cast<Index>(sizeof(double));
  // Per new object: its column of K~, and the findings of all ranks.
  const Index found_bytes = std::min(static_cast<Index>(question.k), known.left.rows()) * communicator.size() *
                            static_cast<Index>(sizeof(Neighbor));
  const Index together =
      std::clamp<Index>(block_bytes / std::max<Index>({1, own_bytes, found_bytes}), 1, most_together);
  for (Index begin = 0; begin < n; begin += together) {
    std::vector<Index> objects(std::min(together, n - begin));
    std::iota(objects.begin(), objects.end(), begin);
    const auto nearest =
        nearest_of_columns(communicator, columns_of_unseen(execution, known, rows, objects, question.by_angle),
                           question.k, question.by_angle ? Meaning::similarity : answers.meaning());
    take(line_names.lines(objects, nearest));
    Watchdog::beat();
  }
  return n;
}

template void require_extension(const Communicator&, const ResultAnswers<float>&, const std::string&,
                                const StoredResult<float>&, const std::string&);
template void require_extension(const Communicator&, const ResultAnswers<double>&, const std::string&,
                                const StoredResult<double>&, const std::string&);
template Index answer_nearest(const Execution&, const ResultAnswers<float>&, const NearestQuestion&,
                              const std::function<void(const std::string&)>&);
template Index answer_nearest(const Execution&, const ResultAnswers<double>&, const NearestQuestion&,
                              const std::function<void(const std::string&)>&);

}  // namespace cairn
