#include "cairn/base/process/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace {

using namespace cairn;
using namespace std::chrono_literals;

// What stands in a pipe until its end.
std::string all_of(int pipe) {
  std::string text;
  while (ChildProcess::read_some(pipe, text)) {
    pollfd wait{pipe, POLLIN, 0};
    poll(&wait, 1, 10000);
  }
  return text;
}

std::string ending_of(ChildProcess& process) {
  for (int look = 0; look < 2000; ++look) {
    if (const auto ending = process.ending()) return *ending;
    std::this_thread::sleep_for(5ms);
  }
  return "none";
}

// Whether a process is there, and no zombie that nobody has waited for yet.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const char state = line[line.rfind(')') + 2];
  return state != 'Z' && state != 'X';
}

bool ends_soon(pid_t process) {
  for (int look = 0; look < 2000 && runs(process); ++look) std::this_thread::sleep_for(5ms);
  return !runs(process);
}

TEST(ChildProcess, ReadsAndWrites) {
  ChildProcess process("cat; echo done >&2; exit 3", {});
  ASSERT_EQ(process.write_some("one\ntwo\n"), 8U);
  process.close_input();
  EXPECT_EQ(all_of(process.output()), "one\ntwo\n");
  EXPECT_EQ(all_of(process.errors()), "done\n");
  EXPECT_EQ(ending_of(process), "exit code 3");
  EXPECT_EQ(process.exit_code(), 3);
}

TEST(ChildProcess, TellsWhichSignalEndedIt) {
  ChildProcess process("kill -SEGV $$", {});
  EXPECT_EQ(ending_of(process), "signal 11 (SEGV)");
  EXPECT_FALSE(process.exit_code());
  ChildProcess in_a_shell("sh -c 'kill -KILL $$'; exit $?", {});
  EXPECT_EQ(ending_of(in_a_shell), "exit code 137, which a shell gives for signal 9 (KILL)");
}

TEST(ChildProcess, ThatIsNotThereEndsWithTheCodeOfAShell) {
  ChildProcess process("no-such-program-of-cairn", {});
  EXPECT_EQ(ending_of(process), "exit code 127");
  EXPECT_NE(all_of(process.errors()).find("not found"), std::string::npos);
}

TEST(ChildProcess, ToWhichNobodyListensRaisesNoSignal) {
  ChildProcess process("exec <&-; echo closed; sleep 60", {});
  std::string said;
  while (said.empty()) ASSERT_TRUE(ChildProcess::read_some(process.output(), said));
  // The shell that waits for the end has its standard input for a moment.
  auto written = process.write_some("text");
  for (int look = 0; look < 2000 && written; ++look) {
    std::this_thread::sleep_for(1ms);
    written = process.write_some("text");
  }
  EXPECT_FALSE(written);
}

TEST(ChildProcess, WritesWhatThePipeTakesAndNoMore) {
  ChildProcess process("sleep 60", {});
  const std::string much(std::size_t{1} << 22, 'x');
  std::size_t written = 0;
  for (int round = 0; round < 4; ++round) written += process.write_some(much).value();
  EXPECT_GT(written, 0U);
  EXPECT_LT(written, much.size());
}

TEST(ChildProcess, InheritsNoOpenFileAndNothingOfTheLauncher) {
  const int file = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  setenv("OMPI_COMM_WORLD_RANK_OF_A_TEST", "7", 1);
  setenv("CAIRN_TEST", "old", 1);
  // The user's own settings of Open MPI stay.
  ChildProcess process(
      "env | grep -v '^OMPI_ALLOW_RUN_AS_ROOT' | "
      "grep -c '^OMPI_[^M]\\|^PMIX_\\|^OMPI_MCA_orte_\\|^OMPI_MCA_ess\\|^OMPI_MCA_pmix'; "
      "echo $CAIRN_TEST; exec ls -l /proc/self/fd",
      {{"CAIRN_TEST", "new"}});
  const std::string text = all_of(process.output());
  EXPECT_EQ(text.substr(0, 6), "0\nnew\n");
  EXPECT_EQ(text.find("/dev/null"), std::string::npos) << text;
  EXPECT_EQ(text.find("socket:"), std::string::npos) << text;
  std::size_t pipes = 0;
  for (auto at = text.find("pipe:"); at != std::string::npos; at = text.find("pipe:", at + 1)) ++pipes;
  EXPECT_EQ(pipes, 3U) << text;
  close(file);
}

TEST(ChildProcess, TakesItsWholeGroupWithIt) {
  pid_t grandchild = 0;
  {
    ChildProcess process("sleep 600 & echo $!; wait", {});
    std::string said;
    while (said.find('\n') == std::string::npos) ASSERT_TRUE(ChildProcess::read_some(process.output(), said));
    grandchild = static_cast<pid_t>(std::stol(said));
    EXPECT_TRUE(runs(grandchild));
  }
  EXPECT_TRUE(ends_soon(grandchild));
}

TEST(ChildProcess, DoesNotOutliveAProgramThatIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();  // no MPI call is made in it
  if (parent == 0) {
    ChildProcess process("trap '' TERM HUP; sleep 600 & echo $!; wait", {});
    std::string said;
    while (said.find('\n') == std::string::npos) static_cast<void>(ChildProcess::read_some(process.output(), said));
    [[maybe_unused]] const auto sent = write(ends[1], said.data(), said.size());
    for (;;) pause();
  }
  std::string said(32, '\0');
  said.resize(read(ends[0], said.data(), said.size()));
  const auto grandchild = static_cast<pid_t>(std::stol(said));
  EXPECT_TRUE(runs(grandchild));
  kill(parent, SIGKILL);
  EXPECT_TRUE(ends_soon(grandchild));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
