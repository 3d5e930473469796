// CSV files of documents against what was written, on any number of ranks; and the numbers of documents in their file.
#include <set>

#include "whole_documents.hpp"

namespace cairn::test::csv_documents_test {
namespace {

const Vectors animals{{"cat", "dog", "sat", "2nd", "the"}};

WordVectorSource vectors_in(const WrittenFiles& files) { return {.path = files.write("v.txt", animals.text())}; }

// The numbers of all ranks' documents in what was read; none if they are the rows.
std::vector<Index> numbers_of(const DocumentSource& source) {
  return world().all_gather(read_documents(world(), source).documents->take_numbers());
}

TEST(CsvDocuments, QuotedFieldsHoldCommasQuotesAndLines) {
  const WrittenFiles files;
  const std::string path = files.write(
      "d.csv", "\"a,b\",\"the cat,\r\nsat \"\"the dog\"\"\n\"\r\n\n \nb c,the 5\" dog\r\n\"\"\"q\"\"\",\"\"\nb,cat");
  DocumentSource source{.path = path, .label = "1", .empty = "keep", .keep_texts = true, .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.texts, (Labels{"the cat,\r\nsat \"the dog\"\n", "the 5\" dog", "", "cat"}));
  EXPECT_EQ(documents.labels, (Labels{"a,b", "b c", "\"q\"", "b"}));
  EXPECT_EQ(documents.bags[0], (Bag{{"the", 2}, {"cat", 1}, {"sat", 1}, {"dog", 1}}));
  EXPECT_EQ(documents.report.first_empty, (Labels{path + ":7"}));
  EXPECT_EQ(documents.report.text_source, "column 2 of 2, no header line");
  EXPECT_EQ(documents.report.first_words, "the cat, sat \"the dog\"");
}

TEST(CsvDocuments, AHeaderNamesTheColumns) {
  const WrittenFiles files;
  for (const char* mark : {"", "\xEF\xBB\xBF"}) {
    const std::string path =
        files.write("d.csv", std::string(mark) + "\"the body\",id,set\n\"cat, dog\",1,train\nsat,2,test\n");
    const auto documents = read_whole({.path = path, .text = "the body", .split = "set", .vectors = vectors_in(files)});
    EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"cat", 1}, {"dog", 1}}, {{"sat", 1}}}));
    EXPECT_EQ(documents.splits, (Labels{"train", "test"}));
    EXPECT_EQ(documents.report.text_source, "column 'the body'");
  }
}

// Records that cross the ends of blocks and of the reader's buffer, with quotes and line ends at any place in them.
TEST(CsvDocuments, LargeOnesAreTheSameOnAnyNumberOfRanks) {
  const WrittenFiles files;
  std::string text = "label,text\n";
  Labels labels, texts;
  for (int k = 0; k < 30000; ++k) {
    labels.push_back(fmt::format("l{}", k % 7));
    std::string words = k % 5 == 0 ? "cat" : "the \"cat\"\n";
    for (int w = 0; w < k % 50; ++w) words += w % 3 == 0 ? ", dog" : w % 3 == 1 ? "\n\"sat\"" : "\r\n";
    std::string quoted;
    for (const char c : words) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += labels.back() + ",\"" + quoted + (k % 2 == 0 ? "\"\n" : "\"\r\n");
    texts.push_back(std::move(words));
  }
  const auto documents = read_whole({.path = files.write("d.csv", text), .text = "text", .label = "label"});
  ASSERT_EQ(documents.texts.size(), texts.size());
  EXPECT_TRUE(documents.texts == texts);
  EXPECT_EQ(documents.labels, labels);
  EXPECT_EQ(documents.report.different, static_cast<Index>(std::set(texts.begin(), texts.end()).size()));
}

TEST(Documents, AJsonTextThatIsNullOrAbsentIsEmpty) {
  const WrittenFiles files;
  const std::string lines = "{\"text\": null}\n{\"text\": \"cat\"}\n{\"other\": 1}\n{\"text\": [\"dog\", null]}\n";
  DocumentSource source{.path = files.write("d.jsonl", lines), .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"cat", 1}}, {{"dog", 1}}}));
  EXPECT_EQ(documents.report.without_text, 2);
  EXPECT_EQ(documents.report.first_empty, (Labels{source.path + ":1", source.path + ":3"}));
  EXPECT_EQ(documents.report.text_source, "field 'text'");
  EXPECT_EQ(numbers_of(source), (std::vector<Index>{1, 3}));
  source.empty = "keep";
  EXPECT_EQ(read_whole(source).bags.size(), 4U);
  EXPECT_TRUE(numbers_of(source).empty());
  source.empty = "refuse";
  expect_refused(source, {"d.jsonl:1: the text has no word with a vector"});
}

TEST(Documents, ThoseThatAreKeptHaveTheirNumbersInTheFiles) {
  const WrittenFiles files;
  DocumentSource source{.path = files.write("a.tsv", "x\tcat\n\ny\tdog\nx\towl\nx\tsat\n"),
                        .test_path = files.write("b.tsv", "y\tcat\nx\tdog\n"),
                        .label = "1",
                        .vectors = vectors_in(files)};
  EXPECT_EQ(numbers_of(source), (std::vector<Index>{0, 1, 3, 4, 5}));
  source.classes = {"x"};
  EXPECT_EQ(numbers_of(source), (std::vector<Index>{0, 3, 5}));
}

