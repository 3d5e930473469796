// The parts of the program that read what a user wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/launch.hpp"
#include "cairn/evaluation/quartiles.hpp"
#include "cairn/parameters/config_file.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/similarity_keys.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cli/command_guide.hpp"
#include "commands/sweep_table.hpp"

namespace cairn::app {
namespace {

const std::vector<std::string> every_section = {"data",       "similarity", "landmarks", "approximation",
                                                "evaluation", "run",        "output"};

// Variables of the environment, put back as they were.
class Launch : public testing::Test {
 protected:
  static constexpr const char* isolated = "OMPI_MCA_ess_singleton_isolated";
  static constexpr const char* transport = "OMPI_MCA_btl";

  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMIX_RANK", "PMI_RANK",
                             "PMI_FD", "SLURM_STEP_ID", "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
                             "SLURM_PTY_PORT", "SLURM_TASK_PID", isolated, transport}) {
      before_[name] = value_of(name);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name, value->c_str(), 1);
      } else {
        unsetenv(name);
      }
    }
  }
  static std::optional<std::string> value_of(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
  }

 private:
  std::map<const char*, std::optional<std::string>> before_;
};

TEST_F(Launch, ASingleProcessHasNoDaemonAndLeavesNoSettingsToItsChildren) {
  {
    const StartWithoutDaemon start;
    EXPECT_EQ(value_of(isolated), "1");
    EXPECT_EQ(value_of(transport), "self");
  }
  EXPECT_EQ(value_of(isolated), std::nullopt);
  EXPECT_EQ(value_of(transport), std::nullopt);
}

TEST_F(Launch, SettingsOfTheUserStay) {
  setenv(transport, "tcp,self", 1);
  {
    const StartWithoutDaemon start;
    EXPECT_EQ(value_of(transport), "tcp,self");
  }
  EXPECT_EQ(value_of(transport), "tcp,self");
}

TEST_F(Launch, RanksOfALauncherAreLeftAsTheyAre) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "SLURM_STEP_ID"}) {
    setenv(name, "1", 1);
    const StartWithoutDaemon start;
    EXPECT_EQ(value_of(isolated), std::nullopt) << name;
    unsetenv(name);
  }
}

TEST_F(Launch, TellsTheTasksOfALauncher) {
  EXPECT_EQ(find_launch().ranks, 1);
  setenv("SLURM_NTASKS", "4", 1);  // of a batch script, which is one process
  EXPECT_EQ(find_launch().ranks, 1);
  unsetenv("SLURM_NTASKS");
  setenv("SLURM_STEP_NUM_TASKS", "3", 1);
  setenv("SLURM_PROCID", "2", 1);
  EXPECT_EQ(find_launch().ranks, 3);
  EXPECT_EQ(find_launch().rank, 2);
  setenv("SLURM_PTY_PORT", "5000", 1);  // a shell in a terminal of its own, and what it starts
  setenv("SLURM_TASK_PID", std::to_string(getppid()).c_str(), 1);
  EXPECT_EQ(find_launch().ranks, 1);
  setenv("SLURM_TASK_PID", std::to_string(getpid()).c_str(), 1);  // srun within that shell
  EXPECT_EQ(find_launch().ranks, 3);
  setenv("OMPI_COMM_WORLD_SIZE", "5", 1);  // mpirun within a step
  EXPECT_EQ(find_launch().ranks, 5);
  EXPECT_STREQ(find_launch().variable, "OMPI_COMM_WORLD_SIZE");
  EXPECT_TRUE(is_of_launcher("PMIX_RANK=0"));
  EXPECT_TRUE(is_of_launcher("SLURM_STEP_ID=0"));
  EXPECT_FALSE(is_of_launcher("SLURM_JOB_ID=7"));
  EXPECT_TRUE(is_of_launcher("OMPI_COMM_WORLD_RANK=1"));
  EXPECT_TRUE(is_of_launcher("OMPI_MCA_ess_base_vpid=1"));
  EXPECT_TRUE(is_of_launcher("OMPI_MCA_orte_local_daemon_uri=x"));
  EXPECT_FALSE(is_of_launcher("OMPI_MCA_btl=self,vader"));
  EXPECT_FALSE(is_of_launcher("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"));
  EXPECT_FALSE(is_of_launcher("PATH=/bin"));
}

