#include "cairn/similarity/word_movers/nearest_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/word_movers/relaxed_bounds.hpp"
#include "cairn/similarity/word_movers/text_candidates.hpp"

namespace cairn {

namespace {

constexpr std::size_t compared_together = 16;  // candidates of a query between two looks at the k-th distance

const DocumentSet& documents_in(const SearchSide& side) {
  const auto* documents = dynamic_cast<const DocumentSet*>(&side.objects);
  if (documents == nullptr || documents->vectors() == nullptr) {
    throw Error(ErrorKind::internal, "a search for nearest texts was given objects that are no documents with vectors");
  }
  return *documents;
}

// The rows of a side, numbered through over all ranks and dealt to them evenly.
struct DealtRows {
  RowPartition partition;     // of places
  Index first_own = 0;        // place of the first of this rank's own rows
  std::vector<Index> rows;    // at the places that this rank got
  std::vector<Index> groups;  // likewise; empty: none
};

// Collective.
DealtRows deal(const Communicator& communicator, const SearchSide& side) {
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(side.rows.size()));
  DealtRows dealt;
  dealt.first_own = std::accumulate(counts.begin(), counts.begin() + communicator.rank(), Index{0});
  dealt.partition = RowPartition(std::accumulate(counts.begin(), counts.end(), Index{0}), communicator.size());
  const auto sent = [&](const std::vector<Index>& values) {
    std::vector<std::vector<Index>> send(static_cast<std::size_t>(communicator.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      send[dealt.partition.owner(dealt.first_own + static_cast<Index>(i))].push_back(values[i]);
    }
    std::vector<Index> all;
    for (const auto& part : communicator.exchange(send)) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  dealt.rows = sent(side.rows);
  dealt.groups = sent(side.groups);
  return dealt;
}

// The targets as a set of their own, whose numbers are their places. Collective.
DocumentSet dealt_texts(const Communicator& communicator, const DocumentSet& documents, const DealtRows& dealt) {
  const auto block = documents.gather(communicator, dealt.rows);
  return collectively(communicator, [&] {
    const auto& texts = dynamic_cast<const DocumentBlock&>(*block);
    DocumentBags bags;
    for (Index d = 0; d < texts.size(); ++d) append_document(bags, texts, d);
    return DocumentSet(dealt.partition, communicator.rank(), documents.shared_vectors(), std::move(bags));
  });
}

class Search {
 public:
  Search(const Execution& execution, const TextDistances& distances, const SearchSide& queries,
         const SearchSide& targets, Index k)
      : execution_(execution),
        communicator_(execution.communicator),
        distances_(distances),
        query_texts_(documents_in(queries)),
        queries_(deal(communicator_, queries)),
        targets_(deal(communicator_, targets)),
        texts_(dealt_texts(communicator_, documents_in(targets), targets_)),
        grouped_(communicator_.maximum(static_cast<Index>(queries.groups.size())) > 0),
        k_(static_cast<std::size_t>(k)) {
    if (query_texts_.shared_vectors() != texts_.shared_vectors()) {
      throw Error(ErrorKind::internal, "nearest texts are looked for among texts whose words are numbered differently");
    }
  }

  // Collective.
  FoundNeighbors run(const SearchSide& asked) {
    const BlasThreads one(1);
    Progress progress("nearest texts", std::ssize(queries_.rows), communicator_.is_root(), "texts/s a rank");
    std::vector<std::vector<Neighbor>> found;
    while (communicator_.maximum(std::ssize(queries_.rows) - std::ssize(found)) > 0) {
      const Index begin = std::ssize(found);
      take_block(begin);
      pass_until_found();
      for (const TextCandidates& one_query : candidates_) found.push_back(one_query.nearest());
      progress.advance(std::ssize(found) - begin);
    }
    return returned(asked, found);
  }
  [[nodiscard]] Index evaluated() const { return evaluated_; }

 private:
  // Queries from number `begin` of this rank's on: as many as the tables of bounds take. Collective.
  void take_block(Index begin) {
    const auto rest = std::span(queries_.rows).subspan(begin);
    block_ = query_texts_.gather(communicator_, rest.first(std::min<std::size_t>(rest.size(), RelaxedBounds::queries)));
    collectively(communicator_, [&] {
      own_ = {0, 0};
      if (block_->size() > 0) own_ = bounds_.take_queries(block(), 0);
      candidates_.assign(static_cast<std::size_t>(own_.size()), TextCandidates(k_));
      first_ = begin;
    });
  }
  [[nodiscard]] const DocumentBlock& block() const { return dynamic_cast<const DocumentBlock&>(*block_); }

  // Collective.
  void pass_until_found() {
    for (;;) {
      Index needed = 0;
      for (TextCandidates& one : candidates_) needed += one.begin_pass() ? 1 : 0;
      if (communicator_.maximum(needed) == 0) return;
      for (int holder = 0; holder < communicator_.size(); ++holder) pass_targets_of(holder, needed > 0);
      for (TextCandidates& one : candidates_) one.end_pass();
      while (compare_next()) {
      }
    }
  }

  // The targets of a rank pass by, block after block. Collective.
  void pass_targets_of(int holder, bool needed) {
    const Range all = targets_.partition.range(holder);
    const Index most_words =
        RelaxedBounds::target_words(communicator_.maximum(own_.empty() ? Index{1} : bounds_.words()));
    constexpr Index together = Index{1} << 14;  // texts that are sent at once
    for (Index begin = all.begin; begin < all.end; begin += together) {
      const Range sent{begin, std::min(begin + together, all.end)};
      const std::unique_ptr<DocumentBlock> texts = shown(sent, holder);
      std::vector<Index> groups;
      if (grouped_ && communicator_.rank() == holder) {
        groups.assign(targets_.groups.begin() + (sent.begin - all.begin),
                      targets_.groups.begin() + (sent.end - all.begin));
      }
      communicator_.broadcast(groups, holder);
      collectively(communicator_, [&] {
        if (!needed) return;
        for (Index at = 0; at < texts->size();) at = take_bounds(*texts, at, most_words, sent.begin, groups);
      });
      Watchdog::beat();
    }
  }

  // Texts of `holder`, on every rank. Collective.
  std::unique_ptr<DocumentBlock> shown(Range places, int holder) const {
    DocumentBags bags;
    if (communicator_.size() == 1) {
      auto own = texts_.block(places);
      return std::unique_ptr<DocumentBlock>(dynamic_cast<DocumentBlock*>(own.release()));
    }
    if (communicator_.rank() == holder) {
      const auto own = texts_.block(places);
      const auto& texts = dynamic_cast<const DocumentBlock&>(*own);
      for (Index d = 0; d < texts.size(); ++d) append_document(bags, texts, d);
    }
    communicator_.broadcast(bags.starts, holder);
    communicator_.broadcast(bags.words, holder);
    communicator_.broadcast(bags.counts, holder);
    return make_document_block(numbers_of(places), std::move(bags), texts_.shared_vectors());
  }

  // Offers targets from `at` on to the candidates of all queries. @return end of those offered. Local.
  Index take_bounds(const DocumentBlock& texts, Index at, Index most_words, Index first_place,
                    const std::vector<Index>& groups) {
    const Range taken = bounds_.take_targets(texts, at, most_words, execution_.threads);
    for (Index begin = 0; begin < taken.size(); begin += RelaxedBounds::together) {
      bounds_.prepare({begin, std::min(begin + RelaxedBounds::together, taken.size())}, execution_.threads);
#pragma omp parallel for num_threads(execution_.threads) schedule(dynamic)
      for (Index g = 0; g < bounds_.groups(); ++g) {
        offer(g, first_place + taken.begin, groups, taken.begin);
      }
    }
    return taken.end;
  }

  void offer(Index group, Index first_place, const std::vector<Index>& groups, Index first) {
    constexpr Index lanes = bound_kernels::lanes;
    const Index begin = group * lanes, count = std::min(lanes, own_.size() - begin);
    float limits[lanes];
    for (Index l = 0; l < lanes; ++l) limits[l] = l < count ? candidates_[begin + l].limit() : -1.0F;
    bounds_.each_hit(group, limits, [&](const RelaxedBounds::Hit& hit) {
      for (Index l = 0; l < count; ++l) {
        if (!(hit.bounds[l] <= limits[l])) continue;
        if (grouped_ && groups[first + hit.target] == queries_.groups[first_ + begin + l]) continue;
        candidates_[begin + l].take({hit.bounds[l], first_place + hit.target});
      }
    });
  }

  // Compares each query with its next candidates. @return false if no query has any. Collective.
  bool compare_next() {
    std::vector<Index> wanted;
    for (const TextCandidates& one : candidates_) {
      for (const TextCandidate& candidate : one.next(compared_together)) wanted.push_back(candidate.target);
    }
    const auto count = static_cast<Index>(wanted.size());
    if (communicator_.maximum(count) == 0) return false;
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    const auto gathered = texts_.gather(communicator_, wanted);
    collectively(communicator_, [&] {
      compare(dynamic_cast<const DocumentBlock&>(*gathered), wanted);
      evaluated_ += count;
    });
    Watchdog::beat();
    return true;
  }

  // Local.
  void compare(const DocumentBlock& texts, const std::vector<Index>& places) {
    on_threads(execution_.threads, own_.size(), [&](Index q) { compare_query(q, texts, places); });
  }

  void compare_query(Index q, const DocumentBlock& texts, const std::vector<Index>& places) {
    const auto next = candidates_[q].next(compared_together);
    if (next.empty()) return;
    DocumentBags bags, one;
    append_document(one, block(), q);
    for (const TextCandidate& candidate : next) {
      append_document(bags, texts, std::ranges::lower_bound(places, candidate.target) - places.begin());
    }
    const auto query = make_document_block({0}, std::move(one), texts_.shared_vectors());
    const auto others =
        make_document_block(numbers_of({0, std::ssize(next)}), std::move(bags), texts_.shared_vectors());
    double distances[compared_together];
    distances_(*query, *others, distances);
    for (std::size_t c = 0; c < next.size(); ++c) {
      if (std::isfinite(distances[c])) continue;
      throw Error(ErrorKind::numeric, fmt::format("text {} has a word mover's distance of {} from another text",
                                                  queries_.rows[first_ + q], distances[c]));
    }
    candidates_[q].compared(std::span(distances).first(next.size()));
  }

  // Numbers of objects instead of places, at the ranks that asked. Collective.
  FoundNeighbors returned(const SearchSide& asked, std::vector<std::vector<Neighbor>>& found) const {
    std::vector<Index> places;
    for (const auto& list : found) {
      for (const Neighbor& neighbor : list) places.push_back(neighbor.object);
    }
    const Range held = targets_.partition.range(communicator_.rank());
    const Answers<Index> numbers =
        ask_owners<Index>(communicator_, targets_.partition, places, [&](std::span<const Index> wanted) {
          std::vector<Index> rows;
          for (const Index place : wanted) rows.push_back(targets_.rows[place - held.begin]);
          return rows;
        });
    std::vector<std::size_t> next(numbers.size(), 0);
    for (auto& list : found) {
      for (Neighbor& neighbor : list) {
        const auto owner = static_cast<std::size_t>(targets_.partition.owner(neighbor.object));
        neighbor.object = numbers[owner][next[owner]++];
      }
    }
    return sent_back(asked, found);
  }

  // Places of queries ascend with the ranks that asked. Collective.
  [[nodiscard]] FoundNeighbors sent_back(const SearchSide& asked,
                                         const std::vector<std::vector<Neighbor>>& found) const {
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    const std::vector<Index> firsts = communicator_.all_gather_one(queries_.first_own);
    std::vector<std::vector<Index>> sizes(ranks);
    std::vector<std::vector<Neighbor>> lists(ranks);
    Index place = queries_.partition.range(communicator_.rank()).begin;
    for (const auto& list : found) {
      const auto owner = std::upper_bound(firsts.begin(), firsts.end(), place++) - firsts.begin() - 1;
      sizes[owner].push_back(std::ssize(list));
      lists[owner].insert(lists[owner].end(), list.begin(), list.end());
    }
    FoundNeighbors result;
    for (const auto& part : communicator_.exchange(sizes)) {
      for (const Index size : part) result.starts.push_back(result.starts.back() + size);
    }
    for (const auto& part : communicator_.exchange(lists)) {
      result.neighbors.insert(result.neighbors.end(), part.begin(), part.end());
    }
    if (result.starts.size() != asked.rows.size() + 1) {
      throw Error(ErrorKind::internal, "a search for nearest texts lost a query");
    }
    return result;
  }

  const Execution& execution_;
  const Communicator& communicator_;
  const TextDistances& distances_;
  const DocumentSet& query_texts_;
  DealtRows queries_, targets_;
  DocumentSet texts_;  // the targets, by place
  bool grouped_;
  std::size_t k_;

  RelaxedBounds bounds_;
  std::unique_ptr<ObjectBlock> block_;      // queries of the block, and perhaps more
  Range own_{};                             // those of the block
  Index first_ = 0;                         // number of the first of them among this rank's queries
  std::vector<TextCandidates> candidates_;  // one per query of the block
  Index evaluated_ = 0;
};

}  // namespace

Index nearest_texts_bytes() {
  constexpr Index floats = 4, candidate = 16;
  return (2 * RelaxedBounds::pairs_of_words +
          (RelaxedBounds::queries + RelaxedBounds::query_words) * RelaxedBounds::together) *
             floats +
         RelaxedBounds::queries * 2 * static_cast<Index>(TextCandidates::most) * candidate;
}

FoundNeighbors nearest_texts(const Execution& execution, const TextDistances& distances, const SearchSide& queries,
                             const SearchSide& targets, Index k, Index& evaluated) {
  Search search(execution, distances, queries, targets, k);
  FoundNeighbors found = search.run(queries);
  evaluated += search.evaluated();
  return found;
}

}  // namespace cairn
