// Documents of one word, whose word mover's distance is that of the words' vectors.
#include <gtest/gtest.h>

#include <fstream>

#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::documents_test {
namespace {

constexpr int old_words = 14, all_words = 22;
constexpr double gamma_of_wmd = 0.4;

double x_of(int word) { return std::cos(1.7 * word) + 0.1 * word; }
double y_of(int word) { return std::sin(2.3 * word); }

double expected(int a, int b) { return std::exp(-gamma_of_wmd * std::hypot(x_of(a) - x_of(b), y_of(a) - y_of(b))); }

std::string name_of(int word) { return std::string("word") + static_cast<char>('a' + word); }

// The vectors of all words; the old documents; new ones, whose words no old one has, backwards.
void write_files(const TemporaryFolder& folder) {
  if (world().is_root()) {
    std::ofstream vectors(folder.file("vectors.txt")), old(folder.file("old.txt")), fresh(folder.file("new.txt"));
    vectors.precision(17);
    for (int w = 0; w < all_words; ++w) vectors << name_of(w) << ' ' << x_of(w) << ' ' << y_of(w) << '\n';
    for (int w = 0; w < old_words; ++w) old << name_of(w) << '\n';
    for (int w = all_words - 1; w >= old_words; --w) fresh << name_of(w) << '\n';
  }
  world().barrier();
}

TEST(Documents, AreReadAndExtendedByTheirDescriptor) {
  const TemporaryFolder folder;
  write_files(folder);
  const Session session = session_on_all_ranks();
  const auto given = [&](const char* file) {
    return GivenValues{{"path", folder.file(file)}, {"format", "lines"}, {"vectors", folder.file("vectors.txt")}};
  };
  const auto documents = read_objects(session, "documents", given("old.txt"));
  const auto matrix = similarity(session, "wmd", {{"gamma", gamma_of_wmd}}, documents);
  const auto result = approximate(session, matrix, "nystrom", {{"landmarks.count", 5}});
  save(session, folder.file("r.h5"), result);
  const auto extended = extend(session, load(session, folder.file("r.h5")), given("new.txt"));
  ASSERT_EQ(extended.size(), all_words - old_words);
  const auto& origin = *extended.approximation().left_origin;
  const auto& left = extended.approximation().left.dense();
  for (Index i = left.range().begin; i < left.range().end; ++i) {
    for (std::size_t k = 0; k < origin.indices.size(); ++k) {
      EXPECT_NEAR(left.row(i)[k], expected(all_words - 1 - static_cast<int>(i), static_cast<int>(origin.indices[k])),
                  1e-6);
    }
  }
}

}  // namespace
}  // namespace cairn::test::documents_test
