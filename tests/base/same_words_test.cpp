// What ranks were told is compared: the first that differs is named on all of them.
#include "cairn/base/mpi/same_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cairn/base/error.hpp"
#include "test_communicator.hpp"

namespace cairn::same_words_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::vector<std::string>& words) {
  try {
    require_same_words(test::world(), words, "one line", "; advice");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(SameWords, MayBeAny) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({"approximate", "", "--data.path", "a b"}), "");
}

TEST(SameWords, ThatDifferAreNamedOnAllRanks) {
  if (test::world().size() == 1) return;
  const bool last = test::world().rank() == test::world().size() - 1;
  std::string host = host_name();  // of the last rank
  test::world().broadcast(host, test::world().size() - 1);
  const std::string rank = "rank " + std::to_string(test::world().size() - 1) + " on " + host;
  EXPECT_EQ(refusal({"a", last ? "6" : "5", "c"}), "one line: " + rank + " has '6' where rank 0 has '5'; advice");
  EXPECT_THAT(refusal(last ? std::vector<std::string>{"a"} : std::vector<std::string>{"a", "b"}),
              HasSubstr("has nothing where rank 0 has 'b'"));
  EXPECT_THAT(refusal(last ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a"}),
              HasSubstr("has 'b' where rank 0 has nothing"));
  // The same letters in other words.
  EXPECT_THAT(refusal(last ? std::vector<std::string>{"ab", "c"} : std::vector<std::string>{"a", "bc"}),
              HasSubstr("has 'ab' where rank 0 has 'a'"));
  EXPECT_THAT(refusal({std::string(1000, last ? 'x' : 'y')}), AllOf(HasSubstr("xxx...'"), HasSubstr("yyy...'")));
}

}  // namespace
}  // namespace cairn::same_words_test
