#include "cairn/similarity/external/external_similarity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/external/pair_text.hpp"
#include "point_objects.hpp"

namespace {

using namespace cairn;
using cairn::test::make_points;
using cairn::test::normal_coordinate;
using cairn::test::numbers;
using cairn::test::world;
using testing::ContainsRegex;

NumberedObjects objects_of(Index count) { return {RowPartition(count, world().size()), world().rank()}; }

ObjectBlock numbered(std::vector<Index> ids) {
  ObjectBlock block;
  block.ids = std::move(ids);
  return block;
}

// A scorer in Python whose `score` is the text of a function's body; `before` runs first. It counts what it answered.
std::string scorer(const std::string& body, const std::string& before = "pass") {
  return "python3 -c 'import json, sys, os, time\n" + before +
         "\ncount = 0\nfor line in sys.stdin:\n  for x, y in json.loads(line):\n    " + body +
         "\n    count += 1\n  print(flush=True)\n'";
}

std::unique_ptr<Similarity<double>> external(const std::string& command, const ObjectSet& objects, Index batch = 32,
                                             int processes = 1, int retries = 0, double seconds = 60,
                                             bool symmetrize = false) {
  test::Context context;
  SimilarityChoice choice("external");
  choice.set("meaning", "similarity").set("symmetrize", symmetrize ? "true" : "false").set("command", command);
  choice.set("processes", std::to_string(processes)).set("batch", std::to_string(batch));
  choice.set("time-limit", std::to_string(static_cast<int>(seconds))).set("retries", std::to_string(retries));
  return make_similarity<double>(context.execution, choice, objects);
}

std::vector<double> tile_of(const Similarity<double>& similarity, const ObjectBlock& rows, const ObjectBlock& columns) {
  std::vector<double> values(rows.size() * columns.size());
  similarity.tile(rows, columns, MatrixView<double>(values.data(), rows.size(), columns.size()));
  return values;
}

TEST(External, ScoresIdsInTheOrderOfRowAndColumn) {
  const auto similarity = external(scorer("print(x - 2 * y)"), objects_of(1000), 7);
  const ObjectBlock rows = numbered({3, 900, 17}), columns = numbered({1, 2, 30, 31, 999});
  const auto values = tile_of(*similarity, rows, columns);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      EXPECT_EQ(values[5 * a + b], static_cast<double>(rows.ids[a] - 2 * columns.ids[b]));
    }
  }
  EXPECT_EQ(similarity->evaluations(), 15);
  std::vector<double> pairs(3);
  similarity->pairs(rows, numbered({5, 6, 7}), pairs);
  EXPECT_EQ(pairs, (std::vector<double>{-7, 888, 3}));
  EXPECT_EQ(similarity->evaluations(), 18);
  EXPECT_FALSE(similarity->traits().defined_for_unseen);
}

TEST(External, HandsOnVectorsToTheLastBit) {
  constexpr Index n = 40, d = 3;
  const auto points = make_points<double>(n, d, [](Index i, Index k) { return normal_coordinate(i, k) * 1e-7; });
  const auto similarity = external(scorer("print(repr(x[1] + y[2]))"), points, 11);
  const auto all = points.gather(world(), numbers(0, n));
  const auto values = tile_of(*similarity, *all, *all);
  const auto& block = dynamic_cast<const PointBlock<double>&>(*all);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      EXPECT_EQ(values[i * n + j], block.coordinates(i, 1) + block.coordinates(j, 2));
    }
  }
  EXPECT_TRUE(similarity->traits().defined_for_unseen);
}

