// Every format of documents against what was written, on any number of ranks.
#include <cctype>
#include <random>
#include <set>

#include "whole_documents.hpp"

namespace cairn::test::documents_test {
namespace {

const Vectors animals{{"cat", "dog", "sat", "2nd", "the"}};

WordVectorSource vectors_in(const WrittenFiles& files) { return {.path = files.write("v.txt", animals.text())}; }

TEST(Documents, ATableHasLabelsAndTextsInItsColumns) {
  const WrittenFiles files;
  const std::string path = files.write("d.tsv", "pets\t1\tThe cat sat; the DOG sat.\nbirds\t2\tA 2nd owl\t2nd\n");
  const auto documents = read_whole({.path = path, .text = "3", .label = "1", .vectors = vectors_in(files)});
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"the", 2}, {"cat", 1}, {"sat", 2}, {"dog", 1}}, {{"2nd", 2}}}));
  EXPECT_EQ(documents.labels, (Labels{"pets", "birds"}));
  EXPECT_EQ(documents.words, animals.words);
  EXPECT_TRUE(documents.texts.empty());
  EXPECT_EQ(documents.report.read, 2);
  EXPECT_EQ(documents.report.words, 10);
  EXPECT_EQ(documents.report.kept_words, 8);
  EXPECT_EQ(documents.report.words_without_vector, 2);
  EXPECT_EQ(documents.report.vocabulary, 7);
  EXPECT_EQ(documents.report.vocabulary_without_vector, 2);
}

TEST(Documents, ATablesColumnsMayHaveNamesAndLabelsQuotes) {
  const WrittenFiles files;
  const std::string path = files.write("d.tsv", "set\tbody\tkind\r\ntrain\tcat\t\"a b\"\r\n\r\ntest\tdog dog\tc\r\n");
  const DocumentSource source{
      .path = path, .text = "body", .label = "kind", .split = "set", .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"cat", 1}}, {{"dog", 2}}}));
  EXPECT_EQ(documents.labels, (Labels{"a b", "c"}));
  EXPECT_EQ(documents.splits, (Labels{"train", "test"}));
  EXPECT_EQ(documents.words, (Labels{"cat", "dog"}));
}

TEST(Documents, LinesAreDocuments) {
  const WrittenFiles files;
  const std::string path = files.write("d.txt",
                                       "\xEF\xBB\xBF"
                                       "cat\ndog cat\n");
  const auto documents = read_whole({.path = path, .format = "lines", .vectors = vectors_in(files)});
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"cat", 1}}, {{"cat", 1}, {"dog", 1}}}));
  EXPECT_TRUE(documents.labels.empty());
}

TEST(Documents, JsonHasTextsListsAndLabelsInFields) {
  const WrittenFiles files;
  const std::string one =
      R"({"id": 7, "kind": "a\u00e9", "words": ["the cat", "dog \"sat\""], "other": {"words": [1]}})";
  const std::string two = R"({"words": "cat, 2nd", "kind": 5, "more": [[{}]]})";
  for (const std::string& path : {files.write("d.jsonl", one + "\n\n" + two + "\n"),
                                  files.write("d.json", " [\n" + one + " ,\n\n" + two + "\n]\n"),
                                  files.write("e.json", "\xEF\xBB\xBF[" + one + "," + two + "]")}) {
    const auto documents = read_whole({.path = path, .text = "words", .label = "kind", .vectors = vectors_in(files)});
    EXPECT_EQ(documents.bags,
              (std::vector<Bag>{{{"the", 1}, {"cat", 1}, {"dog", 1}, {"sat", 1}}, {{"cat", 1}, {"2nd", 1}}}));
    EXPECT_EQ(documents.labels, (Labels{"aé", "5"}));
  }
}

TEST(Documents, JsonHasSplitsInAField) {
  const WrittenFiles files;
  const std::string path =
      files.write("d.jsonl", "{\"text\": \"cat\", \"set\": \"test\"}\n{\"set\": \"train\", \"text\": \"dog\"}\n");
  EXPECT_EQ(read_whole({.path = path, .split = "set", .vectors = vectors_in(files)}).splits, (Labels{"test", "train"}));
  expect_refused({.path = files.write("e.jsonl", "{\"text\": \"cat\", \"set\": \"test\"}\n{\"text\": \"dog\"}\n"),
                  .split = "set",
                  .vectors = vectors_in(files)},
                 {"e.jsonl:2: has no field 'set'"});
}

