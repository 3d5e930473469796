// One run at a time works on a checkpoint; the lock of a run that is known to have ended stops nobody.
#include "cairn/store/checkpoint/checkpoint_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "cairn/base/error.hpp"
#include "sample_result.hpp"

namespace cairn::test::checkpoint_lock_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Lock : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path() + "/ck"; }
  [[nodiscard]] std::string file() const { return path() + ".lock"; }
  [[nodiscard]] bool exists() const { return std::filesystem::exists(file()); }

  // What the file of a run says, with other facts.
  void leave(const std::vector<std::pair<std::string, std::string>>& facts) const {
    std::ostringstream text;
    {
      const CheckpointLock lock(path(), "run.checkpoint");
      text << std::ifstream(file()).rdbuf();
    }
    std::string changed = text.str();
    for (const auto& [name, value] : facts)
      changed = std::regex_replace(changed, std::regex(name + " = .*"), name + " = " + value);
    std::ofstream(file()) << changed;
  }
  [[nodiscard]] std::string refusal() const {
    try {
      require_unlocked(path());
      const CheckpointLock lock(path(), "run.checkpoint");
      note_ = lock.note();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  }

  mutable std::string note_;

 private:
  TemporaryFolder folder_;
};

std::string of_a_process_that_ended() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return std::to_string(child);
}

TEST_F(Lock, IsThereWhileItLives) {
  {
    const CheckpointLock lock(path(), "run.checkpoint");
    EXPECT_TRUE(exists());
    EXPECT_TRUE(lock.is_own());
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("another run works on the checkpoint " + path()),
                      HasSubstr("process " + std::to_string(getpid()) + " on "), HasSubstr("remove " + file())));
    EXPECT_TRUE(exists()) << "who was refused took it away";
  }
  EXPECT_FALSE(exists());
  EXPECT_EQ(refusal(), "");
}

TEST_F(Lock, OfAProcessThatIsGoneIsTakenOver) {
  leave({{"process", of_a_process_that_ended()}});
  EXPECT_EQ(refusal(), "");
  EXPECT_THAT(note_, HasSubstr("that process is gone"));
  leave({{"began", "1"}});  // the number was given to another process
  EXPECT_EQ(refusal(), "");
  EXPECT_FALSE(exists());
}

TEST_F(Lock, TakesAwayWhatRunsLeftThatWereKilledWhileTheyMadeTheirs) {
  const std::string left = file() + ".host.12345", other = file() + ".host.12346", stranger = path() + ".locks";
  leave({});  // of a process that lives
  std::filesystem::rename(file(), other);
  leave({{"process", of_a_process_that_ended()}});
  std::filesystem::rename(file(), left);
  std::filesystem::copy_file(left, stranger);
  EXPECT_EQ(refusal(), "");
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(stranger));
}

TEST_F(Lock, OfThisHostBeforeItWasStartedAgainIsTakenOverAndOfAnotherWithItsNameIsNot) {
  leave({{"boot", "another"}, {"machine", "another"}});
  EXPECT_THAT(refusal(), HasSubstr("another run works"));
  if (std::string machine; !std::getline(std::ifstream("/etc/machine-id"), machine) || machine.empty())
    GTEST_SKIP() << "this machine has no /etc/machine-id";
  std::filesystem::remove(file());
  leave({{"boot", "another"}});
  EXPECT_EQ(refusal(), "");
  EXPECT_THAT(note_, HasSubstr("this host was started again"));
}

TEST_F(Lock, OfAnotherHostIsTakenOverIfNobodyTouchesIt) {
  using namespace std::chrono_literals;
  const auto untouched = [&](std::chrono::seconds time) {
    std::filesystem::last_write_time(file(), std::filesystem::file_time_type::clock::now() - time);
  };
  for (const auto& facts : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"host", "elsewhere"}}, {{"processes", "pid:[1]"}}, {{"boot", "another"}, {"machine", ""}}}) {
    leave(facts);
    untouched(300s);
    EXPECT_THAT(refusal(), HasSubstr("another run works"));
    untouched(660s);
    EXPECT_EQ(refusal(), "");
    EXPECT_THAT(note_, HasSubstr("last touched 11 minutes ago"));
  }
  leave({});
  untouched(660s);
  EXPECT_THAT(refusal(), HasSubstr("another run works")) << "its process is here, and may be stopped";
}