TEST(External, HandsOnTextsOfAnyCharacters) {
  const std::vector<std::string> texts{"plain",
                                       "quote \" and \\ and \n",
                                       "Gr\xc3\xbc\xc3\x9f"
                                       "e",
                                       "\xe2\x82\xac \xf0\x9f\x98\x80",
                                       "",
                                       "tab\t and \x01"};
  const std::vector<double> characters{5, 19, 5, 3, 0, 10};
  const auto n = static_cast<Index>(texts.size());
  const RowPartition partition(n, world().size());
  const Range own = partition.range(world().rank());
  DocumentBags bags;
  bags.text_starts.push_back(0);
  for (Index i = own.begin; i < own.end; ++i) {
    const std::string& text = texts[i];
    bags.starts.push_back(0);
    bags.characters.insert(bags.characters.end(), text.begin(), text.end());
    bags.text_starts.push_back(static_cast<Index>(bags.characters.size()));
  }
  const DocumentSet documents(partition, world().rank(), nullptr, std::move(bags));
  const auto similarity = external(scorer("print(len(x) + 100 * len(y))"), documents, 5);
  const auto all = documents.gather(world(), numbers(0, n));
  const auto values = tile_of(*similarity, *all, *all);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      EXPECT_EQ(values[i * texts.size() + j], characters[i] + 100 * characters[j]) << i << ", " << j;
    }
  }
  EXPECT_EQ(similarity->parameters()[1].second, "texts");
}

TEST(External, RefusesTextsThatAreNotUtf8) {
  for (const char* text : {"\xff", "\xc3", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80"}) {
    std::string json;
    EXPECT_FALSE(append_json_string(text, json)) << json;
  }
  std::string json;
  EXPECT_TRUE(append_json_string("\xf0\x9f\x98\x80\x7f", json));
  EXPECT_EQ(json, "\"\\ud83d\\ude00\\u007f\"");
}

TEST(External, IsTheSameOnAnyNumberOfRanksThreadsAndProcesses) {
  constexpr Index n = 150, d = 2;
  const auto points = make_points<double>(n, d, normal_coordinate);
  const auto landmarks = points.gather(world(), numbers(0, n, 10));
  const auto& marks = dynamic_cast<const PointBlock<double>&>(*landmarks);
  for (const int threads : {1, 2}) {
    const auto similarity = external(scorer("print(x[0] * y[1])"), points, 4, threads);
    test::Context context;
    context.execution.threads = threads;
    const auto c = evaluate_columns(context.execution, *similarity, points, *landmarks, "columns", "loop");
    for (Index i = c.range().begin; i < c.range().end; ++i) {
      for (Index b = 0; b < c.columns(); ++b) {
        ASSERT_EQ(c.row(i)[b], points.coordinates().row(i)[0] * marks.coordinates(b, 1));
      }
    }
    EXPECT_EQ(world().sum(similarity->evaluations()), n * 15);
  }
}

TEST(External, KeepsAllProcessesOfARankBusy) {
  const std::string folder = (std::filesystem::temp_directory_path() /
                              ("cairn-busy-" + std::to_string(world().rank()) + "-" + std::to_string(world().size())))
                                 .string();
  std::filesystem::create_directory(folder);
  {
    // Each waits for the others with its first pair: it comes back only if all of them work at once.
    const auto similarity = external(scorer("f = \"" + folder +
                                            "/\"; open(f + os.environ[\"CAIRN_SCORER\"], \"a\").write(\"x\")\n"
                                            "    while len(os.listdir(f)) < 3: time.sleep(0.01)\n"
                                            "    print(1)"),
                                     objects_of(1000), 5, 3);
    static_cast<void>(tile_of(*similarity, numbered({1, 2, 3}), numbered(numbers(0, 50))));
  }
  Index sum = 0, files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    ++files;
    sum += static_cast<Index>(std::filesystem::file_size(file));
  }
  EXPECT_EQ(files, 3);
  EXPECT_EQ(sum, 150);
  std::filesystem::remove_all(folder);
}

TEST(External, DoesNotBlockWhereBothPipesAreFull) {
  // Answers of 4 kB, several times what a pipe holds, before more than a part of a batch of 2 MB is read.
  const auto points = make_points<double>(40, 200, normal_coordinate);
  const auto similarity = external(
      "python3 -u -c 'import sys, json\n"
      "for line in sys.stdin:\n"
      "  for x, y in json.loads(line): sys.stdout.write(\"%r\" % x[0] + 4000 * \" \" + \"\\n\"); sys.stderr.write(1000 "
      "* \"e\")\n"
      "  sys.stdout.write(\"\\n\")\n'",
      points, 300);
  const auto all = points.gather(world(), numbers(0, 40));
  const auto values = tile_of(*similarity, *all, *all);
  const auto& block = dynamic_cast<const PointBlock<double>&>(*all);
  EXPECT_EQ(values.back(), block.coordinates(39, 0));
}

