#include "cairn/base/process/interruption.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "cairn/base/process/partial_file.hpp"
#include "cairn/base/process/signals.hpp"

namespace cairn::interruption_test {
namespace {

// What happens to a process is looked at in a copy of it, which ends at once, without MPI.

TEST(Interruption, ASignalAsksAndSaysWithinWhichTime) {
  EXPECT_EXIT(
      {
        stop_on_signals(true, false);
        expect_stop_within(12.3);
        raise(SIGUSR1);
        _exit(stop_request() == "SIGUSR1" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "SIGUSR1: the run stops at its next tile, within about 13 s");
}

TEST(Interruption, TheLimitOfProcessorTimeAsksAndDoesNotEndTheProcessWhenItIsSaidAgain) {
  EXPECT_EXIT(
      {
        stop_on_signals(true, false);
        for (int second = 0; second < 7; ++second) {
          raise(SIGXCPU);
          sleep(1);
        }
        _exit(stop_request() == "SIGXCPU" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "SIGXCPU: the run stops at its next tile");
}

TEST(Interruption, ASecondSignalEndsTheProcessAndItsPartialFile) {
  const std::string path = testing::TempDir() + "interruption." + std::to_string(getpid());
  std::ofstream(path) << "half";
  EXPECT_EXIT(
      {
        const PartialFile partial(path);
        stop_on_signals(true, true);
        raise(SIGTERM);
        raise(SIGUSR2);
        _exit(0);
      },
      testing::ExitedWithCode(128 + SIGUSR2), "second signal: stopping at once");
  EXPECT_NE(0, access(path.c_str(), F_OK)) << "the partial file stayed";
}

TEST(Interruption, TheSameSignalTwiceAtOnceIsOne) {
  EXPECT_EXIT(
      {
        stop_on_signals(true, true);
        raise(SIGTERM);
        raise(SIGTERM);
        _exit(stop_request() == "SIGTERM" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "SIGTERM: the run stops");
}

TEST(Interruption, WithoutACheckpointSignalsEndTheProcess) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM, SIGPIPE}) {
    EXPECT_EXIT(
        {
          handle_termination_signals(true);
          raise(signal);
          _exit(0);
        },
        testing::ExitedWithCode(128 + signal), "nothing half-written was left");
  }
}

TEST(Interruption, SignalsWaitUntilAFileIsKnown) {
  const std::string path = testing::TempDir() + "/waiting-" + std::to_string(getpid());
  EXPECT_EXIT(
      {
        handle_termination_signals(true);
        std::optional<PartialFile> known;
        {
          const SignalsWait signals;
          std::ofstream(path) << "x";
          raise(SIGTERM);
          known.emplace(path);
        }
        _exit(0);
      },
      testing::ExitedWithCode(128 + SIGTERM), "nothing half-written was left");
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST(Interruption, SignalsSayWhatIsLeftBehind) {
  EXPECT_EXIT(
      {
        handle_termination_signals(true);
        const LeftBehind table("t.npy.partial was left");
        raise(SIGTERM);
        _exit(0);
      },
      testing::ExitedWithCode(128 + SIGTERM), "^cairn: terminated \\(SIGTERM\\); t.npy.partial was left\n$");
  EXPECT_EXIT(
      {
        handle_termination_signals(true);
        { const LeftBehind table("t.npy.partial was left"); }
        raise(SIGTERM);
        _exit(0);
      },
      testing::ExitedWithCode(128 + SIGTERM), "; nothing half-written was left\n$");
}

TEST(Interruption, SignalsThatWhoStartedTheProgramIgnoresStayIgnored) {
  for (const int ignored : {SIGHUP, SIGPIPE}) {
    EXPECT_EXIT(
        {
          signal(ignored, SIG_IGN);
          handle_termination_signals(true);
          raise(ignored);
          _exit(0);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST(Interruption, ARequestStandsUntilItIsForgotten) {
  EXPECT_FALSE(stop_request());
  request_stop("run.max-time");
  EXPECT_EQ("run.max-time", stop_request());
  forget_stop_request();
  EXPECT_FALSE(stop_request());
}

}  // namespace
}  // namespace cairn::interruption_test