TEST(Documents, NumbersInTheFileAreThoseOfManyBlocks) {
  const WrittenFiles files;
  std::string text;
  std::vector<Index> kept;
  for (Index k = 0; k < 200000; ++k) {
    const bool empty = k % 3 == 1 || (k > 50000 && k < 120000);  // among them whole blocks
    text += empty ? "no known word here\n" : "the cat and the dog sat\n";
    if (!empty) kept.push_back(k);
  }
  EXPECT_EQ(numbers_of({.path = files.write("d.txt", text), .format = "lines", .vectors = vectors_in(files)}), kept);
}

TEST(Documents, DifferentOnesAreCountedAndTheFirstIsShown) {
  const WrittenFiles files;
  DocumentSource source{.path = files.write("d.txt", " \nThe cat,\t sat\nsat the CAT\ndog\ncat dog\ndog cat\ndog\n"),
                        .format = "lines",
                        .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.report.different, 3);  // the cat sat, dog, cat dog: bags
  EXPECT_EQ(documents.report.first_words, "The cat, sat");
  EXPECT_EQ(documents.report.text_source, "a line each");
  source.vectors = {};
  EXPECT_EQ(read_whole(source).report.different, 5);  // texts
  source.path = files.write("d.txt", std::string(59, 'x') + "\xC3\xA9t\xC3\xA9 cat\n");
  EXPECT_EQ(read_whole(source).report.first_words, std::string(59, 'x') + " ...");
}

// Sequences as bags of the numbers of listed words, document by document of all ranks.
std::vector<std::map<std::string, float>> bags_of_words(const DocumentSource& source) {
  const ReadDocuments read = read_documents(world(), source);
  std::vector<Index> all(read.documents->size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  const auto objects = read.documents->gather(world(), all);
  const auto& block = dynamic_cast<const DocumentBlock&>(*objects);
  std::vector<std::map<std::string, float>> bags(all.size());
  for (std::size_t a = 0; a < bags.size(); ++a) {
    for (auto e = static_cast<std::size_t>(block.starts[a]); e < static_cast<std::size_t>(block.starts[a + 1]); ++e) {
      const auto word = static_cast<std::size_t>(block.words[e]);
      bags[a][word < source.words->size() ? (*source.words)[word] : "blank"] = block.counts[e];
    }
  }
  return bags;
}

TEST(Sequences, AreReadFromTablesLinesAndFasta) {
  const WrittenFiles files;
  const auto words = std::make_shared<const std::vector<std::string>>(Labels{"KV", "MK", "VV"});
  const std::vector<Bag> expected = {{{"MK", 1}, {"KV", 1}}, {{"VV", 2}}, {{"MK", 1}}};
  const Tokenization pairs{.pieces = "k-mers", .kmers = {.length = 2}};
  const std::vector<std::string> texts = {"name,sequence,T50\na,MKV,1\nb,vvv,2\nc,MK,\n", "MKV\nVVV\nMK\n",
                                          "sequence\nMKV\nVVV\nMK\n", ">a first\nMK\nV\n\n>b\nVVV\n>c\nM\nK",
                                          "\n>a\r\nM K\r\nV\r\n>b\r\nVV\r\nV\r\n>c\r\nMK\r\n"};
  for (const std::string& text : texts) {
    EXPECT_EQ(
        bags_of_words({.path = files.write("s.txt", text), .format = "protein", .tokenization = pairs, .words = words}),
        expected)
        << text;
  }
  DocumentSource named{.path = files.write("s.txt", "id,residues\n1,MKV\n"),
                       .format = "protein",
                       .text = "residues",
                       .tokenization = pairs,
                       .words = words};
  EXPECT_EQ(bags_of_words(named), (std::vector<Bag>{expected.front()}));
  named.text.clear();
  expect_refused(named, {"s.txt:1: parameter text = sequence", "no column"});
}

TEST(Sequences, ErrorsNameTheLine) {
  const WrittenFiles files;
  const auto words = std::make_shared<const std::vector<std::string>>(Labels{"MK"});
  const auto refused = [&](const std::string& text, const std::string& message) {
    DocumentSource source{.path = files.write("s.txt", text),
                          .format = "protein",
                          .tokenization = {.pieces = "k-mers", .kmers = {.length = 2}},
                          .words = words};
    expect_refused(source, {message.c_str()});
  };
  refused("sequence\nMKV\nMK-V\n", "s.txt:3: '-' at position 3");
  refused("MKV\nM\n", "s.txt:2: the sequence has 1 letters");
  refused(">a\nMK\n\n>b\nMK\nX\n", "s.txt:4: 'X' at position 3");
  refused("name,sequence\na,MK\nb\n", "s.txt:3: has 1 columns");
}

TEST(Documents, OfListedWordsLeaveOthersOut) {
  const WrittenFiles files;
  const auto words = std::make_shared<const std::vector<std::string>>(Labels{"the", "cat", "sat"});
  DocumentSource source{
      .path = files.write("d.txt", "the cat, the dog\nowls\nsat\n"), .format = "lines", .words = words};
  EXPECT_EQ(bags_of_words(source), (std::vector<Bag>{{{"the", 2}, {"cat", 1}}, {{"sat", 1}}}));
  EXPECT_EQ(read_documents(world(), source).report.words_without_vector, 2);
  source.empty = "keep";
  EXPECT_EQ(bags_of_words(source), (std::vector<Bag>{{{"the", 2}, {"cat", 1}}, {{"blank", 1}}, {{"sat", 1}}}));
}

}  // namespace
}  // namespace cairn::test::csv_documents_test