TEST(External, AveragesBothDirectionsAndCountsThem) {
  const auto similarity = external(scorer("print(x - 2 * y)"), objects_of(100), 32, 1, 0, 60, true);
  const auto values = tile_of(*similarity, numbered({3, 50}), numbered({1, 2, 3}));
  EXPECT_EQ(values, (std::vector<double>{-2, -2.5, -3, -25.5, -26, -26.5}));
  EXPECT_EQ(similarity->evaluations(), 12);
  EXPECT_EQ(similarity->traits().evaluations_per_entry, 2);
  std::vector<double> pair(1);
  similarity->pairs(numbered({3}), numbered({50}), pair);
  EXPECT_EQ(pair[0], -26.5);
  EXPECT_EQ(similarity->evaluations(), 14);
  const auto again = from_resolved(similarity->traits().name, similarity->parameters());
  EXPECT_TRUE(again.values.flag("symmetrize"));
  EXPECT_EQ(again.values.integer("batch"), 32);
}

TEST(External, SendsABatchAgainWhereItsScorerDied) {
  const std::string dies = scorer("print(x + y, flush=True); time.sleep(0); count < 24 or os._exit(7)");
  const auto similarity = external(dies, objects_of(100), 10, 1, 1);
  const auto values = tile_of(*similarity, numbered({1, 2, 3, 4}), numbered(numbers(0, 20)));
  for (Index a = 0; a < 4; ++a) {
    for (Index b = 0; b < 20; ++b) EXPECT_EQ(values[a * 20 + b], static_cast<double>(a + 1 + b));
  }
  // Each of them answers two batches and dies in the third, while a fourth waits: both are sent again.
  EXPECT_EQ(similarity->evaluations(), 80 + 20 + 20 + 20);
}

struct Failure {
  std::string command;
  ErrorKind kind;
  std::string message;
  double seconds = 60;
  int retries = 0;
};

std::vector<Failure> failures() {
  const std::string pairs = "the objects 4 and ";
  return {
      {"no-such-program-of-cairn", ErrorKind::usage, "cannot be started .exit code 127.; it said last: .*not found"},
      {"/etc/passwd", ErrorKind::usage, "cannot be started .exit code 126."},
      {scorer("print(\"Loading\") if count == 13 else print(1)"), ErrorKind::input,
       "answered 'Loading' for " + pairs + "13 .counted from 0., which is not a number"},
      {scorer("print(1)", "print(\"Loading the model\", flush=True); time.sleep(0.1)"), ErrorKind::input,
       "answered 'Loading the model' for " + pairs + "0 |printed 'Loading the model' without a pending request"},
      {scorer("count == 5 or print(1)"), ErrorKind::input,
       "answered a batch of 10 pairs with 9 lines: there is none for " + pairs + "9"},
      {scorer("print(\"1\\n2\") if count == 12 else print(1)"), ErrorKind::input,
       "answered a batch of 10 pairs, which ends with " + pairs + "19 .*, with one line more: '1'"},
      {scorer("print(float(\"nan\") if y == 11 else 1)"), ErrorKind::numeric, "answered 'nan' for " + pairs + "11 "},
      {scorer("print(1e999 if y == 7 else 1)"), ErrorKind::numeric, "answered 'inf' for " + pairs + "7 "},
      {scorer("print(10**400 if y == 7 else 1)"), ErrorKind::numeric, "answered '1000.*' for " + pairs + "7 "},
      {scorer("print(1, flush=True); count < 16 or 1 / 0"), ErrorKind::resource,
       "ended with exit code 1, before it answered for " + pairs +
           "1[67] .*had answered 1[67] pairs; it said last: "
           "Traceback .* ZeroDivisionError: division by zero"},
      {scorer("print(1, flush=True); count < 25 or os.kill(os.getpid(), 9)"), ErrorKind::resource,
       "ended with (exit code 137, which a shell gives for )?signal 9 .KILL."},
      {scorer("print(1, flush=True); y == 15 and time.sleep(600)"), ErrorKind::resource,
       "took longer than 1 s .parameter time-limit. for a batch, before it answered for " + pairs + "16", 1},
      {scorer("print(1, flush=True); y == 15 and time.sleep(600)"), ErrorKind::resource, "took longer than 1 s", 1, 1},
      {"exec cat", ErrorKind::input, "answered '..4,0.,.4,1.,.4,2.*' for " + pairs + "0 "},
      {"exec sleep 600 >&-", ErrorKind::resource, "closed its standard output, before it answered for " + pairs + "0 "},
      {"python3 -c 'for line in __import__(\"sys\").stdin: print(*10*[1], sep=\"\\n\", flush=True)'", ErrorKind::input,
       "with one line more: '1'; the answers of a batch end with an empty line"},
      {"exec yes 1", ErrorKind::input, "printed '1' without a pending request|with one line more: '1'"},
      {"exec tr -d '\\n' < /dev/zero", ErrorKind::input, "printed a line of more than 65536 characters"},
      {"python3 -c 'import sys; sys.stderr.write(100000 * \"w\" + \"the last\"); sys.exit(4)'", ErrorKind::resource,
       "exit code 4, before.*; it said last: \\.\\.\\. w+the last$"},
      {"exit 0", ErrorKind::resource, "ended with exit code 0, .*it had answered 0 pairs; it said nothing"}};
}

