// Pairs of questions and comments against what was written by hand, on any number of ranks, and what is refused.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "../whole_documents.hpp"
#include "cairn/data/pairs/pair_features.hpp"
#include "cairn/data/pairs/pair_reader.hpp"
#include "cairn/data/pairs/text_similarities.hpp"
#include "cairn/data/trees/tree_reader.hpp"
#include "written_pairs.hpp"

namespace cairn::test::pairs_test {
namespace {

// A tree in brackets.
std::string brackets(TreeView tree, const TreeLabels& labels) {
  std::string text;
  std::vector<Index> ends;
  for (Index v = 0; v < std::ssize(tree); ++v) {
    for (; !ends.empty() && ends.back() == v; ends.pop_back()) text += ')';
    text += '(';
    text += labels.name(tree[v].label);
    ends.push_back(v + tree[v].size);
  }
  return text.append(ends.size(), ')');
}

struct WholePairs {
  std::vector<std::vector<std::string>> left, right;  // by tree, then pair
  std::vector<std::map<std::string, double>> features;
  Labels labels, splits, groups, identifiers;
  Scaling scaling;
  PairReport report;
};

WholePairs read_all(const PairSource& source) {
  const ReadPairs read = read_pairs<double>(world(), source);
  const PairSet& set = *read.pairs;
  std::vector<Index> ids;
  for (Index i = 0; i < set.size(); ++i) ids.push_back(i);
  const auto objects = set.gather(world(), ids);
  const auto& block = dynamic_cast<const PairBlock&>(*objects);
  WholePairs all;
  all.scaling = read.scaling;
  all.report = read.report;
  for (const auto& [from, to] : {std::pair(&block.left, &all.left), std::pair(&block.right, &all.right)}) {
    for (const auto& side : *from) {
      const auto& trees = dynamic_cast<const TreeBlock&>(*side);
      to->emplace_back();
      for (Index a = 0; a < trees.size(); ++a) to->back().push_back(brackets(trees.trees.tree(a), *trees.labels));
    }
  }
  for (Index a = 0; a < block.size() && block.features != nullptr; ++a) {
    const double* row = dynamic_cast<const PointBlock<double>&>(*block.features).coordinates.row(a);
    all.features.emplace_back();
    for (std::size_t j = 0; j < set.form().features.size(); ++j) all.features.back()[set.form().features[j]] = row[j];
  }
  all.labels = gathered(set.labels());
  all.splits = gathered(set.splits());
  all.groups = gathered(set.groups());
  all.identifiers = gathered(set.identifiers());
  return all;
}

class Forum : public testing::Test {
 protected:
  WrittenFiles files_;
  PairSource source_{.path = files_.write("f.xml", forum_xml),
                     .subtask = "A",
                     .trees = files_.write("f.conll", forum_chunks),
                     .stop_words = files_.write("stop.txt", "which\nis\nthe\n")};