TEST(Documents, AFolderHasOneAFileAndLabelsInItsSubFolders) {
  const WrittenFiles files;
  if (world().is_root()) {
    for (const char* folder : {"d/b/deep", "d/a", "d/.hidden"}) std::filesystem::create_directories(files.path(folder));
  }
  files.write("d/b/2.txt", "cat\ndog\n");
  files.write("d/b/deep/1.txt.gz", gzipped("dog"));
  files.write("d/a/9.txt", "the\n2nd");
  files.write("d/a/.swap", "no text");
  files.write("d/.hidden/x", "no text");
  const auto documents = read_whole({.path = files.path("d/"), .vectors = vectors_in(files)});
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"the", 1}, {"2nd", 1}}, {{"cat", 1}, {"dog", 1}}, {{"dog", 1}}}));
  EXPECT_EQ(documents.labels, (Labels{"a", "b", "b"}));
}

TEST(Documents, TwoFilesAreTwoSplits) {
  const WrittenFiles files;
  const DocumentSource source{.path = files.write("a.tsv", "x\tcat\ny\tdog\n"),
                              .test_path = files.write("b.tsv", "x\tsat\n"),
                              .label = "1",
                              .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"cat", 1}}, {{"dog", 1}}, {{"sat", 1}}}));
  EXPECT_EQ(documents.splits, (Labels{"train", "train", "test"}));
  EXPECT_EQ(documents.labels, (Labels{"x", "y", "x"}));
}

TEST(Documents, OnlyChosenClassesAreRead) {
  const WrittenFiles files;
  const auto documents = read_whole({.path = files.write("a.tsv", "x\tcat\ny\tdog\nz\tsat\n"),
                                     .label = "1",
                                     .classes = {"x", "z"},
                                     .vectors = vectors_in(files)});
  EXPECT_EQ(documents.labels, (Labels{"x", "z"}));
  EXPECT_EQ(documents.report.other_classes, 1);
  EXPECT_EQ(documents.words, (Labels{"cat", "sat"}));
}

TEST(Documents, EmptyOnesAreDroppedWithTheirLinesOrRefused) {
  const WrittenFiles files;
  DocumentSource source{.path = files.write("d.tsv", "x\tcat\nx\towl\nx\t\nx\tdog\nx\t...\nx\tumu\n"),
                        .label = "1",
                        .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.bags.size(), 2U);
  EXPECT_EQ(documents.report.empty, 4);
  EXPECT_EQ(documents.report.first_empty, (Labels{source.path + ":2", source.path + ":3", source.path + ":5"}));
  source.empty = "refuse";
  expect_refused(source, {"d.tsv:2: the text has no word with a vector (4 such documents"});
}

TEST(Documents, EmptyOnesAreKeptAsAWordWhoseVectorIsZero) {
  const WrittenFiles files;
  const DocumentSource source{.path = files.write("d.tsv", "x\tcat\ny\towl\nz\t\nx\tdog\n"),
                              .label = "1",
                              .empty = "keep",
                              .vectors = vectors_in(files)};
  const auto documents = read_whole(source);
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"cat", 1}}, {{" ", 1}}, {{" ", 1}}, {{"dog", 1}}}));
  EXPECT_EQ(documents.labels, (Labels{"x", "y", "z", "x"}));
  EXPECT_EQ(documents.words, (Labels{"cat", "dog", " "}));
  EXPECT_EQ(documents.vectors.at(" "), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(documents.report.empty, 2);
  EXPECT_EQ(documents.report.first_empty, (Labels{source.path + ":2", source.path + ":3"}));
}

TEST(Documents, NoWordIsAddedWhereNoDocumentIsEmpty) {
  const WrittenFiles files;
  DocumentSource source{
      .path = files.write("d.txt", "cat\ndog umu\n"), .format = "lines", .vectors = vectors_in(files)};
  const auto dropping = read_whole(source);
  source.empty = "keep";
  const auto keeping = read_whole(source);
  EXPECT_EQ(keeping.words, dropping.words);
  EXPECT_EQ(keeping.bags, dropping.bags);
}

