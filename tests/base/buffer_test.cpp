#include "cairn/base/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"

namespace cairn::buffer_test {
namespace {

TEST(Buffer, IsAlignedToCacheLinesAndLargeOnesToHugePages) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Buffer<char>(10).data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Buffer<char>(9 << 20).data()) % (2U << 20), 0U);
}

TEST(Buffer, HoldsWhatIsWrittenFromEndToEnd) {
  for (const Index size : {Index{0}, Index{1}, Index{1000}, Index{600'001}}) {
    Buffer<double> buffer(size);
    for (Index i = 0; i < size; ++i) buffer[i] = static_cast<double>(i);
    for (Index i = 0; i < size; ++i) ASSERT_EQ(buffer[i], static_cast<double>(i));
    EXPECT_EQ(buffer.span().size(), static_cast<std::size_t>(size));
  }
}

TEST(Buffer, IsEmptyWhenItWasMovedFrom) {
  Buffer<int> first(7);
  first[6] = 5;
  const Buffer<int> second = std::move(first);
  EXPECT_EQ(second.size(), 7);
  EXPECT_EQ(second[6], 5);
  EXPECT_EQ(first.size(), 0);  // NOLINT(bugprone-use-after-move): what a moved-from buffer says is promised
}

TEST(Buffer, GivesLargePiecesBackToTheSystem) {
  const Index before = resident_bytes();
  {
    Buffer<char> buffer(Index{256} << 20);
    for (Index i = 0; i < buffer.size(); i += 4096) buffer[i] = 1;
    EXPECT_GT(resident_bytes(), before + (Index{200} << 20));
  }
  EXPECT_LT(resident_bytes(), before + (Index{50} << 20));
}

TEST(Buffer, MoreThanThereIsIsAnErrorWithTheSize) {
  try {
    const Buffer<double> buffer(Index{1} << 50);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_NE(std::string(error.what()).find("9007199254740992"), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn::buffer_test