TEST(External, SaysWhatAScorerDidWrong) {
  CAIRN_UP_TO_RANKS(2);
  for (const Failure& failure : failures()) {
    const auto similarity = external(failure.command, objects_of(100), 10, 1, failure.retries, failure.seconds);
    for (const char* round : {"first", "second"}) {  // what failed once is not asked again
      try {
        static_cast<void>(tile_of(*similarity, numbered({4}), numbered(numbers(0, 50))));
        ADD_FAILURE() << failure.command << " passed in the " << round << " round";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), failure.kind) << error.what();
        EXPECT_THAT(error.what(), ContainsRegex(failure.message));
        EXPECT_LT(std::string(error.what()).size(), 1500U);
      }
    }
    EXPECT_EQ(similarity->evaluations(), 0);
  }
}

TEST(External, ThatSpeaksUnaskedIsFoundOutInTheNextTile) {
  const auto similarity =
      external(scorer("sys.stdout.write(\"1\\n\\n3\\n\" if x == 2 else \"1\\n\")"), objects_of(100), 10);
  try {
    static_cast<void>(tile_of(*similarity, numbered({2}), numbered({5})));
    static_cast<void>(tile_of(*similarity, numbered({3}), numbered({5})));
    ADD_FAILURE() << "an answer too many was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ContainsRegex("without a pending request|answered a batch|one line more"));
  }
}

TEST(External, EndsOnAllRanksWithOneError) {
  const auto points = make_points<double>(300, 2, normal_coordinate);
  const auto landmarks = points.gather(world(), numbers(0, 8));
  const auto similarity = external(scorer("print(\"no\" if count == 30 else 1)"), points, 8);
  test::Context context;
  EXPECT_THROW(static_cast<void>(evaluate_columns(context.execution, *similarity, points, *landmarks, "c", "l")),
               Error);
}

TEST(External, NeedsWhatItIsToldOf) {
  test::Context context;
  using Given = std::vector<std::pair<std::string, std::string>>;
  const auto error_of = [&](const Given& given, const ObjectSet& objects) {
    try {
      SimilarityChoice choice("external");
      for (const auto& [name, value] : given) choice.set(name, value);
      static_cast<void>(make_similarity<double>(context.execution, choice, objects));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto objects = objects_of(5);
  EXPECT_THAT(error_of({}, objects), ContainsRegex("parameter command is missing"));
  EXPECT_THAT(error_of({{"command", "cat"}, {"send", "texts"}}, objects), ContainsRegex("needs documents"));
  EXPECT_THAT(error_of({{"command", "cat"}, {"send", "vectors"}}, objects), ContainsRegex("needs points"));
  EXPECT_THAT(error_of({{"send", "song"}}, objects), ContainsRegex("parameter send = song is not known"));
  EXPECT_THAT(error_of({{"batch", "0"}}, objects), ContainsRegex("parameter batch = 0 is below 1"));
  EXPECT_THAT(error_of({{"command", "cat"}, {"time-limit", "0"}}, objects),
              ContainsRegex("parameter time-limit = 0 is not above 0"));
}

}  // namespace