TEST(Documents, EmptyTextsAreKeptAsTheyAre) {
  const WrittenFiles files;
  const auto documents =
      read_whole({.path = files.write("d.txt", "cat\n \ndog\n"), .format = "lines", .empty = "keep"});
  EXPECT_EQ(documents.texts, (Labels{"cat", " ", "dog"}));
}

TEST(Documents, RareWordsAreCountedOverAllDocuments) {
  const WrittenFiles files;
  std::string text;
  for (int k = 0; k < 40000; ++k)
    text += fmt::format("cat filler filler filler {}\n", k == 39999 ? "dog sat" : k == 3 ? "dog" : "cat");
  DocumentSource source{.path = files.write("d.txt", text), .format = "lines", .vectors = vectors_in(files)};
  source.minimum_count = 2;
  const auto documents = read_whole(source);  // the two dogs stand in different blocks
  EXPECT_EQ(documents.words, (Labels{"cat", "dog"}));
  EXPECT_EQ(documents.report.rare_words, 1);
  EXPECT_EQ(documents.bags.back(), (Bag{{"cat", 1}, {"dog", 1}}));
}

TEST(Documents, TextsAreKeptWhereAskedAndWithoutVectors) {
  const WrittenFiles files;
  DocumentSource source{.path = files.write("d.txt", "The cat.\n \nEnd\xE9\n"), .format = "lines"};
  auto documents = read_whole(source);
  EXPECT_EQ(documents.texts, (Labels{"The cat.", "End\xEF\xBF\xBD"}));
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{}, {}}));
  EXPECT_EQ(documents.report.empty, 1);
  EXPECT_EQ(documents.report.not_utf8, 1);
  source.vectors = vectors_in(files);
  source.keep_texts = true;
  documents = read_whole(source);
  EXPECT_EQ(documents.texts, (Labels{"The cat."}));
  EXPECT_EQ(documents.bags, (std::vector<Bag>{{{"the", 1}, {"cat", 1}}}));
}

// Some MB of random documents in every format, read block by block on all ranks.
struct RandomCorpus {
  static constexpr int documents = 30000;
  std::vector<Labels> words;
  Labels labels;
  explicit RandomCorpus(unsigned seed) {
    std::mt19937 draw(seed);
    for (int d = 0; d < documents; ++d) {
      auto& own = words.emplace_back();
      const auto length = 1 + draw() % (d % 500 == 0 ? 3000 : 20);
      for (unsigned k = 0; k < length; ++k) own.push_back(fmt::format("W{}", (draw() % 3000) * (draw() % 100) / 99));
      labels.push_back(fmt::format("class {}", draw() % 7));
    }
  }
  [[nodiscard]] static std::string joined(const Labels& own) { return fmt::format("{}", fmt::join(own, " , ")); }
  // By hand: small letters; words above 2,400 have no vector; empty documents vanish.
  [[nodiscard]] std::vector<Bag> bags(Labels& kept_labels) const {
    std::vector<Bag> all;
    for (std::size_t d = 0; d < words.size(); ++d) {
      Bag bag;
      for (const std::string& word : words[d]) {
        if (std::stoi(word.substr(1)) <= 2400) ++bag["w" + word.substr(1)];
      }
      if (bag.empty()) continue;
      all.push_back(bag);
      kept_labels.push_back(labels[d]);
    }
    return all;
  }
};

class ManyDocuments : public testing::Test {
 protected:
  void SetUp() override {
    Labels words;
    for (int k = 2400; k >= 0; --k) words.push_back(fmt::format("w{}", k));
    const Vectors vectors{words, 2};
    source_.vectors.path = files_.write("v.txt", vectors.text());
    expected_ = corpus_.bags(labels_);
  }
  void expect_read(const std::string& path, const std::string& format, const std::string& label,
                   const std::string& text) {
    source_.path = path;
    source_.format = format;
    source_.label = label;
    source_.text = text;
    const auto documents = read_whole(source_);
    EXPECT_TRUE(documents.bags == expected_) << path;
    EXPECT_TRUE(label.empty() || documents.labels == labels_) << path;
    EXPECT_EQ(documents.report.read, RandomCorpus::documents);
    EXPECT_EQ(documents.words.front(), "w2400");
  }

