// Classes of labels, folds, and how often predictions are right.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/classification/folds.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::classification_test {
namespace {

using test::world;
using testing::ElementsAre;

std::vector<std::string> own_part(const std::vector<std::string>& labels) {
  const Range own = RowPartition(static_cast<Index>(labels.size()), world().size()).range(world().rank());
  return {labels.begin() + own.begin, labels.begin() + own.end};
}

std::vector<std::string> many_labels() {
  std::vector<std::string> labels;
  for (int i = 0; i < 100; ++i) labels.push_back(i % 10 == 3 ? "" : i % 7 == 0 ? "zwölf" : i % 2 == 0 ? "b" : "a,\"c");
  return labels;
}

TEST(Classes, AreTheSameOnEveryRank) {
  const std::vector<std::string> labels = many_labels(), own = own_part(labels);
  const Classes classes = classes_of(world(), own);
  EXPECT_THAT(classes.names, ElementsAre("a,\"c", "b", "zwölf"));
  ASSERT_EQ(own.size(), classes.own.size());
  std::vector<Index> rows;
  for (std::size_t i = 0; i < own.size(); ++i) {
    rows.push_back(static_cast<Index>(i));
    if (own[i].empty()) {
      EXPECT_EQ(no_class, classes.own[i]);
    } else {
      EXPECT_EQ(own[i], classes.names[classes.own[i]]);
    }
  }
  std::vector<Index> expected(3);
  for (const std::string& label : labels) {
    if (!label.empty()) ++expected[label == "b" ? 1 : label == "zwölf" ? 2 : 0];
  }
  EXPECT_EQ(expected, class_sizes(world(), classes, rows));
}

TEST(Classes, KnownOnesComeFirst) {
  const Classes classes = classes_of(world(), own_part(many_labels()), {"zwölf", "never", "b"});
  EXPECT_THAT(classes.names, ElementsAre("zwölf", "never", "b", "a,\"c"));
}

TEST(Classes, TooManyAreValues) {
  std::vector<std::string> labels;
  for (int i = 0; i < 12'000; ++i) labels.push_back(std::to_string(i));
  EXPECT_THROW(static_cast<void>(classes_of(world(), own_part(labels))), Error);
}

TEST(Classes, WordsForMissingValuesAreNoLabels) {
  const std::vector<std::string> labels = own_part({"a", "NA", "none", "?", "-", "a", "NA", "", "b", "NA"});
  const Classes classes = classes_of(world(), labels);
  EXPECT_THAT(classes.names, ElementsAre("-", "a", "b", "none"));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool missing = labels[i].empty() || labels[i] == "NA" || labels[i] == "?";
    EXPECT_EQ(missing, classes.own[i] == no_class) << labels[i];
  }
  EXPECT_THAT(classes.notices, ElementsAre(testing::HasSubstr("1 rows have the label '?'"),
                                           testing::HasSubstr("3 rows have the label 'NA'")));
  const Classes known = classes_of(world(), labels, {"NA", "a"});  // a model that was trained on it
  EXPECT_THAT(known.names, ElementsAre("NA", "a", "-", "b", "none"));
  EXPECT_THAT(known.notices, ElementsAre(testing::HasSubstr("'?'")));
}

TEST(Classes, OneNumberInTwoSpellingsIsNoticed) {
  const Classes classes = classes_of(world(), own_part({"6", "06", "b", "6.0", "7"}));
  EXPECT_THAT(classes.notices, ElementsAre(testing::HasSubstr("'06' and '6' are the same number")));
  EXPECT_TRUE(classes_of(world(), own_part({"6", "b", "7", "B"})).notices.empty());
  EXPECT_EQ("6", other_spelling("6.0", {"5", "6"}));
  EXPECT_EQ("Red", other_spelling("red", {"blue", "Red"}));
  EXPECT_EQ(std::nullopt, other_spelling("red", {"blue", "red"}));
}

TEST(Classes, ManyNumbersAreNoticedOnce) {
  Classes classes;
  for (int i = 0; i < 51; ++i) classes.names.push_back(std::to_string(i) + ".5");
  EXPECT_THAT(notices_of(classes), ElementsAre(testing::HasSubstr("the 51 labels are numbers")));
  classes.names[7] = "7.5 m";
  EXPECT_TRUE(notices_of(classes).empty());
  classes.names = {"1", "2", "3"};
  EXPECT_TRUE(notices_of(classes).empty());
  EXPECT_THAT(first_sentences({"a", "b", "c", "d", "e"}), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(first_sentences({"a", "b", "c", "d", "e", "f"}),
              ElementsAre("a", "b", "c", "so it is with 3 other labels"));
}

TEST(Folds, AreStratified) {
  std::vector<std::int32_t> classes;
  std::vector<Index> rows;
  for (Index i = 0; i < 203; ++i) {
    classes.push_back(i % 50 == 0 ? 2 : static_cast<std::int32_t>(i % 3 == 0));
    rows.push_back(3 * i + 1);
  }
  const auto folds = stratified_folds(classes, rows, 5, 17);
  for (std::int32_t c = -1; c < 3; ++c) {  // -1: all
    std::vector<Index> sizes(5, 0);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (c < 0 || classes[i] == c) ++sizes[folds[i]];
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1) << "class " << c;
  }
  EXPECT_EQ(folds, stratified_folds(classes, rows, 5, 17));
  EXPECT_NE(folds, stratified_folds(classes, rows, 5, 18));
}

// scikit-learn: accuracy_score, f1_score(average=None) and f1_score(average="macro") of
// y = [0,0,0,1,1,2,2,2,2,3], p = [0,1,0,1,1,2,0,2,1,2]
TEST(Folds, KeepGroupsWhole) {
  std::vector<Index> groups, rows;
  std::vector<std::int32_t> classes;
  for (Index group = 0; group < 23; ++group) {
    for (Index k = 0; k < 1 + group % 4; ++k) {
      groups.push_back(1000 - 7 * group);
      rows.push_back(std::ssize(rows) * 3);
      classes.push_back(static_cast<std::int32_t>((group + k) % 2));
    }
  }
  for (const FoldOrder order : {FoldOrder::random, FoldOrder::file}) {
    const auto folds = folds_of_groups(order, groups, rows, 5, 3);
    std::map<Index, std::set<std::int32_t>> of_group;
    std::vector<Index> sizes(5, 0);
    for (std::size_t i = 0; i < folds.size(); ++i) of_group[groups[i]].insert(folds[i]), ++sizes[folds[i]];
    for (const auto& [group, its] : of_group) EXPECT_EQ(its.size(), 1U) << group;
    const auto [least, most] = std::ranges::minmax(sizes);
    EXPECT_LE(most - least, 6);
    EXPECT_GT(least, 0);
    EXPECT_EQ(folds, deal_folds(order, {classes, rows, groups}, {"a", "b"}, 5, 3, {}));
    EXPECT_EQ(folds == folds_of_groups(order, groups, rows, 5, 4), order == FoldOrder::file);
    if (order == FoldOrder::file) {
      EXPECT_TRUE(std::ranges::is_sorted(folds));
    }
  }
  // A class of one group.
  std::vector<std::int32_t> lone(groups.size(), 0);
  lone.back() = lone[lone.size() - 2] = 1;
  test::expect_error(
      [&] {
        (void)deal_folds(FoldOrder::random, {lone, rows, groups}, {"a", "b"}, 5, 3, {});
      },
      ErrorKind::input, {"all rows of the class 'b' are in one fold"});
  test::expect_error(
      [&] {
        (void)deal_folds(FoldOrder::random, {classes, rows, groups}, {"a", "b"}, 24, 3, {});
      },
      ErrorKind::usage, {"is more than the 23 groups of rows to train on"});
}

TEST(ClassificationScore, IsThatOfScikitLearn) {
  const std::vector<std::int32_t> truth = {0, 0, 0, 1, 1, 2, 2, 2, 2, 3, no_class};
  const std::vector<std::int32_t> predicted = {0, 1, 0, 1, 1, 2, 0, 2, 1, 2, 0};
  std::vector<std::int32_t> own_truth, own_predicted;
  for (std::size_t i = static_cast<std::size_t>(world().rank()); i < truth.size();
       i += static_cast<std::size_t>(world().size())) {
    own_truth.push_back(truth[i]);
    own_predicted.push_back(predicted[i]);
  }
  const Confusion confusion = confusion_of(world(), 5, own_truth, own_predicted);  // class 4 is nowhere
  EXPECT_EQ(10, confusion.rows());
  EXPECT_EQ(2, confusion.at(0, 0));
  EXPECT_EQ(1, confusion.at(3, 2));
  EXPECT_DOUBLE_EQ(0.6, confusion.accuracy());
  const std::vector<double> f1 = confusion.f1();
  EXPECT_NEAR(2.0 / 3, f1[0], 1e-15);
  EXPECT_NEAR(2.0 / 3, f1[1], 1e-15);
  EXPECT_NEAR(4.0 / 7, f1[2], 1e-15);
  EXPECT_EQ(0.0, f1[3]);
  EXPECT_NEAR((2.0 / 3 + 2.0 / 3 + 4.0 / 7) / 4, confusion.macro_f1(), 1e-15);
}

TEST(ClassificationScore, MeanAndDeviationByHand) {
  const auto found = mean_and_deviation(std::vector<double>{1, 2, 6});
  EXPECT_DOUBLE_EQ(3.0, found.mean);
  EXPECT_DOUBLE_EQ(std::sqrt(7.0), found.deviation);
  EXPECT_EQ(0.0, mean_and_deviation(std::vector<double>{4}).deviation);
}

}  // namespace
}  // namespace cairn::classification_test
