// Documents that cannot be read: one message with file and line, the same on every rank.
#include "whole_documents.hpp"

namespace cairn::test::document_errors_test {
namespace {

class BadDocuments : public testing::Test {
 protected:
  BadDocuments() { source_.vectors.path = files_.write("v.txt", "cat 1 2\ndog 3 4\n"); }
  void refuse(const std::string& name, const std::string& bytes, std::initializer_list<const char*> parts,
              ErrorKind kind = ErrorKind::input) {
    source_.path = files_.write(name, bytes);
    expect_refused(source_, parts, kind);
  }
  const WrittenFiles files_;
  DocumentSource source_;
};

TEST_F(BadDocuments, TablesHaveEqualColumnsAndLabels) {
  source_.label = "1";
  source_.text = "3";
  refuse("d.tsv", "x\t1\tcat\nx\tcat\n", {"d.tsv:2: has 2 columns, and the first line has 3"});
  source_.text = "";
  refuse("d.tsv", "x\tcat\n\"\"\tdog\n", {"d.tsv:2: the label is missing (column 1)"});
  refuse("d.tsv", std::string("x\tcat\ny\0z\tdog\n", 14), {"d.tsv:2: a label holds a byte 0"});
  refuse("d.tsv", "", {"d.tsv: is empty"});
  refuse("d.tsv", "\n \n", {"d.tsv: holds nothing but blanks"});
  refuse("d.tsv", "cat\ndog\n", {"column 1 is to hold the text and something else"}, ErrorKind::usage);
  source_.label = "3";
  refuse("d.tsv", "x\tcat\n", {"d.tsv: parameter label = 3: its first line has 2 columns"});
  source_.label = "kind";
  refuse("d.tsv", "label\ttext\nx\tcat\n", {"d.tsv:1: parameter label = kind: no column of the header has this name"});
}

TEST_F(BadDocuments, TheFirstOfManyErrorsIsNamed) {
  source_.label = "1";
  std::string text;
  for (int k = 1; k <= 200000; ++k) text += k == 123456 || k == 190001 ? "no label\n" : "x\tcat and dog\n";
  refuse("d.tsv", text, {"d.tsv:123456: has 1 columns"});
  std::string array = "[";
  for (int k = 1; k <= 100000; ++k) array += k == 70001 || k == 99000 ? "{},\n" : "{\"text\": \"cat\", \"l\": 1},\n";
  source_.label = "l";
  refuse("d.json", array + "{\"text\": \"cat\", \"l\": 1}]", {"d.json:70001: has no field 'l'"});
  source_.label = "1";
  std::string quoted;
  for (int k = 1; k <= 100000; ++k) quoted += k == 70001 || k == 99000 ? "no label\n" : "x,\"cat, and dog\"\n";
  refuse("d.csv", quoted, {"d.csv:70001: has 1 columns"});
}

TEST_F(BadDocuments, TablesOfMoreThanTwoColumnsNameThatOfTheTexts) {
  for (const auto& [name, line] : {std::pair("d.tsv", "cat dog\tx\t7\n"), std::pair("d.csv", "\"cat dog\",x,7\n")}) {
    source_.text = "";
    refuse(name, std::string(line) + line, {name, "has 3 columns; say with parameter text", "cat dog | x | 7"},
           ErrorKind::usage);
    source_.text = "1";
    EXPECT_EQ(read_whole(source_).bags, (std::vector<Bag>{{{"cat", 1}, {"dog", 1}}, {{"cat", 1}, {"dog", 1}}}));
  }
}

TEST_F(BadDocuments, CsvIsWhole) {
  refuse("d.csv", "x,cat\ny,\"dog\nz,cat\n", {"d.csv:2: a quote that begins here is not closed"});
  refuse("d.csv", "x,cat\n\ny,\"dog\" owl\n", {"d.csv:3: text follows a closing quote"});
  refuse("d.csv", "\"x\"y,cat\n", {"d.csv:1: text follows a closing quote"});
  refuse("d.csv", "x,\"cat\n\n\"\nx\n", {"d.csv:4: has 1 columns, and the first line has 2"});
  refuse("d.csv", "", {"d.csv: is empty"});
  refuse("d.csv", "\n \n", {"d.csv: holds nothing but blanks"});
  source_.label = "1";
  refuse("d.csv", "x,cat\n\"\",dog\n", {"d.csv:2: the label is missing (column 1)"});
  source_.label = "3";
  refuse("d.csv", "x,cat\n", {"d.csv: parameter label = 3: its first line has 2 columns (commas stand between them)"});
  source_.label = "kind";
  refuse("d.csv", "kind,kind,text\nx,x,cat\n", {"d.csv:1: parameter label = kind: more than one column"});
}

TEST_F(BadDocuments, SomeObjectHasTheFieldOfTheTexts) {
  source_.text = "body";
  refuse("d.jsonl", "{\"text\": \"cat\"}\n{\"body\": null}\n",
         {"d.jsonl: none of its 2 objects has the field 'body' (parameter text)"});
}

TEST_F(BadDocuments, JsonIsWhole) {
  refuse("d.jsonl", "{\"text\": \"cat\"}\n{\"text\": \"cat\"\n", {"d.jsonl:2: it is no JSON object"});
  refuse("d.jsonl", "{\"text\": \"cat\"}\n[1]\n", {"d.jsonl:2: it is no JSON object"});
  refuse("d.jsonl", "{\"text\": {\"a\": 1}}\n", {"d.jsonl:1: its field 'text' holds an object"});
  refuse("d.jsonl", "{\"text\": [[\"a\"]]}\n", {"d.jsonl:1: its field 'text' holds an array in one"});
  refuse("d.jsonl", "{\"text\": \"a\", \"text\": \"b\"}\n", {"d.jsonl:1: its field 'text' is a duplicate"});
  refuse("d.json", "{\"text\": \"cat\"}", {"d.json:1: begins with no [", "jsonl"});
  refuse("d.json", "[{\"text\": \"cat\"}\n {\"text\": \"dog\"}]",
         {"d.json:2: a comma or the end of the array is missing"});
  refuse("d.json", "[{\"text\": \"cat\"},\n]", {"d.json:2: a comma is before the end of the array"});
  refuse("d.json", "[{\"text\": \"cat\"},\n{\"text\": \"dog", {"d.json:2: is truncated"});
  refuse("d.json", "[{\"text\": \"cat\"}]\n more", {"d.json:2: something follows the array"});
  refuse("d.json", "[\n]", {"d.json:2: the array is empty"});
  refuse("d.json", "[\"cat\"]", {"d.json:1: the array holds something else than objects"});
  source_.label = "kind";
  refuse("d.jsonl", "{\"text\": \"cat\", \"kind\": null}\n", {"d.jsonl:1: has no field 'kind' (parameter label)"});
  refuse("d.jsonl", "{\"text\": \"cat\", \"kind\": \"\"}\n", {"d.jsonl:1: its field 'kind' is empty"});
}

TEST_F(BadDocuments, LabelsOfAFolderAreInAllOfIt) {
  if (world().is_root()) std::filesystem::create_directories(files_.path("f/a"));
  world().barrier();
  source_.path = files_.path("f");
  expect_refused(source_, {"f: the folder holds no files"});
  (void)files_.write("f/a/1.txt", "cat");
  (void)files_.write("f/2.txt", "dog");
  expect_refused(source_, {"f/2.txt: is in no sub-folder and has no label"});
  source_.format = "tsv";
  expect_refused(source_, {"f: is a folder, but parameter format = tsv needs a file"});
  if (world().is_root()) std::filesystem::create_directories(files_.path("g"));
  world().barrier();
  (void)files_.write("g/1.txt", "cat");
  source_.format = "";
  source_.path = files_.path("g");
  source_.test_path = files_.path("f/a");
  EXPECT_EQ(read_whole(source_).splits, (Labels{"train", "test"}));
  std::filesystem::remove(files_.path("f/2.txt"));
  world().barrier();
  source_.test_path = files_.path("f");
  expect_refused(source_, {"g: the labels are missing"});
}

TEST_F(BadDocuments, KeysGoTogether) {
  const auto usage = [&](std::initializer_list<const char*> parts) {
    refuse("d.txt", "cat\n", parts, ErrorKind::usage);
  };
  usage({"d.txt: the name does not tell the format", "parameter format", "tsv, csv, lines, jsonl, json, folder"});
  source_.format = "xml";
  usage({"parameter format", "'xml' is not known"});
  source_.format = "lines";
  source_.label = "1";
  usage({"parameter label = 1 has no effect if parameter format is lines"});
  source_.label = "";
  source_.classes = {"x"};
  usage({"parameter classes", "parameter label"});
  source_ = {.format = "tsv", .label = "1", .split = "2", .vectors = source_.vectors};
  source_.test_path = source_.vectors.path;
  usage({"one of parameter split and parameter test-path"});
  source_.test_path = "";
  source_.split = "";
  source_.classes = {"z"};
  refuse("d.tsv", "x\tcat\n", {"none of its 1 documents has a label of parameter classes = z"});
}

TEST_F(BadDocuments, WithoutWordsAreRefused) {
  source_.format = "lines";
  refuse("d.txt", "...\n \n", {"d.txt: holds no words"});
  source_.minimum_count = 3;
  refuse("d.txt", "cat dog\ncat\n", {"d.txt: none of its 2 words comes 3 times or more"});
}

}  // namespace
}  // namespace cairn::test::document_errors_test