TEST(Units, SizesHaveDecimalAndBinarySuffixes) {
  EXPECT_EQ(parse_size("4GB"), 4'000'000'000);
  EXPECT_EQ(parse_size("4GiB"), Index{4} << 30);
  EXPECT_EQ(parse_size("2KB"), 2000);
  EXPECT_EQ(parse_size("2kB"), 2000);
  EXPECT_EQ(parse_size("1.5kB"), 1500);
  EXPECT_EQ(parse_size("17"), 17);
  EXPECT_EQ(parse_size("4Gb"), std::nullopt);
  EXPECT_EQ(parse_size("-4GB"), std::nullopt);
  EXPECT_EQ(parse_size("GB"), std::nullopt);
}

TEST(Units, DurationsAreSecondsSuffixesOrClocks) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("10m"), 600);
  EXPECT_EQ(parse_duration("23:30:00"), 84600);
  EXPECT_EQ(parse_duration("5:30"), 330);
  EXPECT_EQ(parse_duration("2-03:00:01"), 2 * 86400 + 3 * 3600 + 1);
  EXPECT_EQ(parse_duration("1-24:00:00"), std::nullopt);
  EXPECT_EQ(parse_duration("1-2-3:00"), std::nullopt);
  EXPECT_EQ(parse_duration("-1-00:00"), std::nullopt);
  EXPECT_EQ(parse_duration("5:60"), std::nullopt);
  EXPECT_EQ(parse_duration("1:2:3:4"), std::nullopt);
  EXPECT_EQ(parse_duration("9223372036854775807:00:00"), std::nullopt);
  EXPECT_EQ(parse_duration("ten"), std::nullopt);
}

TEST(Units, IntegersMayHaveAnExponentButNoFraction) {
  EXPECT_EQ(parse_integer("1e7"), 10'000'000);
  EXPECT_EQ(parse_integer("9007199254740993"), 9007199254740993);
  EXPECT_EQ(parse_integer("1.5"), std::nullopt);
  EXPECT_EQ(parse_integer("5 "), std::nullopt);
  EXPECT_EQ(parse_number("nan"), std::nullopt);
}

TEST(Units, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(format_bytes(999.6), "1 kB");
}

TEST(Suggestion, NamesTheNearestOnlyWhereItIsNear) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(suggestion("nystroem", {"nystrom", "sicur"}), "; did you mean 'nystrom'?");
  EXPECT_EQ(suggestion("xyz", {"nystrom", "sicur"}), "; known are nystrom, sicur");
}

TEST(Config, AHashWithinAWordIsALetterAndElseBeginsAComment) {
  Settings settings(keys_of(every_section));
  read_config_text("# a comment\n[data]\npath = /a/b#1.csv # another\nformat = csv\n", "a.cfg", "", settings);
  EXPECT_EQ(settings.text("data.path"), "/a/b#1.csv");
  Settings again(keys_of(every_section));
  read_config_text(settings.as_config(), "a config", "", again);
  EXPECT_EQ(again.text("data.path"), "/a/b#1.csv");
  EXPECT_EQ(again.text("data.format"), "csv");
  again.set("data.path", "/run #1/two.csv", "the command line");
  Settings third(keys_of(every_section));
  read_config_text(again.as_config(), "a config", "", third);
  EXPECT_EQ(third.text("data.path"), "/run #1/two.csv");
}

TEST(Config, InputPathsAreRelativeToItsFolderAndOutputPathsAreNot) {
  Settings settings(keys_of(every_section));
  read_config_text("[data]\npath = ../x.csv\n[output]\npath = r.h5\n", "a/b.cfg", "a", settings);
  EXPECT_EQ(settings.text("data.path"), "x.csv");
  EXPECT_EQ(settings.text("output.path"), "r.h5");
}

TEST(Config, WhatItWritesReadsBackAsTheSame) {
  Settings settings(keys_of(every_section));
  settings.set("landmarks.count", "7", "the command line");
  settings.set("similarity.kind", "sum", "the command line");
  settings.set("similarity.parts", "rbf,noise", "the command line");
  settings.set("similarity.2.sigma", "0.5", "the command line");
  Settings again(keys_of(every_section));
  read_config_text(settings.as_config(), "a config", "", again);
  EXPECT_EQ(again.as_config(), settings.as_config());
  EXPECT_EQ(again.number("similarity.2.sigma"), 0.5);
}

