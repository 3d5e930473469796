// Every format of trees against what was written, on any number of ranks.
#include "cairn/data/trees/tree_reader.hpp"

#include <map>

#include "../written_files.hpp"

namespace cairn::test::tree_reader_test {
namespace {

// A tree in brackets, every node with its own.
std::string text_of(const TreeLabels& labels, TreeView tree) {
  std::string text;
  std::vector<Index> ends;
  for (Index v = 0; v < std::ssize(tree); ++v) {
    for (; !ends.empty() && ends.back() == v; ends.pop_back()) text += ')';
    text += '(' + std::string(labels.name(tree[v].label));
    ends.push_back(v + tree[v].size);
  }
  return text + std::string(ends.size(), ')');
}

struct WholeTrees {
  std::vector<std::string> trees, classes, texts, splits, labels;
  TreeReport report;
};

WholeTrees read_whole(const TreeSource& source) {
  const ReadTrees read = read_trees(world(), source);
  const TreeSet& set = *read.trees;
  EXPECT_EQ(set.range(), RowPartition(set.size(), world().size()).range(world().rank()));
  WholeTrees whole;
  whole.report = read.report;
  std::vector<Index> all(set.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  const auto block = set.gather(world(), all);
  const auto& trees = dynamic_cast<const TreeBlock&>(*block);
  for (const Index a : all) whole.trees.push_back(text_of(*trees.labels, trees.trees.tree(a)));
  for (const std::string_view text : trees.texts) whole.texts.emplace_back(text);
  const auto gathered = [&](const std::vector<std::string>& own) {
    std::string joined;
    for (const std::string& one : own) joined += one + '\n';
    std::vector<std::string> texts;
    std::string one;
    for (const char c : world().all_gather(std::span<const char>(joined))) {
      if (c == '\n') texts.push_back(std::exchange(one, {}));
      if (c != '\n') one += c;
    }
    return texts;
  };
  whole.classes = gathered(set.labels());
  whole.splits = gathered(set.splits());
  for (std::int32_t k = 0; k < trees.labels->size(); ++k) whole.labels.emplace_back(trees.labels->name(k));
  return whole;
}

void expect_refused(const TreeSource& source, std::initializer_list<const char*> parts,
                    ErrorKind kind = ErrorKind::input) {
  expect_error([&] { (void)read_trees(world(), source); }, kind, parts);
}

using Texts = std::vector<std::string>;

TEST(Trees, KelpLinesHaveATreeByNameATextAndAClass) {
  const WrittenFiles files;
  const std::string lines =
      "NUM |BS:q| How far | is it ? |ES| |BV:bow| a:1 |EV| |BT:a| (S(A)(B(x)(y))) |ET| |BT:b| (R) |ET|\n\n"
      "LOC |BT:b| (R(A) (\xC3\xA9)) |ET| |BT:a| ( S ) |ET| |BS:q| Where ? |ES|\r\n";
  for (const std::string& path : {files.write("t.klp", lines), files.write("t.klp.gz", gzipped(lines)),
                                  files.write("t.klp.xz", xz_compressed(lines))}) {
    const WholeTrees trees = read_whole({.path = path, .tree = "a", .text = "q"});
    EXPECT_EQ(trees.trees, (Texts{"(S(A)(B(x)(y)))", "(S)"}));
    EXPECT_EQ(trees.texts, (Texts{"How far | is it ?", "Where ?"}));
    EXPECT_EQ(trees.classes, (Texts{"NUM", "LOC"}));
    EXPECT_EQ(trees.labels, (Texts{"A", "B", "S", "x", "y"}));
    EXPECT_EQ(trees.report.nodes, 6);
    EXPECT_EQ(trees.report.longest, 5);
    EXPECT_EQ(trees.report.deepest, 3);
    const WholeTrees others = read_whole({.path = path, .tree = "b"});
    EXPECT_EQ(others.trees, (Texts{"(R)", "(R(A)(\xC3\xA9))"}));
    EXPECT_TRUE(others.texts.empty());
  }
}

TEST(Trees, LinesOfSvmLightHaveTreesByNumber) {
  const WrittenFiles files;
  const std::string path =
      files.write("t.dat", "1 |BT| (S (A x) (B y z)) |BT| (T u) |ET| 1:.5 2:1 |BV| 7:1 |EV|\n-1 |BT| (S) |BT||ET|\n");
  EXPECT_EQ(read_whole({.path = path, .format = "svm-light-tk", .tree = "1"}).trees,
            (Texts{"(S(A(x))(B(y)(z)))", "(S)"}));
  EXPECT_EQ(read_whole({.path = path, .format = "svm-light-tk", .tree = "1"}).classes, (Texts{"1", "-1"}));
  expect_refused({.path = path, .format = "svm-light-tk", .tree = "2"}, {"t.dat:2: column 17", "the tree is empty"});
  expect_refused({.path = path, .format = "svm-light-tk", .tree = "3"}, {"t.dat:1: ", "no tree 3", "there are 2"});
  expect_refused({.path = path, .format = "svm-light-tk"}, {"t.dat:1: ", "2 trees"});
  expect_refused({.path = path, .format = "svm-light-tk", .tree = "a"}, {"by number"}, ErrorKind::usage);
}

TEST(Trees, FaultsInBracketsAreNamedByLineAndColumn) {
  const WrittenFiles files;
  const std::map<std::string, std::pair<const char*, const char*>> faults = {
      {"x |BT:t| (S(A) |ET|", {"column 16", "a closing bracket is missing"}},
      {"x |BT:t| (S(A))) |ET|", {"column 16", "a closing bracket too many"}},
      {"x |BT:t|  |ET|", {"column 11", "the tree is empty"}},
      {"x |BT:t| (S()) |ET|", {"column 13", "a node has no label"}},
      {"x |BT:t| (S(A)) (B) |ET|", {"column 17", "more follows the tree"}},
      {"x |BT:t| S |ET|", {"column 10", "does not begin with ("}},
      {"x |BT:t| ((S)(T)) |ET|", {"column 14", "more than one tree"}},
      {"x |BT:t| (S(A\xFF)) |ET|", {"column 13", "not UTF-8"}},
      {"x |BT:t| (S)", {"column 3", "|ET| is missing"}},
      {"x |BT| (S) |ET|", {"column 3", "has no name"}},
      {"x |BT:t| (S) |ET| y", {"column 19", "a field |Btype:name| was expected"}},
      {"x |<| |BT:t| (S) |ET| |,| |BT:t| (S) |ET| |>|", {"column 3", "a pair"}},
      {"x |BT:u| (S) |ET|", {"no tree 't'", "there are u"}},
      {"x |BS:t| s |ES|", {"has no tree", ""}},
      {"x\xC3 |BT:t| (S) |ET|", {"the label", "not UTF-8"}},
  };
  for (const auto& [line, expected] : faults) {
    const std::string path = files.write("f.klp", "y |BT:t| (S) |ET|\n" + line + "\n");
    expect_refused({.path = path, .tree = "t"}, {"f.klp:2: ", expected.first, expected.second});
  }
  const std::string several = files.write("s.klp", "y |BT:t| (S) |ET| |BT:u| (S) |ET|\n");
  expect_refused({.path = several}, {"s.klp:1: ", "several trees", "t, u"});
  expect_refused({.path = files.write("l.klp", "y |BT:t| (S) |ET|\n|BT:t| (S) |ET|\n")}, {"l.klp:2: has no label"});
  std::string blanks = "y |BT:t| (S) |ET|\n\n|BT:t| (S) |ET|\n";
  for (int k = 0; k < 200000; ++k) blanks += "y |BT:t| (S (A) (B)) |ET|\n";  // several blocks
  expect_refused({.path = files.write("m.klp", blanks)}, {"m.klp:3: has no label, and others have one"});
  expect_refused({.path = files.write("n.txt", "y |BT:t| (S) |ET|\n")}, {"does not tell the format"}, ErrorKind::usage);
}

TEST(Trees, BracketsGoOverLinesAndWordsMayBeBare) {
  const WrittenFiles files;
  std::string many;
  Texts expected;
  for (int k = 0; k < 300; ++k) {  // more than a block of objects
    many += "( (S\n  (NP (NN dog" + std::to_string(k) + "))\n\n  (VP\n    (VBZ sits))) )\n\n(X)\n";
    expected.push_back("(S(NP(NN(dog" + std::to_string(k) + ")))(VP(VBZ(sits))))");
    expected.emplace_back("(X)");
  }
  for (const std::string& path : {files.write("t.mrg", many), files.write("t.mrg.xz", xz_compressed(many))}) {
    EXPECT_EQ(read_whole({.path = path}).trees, expected);
  }
  const WholeTrees labelled = read_whole({.path = files.write("l.penn", "a b\t(S (A x))\nc\t( (S (B)) )\n")});
  EXPECT_EQ(labelled.trees, (Texts{"(S(A(x)))", "(S(B))"}));
  EXPECT_EQ(labelled.classes, (Texts{"a b", "c"}));
  expect_refused({.path = files.write("m.mrg", "(S\n  (A)))\n")}, {"m.mrg:2: column 7", "closing bracket too many"});
  expect_refused({.path = files.write("n.mrg", "(S)\n\n(S\n  ())\n")},
                 {"n.mrg:4: column 4", "no label", "object that begins in line 3"});
  expect_refused({.path = files.write("o.mrg", many + "(S\n (A\n")}, {"closing bracket is missing", "o.mrg:"});
  expect_refused({.path = files.write("p.penn", "a\t(S)\n(S)\n")}, {"p.penn:2: ", "no tab"});
  expect_refused({.path = files.write("q.penn", "a\t(S))\n")}, {"q.penn:1: column 6", "too many"});
  expect_refused({.path = files.path("t.mrg"), .tree = "x"}, {"has no effect"}, ErrorKind::usage);
}

// As Universal Dependencies has it: ranges, empty nodes, comments.
const char* const sentence =
    "# text = It sat where dogs eat .\n# label = calm\n"
    "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2-3\tsat's\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tSat\tSit\tVERB\tVBD\t_\t0\troot\t_\t_\n3\twhere\twhere\tADV\t_\t_\t5\tadvmod\t_\t_\n"
    "3.1\tx\tx\tX\tX\t_\t_\t_\t_\t_\n4\tdogs\tdog\tNOUN\tNNS\t_\t5\tnsubj\t_\t_\n"
    "5\teat\teat\tVERB\tVBP\t_\t2\tadvcl\t_\t_\n6\t.\t_\tPUNCT\t.\t_\t2\tpunct\t_\t_\n";

TEST(Trees, DependenciesMakeThreeTrees) {
  const WrittenFiles files;
  const std::string path = files.write("d.conllu", std::string(sentence) + "\n" + sentence + "\n");
  const auto of = [&](const char* tree) { return read_whole({.path = path, .tree = tree, .text = "text"}); };
  const WholeTrees relations = of("grct");
  EXPECT_EQ(
      relations.trees[1],
      "(SYNT##root(SYNT##nsubj(POS##PRP(LEX##it::p)))(POS##VBD(LEX##sit::v))(SYNT##advcl(SYNT##advmod(POS##ADV("
      "LEX##where::a)))(SYNT##nsubj(POS##NNS(LEX##dog::n)))(POS##VBP(LEX##eat::v)))(SYNT##punct(POS##.(LEX##.::.))"
      "))");
  EXPECT_EQ(relations.classes, (Texts{"calm", "calm"}));
  EXPECT_EQ(relations.texts[0], "It sat where dogs eat .");
  EXPECT_EQ(
      of("lct").trees[0],
      "(LEX##sit::v(LEX##it::p(POS##PRP)(SYNT##nsubj))(LEX##eat::v(LEX##where::a(POS##ADV)(SYNT##advmod))(LEX##"
      "dog::n(POS##NNS)(SYNT##nsubj))(POS##VBP)(SYNT##advcl))(LEX##.::.(POS##.)(SYNT##punct))(POS##VBD)(SYNT##root)"
      ")");
  EXPECT_EQ(of("loct").trees[0], "(LEX##sit::v(LEX##it::p)(LEX##eat::v(LEX##where::a)(LEX##dog::n))(LEX##.::.))");
  const std::string texts = files.write(
      "x.conllu", std::string("# newdoc id = 1\n") + sentence + "\n" + sentence + "\n# newdoc\n" + sentence);
  const WholeTrees whole = read_whole({.path = texts, .tree = "loct"});
  const std::string one = of("loct").trees[0];
  EXPECT_EQ(whole.trees, (Texts{"(TEXT" + one + one + ")", "(TEXT" + one + ")"}));
}

TEST(Trees, FaultsOfDependenciesAreNamedByLine) {
  const WrittenFiles files;
  const auto word = [](const char* id, const char* head) {
    return std::string(id) + "\ta\ta\tX\tX\t_\t" + head + "\tdep\t_\t_\n";
  };
  const auto refused = [&](const std::string& text, std::initializer_list<const char*> parts) {
    expect_refused({.path = files.write("f.conllu", word("1", "0") + "\n" + text), .tree = "lct"}, parts);
  };
  refused(word("1", "0") + word("2", "3"), {"f.conllu:4: ", "head 3", "2 words"});
  refused(word("1", "0") + word("2", "-1"), {"f.conllu:4: ", "head '-1'"});
  refused(word("1", "0") + word("2", "0"), {"f.conllu:4: ", "two roots"});
  refused(word("1", "2") + word("2", "1"), {"f.conllu:4: ", "no root"});
  refused(word("1", "0") + word("2", "3") + word("3", "2"), {"f.conllu:4: ", "cycle"});
  refused(word("1", "1"), {"f.conllu:3: ", "its own head"});
  refused(word("1", "0") + word("3", "1"), {"f.conllu:4: ", "'3', and not 2"});
  refused("1\ta\n", {"f.conllu:3: ", "2 columns"});
  refused("1\ta\ta\t_\t_\t_\t0\troot\t_\t_\n", {"f.conllu:3: ", "neither XPOS nor UPOS"});
  refused("1\ta\ta\tX\tX\t_\t0\t_\t_\t_\n", {"f.conllu:3: ", "no relation"});
  refused("1\ta\xFF\ta\tX\tX\t_\t0\troot\t_\t_\n", {"f.conllu:3: ", "not UTF-8"});
  refused("# only = a comment\n", {"f.conllu:3: ", "no words"});
  expect_refused({.path = files.path("f.conllu"), .tree = "cgrct"}, {"not grct, lct or loct"}, ErrorKind::usage);
}

TEST(Trees, AChainOfAMillionNodesIsATree) {
  const WrittenFiles files;
  constexpr Index nodes = 1'000'000;
  std::string chain = "|BT:t| ";
  for (Index k = 0; k < nodes; ++k) chain += k % 2 == 0 ? "(a" : "(b";
  chain += std::string(static_cast<std::size_t>(nodes), ')') + "|ET|\n";
  const TreeReport report = read_trees(world(), {.path = files.write("c.klp", chain + "|BT:t| (a) |ET|\n")}).report;
  EXPECT_EQ(report.nodes, nodes + 1);
  EXPECT_EQ(report.deepest, nodes);
}

TEST(Trees, TheQuestionsOfTrecAreReadInBothParts) {
  const std::string folder = CAIRN_TEST_DATA "/trees/";
  const WholeTrees trees = read_whole({.path = folder + "train_5500.coarse.klp.gz",
                                       .test_path = folder + "TREC_10.coarse.klp.gz",
                                       .tree = "grct",
                                       .text = "quest"});
  ASSERT_EQ(trees.trees.size(), 5952U);
  EXPECT_EQ(trees.texts[5452], "How far is it from Denver to Aspen ?");
  EXPECT_EQ(trees.classes[5453], "LOC");
  EXPECT_EQ(trees.splits[5451], "train");
  EXPECT_EQ(trees.splits[5452], "test");
  EXPECT_EQ(
      trees.trees[5454],
      "(SYNT##root(POS##WP(LEX##who::w))(SYNT##cop(POS##VBD(LEX##be::v)))(SYNT##nsubj(POS##NNP(LEX##galileo::n))))");
}

TEST(Trees, OfKelpHaveTheNumbersOfAVector) {
  const WrittenFiles files;
  const std::string path = files.write("t.klp",
                                       "a |BT:t| (S(x)) |ET| |BV:bow| x:2 a:c:-0.5 |EV| |BV:v| q:1 |EV|\n"
                                       "b |BT:t| (S(y)) |ET| |BV:bow| |EV| |BV:v| r:1 |EV|\n"
                                       "b |BV:v| r:1 |EV| |BV:bow| b:1e3 x:1 |EV| |BT:t| (S(z)) |ET|\n");
  const auto rows = [](const TreeSource& source) {
    const ReadTrees read = read_trees(world(), source);
    const std::vector<Index> all = numbers_of({0, read.trees->size()});
    const auto block = read.trees->gather(world(), all);
    const MatrixView<const double> numbers = dynamic_cast<const TreeBlock&>(*block).numbers;
    std::vector<std::vector<double>> values;
    for (Index a = 0; a < numbers.rows; ++a) values.emplace_back(numbers.row(a), numbers.row(a) + numbers.columns);
    return std::pair(values, *read.trees->tree_labels());
  };
  const auto [values, labels] = rows({.path = path, .features = "bow"});
  EXPECT_EQ(labels.origin().feature_names, (std::vector<std::string>{"a:c", "b", "x"}));
  EXPECT_EQ(values, (std::vector<std::vector<double>>{{-0.5, 0, 2}, {0, 0, 0}, {0, 1000, 1}}));
  EXPECT_EQ(rows({.path = path}).first, (std::vector<std::vector<double>>(3)));
  EXPECT_EQ(rows({.path = path, .features = "none"}).first, (std::vector<std::vector<double>>(3)));
  // New objects have the columns of those before.
  const std::string more = files.write("n.klp", "a |BT:t| (S(x)) |ET| |BV:bow| new:3 b:4 |EV|\n");
  EXPECT_EQ(rows({.path = more, .known = &labels}).first, (std::vector<std::vector<double>>{{0, 4, 0}}));
  expect_refused({.path = path, .features = "w"}, {"t.klp:1: has no vector 'w'", "bow, v"});
  expect_refused({.path = path, .features = "all"}, {"t.klp:1: has several vectors", "parameter features"});
  expect_refused({.path = files.write("w.klp", "a |BT:t| (S(x)) |ET| |BV:v| x:1 x:2 |EV|\n"), .features = "all"},
                 {"w.klp:1: the feature x is a duplicate"});
  expect_refused({.path = files.write("t.penn", "(S x)\n"), .features = "v"},
                 {"parameter features = v has no effect if parameter format is penn"}, ErrorKind::usage);
}

}  // namespace
}  // namespace cairn::test::tree_reader_test