TEST_F(Lock, IsTouchedAsLongAsItLives) {
  using namespace std::chrono_literals;
  const CheckpointLock lock(path(), "run.checkpoint", 20ms);
  const auto long_ago = std::filesystem::file_time_type::clock::now() - 3600s;
  std::filesystem::last_write_time(file(), long_ago);
  for (int tries = 0; tries < 500 && std::filesystem::last_write_time(file()) < long_ago + 60s; ++tries)
    std::this_thread::sleep_for(20ms);
  EXPECT_GT(std::filesystem::last_write_time(file()), long_ago + 3000s);
}

// As under hidepid, where /proc does not show the processes of others.
TEST_F(Lock, OfAProcessThatIsHiddenStays) {
  leave({{"process", "1"}, {"began", "hidden"}});
  if (std::ifstream("/proc/1/stat").good()) GTEST_SKIP() << "this system shows the processes of others";
  EXPECT_THAT(refusal(), HasSubstr("another run works"));
}

TEST_F(Lock, StaysWhereASignalEndsTheProcessIfItIsAnotherRunsByNow) {
  EXPECT_EXIT(
      {
        const CheckpointLock lock(path(), "run.checkpoint");
        std::ofstream(file() + ".new") << "host = elsewhere\n";
        std::filesystem::rename(file() + ".new", file());
        remove_partial_file_from_signal_handler();
        _exit(exists() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(Lock, OfAnotherHostIsTakenOverIfTheJobWasStartedAgain) {
  leave({{"host", "elsewhere"}, {"job", "77"}, {"restarts", "0"}});
  EXPECT_THAT(refusal(), HasSubstr("on elsewhere, job 77, since 20"));
  setenv("SLURM_JOB_ID", "77", 1);
  EXPECT_THAT(refusal(), HasSubstr("on elsewhere, job 77")) << "another step of a job that runs";
  setenv("SLURM_RESTART_COUNT", "1", 1);
  EXPECT_EQ(refusal(), "");
  EXPECT_THAT(note_, HasSubstr("that job was started again"));
  setenv("SLURM_JOB_ID", "78", 1);
  leave({{"host", "elsewhere"}, {"job", "77"}, {"restarts", "0"}});
  EXPECT_THAT(refusal(), HasSubstr("on elsewhere, job 77"));
  unsetenv("SLURM_JOB_ID");
  unsetenv("SLURM_RESTART_COUNT");
}

TEST_F(Lock, OfAnotherContainerOrOfNobodyIsNotTakenOver) {
  leave({{"processes", "pid:[1]"}, {"process", of_a_process_that_ended()}});
  EXPECT_THAT(refusal(), HasSubstr("another run works"));
  std::ofstream(file()) << "";
  EXPECT_THAT(refusal(), HasSubstr("which says nothing of itself"));
}

TEST_F(Lock, ThatIsAnotherRunsByNowStays) {
  {
    const CheckpointLock lock(path(), "run.checkpoint");
    std::filesystem::remove(file());
    EXPECT_FALSE(lock.is_own());
    std::ofstream(file()) << "host = elsewhere\n";
    EXPECT_FALSE(lock.is_own());
  }
  EXPECT_TRUE(exists());
}

TEST_F(Lock, GoesWhereASignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const CheckpointLock lock(path(), "run.checkpoint");
        remove_partial_file_from_signal_handler();
        _exit(exists() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(Lock, NamesThePathThatCannotBeWritten) {
  try {
    const CheckpointLock lock("/proc/none/ck", "run.checkpoint");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot make /proc/none/ck.lock"), HasSubstr("change run.checkpoint")));
  }
}

}  // namespace
}  // namespace cairn::test::checkpoint_lock_test
