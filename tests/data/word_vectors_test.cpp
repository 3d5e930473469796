// Every format of word vectors against what was written, and files that cannot be.
#include <zlib.h>

#include "whole_documents.hpp"

namespace cairn::test::word_vectors_test {
namespace {

// Words in use are numbered in the order of the file, which is none of the alphabet or of the documents.
const Vectors vectors{{"zebra", "of", "Cat", "cat", "unused", "dog"}};

// Float32 numbers in 8 bytes each.
std::string doubled(const std::string& floats) {
  std::vector<double> values(floats.size() / sizeof(float));
  for (std::size_t k = 0; k < values.size(); ++k) {
    float value = 0;
    std::memcpy(&value, floats.data() + k * sizeof value, sizeof value);
    values[k] = static_cast<double>(value);
  }
  return bytes_of(values);
}

class WordVectorFiles : public testing::Test {
 protected:
  WordVectorFiles() : documents_(files_.write("d.txt", "dog cat\nzebra of Cat\n")) {}
  [[nodiscard]] DocumentSource source(const std::string& path, const std::string& format = "",
                                      const std::string& words = "") const {
    return {.path = documents_, .format = "lines", .vectors = {.path = path, .words = words, .format = format}};
  }
  void expect_read(const DocumentSource& source) const {
    const auto read = read_whole(source);
    EXPECT_EQ(read.words, (Labels{"zebra", "of", "cat", "dog"}));
    for (const std::string& word : read.words) {
      const auto w = static_cast<std::size_t>(std::ranges::find(vectors.words, word) - vectors.words.begin());
      EXPECT_EQ(read.vectors.at(word),
                (std::vector<float>{vectors.value(w, 0), vectors.value(w, 1), vectors.value(w, 2)}));
    }
    EXPECT_EQ(read.bags, (std::vector<Bag>{{{"dog", 1}, {"cat", 1}}, {{"zebra", 1}, {"of", 1}, {"cat", 1}}}));
  }
  const WrittenFiles files_;
  std::string documents_;
};

TEST_F(WordVectorFiles, AreReadAsText) {
  expect_read(source(files_.write("v.txt", vectors.text())));
  expect_read(source(files_.write("v.vec", vectors.word2vec_text())));
  expect_read(source(files_.write("v.gz", gzipped(vectors.text())), "text"));
  // A blank at the end, as word2vec writes it; tabs; words with blanks in them, as some files of GloVe have.
  expect_read(source(files_.write("w.txt", "at me@x.org 1 2 3\n" + vectors.word2vec_text().substr(4)), "text"));
  std::string tabs = vectors.text();
  std::ranges::replace(tabs, ' ', '\t');
  expect_read(source(files_.write("t.txt", tabs + ". . . 1 2 3 \n")));
}

TEST_F(WordVectorFiles, AreReadAsWord2vecBinary) {
  expect_read(source(files_.write("v.bin", vectors.binary())));
  expect_read(source(files_.write("w.bin", vectors.binary(""))));
  expect_read(source(files_.write("x.bin.gz", gzipped(vectors.binary()))));
}

TEST_F(WordVectorFiles, AreReadAsRowsBesideTheirWords) {
  (void)files_.write("v.words.txt", vectors.list());
  expect_read(source(files_.write("v.f32le", vectors.rows())));
  expect_read(source(files_.write("v.f32le.gz", gzipped(vectors.rows()))));
  const std::string words = files_.write("list.xz", xz_compressed(vectors.list()));
  expect_read(source(files_.write("rows", vectors.rows()), "raw32", words));
  expect_read(
      source(files_.write("v.npy", npy("'descr': '<f4', 'fortran_order': False, 'shape': (6, 3)", vectors.rows())), "",
             words));
  const std::string doubles = doubled(vectors.rows());
  expect_read(source(files_.write("w.npy", npy("'descr': '<f8', 'fortran_order': False, 'shape': (6, 3)", doubles)), "",
                     words));
}

TEST_F(WordVectorFiles, MayTakeSeveralBlocksOfText) {
  std::string text;
  for (int k = 0; k < 60000; ++k) text += fmt::format("filler{} {} {} {}\n", k, k, -k, k % 7);
  const std::size_t middle = text.find('\n', text.size() / 2) + 1;
  text.insert(middle, vectors.text());
  EXPECT_GT(text.size(), std::size_t{1} << 20);
  expect_read(source(files_.write("v.txt", text)));
  expect_read(source(files_.write("v.txt.xz", xz_compressed(text))));
}

TEST_F(WordVectorFiles, OfUnequalLengthAreRefused) {
  const auto refuse = [&](const std::string& text, std::initializer_list<const char*> parts) {
    expect_refused(source(files_.write("v.txt", text)), parts);
  };
  refuse("zebra 1 2\ncat 1 2 3\n", {"v.txt:2: has 3 numbers after its word, and the first line has 2"});
  refuse("zebra 1 2\ncat 1\n", {"v.txt:2: has 1 numbers after its word"});
  refuse("2 3\nzebra 1 2 3\ncat 1 2\n", {"v.txt:3: has 2 numbers after its word, and the first line says 3"});
  refuse("alone\n", {"v.txt:1: holds no numbers"});
  refuse(" \n\n", {"v.txt: holds nothing but blanks"});
}

TEST_F(WordVectorFiles, WithACountThatLiesAreRefused) {
  const auto refuse = [&](const std::string& name, const std::string& bytes, std::initializer_list<const char*> parts) {
    expect_refused(source(files_.write(name, bytes)), parts);
  };
  refuse("v.txt", "3 2\nzebra 1 2\ncat 1 2\n", {"v.txt:1: says that there are 3 words, and the file has 2"});
  std::string binary = vectors.binary();
  binary[0] = '7';
  refuse("v.bin", binary, {"v.bin: is truncated", "its first line says that there are 7 words; this is number 7"});
  binary[0] = '5';
  refuse("v.bin", binary, {"v.bin: its first line says that there are 5 words, and more follows"});
  binary = "9" + vectors.binary();
  refuse("v.bin", binary, {"v.bin:1: says that there are 96 words of 3 values, which the file does not hold"});
  refuse("v.bin", "cat 1 2 3\n", {"v.bin:1: ", "a file of word2vec begins with"});
  (void)files_.write("v.words.txt", vectors.list() + "more\n");
  refuse("v.f32le", vectors.rows(), {"v.f32le: holds 72 bytes", "v.words.txt has 7 words"});
  refuse("v.npy", npy("'descr': '<f4', 'fortran_order': False, 'shape': (6, 3)", vectors.rows()),
         {"v.npy: holds 6 vectors", "v.words.txt has 7 words"});
  expect_refused(source(files_.write("v.npy", npy("'descr': '<f8', 'fortran_order': False, 'shape': (6, 3)",
                                                  bytes_of(std::vector<double>(18, 1e300)))),
                        "", files_.write("list", vectors.list())),
                 {"v.npy: entry (0, 0) is 1e+300: too large for single precision"});
  (void)files_.write("v.words.txt", "\xEF\xBB\xBF");
  refuse("v.f32le", vectors.rows(), {"v.words.txt: holds no words"});
}

TEST_F(WordVectorFiles, WithNumbersThatAreNoneAreRefused) {
  std::string text = vectors.text();
  text.replace(text.find("cat ") + 4, 1, "nan");
  expect_refused(source(files_.write("v.txt", text)), {"v.txt:4: 'nan", "number"});
  text = vectors.text();
  text.replace(text.find("unused ") + 7, 1, "x");  // nobody uses it
  expect_read(source(files_.write("v.txt", text)));
  std::string rows = vectors.rows();
  rows.replace(3 * 12 + 4, 4, bytes_of(std::vector<float>{INFINITY}));
  (void)files_.write("v.words.txt", vectors.list());
  expect_refused(source(files_.write("v.f32le", rows)), {"v.f32le: entry (3, 1) is inf"});
  std::string binary = vectors.binary();
  binary.replace(binary.find("dog ") + 4, 4, bytes_of(std::vector<float>{NAN}));
  expect_refused(source(files_.write("v.bin", binary)), {"v.bin: the vector of 'dog' (word number 6) holds nan"});
}

TEST_F(WordVectorFiles, WithAWordInUseTwiceAreRefused) {
  expect_refused(source(files_.write("v.txt", vectors.text() + "unused 1 2 3\ncat 1 2 3\ndog 1 2 3\n")),
                 {"v.txt:8: the word 'cat' has a vector already (", "v.txt:4)", "parameter repeated-words = first"});
}

TEST_F(WordVectorFiles, HaveTheFirstVectorOfAWordIfThatIsAskedFor) {
  for (const std::string& more : {std::string(), std::string(200'000, '\n')}) {  // also from blocks of other ranks
    DocumentSource first =
        source(files_.write("v.txt", vectors.text() + more + "unused 1 2 3\ncat 7 7 7\ndog 1 2 3\ncat 8 8 8\n"));
    first.vectors.first_of_repeated = true;
    expect_read(first);
    EXPECT_EQ(read_documents(world(), first).report.repeated_vectors, 3);
  }
}

TEST_F(WordVectorFiles, OfAModelOfFastTextAreNamed) {
  const std::string model = files_.write("wiki.bin", std::string("\xba\x16\x4f\x2f\x0c\0\0\0", 8) + "abcdefgh");
  expect_refused(source(model), {"wiki.bin: is a model of fastText", "wiki.vec"});
}

TEST_F(WordVectorFiles, WithoutAWordOfTheDocumentsAreRefused) {
  expect_refused(source(files_.write("v.txt", "Dog 1 2\nCat 3 4\n")),
                 {"v.txt: none of the 4 words of ", "is among its 2 words", "parameter lower-case = false"});
}

TEST_F(WordVectorFiles, NeedAFormatAndTheirWords) {
  expect_refused(source(files_.write("v.dat", vectors.text())), {"v.dat", "parameter vectors-format"},
                 ErrorKind::usage);
  expect_refused(source(files_.write("lone.f32le", vectors.rows())), {"lone.f32le", "parameter words"},
                 ErrorKind::usage);
  expect_refused(source(files_.path("none.txt")), {"none.txt", "No such file"});
  expect_refused(source(files_.path("none.f32le")), {"none.f32le: No such file"});
}

// Documents that are compared with those of a result: its words are in use, whether the file has them or not.
TEST_F(WordVectorFiles, AreJoinedWithThoseThatAreKnown) {
  const Labels words{"owl", "dog"};
  const std::vector<float> values{9, 9, 9, vectors.value(5, 0), vectors.value(5, 1), vectors.value(5, 2)};
  DocumentSource joined = source(files_.write("v.txt", vectors.text()));
  joined.known = std::make_shared<const WordVectors>(world(), words, 3, values);
  auto read = read_whole(joined);
  EXPECT_EQ(read.words, (Labels{"zebra", "of", "cat", "dog", "owl"}));
  EXPECT_EQ(read.vectors.at("owl"), (std::vector<float>{9, 9, 9}));
  joined.known = std::make_shared<const WordVectors>(world(), words, 3, std::vector<float>{9, 9, 9, 1, 2, 4});
  expect_refused(joined, {"v.txt:6: the vector of 'dog' is another one"});
  joined.known = std::make_shared<const WordVectors>(world(), Labels{"owl"}, 2, std::vector<float>{9, 9});
  expect_refused(joined, {"v.txt: its vectors have 3 values", "have 2"});
}

// Written by hand: local header, deflated bytes, central directory, end.
std::string zipped(const std::string& name, const std::string& text, int files = 1) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const auto little = [](std::size_t value, int bytes) {
    std::string text_of;
    for (int k = 0; k < bytes; ++k) text_of += static_cast<char>(value >> (8 * k) & 255U);
    return text_of;
  };
  const auto* data = reinterpret_cast<const Bytef*>(text.data());
  const std::string facts = little(20, 2) + little(0, 2) + little(8, 2) + little(0, 4) +
                            little(crc32(0, data, static_cast<uInt>(text.size())), 4) + little(packed.size(), 4) +
                            little(text.size(), 4) + little(name.size(), 2) + little(0, 2);
  const std::string local = "PK\3\4" + facts + name + packed;
  const std::string entry = "PK\1\2" + little(20, 2) + facts + little(0, 2) + little(0, 2) + little(0, 2) +
                            little(0, 4) + little(0, 4) + name;
  std::string directory;
  for (int k = 0; k < files; ++k) directory += entry;
  const auto count = static_cast<std::size_t>(files);
  return local + directory + "PK\5\6" + little(0, 4) + little(count, 2) + little(count, 2) +
         little(directory.size(), 4) + little(local.size(), 4) + little(0, 2);
}

TEST(Zip, TheOnlyFileOfAnArchiveIsRead) {
  const WrittenFiles files;
  const std::string table = "x\tcat\ny\tdog\n";
  DocumentSource source{.path = files.write("d.tsv.zip", zipped("in/d.tsv", table)),
                        .label = "1",
                        .vectors = {.path = files.write("v.txt", vectors.text())}};
  EXPECT_EQ(read_whole(source).labels, (Labels{"x", "y"}));
  source.path = files.write("d.tsv.zip", zipped("d.tsv", table, 2));
  expect_refused(source, {"d.tsv.zip: holds several files"});
  std::string damaged = zipped("d.tsv", table);
  damaged[damaged.find("PK\1\2") + 16] ^= 1;  // its checksum
  source.path = files.write("d.tsv.zip", damaged);
  expect_refused(source, {"d.tsv.zip: is damaged"});
  source.path = files.write("d.tsv.zip", zipped("d.tsv", table).substr(0, 60));
  expect_refused(source, {"d.tsv.zip: is a .zip archive that is truncated"});
}

}  // namespace
}  // namespace cairn::test::word_vectors_test