  static constexpr unsigned seed = 20261;
  const WrittenFiles files_;
  const RandomCorpus corpus_{seed};
  DocumentSource source_;
  std::vector<Bag> expected_;
  Labels labels_;
};

TEST_F(ManyDocuments, AreReadFromTablesAndLinesPlainAndCompressed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::string table, lines;
  for (std::size_t d = 0; d < corpus_.words.size(); ++d) {
    table += fmt::format("{}\t{}\t{}\n", d, corpus_.labels[d], RandomCorpus::joined(corpus_.words[d]));
    lines += RandomCorpus::joined(corpus_.words[d]) + "\n";
  }
  EXPECT_GT(table.size(), std::size_t{3} << 20);
  expect_read(files_.write("d.tsv", table), "", "2", "3");
  expect_read(files_.write("d.tsv.gz", gzipped(table)), "", "2", "3");
  expect_read(files_.write("d.txt.xz", xz_compressed(lines)), "lines", "", "");
}

TEST_F(ManyDocuments, AreReadFromJson) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::string lines, array = "[";
  for (std::size_t d = 0; d < corpus_.words.size(); ++d) {
    const std::string object = d % 2 == 0 ? fmt::format(R"({{"l": "{}", "t": ["{}"]}})", corpus_.labels[d],
                                                        fmt::join(corpus_.words[d], "\", \""))
                                          : fmt::format(R"({{"t": "{}", "n": {}, "l": "{}"}})",
                                                        RandomCorpus::joined(corpus_.words[d]), d, corpus_.labels[d]);
    lines += object + "\n";
    array += object + (d + 1 == corpus_.words.size() ? "\n]\n" : d % 3 == 0 ? "," : ",\n");
  }
  expect_read(files_.write("d.jsonl", lines), "", "l", "t");
  expect_read(files_.write("d.json", array), "", "l", "t");
  expect_read(files_.write("d.json.gz", gzipped(array)), "", "l", "t");
}

// The questions that ship with the project, with vectors in the file beside their words.
TEST(ShippedData, QuestionsAreRead) {
  const std::string folder = std::string(CAIRN_TEST_DATA) + "/";
  const DocumentSource source{
      .path = folder + "questions.tsv.gz", .label = "1", .vectors = {.path = folder + "questions.f32le.xz"}};
  const auto documents = read_whole(source);
  ASSERT_EQ(documents.bags.size(), 300U);
  EXPECT_EQ(documents.words.size(), 691U);
  EXPECT_EQ(documents.vectors.at("denver").size(), 100U);
  EXPECT_EQ(documents.labels.front(), "NUM");
  EXPECT_EQ(std::set<std::string>(documents.labels.begin(), documents.labels.end()).size(), 6U);
  Bag first;
  for (const char* word : {"how", "far", "is", "it", "from", "denver", "to", "aspen"}) first[word] = 1;
  EXPECT_EQ(documents.bags.front(), first);
}

TEST(GeneratedDocuments, AreTheSameOnAnyRanksAndOfTheirLengths) {
  DocumentSource source;
  source.generator = "zipf";
  source.documents = 5000;
  source.vocabulary = 300;
  source.dimension = 4;
  source.seed = 3;
  const auto documents = read_whole(source);
  ASSERT_EQ(documents.bags.size(), 5000U);
  ASSERT_EQ(documents.words.size(), 300U);
  std::vector<double> times(300, 0.0);
  double all = 0;
  for (const Bag& bag : documents.bags) {
    double length = 0;
    for (const auto& [word, count] : bag) {
      length += count;
      times[std::stoi(word.substr(1))] += count;
    }
    EXPECT_TRUE(length >= 4 && length <= 12) << length;
    all += length;
  }
  EXPECT_NEAR(all / 5000, 8.0, 0.15);                     // the mean of 4 to 12, and four standard errors
  EXPECT_NEAR(times[0] / all, 1 / 6.2826638803, 0.0075);  // 1 / (1 + 1/2 + ... + 1/300), likewise
  EXPECT_NEAR(times[1] / times[0], 0.5, 0.04);
  source.documents = 0;
  expect_refused(source, {"parameter points = 0"}, ErrorKind::usage);
  source.generator = "markov";
  expect_refused(source, {"'markov'"}, ErrorKind::usage);
}

}  // namespace
}  // namespace cairn::test::documents_test