TEST(Problem, PartsOfASumHaveTheirOwnParameters) {
  Settings settings(keys_of(every_section));
  read_config_text(
      "[similarity]\nkind = sum\nparts = rbf, noise\nweights = 1, -2\n[similarity.1]\ngamma = 3\n[similarity.2]\n"
      "sigma = 4\n",
      "a config", "", settings);
  const SimilarityChoice sum = similarity_choice(settings);
  ASSERT_EQ(sum.parts.size(), 2U);
  EXPECT_EQ(sum.parts[0].name(), "rbf");
  EXPECT_EQ(sum.parts[0].values.text("gamma"), "3");
  EXPECT_EQ(sum.parts[1].values.number("sigma"), 4);
  EXPECT_EQ(sum.values.text("weights"), "1, -2");
}

TEST(Problem, KeysOfAnotherMethodAreIdleAndRefused) {
  Settings settings(keys_of(every_section));
  settings.set("data.path", "x.csv", "the command line");
  settings.set("similarity.kind", "rbf", "the command line");
  settings.set("approximation.alpha", "2", "the command line");
  const auto idle = unused_keys(settings, request_of(settings));
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle.front().name, "approximation.alpha");
  EXPECT_THROW(static_cast<void>(checked_request(settings)), Error);
  settings.set("approximation.method", "sms-nystrom", "the command line");
  EXPECT_NO_THROW(static_cast<void>(checked_request(settings)));
}

TEST(Problem, ALandmarkShareIsRoundedAndNeverZero) {
  Settings settings(keys_of(every_section));
  settings.set("landmarks.fraction", "0.001", "the command line");
  EXPECT_EQ(method_choice(settings).landmark_count(2600), 3);
  EXPECT_EQ(method_choice(settings).landmark_count(10), 1);
  EXPECT_THROW(settings.set("landmarks.fraction", "1.5", "the command line"), Error);
  EXPECT_THROW(settings.set("landmarks.fraction", "0", "the command line"), Error);
}

TEST(Guide, NamesOptionsThatTheCommandHas) {
  for (const Command& command : commands()) {
    const Settings settings(options_of(command));
    EXPECT_FALSE(common_options(command).empty()) << command.name;
    for (const std::string& name : common_options(command)) EXPECT_TRUE(settings.knows(name)) << command.name << name;
  }
}

TEST(Missing, AllKeysAreFoundOneByOneAndAnotherMistakeEndsTheSearch) {
  const Settings settings({{.name = "a"}, {.name = "b"}, {.name = "c"}});
  const auto check = [](const Settings& given) {
    static_cast<void>(given.required("b"));
    static_cast<void>(given.required("a"));
    if (given.text("a") == "bad") throw Error(ErrorKind::usage, "a = bad");
    static_cast<void>(given.required("c"));
  };
  const auto names = [&](const std::string& value) {
    std::vector<std::string> all;
    for (const MissingKey& key : missing_keys(settings, check, [&](auto&&...) { return value; }))
      all.push_back(key.name);
    return all;
  };
  EXPECT_EQ(names("good"), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(names("bad"), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(missing_text({{"a", "1"}, {"b", "2"}, {"c", "3"}}),
            "a, b and c are missing; give for example --a 1 --b 2 --c 3");
}

TEST(Sweep, QuartilesInterpolateBetweenOrderStatistics) {
  const Quartiles four = quartiles({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(four.first, 1.75);
  EXPECT_DOUBLE_EQ(four.median, 2.5);
  EXPECT_DOUBLE_EQ(four.third, 3.25);
  EXPECT_DOUBLE_EQ(quartiles({5}).third, 5);
}

TEST(Sweep, EveryLineHasAsManyFieldsAsTheHeading) {
  const std::size_t columns = csv_columns({"landmarks.count"}).size();
  const SweepFile::Fields key = csv_key({"7"}, 3, "0123");
  EXPECT_EQ(csv_fields(key, "singular").size(), columns);
  EXPECT_EQ(csv_fields(key, RunMetrics{}).size(), columns);
  RunMetrics metrics;
  metrics.description.error.emplace();
  EXPECT_EQ(csv_fields(key, metrics).size(), columns);
}

}  // namespace
}  // namespace cairn::app
