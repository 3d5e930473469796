#include "cairn/evaluation/qvec.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../data/written_files.hpp"
#include "evaluation/word_vectors.hpp"

namespace cairn::test::qvec_test {
namespace {

using Matrix = std::vector<std::vector<double>>;  // rows

std::string letter(Index i) { return std::string(1, static_cast<char>('a' + i)); }

// The words a, b, ... with the rows of a matrix, and z-words between them.
WordVectors<double> vectors_of(const Matrix& rows) {
  const auto n = static_cast<Index>(rows.size());
  return word_vectors(
      8 * n, static_cast<Index>(rows.front().size()),
      [](Index i) { return i % 8 == 3 ? letter(i / 8) : "z" + std::to_string(i); },
      [&](Index i, Index k) { return i % 8 == 3 ? rows[i / 8][k] : 7.0; });
}

// Feature j of word i is s[i][j]; features of 0 are left out.
WordFeatures features_of(const Matrix& s, const std::function<std::string(Index)>& name) {
  WordFeatures features;
  features.path = "oracle";
  for (std::size_t j = 0; j < s.front().size(); ++j) features.names.push_back("f" + std::to_string(j));
  for (std::size_t i = 0; i < s.size(); ++i) {
    WordFeatures::Entry entry{name(static_cast<Index>(i)), static_cast<Index>(i) + 1, {}};
    for (std::size_t j = 0; j < s[i].size(); ++j) {
      if (s[i][j] != 0.0) entry.features.emplace_back(j, s[i][j]);
    }
    features.words.push_back(std::move(entry));
  }
  return features;
}

QvecScores score(const Matrix& x, const Matrix& s) {
  const WordVectors<double> vectors = vectors_of(x);
  return qvec(world(), vectors.rows, vectors.labels, features_of(s, letter));
}

Matrix transformed(Matrix rows, const std::function<void(std::vector<double>&)>& change) {
  for (auto& row : rows) change(row);
  return rows;
}

// One feature in four words: its correlation with (1, 2, 3, 4) is .5 / sqrt(5 * .75).
TEST(Qvec, IsComputedByHand) {
  const Matrix x = {{1}, {2}, {3}, {4}}, s = {{0}, {0}, {1}, {0}};
  const QvecScores found = score(x, s);
  EXPECT_EQ(found.words, 4);
  EXPECT_EQ(found.listed, 4);
  EXPECT_EQ(found.features, 1);
  EXPECT_NEAR(found.score, .5 / std::sqrt(3.75), 1e-15);
  EXPECT_NEAR(found.cca.value(), .5 / std::sqrt(3.75), 1e-14);
}

// A column that goes against the only feature is aligned with none; against one of two, it goes with the other.
TEST(Qvec, DependsOnSigns) {
  const Matrix x = {{1, 3}, {1, 1}, {0, 2}, {0, 2}}, minus = transformed(x, [](auto&row) { row[0] = -row[0]; });
  const Matrix one = {{1}, {1}, {0}, {0}}, two = {{1, 0}, {1, 0}, {0, 1}, {0, 1}};
  EXPECT_NEAR(score(x, one).score, 1.0, 1e-15);
  EXPECT_NEAR(score(minus, one).score, 0.0, 1e-15);
  EXPECT_NEAR(score(minus, two).score, 1.0, 1e-15);
  EXPECT_NEAR(score(minus, one).cca.value(), 1.0, 1e-14);
}

// 90 words of vectors that depend a little on features.
constexpr Index many = 90, columns = 5, properties = 4;

Matrix many_features() {
  Matrix s;
  for (Index i = 0; i < many; ++i) {
    s.emplace_back();
    for (Index j = 0; j < properties; ++j)
      s.back().push_back((i * 7 + j * j) % 3 == 0 ? 0.0 : std::abs(scattered(i, 50 + j)));
  }
  return s;
}

Matrix many_vectors(const Matrix& s) {
  Matrix x;
  for (Index i = 0; i < many; ++i) {
    const auto& f = s[i];
    x.emplace_back();
    for (Index k = 0; k < columns; ++k) {
      x.back().push_back(3.0 * static_cast<double>(k) + scattered(i, k) +
                         .7 * f[static_cast<std::size_t>(k) % f.size()] - .4 * f[0]);
    }
  }
  return x;
}

std::string word_name(Index i) { return "word" + std::to_string(i * 53 % many); }

QvecScores score_many(const Matrix& x, const Matrix& s, const Communicator& ranks = world()) {
  const auto vectors = word_vectors(
      many, static_cast<Index>(x.front().size()), [](Index i) { return "word" + std::to_string(i); },
      [&](Index i, Index k) {  // row i has the vector of the word that the file has at the place with that name
        for (Index place = 0; place < many; ++place) {
          if (place * 53 % many == i) return x[place][k];
        }
        return 0.0;
      },
      ranks);
  return qvec(ranks, vectors.rows, vectors.labels, features_of(s, word_name));
}

Matrix centered(Matrix rows) {
  for (std::size_t j = 0; j < rows.front().size(); ++j) {
    double mean = 0;
    for (const auto& row : rows) mean += row[j] / static_cast<double>(rows.size());
    for (auto& row : rows) row[j] -= mean;
  }
  return rows;
}

// AᵀB
Matrix inner(const Matrix& a, const Matrix& b) {
  Matrix result(a.front().size(), std::vector<double>(b.front().size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      for (std::size_t k = 0; k < b[i].size(); ++k) result[j][k] += a[i][j] * b[i][k];
    }
  }
  return result;
}

// A⁻¹b, A positive definite, by elimination.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  for (std::size_t k = 0; k < b.size(); ++k) {
    for (std::size_t i = k + 1; i < b.size(); ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < b.size(); ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = b.size(); k-- > 0;) {
    for (std::size_t j = k + 1; j < b.size(); ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

std::vector<double> times(const Matrix& a, const std::vector<double>& v) {
  std::vector<double> result;
  for (const auto& row : a) result.push_back(std::inner_product(row.begin(), row.end(), v.begin(), 0.0));
  return result;
}

double brute_qvec(const Matrix& x, const Matrix& s) {
  const Matrix xc = centered(x), sc = centered(s), xs = inner(xc, sc), xx = inner(xc, xc), ss = inner(sc, sc);
  double sum = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    double best = 0;
    for (std::size_t j = 0; j < ss.size(); ++j) best = std::max(best, xs[i][j] / std::sqrt(xx[i][i] * ss[j][j]));
    sum += best;
  }
  return sum;
}

// The square of the first canonical correlation is the largest eigenvalue of Cxx⁻¹ Cxs Css⁻¹ Csx, by powers of it.
double brute_cca(const Matrix& x, const Matrix& s) {
  const Matrix xc = centered(x), sc = centered(s);
  const Matrix xx = inner(xc, xc), ss = inner(sc, sc), xs = inner(xc, sc), sx = inner(sc, xc);
  std::vector<double> v(xx.size(), 1.0);
  double value = 0;
  for (int step = 0; step < 5000; ++step) {
    std::vector<double> next = solve(xx, times(xs, solve(ss, times(sx, v))));
    value = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    for (double& entry : next) entry /= value;
    v = next;
  }
  return std::sqrt(value);
}

TEST(Qvec, IsThatOfTheDefinition) {
  const Matrix s = many_features(), x = many_vectors(s);
  const QvecScores found = score_many(x, s);
  EXPECT_EQ(found.words, many);
  EXPECT_NEAR(found.score, brute_qvec(x, s), 1e-13);
  EXPECT_NEAR(found.cca.value(), brute_cca(x, s), 1e-11);
  EXPECT_GT(*found.cca, .3);
  EXPECT_LT(*found.cca, .95);
  EXPECT_FALSE(found.too_few_words());
}

TEST(Qvec, IsTheSameOnAnyNumberOfRanks) {
  const Matrix s = many_features(), x = many_vectors(s);
  const Communicator alone(MPI_COMM_SELF);
  const QvecScores here = score_many(x, s), there = score_many(x, s, alone);
  EXPECT_EQ(here.score, there.score);
  EXPECT_EQ(here.cca.value(), there.cca.value());
}

TEST(Qvec, OfRotatedOrScaledColumnsHasTheSameCca) {
  const Matrix s = many_features(), x = many_vectors(s);
  const QvecScores before = score_many(x, s);
  const QvecScores turned = score_many(transformed(x,
                                                   [](auto& row) {
                                                     const double a = row[0], b = row[3];
                                                     row[0] = .6 * a - .8 * b;
                                                     row[3] = .8 * a + .6 * b;
                                                   }),
                                       s);
  EXPECT_NEAR(turned.cca.value(), before.cca.value(), 1e-13);
  EXPECT_GT(std::abs(turned.score - before.score), 1e-3);
  const QvecScores scaled = score_many(transformed(x,
                                                   [](auto& row) {
                                                     row[1] *= 1e-14;
                                                     row[2] *= 1e200;
                                                   }),
                                       s);
  EXPECT_NEAR(scaled.score, before.score, 1e-12);
  EXPECT_NEAR(scaled.cca.value(), before.cca.value(), 1e-12);
}

// Columns and features that depend on others, and some that do not vary.
TEST(Qvec, LeavesOutWhatDependsOnOthers) {
  const Matrix s = many_features(), x = many_vectors(s);
  const QvecScores before = score_many(x, s);
  const QvecScores found = score_many(transformed(x,
                                                  [](auto& row) {
                                                    row.push_back(row[0] - 2 * row[1]);
                                                    row.push_back(5.0);
                                                  }),
                                      transformed(s, [](auto& row) {
                                        row.push_back(1 - row[0] - row[1] - row[2] - row[3]);
                                        row.push_back(0.0);
                                        row.push_back(.1);
                                      }));
  EXPECT_EQ(before.vector_rank, columns);
  EXPECT_EQ(before.feature_rank, properties);
  EXPECT_EQ(found.vector_rank, columns);
  EXPECT_EQ(found.feature_rank, properties);
  EXPECT_EQ(found.features, properties + 3);
  EXPECT_NEAR(found.cca.value(), before.cca.value(), 1e-12);
  const QvecScores none = score_many(Matrix(many, {4.0, 4.0}), s);
  EXPECT_EQ(none.score, 0.0);
  EXPECT_FALSE(none.cca);
}

TEST(Qvec, OfSinglePrecisionIsNearlyThatOfDouble) {
  const Matrix s = many_features(), x = many_vectors(s);
  const auto vectors = word_vectors<float>(many, columns, word_name, [&](Index i, Index k) { return x[i][k]; });
  const QvecScores found = qvec(world(), vectors.rows, vectors.labels, features_of(s, word_name));
  EXPECT_NEAR(found.score, brute_qvec(x, s), 1e-5);
  EXPECT_NEAR(found.cca.value(), brute_cca(x, s), 1e-5);
}

TEST(Qvec, SaysThatItsWordsAreTooFew) {
  Matrix x, s;
  for (Index i = 0; i < 6; ++i) {
    x.push_back({scattered(i, 0), scattered(i, 1), scattered(i, 2)});
    s.push_back({scattered(i, 3), scattered(i, 4), scattered(i, 5)});
  }
  const QvecScores found = score(x, s);
  EXPECT_TRUE(found.too_few_words());
  EXPECT_NEAR(found.cca.value(), 1.0, 1e-12);
}

TEST(Qvec, TakesTheWordsThatBothHave) {
  const Matrix s = many_features(), x = many_vectors(s);
  WordFeatures features = features_of(s, word_name);
  for (std::size_t i = 0; i < features.words.size(); i += 2) features.words[i].word = "W" + features.words[i].word;
  const auto vectors = word_vectors(many, columns, word_name, [&](Index i, Index k) { return x[i][k]; });
  const QvecScores found = qvec(world(), vectors.rows, vectors.labels, features);
  Matrix odd_x, odd_s;
  for (std::size_t i = 1; i < x.size(); i += 2) {
    odd_x.push_back(x[i]);
    odd_s.push_back(s[i]);
  }
  EXPECT_EQ(found.words, many / 2);
  EXPECT_EQ(found.listed, many);
  EXPECT_NEAR(found.score, brute_qvec(odd_x, odd_s), 1e-13);
  EXPECT_NEAR(found.cca.value(), brute_cca(odd_x, odd_s), 1e-11);
}

TEST(Qvec, RefusesWhatHasNoCorrelation) {
  const Matrix x = {{1}, {2}, {4}, {3}}, s = {{1}, {0}, {0}, {1}};
  const auto refused = [](const WordVectors<double>& vectors, const WordFeatures& features, ErrorKind kind,
                          std::initializer_list<const char*> parts) {
    expect_error([&] { (void)qvec(world(), vectors.rows, vectors.labels, features); }, kind, parts);
  };
  WordFeatures features = features_of(s, letter);
  features.words[0].word = features.words[1].word = "unknown";
  refused(vectors_of(x), features, ErrorKind::input,
          {"oracle: of its 4 words 2 are labels of rows; a correlation takes 3"});
  WordVectors<double> vectors = vectors_of(x);
  for (std::string& label : vectors.labels) label = label == "d" ? "c" : label;
  refused(vectors, features_of(s, letter), ErrorKind::input, {"oracle:3: the label 'c' is a duplicate: 2 rows"});
  refused(vectors_of({{1}, {NAN}, {4}, {3}}), features_of(s, letter), ErrorKind::numeric, {"not finite"});
  refused(vectors_of({{INFINITY}, {INFINITY}, {INFINITY}, {INFINITY}}), features_of(s, letter), ErrorKind::numeric,
          {"not finite"});
}

TEST(WordFeatures, AreRead) {
  const WrittenFiles files;
  const std::string text =
      "0\t{\"noun.quantity\": 0.75, \"noun.time\": 0.25}\r\n\nabandon\t{\"verb.social\": 1, \"noun.time\": "
      "-2e-1}\nthe\t{}\n";
  for (const std::string& bytes : {text, gzipped(text), xz_compressed(text)}) {
    const WordFeatures read = read_word_features(world(), files.write("oracle", bytes));
    EXPECT_EQ(read.names, (std::vector<std::string>{"noun.quantity", "noun.time", "verb.social"}));
    ASSERT_EQ(read.words.size(), 3U);
    EXPECT_EQ(read.words[0].word, "0");
    EXPECT_EQ(read.words[1].word, "abandon");
    EXPECT_EQ(read.words[1].line, 3);
    EXPECT_EQ(read.words[1].features, (std::vector<std::pair<std::size_t, double>>{{2, 1.0}, {1, -0.2}}));
    EXPECT_TRUE(read.words[2].features.empty());
  }
}

TEST(WordFeatures, AreRefusedWithTheirLine) {
  const WrittenFiles files;
  const auto refused = [&](const std::string& bytes, std::initializer_list<const char*> parts) {
    const std::string path = files.write("oracle", bytes);
    expect_error([&] { (void)read_word_features(world(), path); }, ErrorKind::input, parts);
  };
  refused("a {\"f\": 1}\n", {"oracle:1: is not a word, a tab, and a JSON object"});
  refused("\t{\"f\": 1}\n", {"oracle:1: is not a word, a tab, and a JSON object"});
  refused("a\t{\"f\": 1}\nb\t{\"f\": }\n", {"oracle:2: it is no JSON object of numbers: column 7"});
  refused("a\t\n", {"oracle:1: it is no JSON object of numbers"});
  refused("a\t3\n", {"oracle:1: it is no JSON object of numbers"});
  refused("a\t[1]\n", {"oracle:1: it is no JSON object of numbers"});
  refused("a\t{\"f\": 1} x\n", {"oracle:1: it is no JSON object of numbers"});
  refused("a\t{\"f\": \"1\"}\n", {"oracle:1: its field 'f' is a text, not a number"});
  refused("a\t{\"f\": [1]}\n", {"oracle:1: its field 'f' is an array, not a number"});
  refused("a\t{\"f\": {}}\n", {"oracle:1: its field 'f' is an object, not a number"});
  refused("a\t{\"f\": null}\n", {"oracle:1: its field 'f' is null, not a number"});
  refused("a\t{\"f\": NaN}\n", {"oracle:1: it is no JSON object of numbers"});
  refused("a\t{\"f\": 1e999}\n", {"oracle:1: it is no JSON object of numbers"});
  refused("a\t{\"f\": 1, \"f\": 2}\n", {"oracle:1: its field 'f' is a duplicate"});
  refused("a\t{\"f\": 1}\nb\t{}\na\t{}\n", {"oracle:3: the word 'a' is a duplicate of line 1"});
  refused("a\t{}\n", {"oracle: its words have no features"});
  refused("\n \n", {"oracle: has no words"});
  refused("", {"oracle: is empty"});
}

}  // namespace
}  // namespace cairn::test::qvec_test
