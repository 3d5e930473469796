// Pairs of texts: threads of a forum, their chunks, lines of KeLP.
#include <cmath>
#include <string>

#include "cairn/data/pairs/pair_reader.hpp"
#include "cairn/data/points/point_set.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

constexpr const char* forum =
    "<xml><OrgQuestion ORGQ_ID=\"Q1\"><OrgQSubject>a</OrgQSubject><Thread><RelQuestion RELQ_ID=\"Q1_R1\" "
    "RELQ_RANKING_ORDER=\"1\" RELQ_USERID=\"U1\" RELQ_RELEVANCE2ORGQ=\"Relevant\"><RelQBody>b c</RelQBody>"
    "</RelQuestion><RelComment RELC_ID=\"Q1_R1_C1\" RELC_USERID=\"U2\" RELC_RELEVANCE2ORGQ=\"Bad\" "
    "RELC_RELEVANCE2RELQ=\"Good\"><RelCText>c d</RelCText></RelComment></Thread></OrgQuestion></xml>";
constexpr const char* chunks =
    "# id = Q1\na\tDT\tB-NP\n\n# id = Q1_R1\nb\tNN\tB-NP\nc\tNN\tI-NP\n\n# id = Q1_R1_C1\nc\tNN\tB-NP\nd\tVB\tB-VP\n";

void check(const ReadPairs& read) {
  const PairSet& set = *read.pairs;
  require(set.size() > 0, "no pairs");
  const auto labels = set.tree_labels();
  for (const PairSet::Trees& one : set.trees()) {
    for (const TreeSet* trees : {one.left.get(), one.right.get()}) {
      require(trees->size() == set.size(), "not one tree a side");
      for (Index a = 0; a < set.size(); ++a) {
        require(is_sound(trees->trees().tree(a), labels->size()), "a tree that is not sound");
      }
    }
  }
  if (set.features() == nullptr) return;
  const auto values = dynamic_cast<const PointSet<double>&>(*set.features()).coordinates().local();
  for (Index a = 0; a < values.rows; ++a) {
    for (Index j = 0; j < values.columns; ++j) require(std::isfinite(values(a, j)), "a feature that is not finite");
  }
}

}  // namespace

void read_pair_files(std::string_view input) {
  static ScratchFile other;
  const char choice = take_choice(input);
  PairSource source;
  source.path = file_of(input);
  switch (choice) {
    case 'A':
    case 'B':
    case 'C':
      source.format = "semeval";
      source.subtask = std::string(1, choice);
      source.trees = other.hold(chunks);
      break;
    case 'c':
      source.format = "semeval";
      source.subtask = "A";
      source.trees = source.path;
      source.path = other.hold(forum);
      break;
    case 'k':
      source.format = "kelp";
      break;
    default:
      return;
  }
  check(read_pairs<double>(alone(), source));
}

}  // namespace cairn::fuzz
