// Cost of counting, computed from the sizes used in its parts.
#include <algorithm>
#include <cmath>

#include "cairn/data/corpus/additions.hpp"
#include "cairn/data/corpus/bucket_sums.hpp"
#include "cairn/data/corpus/counting.hpp"

namespace cairn {

namespace {

// Maximum memory of sums and rows together, beyond all rows. Sums of all texts would take `all`. They are sent whenever
// they take `most`, each time after the same share of the texts; pairs that were sent are counted again.
Index beyond_rows(Index all, Index most, Index rows) {
  if (all == 0) return 0;
  constexpr double growth = 0.7;  // number of pairs of a part of the texts: its share to this power
  const auto pairs = [](double share) { return std::pow(std::max(0.0, share), growth); };
  const double whole = static_cast<double>(all), kept = static_cast<double>(rows);
  const double share = std::pow(static_cast<double>(most) / whole, 1 / growth), times = std::floor(1 / share);
  const double last_full = static_cast<double>(most) + kept * pairs((times - 1) * share);
  const double rest = whole * pairs(1 - times * share) + kept * pairs(times * share);
  return std::max<Index>(0, static_cast<Index>(std::max(last_full, rest) - kept));
}

}  // namespace

std::vector<CostItem> counting_cost(const CountingSizes& sizes, const CountingMemory& memory) {
  constexpr auto of_token = static_cast<Index>(sizeof(std::int32_t)), of_number = static_cast<Index>(sizeof(Index));
  constexpr auto of_addition = static_cast<Index>(sizeof(Addition));
  constexpr Index of_sum = BucketSums::bytes_of_a_sum, of_entry = 8;  // entry of C: other and count
  constexpr Index of_table_entry = 96;                                // a node, its word and number
  const Index dense = std::min(sizes.words, Additions::most_dense), triangle = dense * (dense + 1) / 2;
  const Index others = sizes.ranks - 1;
  const bool buckets = sizes.words > dense;
  // Additions to one bucket, of this rank and of all. Receive buffers are a quarter larger than the messages.
  const Index additions = buckets ? std::min(memory.additions, sizes.tokens * sizes.compared_places * of_addition) : 0;
  const Index bucket = additions / Additions::wanted_buckets;
  const Index sent = std::min(additions, BucketSums::buckets_at_once * others * bucket);
  // Sums are sent when they take memory.sums, and after the last text. Rows of C grow as sums are sent.
  const Index all_sums = buckets ? sizes.pairs / sizes.ranks * of_sum : 0, sums = std::min(all_sums, memory.sums);
  const Index waiting = beyond_rows(all_sums, sums, sizes.own_pairs * of_entry);
  const Index own_buckets = std::max<Index>(1, Additions::wanted_buckets / sizes.ranks);
  const Index round = sums * std::min(BucketSums::buckets_at_once, own_buckets) / own_buckets;
  // Sums are sent as entries, received into buffers a quarter larger, and unpacked. Old and new rows of C coexist.
  const Index leaving = round * others / sizes.ranks, piece = RowPartition::unit(sizes.words);
  const Index own_pieces = std::max<Index>(1, sizes.words / sizes.ranks / piece);
  const Index moving = leaving * of_entry / of_sum * 9 / 4 + leaving + 2 * sizes.own_pairs / own_pieces * of_entry;
  return {{"tokens of texts", sizes.tokens * of_token + sizes.texts * of_number},
          // 32-bit sums, then 64-bit sums, which MPI copies once in the reduction over ranks.
          {"counts of frequent words", triangle * (of_token + (others > 0 ? 2 : 1) * of_number)},
          // Places of words in a text, sums of a row, buckets of rows; tables used for reading texts, whose memory the
          // process keeps: words read, words owned, numbers of the vocabulary.
          {"tables of words, places in texts",
           sizes.longest_text * of_number + sizes.words * (2 * of_number + 2 + 3 * of_table_entry)},
          {"additions that wait", additions + sent + sent * 5 / 4 + bucket * sizes.ranks * 3 / 2},
          {"sums that wait, beyond their rows", waiting + sums / own_buckets},
          {"sums on their way to their rows", moving}};
}

}  // namespace cairn
