#include "cairn/task/regression/targets.hpp"

#include <functional>

#include "../data/written_files.hpp"

namespace cairn::test::targets_test {
namespace {

constexpr Index rows = 100;

RowPartition partition() { return {rows, world().size()}; }

std::string name_of(Index row) { return "r" + std::to_string(row * 37 % rows); }

// This rank's labels: every row has another.
std::vector<std::string> own_labels() {
  std::vector<std::string> labels;
  const Range own = partition().range(world().rank());
  for (Index i = own.begin; i < own.end; ++i) labels.push_back(name_of(i));
  return labels;
}

void expect_error(ErrorKind kind, const char* text, const ColumnSource& source,
                  const std::vector<std::string>& labels) {
  test::expect_error([&] { static_cast<void>(read_targets(world(), source, partition(), labels)); }, kind, {text});
}

TEST(Targets, StandInTheOrderOfRows) {
  const WrittenFiles files;
  std::string text = "a,b,c\n";
  for (Index i = 0; i < rows; ++i) text += std::to_string(i) + ",x," + std::to_string(-2 * i) + "\n";
  const Targets targets =
      read_targets(world(), {.path = files.write("y.csv", text), .columns = {"c", "1"}, .key = ""}, partition(), {});
  EXPECT_EQ(targets.names, (std::vector<std::string>{"c", "a"}));
  const Range own = partition().range(world().rank());
  ASSERT_EQ(static_cast<Index>(targets.values.size()), 2 * own.size());
  for (Index i = 0; i < own.size(); ++i) {
    EXPECT_EQ(targets.known[i], 1);
    EXPECT_EQ(targets.values[2 * i], static_cast<double>(-2 * (own.begin + i)));
    EXPECT_EQ(targets.values[2 * i + 1], static_cast<double>(own.begin + i));
  }
}

// A table with the names of the rows in its first column: in their order, in another, with one name missing.
TEST(Targets, NoticeLinesInAnotherOrder) {
  const WrittenFiles files;
  using Name = std::function<std::string(Index)>;
  const auto order = [&](const Name& name, const std::vector<std::string>& columns,
                         const std::vector<std::string>& labels, const std::string& header = "name,y") {
    std::string text = header + "\n";
    for (Index i = 0; i < rows; ++i) text += name(i) + "," + std::to_string(i % 7) + "\n";
    return read_targets(world(), {.path = files.write("y.csv", text), .columns = columns, .key = ""}, partition(),
                        labels)
        .order;
  };
  const auto turned = [](Index i) { return rows - 1 - i; };
  const auto labels = own_labels();
  EXPECT_EQ(LineOrder::unknown, order(name_of, {"y"}, labels));
  EXPECT_EQ(LineOrder::other, order([&](Index i) { return name_of(turned(i)); }, {"y"}, labels));
  EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return i == 0 ? "nobody" : name_of(turned(i)); }, {"y"}, labels));
  const std::vector<std::vector<std::string>> choices = {{}, {"y"}};
  for (const auto& columns : choices) {
    for (const Index first : {0, 1}) {
      EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return std::to_string(i + first); }, columns, {}));
      EXPECT_EQ(columns.empty() ? LineOrder::other_values : LineOrder::other,
                order([&](Index i) { return std::to_string(turned(i) + first); }, columns, {}));
    }
    EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return std::to_string(2 * turned(i)); }, columns, {}));
    EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return std::to_string(turned(i)) + ".5"; }, columns, {}));
  }
  // Classes are no names; the first column alone is the target; and a column has the number that was given.
  std::vector<std::string> classes;
  for (Index i = partition().range(world().rank()).begin; std::ssize(classes) < std::ssize(labels); ++i) {
    classes.push_back(std::to_string(i % 2));
  }
  EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return std::to_string(1 - i % 2); }, {"y"}, classes));
  EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return std::to_string(turned(i)); }, {"name"}, {}));
  EXPECT_EQ(LineOrder::unknown, order([&](Index i) { return std::to_string(turned(i)); }, {"2"}, {}, "y,y"));
}

