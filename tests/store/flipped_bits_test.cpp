// A bit of a file that is another one is noticed, or changes nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>

#include "cairn/store/files/verify_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "edited_file.hpp"
#include "file_answers.hpp"

namespace cairn::test::flipped_bits_test {
namespace {

// A config is short in most results; some are longer than HDF5's own buffers.
ResultDescription description(Index config_bytes) {
  ResultDescription made = sample_description("double", 3);
  made.provenance["config"] = "[data]\n" + std::string(static_cast<std::size_t>(config_bytes), '#');
  // More links than HDF5 keeps in the header of a group unless it is told so.
  for (const char* name :
       {"version", "commit", "libraries", "command_line", "date", "ranks", "threads", "error_over"}) {
    made.provenance[name] = name;
  }
  return made;
}

void write_dense(const Execution& execution, const std::string& path) {
  write_result(execution, path, sample_approximation<double>({}), description(300), sample_labels(70));
}

void write_diagonal(const Execution& execution, const std::string& path) {
  write_result(execution, path, sample_approximation<double>({.layout = Layout::diagonal, .right = false}),
               description(9000), {});
}

void write_sparse(const Execution& execution, const std::string& path, Compression compression) {
  write_result(execution, path, sample_approximation<double>({.layout = Layout::tiles}), description(300),
               sample_labels(70), compression);
}

void write_documents(const Execution& execution, const std::string& path) {
  Approximation<double> approximation = sample_approximation<double>({.right = false});
  const std::vector<std::string> words = {"zebra", "of", "a", "cat"};
  const auto vectors =
      std::make_shared<const WordVectors>(world(), words, 2, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  DocumentBags bags;
  bags.text_starts = {0};
  for (std::size_t a = 0; a < approximation.left_origin->indices.size(); ++a) {
    bags.words.insert(bags.words.end(), {0, 2, 3});
    bags.counts.insert(bags.counts.end(), {1.0F, 2.0F, static_cast<float>(a + 1)});
    bags.starts.push_back(std::ssize(bags.words));
    const std::string text = fmt::format("a cat of a zebra {}", std::string(a * 700, 'x'));
    bags.characters.insert(bags.characters.end(), text.begin(), text.end());
    bags.text_starts.push_back(std::ssize(bags.characters));
  }
  approximation.left_origin->objects =
      make_document_block(approximation.left_origin->indices, std::move(bags), vectors);
  ResultDescription made = description(300);
  made.object_kind = "documents";
  made.columns.reset();
  made.dimension = 2;
  made.scaling = "none";
  made.scaling_shift = made.scaling_factor = {};
  made.tokenization = Tokenization{"letters", false, {"the", "größe"}};
  write_result(execution, path, approximation, made, {});
}

void write_krr(const Execution& execution, const std::string& path) {
  ModelFile file{.task = "krr", .targets = {"höhe", "y"}, .training_rows = 70};
  StoredModel model{.lambda = 0.5, .columns = 40, .basis_digest = 0xfedcba9876543210U};
  for (Index k = 0; k < 2 * model.columns; ++k) model.coefficients.push_back(sample_value(1, k, 0));
  model.result = "/data/r.h5", model.method = "nystrom", model.similarity = "rbf";
  model.similarity_parameters = {{"gamma", "0.25"}};
  model.lambdas = {0.5, 1.5};
  model.warnings = {"indefinite"};
  model.scores = {{"höhe", "train", 7, 0.75, 1.0, 2.0}, {"y", "held-out", 3, std::nullopt, 3.0, 4.0}};
  file.models = {model, model};
  file.provenance = description(0).provenance;
  write_model(execution, path, file);
}

void write_svm(const Execution& execution, const std::string& path) {
  ClassifierFile file;
  file.task = "svm";
  file.classes = file.labels = {"blau", "größer"};
  file.columns = 40;
  for (Index k = 0; k < 2 * file.columns; ++k) file.coefficients.push_back(sample_value(1, k, 0));
  file.intercepts = {-0.5, 0.5};
  file.result = "/data/r.h5", file.method = "sms-nystrom", file.similarity = "rbf", file.loss = "hinge";
  file.similarity_parameters = {{"gamma", "0.25"}};
  file.cost = 10.0, file.bias = 1.0, file.training_rows = 70, file.folds = 5;
  file.candidates = {{"/data/r.h5", 1.0, 0.5, 0.4}};
  file.scores = {{"test", 0.5, 0.25, {1, 2, 3, 4}}};
  file.provenance = description(0).provenance;
  write_classifier(execution, path, file);
}

void write_gp(const Execution& execution, const std::string& path) {
  ProcessFile file;
  file.task = "gp";
  file.processes = {{"höhe", 1.0, 2.0, 3.0, 0.5, 0.25, -146.5}, {"y", -1.0, 0.5, 0.5, 0.125, 8.0, -272.0}};
  file.columns = 20;
  for (Index i = 0; i < 40; ++i) file.rows.push_back(2 * i);
  for (Index e = 0; e < 40 * file.columns; ++e) file.features.push_back(sample_value(1, e, 0));
  for (Index e = 0; e < 40 * 2; ++e) file.values.push_back(sample_value(2, e, 0));
  file.result = "/data/r.h5", file.method = "nystrom", file.similarity = "rbf";
  file.similarity_parameters = {{"gamma", "0.25"}};
  file.scores = {{{"höhe", "train", 40, 0.75, 1.0, 2.0}, 0.95, 3.0}};
  file.warnings = {"equal"};
  file.provenance = description(0).provenance;
  write_process(execution, path, file);
}

void write_coordinates(const Execution& execution, const std::string& path) {
  const EmbeddingDescription made{.method = "classical-scaling",
                                  .object_kind = "graph",
                                  .data_digest = 7,
                                  .eigenvalues = {5.0, 3.0, 1.0},
                                  .residuals = {1e-14, 2e-14, 3e-14},
                                  .metrics = {{"stress", 0.25}, {"trace", 10.0}},
                                  .provenance = description(100).provenance,
                                  .phases = {{.name = "eigenvalues", .seconds = 1.5}}};
  write_embedding(execution, path, sample_rows<double>(9, 70, 3), made, sample_labels(70));
}

struct Kind {
  std::string name;
  std::function<void(const Execution&, const std::string&)> write;
  std::function<std::string(const std::string&)> answer;
};

std::vector<Kind> kinds() {
  const auto sparse = [](Compression compression) {
    return [=](const Execution& execution, const std::string& path) { write_sparse(execution, path, compression); };
  };
  return {{"dense", write_dense, answer_of_result},
          {"diagonal", write_diagonal, answer_of_result},
          {"tiles", sparse(Compression::none), answer_of_result},
          {"deflated", sparse(Compression::deflate), answer_of_result},
          {"documents", write_documents, answer_of_result},
          {"krr", write_krr, answer_of_model},
          {"gp", write_gp, answer_of_process},
          {"svm", write_svm, answer_of_classifier},
          {"embedding", write_coordinates, answer_of_embedding}};
}

void flip(const std::string& path, Index bit) {
  on_root([&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(bit / 8);
    const int byte = file.get();
    file.seekp(bit / 8);
    file.put(static_cast<char>(byte ^ (1 << (bit % 8))));
    if (!file.flush()) throw Error(ErrorKind::internal, "the test cannot change " + path);
  });
}

// What reading says: nothing if it gave an answer.
struct Reading {
  std::string answer;
  std::string refusal;
};

Reading read(const Kind& kind, const std::string& path) {
  try {
    return {kind.answer(path), ""};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return {"", error.what()};
  }
}

std::uint64_t random_seed() {
  const char* given = std::getenv("CAIRN_TEST_SEED");
  std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  world().broadcast(std::span(&seed, 1), 0);
  return seed;
}

TEST(FlippedBits, NoneGivesAnotherAnswer) {
  const TemporaryFolder folder;
  Context context;
  const std::uint64_t seed = random_seed();
  if (world().is_root()) fmt::print("seed {} (CAIRN_TEST_SEED)\n", seed);
  std::mt19937_64 random(seed);
  const Index flips = world().size() == 1 ? 1000 : 200;
  Index noticed = 0;
  const std::vector<Kind> all = kinds();
  for (const Kind& kind : all) {
    const std::string path = folder.file(kind.name + ".h5");
    kind.write(context.execution, path);
    const std::string answer = kind.answer(path);
    const auto bits = static_cast<std::uint64_t>(std::filesystem::file_size(path)) * 8;
    for (Index k = 0; k < flips / std::ssize(all); ++k) {
      const auto bit = static_cast<Index>(random() % bits);
      SCOPED_TRACE(fmt::format("{}, bit {} of {}, seed {}", kind.name, bit, bits, seed));
      flip(path, bit);
      const Reading reading = read(kind, path);
      flip(path, bit);
      if (reading.refusal.empty()) {
        EXPECT_TRUE(reading.answer == answer) << "another answer, and no error";
      } else {
        ++noticed;
        EXPECT_THAT(reading.refusal, testing::HasSubstr(path));
      }
    }
    EXPECT_TRUE(kind.answer(path) == answer) << "the flips were not undone";
  }
  if (world().is_root()) fmt::print("{} of {} flips were noticed; the others changed nothing\n", noticed, flips);
  EXPECT_GT(noticed, flips / 4);
}

// The place of the values of a data set, a tile's for one in tiles.
Range place_of(const std::string& path, const std::string& name) {
  const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const hdf5::Handle set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const hdf5::Handle properties(H5Dget_create_plist(set.id()), H5Pclose);
  haddr_t place = H5Dget_offset(set.id());
  hsize_t bytes = H5Dget_storage_size(set.id());
  if (H5Pget_layout(properties.id()) == H5D_CHUNKED) {
    const hsize_t first[] = {0, 0};
    unsigned mask = 0;
    H5Dget_chunk_info_by_coord(set.id(), first, &mask, &place, &bytes);
  }
  return {static_cast<Index>(place), static_cast<Index>(place + bytes)};
}

TEST(FlippedBits, TheDataSetIsNamed) {
  const TemporaryFolder folder;
  Context context;
  std::mt19937_64 random(world().size());
  for (const Kind& kind : kinds()) {
    const std::string path = folder.file(kind.name + ".h5");
    kind.write(context.execution, path);
    Index sets = 0;
    for (const std::string& name : hdf5::InputFile(path).data_sets()) {
      EXPECT_TRUE(hdf5::InputFile(path).is_protected(name)) << name;
      const Range place = place_of(path, name);
      if (place.empty()) continue;
      ++sets;
      const Index bit = place.begin * 8 + static_cast<Index>(random() % static_cast<std::uint64_t>(place.size() * 8));
      SCOPED_TRACE(fmt::format("{}, bit {} of /{}", kind.name, bit, name));
      flip(path, bit);
      const Reading reading = read(kind, path);
      try {
        static_cast<void>(verify_file(world(), path));
        ADD_FAILURE() << "verified";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(path), testing::HasSubstr(name)));
      }
      flip(path, bit);
      EXPECT_THAT(reading.refusal, testing::AllOf(testing::HasSubstr(path), testing::HasSubstr(name)));
    }
    EXPECT_GT(sets, 3);
    const VerifiedFile verified = verify_file(world(), path);
    EXPECT_GE(verified.data_sets, sets);
    EXPECT_EQ(verified.without, 0);
    EXPECT_EQ(verified.removed, 0);
    EXPECT_GT(verified.bytes, 0);
  }
}

TEST(FlippedBits, ADataSetThatIsRemovedIsMissed) {
  const TemporaryFolder folder;
  Context context;
  for (const Kind& kind : kinds()) {
    const std::string path = folder.file(kind.name + ".h5");
    kind.write(context.execution, path);
    Index removed = 0;
    for (const std::string& name : hdf5::InputFile(path).data_sets()) {
      world().barrier();
      if (world().is_root()) {
        const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        EXPECT_GE(H5Ldelete(file.id(), name.c_str(), H5P_DEFAULT), 0);
      }
      world().barrier();
      EXPECT_EQ(verify_file(world(), path).removed, ++removed) << kind.name << " without " << name;
    }
  }
}

TEST(FlippedBits, AFileWithoutChecksumsIsRead) {
  const TemporaryFolder folder;
  Context context;
  for (const Kind& kind : kinds()) {
    const std::string path = folder.file(kind.name + ".h5");
    kind.write(context.execution, path);
    const std::string answer = kind.answer(path);
    edit(path, [](hid_t) {});  // removes them
    EXPECT_TRUE(kind.answer(path) == answer);
    const VerifiedFile verified = verify_file(world(), path);
    EXPECT_EQ(verified.without, verified.data_sets);
    EXPECT_EQ(verified.bytes, 0);
  }
}

}  // namespace
}  // namespace cairn::test::flipped_bits_test
