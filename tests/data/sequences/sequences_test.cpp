// Every format of sequences against what was written, on any number of ranks, and what is refused.
#include <fmt/format.h>

#include "../whole_documents.hpp"
#include "cairn/data/sequences/sequence_reader.hpp"

namespace cairn::test::sequences_test {
namespace {

using Names = std::vector<std::string>;

struct WholeSequences {
  std::vector<Names> sequences;
  Labels labels, splits;
  SequenceReport report;
};

std::vector<Names> names_of(const SequenceBlock& block) {
  std::vector<Names> all;
  for (Index a = 0; a < block.size(); ++a) {
    all.emplace_back();
    for (const std::int32_t symbol : block.sequence(a)) all.back().push_back(block.alphabet->name(symbol));
  }
  return all;
}

std::vector<Index> all_of(const ObjectSet& set) {
  std::vector<Index> ids;
  for (Index i = 0; i < set.size(); ++i) ids.push_back(i);
  return ids;
}

WholeSequences read_all(const SequenceSource& source) {
  const ReadSequences read = read_sequences(world(), source);
  const auto objects = read.sequences->gather(world(), all_of(*read.sequences));
  return {names_of(dynamic_cast<const SequenceBlock&>(*objects)), gathered(read.sequences->labels()),
          gathered(read.sequences->splits()), read.report};
}

void expect_no(const SequenceSource& source, std::initializer_list<const char*> parts,
               ErrorKind kind = ErrorKind::input) {
  expect_error([&] { (void)read_sequences(world(), source); }, kind, parts);
}

TEST(Sequences, LinesAreCutAtBlanks) {
  const WrittenFiles files;
  const auto read = read_all({.path = files.write("s.txt", "  the cat,\tthe dog \r\n\nÄ a\n")});
  EXPECT_EQ(read.sequences, (std::vector<Names>{{"the", "cat,", "the", "dog"}, {}, {"Ä", "a"}}));
  EXPECT_TRUE(read.labels.empty());
  EXPECT_TRUE(read.splits.empty());
  EXPECT_EQ(read.report.symbols, 6);
  EXPECT_EQ(read.report.different, 5);
  EXPECT_EQ(read.report.longest, 4);
  EXPECT_EQ(read.report.empty, 1);
}

TEST(Sequences, CharactersAreCodePointsAndBlanksWithin) {
  const WrittenFiles files;
  const auto read = read_all({.path = files.write("s.txt", "aé b\n日本a\n"), .tokens = "characters"});
  EXPECT_EQ(read.sequences, (std::vector<Names>{{"a", "é", " ", "b"}, {"日", "本", "a"}}));
}

TEST(Sequences, ColumnsOfTablesHaveLabelsAndSplits) {
  const WrittenFiles files;
  const std::string tsv = files.write("s.tsv", "set\tkind\tbody\ntrain\tx\ta b\ntest\ty\tb \"c\"\n");
  const auto read = read_all({.path = tsv, .text = "body", .label = "kind", .split = "set"});
  EXPECT_EQ(read.sequences, (std::vector<Names>{{"a", "b"}, {"b", "\"c\""}}));
  EXPECT_EQ(read.labels, (Labels{"x", "y"}));
  EXPECT_EQ(read.splits, (Labels{"train", "test"}));
  const std::string csv = files.write("s.csv", "x,\"a, b\"\ny,\"b \"\"c\"\n");
  EXPECT_EQ(read_all({.path = csv, .label = "1"}).sequences, (std::vector<Names>{{"a,", "b"}, {"b", "\"c"}}));
}

TEST(Sequences, TwoFilesAreTwoSplits) {
  const WrittenFiles files;
  const auto read = read_all({.path = files.write("a.txt", "a\nb\n"), .test_path = files.write("b.txt", "c a\n")});
  EXPECT_EQ(read.sequences, (std::vector<Names>{{"a"}, {"b"}, {"c", "a"}}));
  EXPECT_EQ(read.splits, (Labels{"train", "train", "test"}));
}

TEST(Sequences, FastaJoinsTheLinesOfASequence) {
  const WrittenFiles files;
  const std::string path = files.write("p.fa", "\n>one\nMK\nV L\n>two\n>three\nA\n");
  const auto read = read_all({.path = path, .tokens = "characters"});
  EXPECT_EQ(read.sequences, (std::vector<Names>{{"M", "K", "V", " ", "L"}, {}, {"A"}}));
}

TEST(Sequences, LettersOfFastaAreSymbolsUnlessBlanksAreAskedFor) {
  const WrittenFiles files;
  const std::string fasta = ">one\nMK\nVL\n>two\nA L\n", text = "MKVL\nA L\n";
  const std::string path = files.write("p.fa", fasta), named = files.write("p.data", fasta);
  const std::vector<Names> letters = {{"M", "K", "V", "L"}, {"A", " ", "L"}}, words = {{"MKVL"}, {"A", "L"}};
  for (const auto& read : {read_all({.path = path}), read_all({.path = named, .format = "fasta"})}) {
    EXPECT_EQ(read.sequences, letters);
    EXPECT_EQ(read.report.tokens, "characters");
  }
  for (const auto& read :
       {read_all({.path = path, .tokens = "blanks"}), read_all({.path = files.write("p.txt", text)})}) {
    EXPECT_EQ(read.sequences, words);
    EXPECT_EQ(read.report.tokens, "blanks");
  }
}

TEST(Sequences, LinesOfKelpHaveElementsOrTexts) {
  const WrittenFiles files;
  const std::string text =
      "A |BT:t| (X (Y)) |ET| |BSQ:s| (LEX##a::n)(b c) (d) |ESQ| |BS:q| to be |ES|\n"
      "B |BSQ:s| |ESQ| |BS:q| or not |ES| |BV:v| x:1 |EV|\n";
  for (const std::string& path : {files.write("s.klp", text), files.write("s.klp.gz", gzipped(text))}) {
    const auto elements = read_all({.path = path});
    EXPECT_EQ(elements.sequences, (std::vector<Names>{{"LEX##a::n", "b c", "d"}, {}}));
    EXPECT_EQ(elements.labels, (Labels{"A", "B"}));
    EXPECT_EQ(read_all({.path = path, .sequence = "q"}).sequences, (std::vector<Names>{{"to", "be"}, {"or", "not"}}));
  }
}

TEST(Sequences, ManyComeInTheirOrderOnEveryNumberOfRanks) {
  const WrittenFiles files;
  std::string text;
  std::vector<Names> expected;
  for (int i = 0; i < 30000; ++i) {
    expected.push_back({fmt::format("word{}", i % 977), "and", fmt::format("number{}", i)});
    text += fmt::format("{} {} {}\n", expected.back()[0], expected.back()[1], expected.back()[2]);
    text.append(100, ' ').append("\n");
    expected.emplace_back();
  }
  ASSERT_GT(text.size(), std::size_t{3} << 20);  // several blocks a rank
  for (const std::string& path : {files.write("s.txt", text), files.write("s.txt.gz", gzipped(text))}) {
    EXPECT_EQ(read_all({.path = path}).sequences, expected);
  }
}

TEST(Sequences, GiveBlocksAndTheSameFromBytes) {
  const WrittenFiles files;
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("a{} b c{}\n", i, i % 7);
  const auto read = read_sequences(world(), {.path = files.write("s.txt", text)});
  const SequenceSet& set = *read.sequences;
  const Range own = set.range();
  if (own.size() < 4) return;
  const Range rows{own.begin + 1, own.end - 1};
  const auto block = set.block(rows), unpacked = set.unpack(rows, set.pack(rows));
  EXPECT_EQ(names_of(dynamic_cast<const SequenceBlock&>(*block)),
            names_of(dynamic_cast<const SequenceBlock&>(*unpacked)));
  EXPECT_EQ(block->ids, unpacked->ids);
  EXPECT_TRUE(block->set == unpacked->set);
}

TEST(Sequences, AreMatchedByTheNamesOfTheirSymbols) {
  const WrittenFiles files;
  const auto old = read_sequences(world(), {.path = files.write("old.txt", "b d\nc b\n")});
  const auto landmarks = old.sequences->gather(world(), std::vector<Index>{1, 0});
  const auto& before = dynamic_cast<const SequenceBlock&>(*landmarks);
  const std::string path = files.write("new.txt", "a d\ne\n");
  const auto fresh = read_sequences(world(), {.path = path, .known = before.alphabet});
  const auto matched = landmarks->matched_to(*fresh.sequences);
  const auto& after = dynamic_cast<const SequenceBlock&>(*matched);
  EXPECT_EQ(names_of(after), names_of(before));
  EXPECT_EQ(after.alphabet, fresh.sequences->alphabet());
  EXPECT_EQ(after.ids, before.ids);
  const auto others = read_sequences(world(), {.path = path});
  expect_error([&] { (void)landmarks->matched_to(*others.sequences); }, ErrorKind::internal, {"is not among"});
}

TEST(Sequences, AreRefusedWithTheLine) {
  const WrittenFiles files;
  const auto written = [&](const std::string& text) { return files.write("s.klp", text); };
  expect_no({.path = files.write("s.txt", "a\nb \xFF c\n")}, {"s.txt:2: byte 3 of the sequence (0xff) is not UTF-8"});
  expect_no({.path = files.write("s.txt", "a\nb\xC3"), .tokens = "characters"}, {"s.txt:2: byte 2"});
  expect_no({.path = files.write("s.txt", std::string("a\nb\0c\n", 6))}, {"s.txt:2: holds a byte 0"});
  expect_no({.path = written("A |BS:q| a |ES|\nB |BS:p| a |ES|\n"), .sequence = "q"},
            {"s.klp:2: has no sequence or text 'q' (parameter sequence); there are p"});
  expect_no({.path = written("A |BT:t| (a) |ET|\n")}, {"s.klp:1: has no sequence or text"});
  expect_no({.path = written("A |BS:q| a |ES| |BS:p| a |ES|\n")}, {"s.klp:1: has several", "sequence: q, p"});
  expect_no({.path = written("A |BS:q| a |ES| |BS:q| a |ES|\n")}, {"s.klp:1: has two sequence or texts 'q'"});
  expect_no({.path = written("A |BSQ:s| (a)(b |ESQ|\n")}, {"s.klp:1: the sequence has '(b'"});
  expect_no({.path = written("A |BSQ:s| (a) b (c) |ESQ|\n")}, {"s.klp:1: the sequence has 'b (c)'"});
  expect_no({.path = written("A |BSQ:s| (a)() |ESQ|\n")}, {"s.klp:1: the sequence has an element without a name"});
  expect_no({.path = written("A |BSQ:s| (a)\n")}, {"s.klp:1: column 3: the field does not end: |ESQ|"});
  expect_no({.path = written("A |BSQ:s (a)\n")}, {"s.klp:1: column 3: the name of the field does not end"});
  expect_no({.path = written("A |BS:q| a |ES| b\n")}, {"s.klp:1: column 17: a field"});
  expect_no({.path = written("A |BS:q| a |ES|\n|BS:q| b |ES|\n")}, {"s.klp:2: has no label"});
  expect_no({.path = written("A |<| |BS:q| a |ES| |,| |BS:q| a |ES| |>|\n")}, {"s.klp:1: column 3: a mark of a pair"});
  expect_no({.path = files.write("s.fa", "MK\n>a\n")}, {"s.fa:1: a sequence without a line that begins with >"});
  expect_no({.path = files.write("s.klp", "\n \n")}, {"s.klp: has no sequences"});
}

TEST(Sequences, RefuseParametersThatHaveNoEffect) {
  const WrittenFiles files;
  const std::string path = files.write("s.txt", "a\n");
  expect_no({.path = path, .label = "1"}, {"label = 1 has no effect if parameter format is lines"}, ErrorKind::usage);
  expect_no({.path = path, .sequence = "q"}, {"sequence = q has no effect"}, ErrorKind::usage);
  expect_no({.path = files.write("s.dat", "a\n")}, {"the name does not tell the format"}, ErrorKind::usage);
  const std::string table = files.write("s.tsv", "a\tb\n");
  expect_no({.path = table, .test_path = table, .split = "1"}, {"give one of"}, ErrorKind::usage);
}

}  // namespace
}  // namespace cairn::test::sequences_test