  void expect_no(const PairSource& source, std::initializer_list<const char*> parts,
                 ErrorKind kind = ErrorKind::input) {
    expect_error([&] { (void)read_pairs<double>(world(), source); }, kind, parts);
  }
  // With `before` replaced in the XML or the chunks.
  PairSource changed(const std::string& file, const std::string& before, const std::string& after) {
    std::string text = file == "f.xml" ? forum_xml : forum_chunks;
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
    PairSource source = source_;
    (file == "f.xml" ? source.path : source.trees) = files_.write("changed-" + file, text);
    return source;
  }
};

TEST_F(Forum, SubtaskAPairsAQuestionWithItsComments) {
  const WholePairs all = read_all(source_);
  EXPECT_EQ(all.groups, (Labels{"Q1_R4", "Q1_R4", "Q1_R4"}));
  EXPECT_EQ(all.identifiers, (Labels{"Q1_R4_C1", "Q1_R4_C2", "Q1_R4_C3"}));
  EXPECT_EQ(all.labels, (Labels{"Good", "PotentiallyUseful", "Bad"}));
  EXPECT_TRUE(all.splits.empty());
  EXPECT_EQ(all.report.skipped, 1);
  source_.positive = {"Good"};
  EXPECT_EQ(read_all(source_).labels, (Labels{"true", "false", "false"}));
}

TEST_F(Forum, SubtasksBAndCPairTheOriginalQuestion) {
  source_.subtask = "B";
  WholePairs all = read_all(source_);
  EXPECT_EQ(all.groups, (Labels{"Q1", "Q1"}));
  EXPECT_EQ(all.identifiers, (Labels{"Q1_R4", "Q1_R7"}));
  EXPECT_EQ(all.labels, (Labels{"PerfectMatch", "Irrelevant"}));
  source_.subtask = "C";
  all = read_all(source_);
  EXPECT_EQ(all.identifiers, (Labels{"Q1_R4_C1", "Q1_R4_C2", "Q1_R4_C3", "Q1_R7_C1"}));
  EXPECT_EQ(all.labels, (Labels{"Good", "Bad", "Bad", "Bad"}));
}

TEST_F(Forum, TreesHaveSentencesChunksAndMarksOfWhatBothShare) {
  const WholePairs all = read_all(source_);
  // best and bank are in both texts; is and which are stop words.
  EXPECT_EQ(
      all.left[0][0],
      "(TEXT(S(REL-NP(REL-JJS(LEX##best::))(REL-NN(LEX##bank::))))(S(REL-NP(WDT(LEX##which::))(REL-NN(LEX##bank::)))"
      "(VP(VBZ(LEX##is::)))(REL-ADJP(REL-JJS(LEX##best::)))(.(LEX##?::))))");
  EXPECT_EQ(all.right[0][0],
            "(TEXT(S(REL-NP(DT(LEX##the::))(REL-JJS(LEX##best::))(REL-NN(LEX##bank::)))(VP(VBZ(LEX##is::)))(NP(PRP("
            "LEX##mine::)))))");
  EXPECT_EQ(all.right[0][1], "(TEXT(S(NP(NNS(LEX##thanks::)))(.(LEX##!::))(.(LEX##!::))))");
  source_.relations = false;
  EXPECT_EQ(
      read_all(source_).right[0][0],
      "(TEXT(S(NP(DT(LEX##the::))(JJS(LEX##best::))(NN(LEX##bank::)))(VP(VBZ(LEX##is::)))(NP(PRP(LEX##mine::)))))");
}

TEST_F(Forum, FeaturesAreStandardized) {
  const WholePairs all = read_all(source_);
  ASSERT_EQ(all.features.size(), 3U);
  EXPECT_EQ(all.features[0].size(), 57U);
  const auto raw = [&](std::size_t pair, const std::string& name) {
    std::size_t j = 0;
    for (const auto* names : {&similarity_names(), &comment_names()}) {
      for (const std::string& one : *names) {
        if (one == name) return all.features[pair].at(name) / all.scaling.factor[j] + all.scaling.shift[j];
        ++j;
      }
    }
    ADD_FAILURE() << name;
    return 0.0;
  };
  // {best, bank, which, is} and {the, best, bank, is, mine}
  EXPECT_NEAR(raw(0, "jaccard of 1-grams, all words"), 3.0 / 6, 1e-12);
  EXPECT_NEAR(raw(0, "left in right of 1-grams, all words"), 3.0 / 4, 1e-12);
  EXPECT_NEAR(raw(0, "right in left of 1-grams, without stop words"), 2.0 / 3, 1e-12);
  EXPECT_NEAR(raw(1, "jaccard of 1-grams, all words"), 0, 1e-12);
  EXPECT_NEAR(raw(0, "common run, all words"), 2.0 / 6, 1e-12);  // best bank
  EXPECT_NEAR(raw(0, "place in the thread"), 1, 1e-12);
  EXPECT_NEAR(raw(2, "place in the thread"), 3, 1e-12);
  EXPECT_NEAR(raw(1, "author is the asker"), 1, 1e-12);
  EXPECT_NEAR(raw(0, "the asker follows"), 1, 1e-12);
  EXPECT_NEAR(raw(2, "author wrote before"), 1, 1e-12);
  EXPECT_NEAR(raw(1, "thanks"), 1, 1e-12);
  EXPECT_NEAR(raw(1, "exclamation marks"), 2, 1e-12);
  EXPECT_NEAR(raw(2, "holds a link or address"), 1, 1e-12);
  EXPECT_NEAR(raw(2, "ends with a question mark"), 1, 1e-12);
  for (const std::string& name : comment_names()) {
    double sum = 0, squares = 0;
    for (const auto& pair : all.features) sum += pair.at(name), squares += pair.at(name) * pair.at(name);
    EXPECT_NEAR(sum, 0, 1e-12) << name;
    EXPECT_TRUE(std::abs(squares - 3) < 1e-12 || squares == 0) << name;
  }
}

TEST_F(Forum, TwoFilesAreTwoSplitsAndTheFirstGivesTheScale) {
  const WholePairs one = read_all(source_);
  PairSource both = source_;
  both.test_path = source_.path;
  both.test_trees = source_.trees;
  const WholePairs two = read_all(both);
  EXPECT_EQ(two.splits, (Labels{"train", "train", "train", "test", "test", "test"}));
  EXPECT_EQ(two.scaling.shift, one.scaling.shift);
  EXPECT_EQ(two.features[3], one.features[0]);
  EXPECT_EQ(two.left[0][4], one.left[0][1]);
}

TEST_F(Forum, FeaturesMayBeATable) {
  source_.feature_path = files_.write("x.csv", "1,2\n2,5\n3,2\n");
  const WholePairs all = read_all(source_);
  EXPECT_NEAR(all.features[0].at("column 1"), -std::sqrt(1.5), 1e-12);
  EXPECT_NEAR(all.features[1].at("column 2"), std::sqrt(2), 1e-12);
  source_.feature_path = files_.write("y.csv", "1,2\n2,5\n");
  expect_no(source_, {"y.csv: has 2 rows, and there are 3 pairs"});
  source_.feature_path = files_.write("z.csv", "1,2\nnan,5\n3,2\n");
  expect_no(source_, {"z.csv:2"});
}

TEST_F(Forum, IsRefusedWithTheLine) {
  expect_no(changed("f.xml", "RELEVANCE2RELQ=\"Bad\"", "RELEVANCE2RELQ=\"Fine\""),
            {"f.xml:20: RELC_RELEVANCE2RELQ = 'Fine' is not one of Good, PotentiallyUseful, Bad"});
  expect_no(changed("f.xml", "RELC_ID=\"Q1_R4_C3\"", "RELC_ID=\"Q1_R4_C1\""),
            {"f.xml:20: the id Q1_R4_C1 is a duplicate"});
  expect_no(changed("f.xml", "RELC_ID=\"Q1_R4_C3\"", "RELC=\"Q1_R4_C3\""),
            {"f.xml:20: the attribute RELC_ID is missing"});
  expect_no(changed("f.xml", "RELQ_RANKING_ORDER=\"4\"", "RELQ_RANKING_ORDER=\"x\""), {"f.xml:10: RELQ_RANKING_ORDER"});
  expect_no(changed("f.xml", "Thanks !!", " "), {"Q1_R4_C2 has no text"});
  expect_no(changed("f.xml", "<OrgQSubject>Good bank", "<OrgQSubject>Bad bank"), {"the question Q1 has another text"});
  expect_no(changed("f.xml", "</RelComment>", ""), {"f.xml:"});
  expect_no(changed("f.xml", "<!ELEMENT xml (OrgQuestion*)>", "<!ENTITY a \"b\">"),
            {"f.xml:3: it defines an entity 'a'"});
  expect_no(changed("f.xml", "<xml version=\"1.0\">", "<html>"), {"the first element is 'html'"});
  expect_no(changed("f.conll", "# id = Q1_R7_C1", "# id = Q2"), {"no text has the id Q2"});
  expect_no(changed("f.conll", "# id = Q1_R4_C2", "# id = Q1"), {"f.conll:28: the id Q1 is a duplicate"});
  expect_no(changed("f.conll", "# id = Q1_R7_C1\nNo\tDT\tB-NP\ncar\tNN\tI-NP\n", ""),
            {"the text of Q1_R7_C1 is missing"});
  expect_no(changed("f.conll", "See\tVB\tB-VP", "See\tVB"), {"f.conll:34: is not a word"});
  expect_no(changed("f.conll", "See\tVB\tB-VP", "See\tVB\tX-VP"), {"f.conll:34: the chunk 'X-VP'"});
  expect_no(changed("f.conll", "See\tVB\tB-VP", "S\xFF\tVB\tB-VP"), {"f.conll:34: byte 2 of the line (0xff)"});
  expect_no(changed("f.conll", "# id = Q1\nGood", "Good"), {"f.conll:1: a token stands before"});
  expect_no(changed("f.conll", "Thanks\tNNS\tB-NP\n!\t.\tO\n!\t.\tO\n", ""), {"the text of Q1_R4_C2 has no tokens"});
}

TEST_F(Forum, NeedsParametersThatFit) {
  const auto with = [&](const auto& change) {
    PairSource source = source_;
    change(source);
    return source;
  };
  expect_no(with([](PairSource& s) { s.subtask = ""; }), {"give parameter subtask = A, B or C"}, ErrorKind::usage);
  expect_no(with([](PairSource& s) { s.trees = ""; }), {"give parameter trees"}, ErrorKind::usage);
  expect_no(with([](PairSource& s) { s.test_path = s.path; }), {"give both"}, ErrorKind::usage);
  expect_no(with([](PairSource& s) { s.positive = {"Relevant"}; }), {"'Relevant' is no label of subtask A"},
            ErrorKind::usage);
  expect_no(with([](PairSource& s) { s.features = "x"; }), {"features = x is not all or none"}, ErrorKind::usage);
  expect_no(with([](PairSource& s) { s.format = "kelp"; }), {"subtask has no effect"}, ErrorKind::usage);
}

TEST(KelpPairs, HaveTreesOfBothSidesAndNamedFeatures) {
  const WrittenFiles files;
  const std::string path = files.write(
      "p.klp",
      "yes |<| |BT:t| (A (B)) |ET| |BS:s| x |ES| |BT:u| (U) |ET| |,| |BT:u| (V) |ET| |BT:t| (C) |ET| |>| |BV:f| a:1 "
      "b:3 |EV|\n\n"
      "no |<| |BT:t| (D) |ET| |BT:u| (W) |ET| |,| |BT:t| (E (F) (G)) |ET| |BT:u| (X) |ET| |>| |BV:f| b:5 c:-2 |EV|\n");
  const WholePairs all = read_all({.path = path, .tree = {"t", "u"}});
  EXPECT_EQ(all.left, (std::vector<std::vector<std::string>>{{"(A(B))", "(D)"}, {"(U)", "(W)"}}));
  EXPECT_EQ(all.right, (std::vector<std::vector<std::string>>{{"(C)", "(E(F)(G))"}, {"(V)", "(X)"}}));
  EXPECT_EQ(all.labels, (Labels{"yes", "no"}));
  EXPECT_EQ(all.features[0], (std::map<std::string, double>{{"a", 1}, {"b", -1}, {"c", 1}}));
  EXPECT_EQ(read_all({.path = path, .positive = {"yes"}, .tree = {"u"}, .features = "none"}).labels,
            (Labels{"true", "false"}));
}

TEST(KelpPairs, AreRefusedWithTheLine) {
  const WrittenFiles files;
  const auto refuse = [&](const std::string& line, std::initializer_list<const char*> parts) {
    const std::string good = "y |<| |BT:t| (A) |ET| |,| |BT:t| (B) |ET| |>| |BV:f| a:1 |EV|\n";
    const PairSource source{.path = files.write("p.klp", good + line + "\n")};
    expect_error([&] { (void)read_pairs<double>(world(), source); }, ErrorKind::input, parts);
  };
  refuse("y |BT:t| (A) |ET|", {"p.klp:2: column 3: the line is no pair"});
  refuse("y |<| |BT:t| (A) |ET| |>|", {"p.klp:2: column 3: the pair has no right side"});
  refuse("y |<| |BT:t| (A) |ET| |,| |BT:t| (B) |ET|", {"p.klp:2: column 3: the pair does not end"});
  refuse("y |<| |BT:t| (A) |ET| |,| |BS:t| B |ES| |>| |BV:f| a:1 |EV|", {"p.klp:2: has no tree on the right"});
  refuse("y |<| |BT:t| (A |ET| |,| |BT:t| (B) |ET| |>| |BV:f| a:1 |EV|", {"p.klp:2: column"});
  refuse("y |<| |BT:t| (A) |ET| |,| |BT:t| (B) |ET| |>| |BV:f| a:nan |EV|", {"p.klp:2: the feature a: 'nan' is not"});
  refuse("y |<| |BT:t| (A) |ET| |,| |BT:t| (B) |ET| |>| |BV:f| a |EV|",
         {"p.klp:2: the feature 'a' is not NAME:NUMBER"});
  refuse("y |<| |BT:t| (A) |ET| |,| |BT:t| (B) |ET| |>| |BV:f| a:1 a:2 |EV|",
         {"p.klp:2: the feature a is a duplicate"});
  refuse("|<| |BT:t| (A) |ET| |,| |BT:t| (B) |ET| |>| |BV:f| a:1 |EV|", {"p.klp:2: has no label"});
}

// Strings behind the pair, or in its sides.
TEST(KelpPairs, HaveGroupsAndIdentifiers) {
  const WrittenFiles files;
  const std::string path = files.write(
      "p.klp",
      "yes |<| |BT:t| (A) |ET| |BS:q| Q1 |ES| |,| |BT:t| (B) |ET| |BS:c| Q1_C1 |ES| |>|\n"
      "no |<| |BT:t| (A) |ET| |BS:q| other |ES| |,| |BT:t| (C) |ET| |BS:c| Q2_C1 |ES| |>| |BS:q| Q2 |ES|\n");
  const auto read = read_pairs<double>(world(), {.path = path, .features = "none", .group = "q", .id = "c"});
  EXPECT_EQ(gathered(read.pairs->groups()), (Labels{"Q1", "Q2"}));
  EXPECT_EQ(gathered(read.pairs->identifiers()), (Labels{"Q1_C1", "Q2_C1"}));
  const auto refuse = [&](const std::string& group, const std::string& id, const char* part) {
    const PairSource source{.path = path, .features = "none", .group = group, .id = id};
    expect_error([&] { (void)read_pairs<double>(world(), source); }, ErrorKind::input, {part});
  };
  refuse("x", "", "p.klp:1: has no string 'x' (parameter group); there are q");
  refuse("", "q", "p.klp:1: has no string 'q' (parameter id); there are c");
}

TEST(TextSimilarities, AreWhatTheySay) {
  const std::vector<std::int32_t> x = {1, 2, 3, 4, 9, 5, 6, 7}, y = {5, 6, 7, 8, 1, 2, 3};
  EXPECT_NEAR(ngram_overlap(x, y, 2).jaccard, 4.0 / 9, 1e-15);  // 12 23 56 67
  EXPECT_NEAR(ngram_overlap(x, y, 2).left_in_right, 4.0 / 7, 1e-15);
  EXPECT_NEAR(ngram_overlap(x, y, 1).cosine, 6 / std::sqrt(8.0 * 7), 1e-15);
  EXPECT_NEAR(common_subsequence(x, y), 3.0 / 8, 1e-15);
  EXPECT_NEAR(common_run(x, y), 3.0 / 8, 1e-15);
  EXPECT_NEAR(tiling(x, y, 3), 12.0 / 15, 1e-15);
  EXPECT_NEAR(tiling(x, y, 4), 0, 1e-15);
  const std::vector<std::int32_t> none;
  EXPECT_EQ(ngram_overlap(x, none, 1).jaccard, 0);
  EXPECT_EQ(tiling(none, none, 3), 0);
}

// The same trees as objects of their own.
TEST(ChunkedTrees, AreReadFromTheColumns) {
  const WrittenFiles files;
  const auto read = read_trees(world(), {.path = files.write("f.conll", "\n" + forum_chunks)});
  ASSERT_EQ(read.trees->size(), 7);
  std::vector<Index> ids = {3, 5};
  const auto objects = read.trees->gather(world(), ids);
  const auto& block = dynamic_cast<const TreeBlock&>(*objects);
  EXPECT_EQ(brackets(block.trees.tree(0), *block.labels),
            "(TEXT(S(NP(NNS(LEX##thanks::)))(.(LEX##!::))(.(LEX##!::))))");
  EXPECT_EQ(brackets(block.trees.tree(1), *block.labels), "(TEXT(S(NP(NN(LEX##car::)))(.(LEX##.::))))");
  const auto refuse = [&](const std::string& text, std::initializer_list<const char*> parts) {
    const TreeSource source{.path = files.write("g.conll", text)};
    expect_error([&] { (void)read_trees(world(), source); }, ErrorKind::input, parts);
  };
  refuse("# id = a\nb\tNN\tO\n\n# id = c\n\nd\tNN\n", {"g.conll:6: is not a word"});
  refuse("# id = a\nb\tNN\tO\n# id = c\n\n", {"g.conll:3: the text has no tokens"});
  refuse("b\tNN\tO\n", {"g.conll:1: a token stands before"});
}

// The published files: numbers of pairs and labels of each subtask.
TEST(RealForum, HasThePairsOfTheTask) {
  CAIRN_UP_TO_RANKS(2);
  const char* folder = std::getenv("CAIRN_DATA");
  if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
  const std::string base = std::string(folder) + "/questions/semeval2016-task3-";
  PairSource source{.path = base + "train-part2.xml.xz",
                    .test_path = base + "dev.xml.xz",
                    .subtask = "A",
                    .positive = {"Good"},
                    .trees = base + "train-part2.conll.xz",
                    .test_trees = base + "dev.conll.xz",
                    .features = "none"};
  const WholePairs all = read_all(source);
  EXPECT_EQ(std::ssize(all.labels), 3790 + 2440);
  EXPECT_EQ(std::ranges::count(all.splits, "train"), 3790);
  EXPECT_EQ(std::ranges::count(all.labels, "true"), 1364 + 818);
  source.subtask = "B";
  source.positive = {"PerfectMatch", "Relevant"};
  const WholePairs questions = read_all(source);
  EXPECT_EQ(std::ssize(questions.labels), 670 + 500);
  EXPECT_EQ(std::ranges::count(questions.labels, "true"), 242 + 54 + 155 + 59);
}

}  // namespace
}  // namespace cairn::test::pairs_test