// Every second row, from the last to the first, and a key that no row has.
TEST(Targets, FindRowsByTheirLabels) {
  const WrittenFiles files;
  std::string text = "y,who\n";
  for (Index i = rows - 2; i >= 0; i -= 2) text += std::to_string(i) + ".5," + name_of(i) + "\n";
  const std::string path = files.write("y.csv", text + "1,nobody\n");
  const Targets targets = read_targets(world(), {.path = path, .columns = {}, .key = "who"}, partition(), own_labels());
  EXPECT_EQ(targets.names, std::vector<std::string>{"y"});
  EXPECT_EQ(targets.superfluous, 1);
  const Range own = partition().range(world().rank());
  for (Index i = own.begin; i < own.end; ++i) {
    const auto at = static_cast<std::size_t>(i - own.begin);
    EXPECT_EQ(targets.known[at], i % 2 == 0 ? 1 : 0);
    EXPECT_EQ(targets.values[at], i % 2 == 0 ? static_cast<double>(i) + 0.5 : 0.0);
  }
  const ColumnSource source{.path = path, .columns = {}, .key = "who"};
  expect_error(ErrorKind::usage, "the rows have no labels", source, {});
  const std::vector<std::string> strangers(own_labels().size(), "stranger");
  expect_error(ErrorKind::input, "no row of the result has one of its keys", source, strangers);
  expect_error(ErrorKind::input, "the key 'a' is a duplicate",
               {.path = files.write("z.csv", "y,who\n1,a\n2,b\n3,a\n"), .columns = {}, .key = "who"}, own_labels());
}

TEST(Targets, OfEmptyFieldsAreMissingAndCounted) {
  const WrittenFiles files;
  std::string text = "a,b\n";
  for (Index i = 0; i < rows; ++i)
    text += (i % 10 == 3 ? "" : std::to_string(i)) + "," + (i % 25 == 7 ? " " : "1") + "\n";
  const Targets targets =
      read_targets(world(), {.path = files.write("y.csv", text), .columns = {}, .key = ""}, partition(), {});
  EXPECT_EQ(targets.missing, 14);
  const Range own = partition().range(world().rank());
  for (Index i = own.begin; i < own.end; ++i) {
    EXPECT_EQ(targets.known[i - own.begin], i % 10 == 3 || i % 25 == 7 ? 0 : 1) << i;
  }
  EXPECT_THAT(targets.notes("y.csv"),
              testing::ElementsAre("14 rows of y.csv have no value: they are neither trained on nor scored"));
  std::string others = "a\n";
  for (Index i = 0; i < rows; ++i) others += i == 5 ? "NA\n" : "1\n";
  expect_error(ErrorKind::input, "'NA' is not a number",
               {.path = files.write("z.csv", others), .columns = {}, .key = ""}, {});
}

TEST(Targets, MustBeAsManyAsRows) {
  const WrittenFiles files;
  std::string text;
  for (Index i = 1; i < rows; ++i) text += "1\n";
  expect_error(ErrorKind::input, "has values for 99 rows, and there are 100",
               {.path = files.write("y.csv", text), .columns = {}, .key = ""}, {});
}

TEST(Targets, MayBeTheLabels) {
  const Range own = partition().range(world().rank());
  std::vector<std::string> labels;
  for (Index i = own.begin; i < own.end; ++i) labels.push_back(std::to_string(i) + "e1");
  const Targets targets = targets_of_labels(world(), "r.h5", partition(), labels);
  for (Index i = own.begin; i < own.end; ++i) {
    EXPECT_EQ(targets.values[i - own.begin], 10.0 * static_cast<double>(i));
  }
  std::vector<std::string> fewer = labels;
  if (own.contains(3)) fewer[3 - own.begin] = "NA";
  if (own.contains(7)) fewer[7 - own.begin] = "";
  const Targets some = targets_of_labels(world(), "r.h5", partition(), fewer);
  EXPECT_EQ(2, some.missing);
  for (Index i = own.begin; i < own.end; ++i) {
    EXPECT_EQ(i == 3 || i == 7 ? 0 : 1, some.known[i - own.begin]);
  }
  EXPECT_THAT(some.notes(""), testing::ElementsAre(testing::HasSubstr("2 rows have no label")));
  if (own.contains(rows - 1)) labels.back() = "inf";
  try {
    static_cast<void>(targets_of_labels(world(), "r.h5", partition(), labels));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("r.h5: the label 'inf' of row 99 is no finite number"));
  }
}

}  // namespace
}  // namespace cairn::test::targets_test
