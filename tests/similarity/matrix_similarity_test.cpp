#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "test_communicator.hpp"

namespace {

using namespace cairn;
using cairn::test::world;

constexpr Index n = 60;

double symmetric_entry(Index i, Index j) { return 1.0 / static_cast<double>(1 + std::min(i, j) + 3 * std::max(i, j)); }

// An .npy file of n_rows x n_columns values that all ranks see while the object lives.
template <class Stored>
class NpyFile {
 public:
  template <class Entry>
  NpyFile(const std::string& name, Index rows, Index columns, const Entry& entry)
      : path_(
            (std::filesystem::temp_directory_path() / ("cairn-" + name + "-" + std::to_string(world().size()) + ".npy"))
                .string()) {
    collectively(world(), [&] {
      if (world().is_root()) write(rows, columns, entry);
    });
  }
  ~NpyFile() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove(path_);
  }
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  template <class Entry>
  void write(Index rows, Index columns, const Entry& entry) const {
    std::string header = "{'descr': '<f" + std::to_string(sizeof(Stored)) + "', 'fortran_order': False, 'shape': (" +
                         std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    const auto length = static_cast<std::uint16_t>(header.size());
    std::ofstream file(path_, std::ios::binary);
    file.write("\x93NUMPY\x01\x00", 8);
    file.write(reinterpret_cast<const char*>(&length), 2);
    file << header;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const auto value = static_cast<Stored>(entry(i, j));
        file.write(reinterpret_cast<const char*>(&value), sizeof(value));
      }
    }
  }
  std::string path_;
};

NumberedObjects objects_of(Index count) { return {RowPartition(count, world().size()), world().rank()}; }

std::unique_ptr<Similarity<double>> open_matrix(const std::string& path, Index count, bool symmetrize) {
  test::Context context;
  SimilarityChoice choice("matrix");
  choice.set("path", path).set("symmetrize", symmetrize ? "true" : "false");
  return make_similarity<double>(context.execution, choice, objects_of(count));
}

// Blocks of one set: the rows of the matrix.
ObjectBlock numbered(std::vector<Index> ids) {
  static const SetIdentity rows_of_matrix;
  return {rows_of_matrix, std::move(ids)};
}

ObjectBlock range(Index begin, Index end) { return numbered(numbers_of({begin, end})); }

std::vector<double> tile_of(const Similarity<double>& similarity, const ObjectBlock& rows, const ObjectBlock& columns) {
  std::vector<double> values(rows.size() * columns.size());
  similarity.tile(rows, columns, MatrixView<double>(values.data(), rows.size(), columns.size()));
  return values;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MatrixSimilarity, ReadsTilesAndPairsInEitherDirection) {
  const NpyFile<double> file("symmetric", n, n, symmetric_entry);
  const auto similarity = open_matrix(file.path(), n, false);
  const std::vector<std::pair<ObjectBlock, ObjectBlock>> shapes{
      {range(0, 40), numbered({50, 3, 17})}, {numbered({50, 3, 17}), range(0, 40)}, {range(5, 25), range(10, 60)}};
  for (const auto& [rows, columns] : shapes) {
    const auto values = tile_of(*similarity, rows, columns);
    for (std::size_t a = 0; a < rows.ids.size(); ++a) {
      for (std::size_t b = 0; b < columns.ids.size(); ++b) {
        EXPECT_EQ(values[a * columns.ids.size() + b], symmetric_entry(rows.ids[a], columns.ids[b]));
      }
    }
  }
  std::vector<double> pairs(3);
  similarity->pairs(numbered({7, 7, 59}), numbered({7, 12, 0}), pairs);
  EXPECT_EQ(pairs, (std::vector<double>{symmetric_entry(7, 7), symmetric_entry(7, 12), symmetric_entry(0, 59)}));
}

double skewed(Index i, Index j) { return symmetric_entry(i, j) + (i == 9 && j == 31 ? 0.25 : 0.0); }

TEST(MatrixSimilarity, AsymmetryIsFoundAndNamed) {
  const NpyFile<double> file("asymmetric", n, n, skewed);
  const auto similarity = open_matrix(file.path(), n, false);
  const std::string by_pairs = error_of([&] {
    std::vector<double> values(2);
    similarity->pairs(numbered({1, 31}), numbered({2, 9}), values);
  });
  EXPECT_NE(by_pairs.find("not symmetric: entry (31, 9) is 0.00970873"), std::string::npos) << by_pairs;
  EXPECT_NE(by_pairs.find("entry (9, 31) is 0.25970873"), std::string::npos) << by_pairs;
  const ObjectBlock landmarks = numbered({9, 31, 4});
  const std::string by_tile = error_of([&] { tile_of(*similarity, landmarks, landmarks); });
  EXPECT_NE(by_tile.find("entry (31, 9) is 0.00970873"), std::string::npos) << by_tile;
  const std::string by_columns = error_of([&] { tile_of(*similarity, range(0, n), landmarks); });
  EXPECT_NE(by_columns.find("entry (31, 9) is 0.00970873"), std::string::npos) << by_columns;
}

TEST(MatrixSimilarity, SymmetrizedIsTheMeanOfBothDirectionsAtTwoEvaluations) {
  const NpyFile<double> file("symmetrized", n, n, skewed);
  const auto similarity = open_matrix(file.path(), n, true);
  const auto mean = [](Index i, Index j) { return (skewed(i, j) + skewed(j, i)) / 2; };
  const ObjectBlock rows = range(0, n), columns = numbered({9, 31, 4});
  const auto values = tile_of(*similarity, rows, columns);
  for (std::size_t a = 0; a < rows.ids.size(); ++a) {
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(values[a * 3 + b], mean(rows.ids[a], columns.ids[b]));
  }
  EXPECT_EQ(similarity->evaluations(), 2 * n * 3);
  std::vector<double> pair(1);
  similarity->pairs(numbered({31}), numbered({9}), pair);
  EXPECT_EQ(pair[0], mean(9, 31));
  EXPECT_EQ(similarity->evaluations(), 2 * n * 3 + 2);
}

TEST(MatrixSimilarity, SinglePrecisionMayDifferByItsRounding) {
  const auto rounded = [](Index i, Index j) { return symmetric_entry(i, j) * (i < j ? 1.0 + 3e-7 : 1.0); };
  const NpyFile<float> single("single", n, n, rounded);
  const NpyFile<double> twice("double", n, n, rounded);
  const ObjectBlock all = range(0, n);
  EXPECT_NO_THROW(tile_of(*open_matrix(single.path(), n, false), all, all));
  EXPECT_THROW(tile_of(*open_matrix(twice.path(), n, false), all, all), Error);
}

TEST(MatrixSimilarity, AnIntegerBesideItsNeighborInSinglePrecisionIsRounding) {
  const auto entry = [](Index i, Index j) {
    return i == 31 && j == 9 ? 1.0F : i == 9 && j == 31 ? std::nextafter(1.0F, 0.0F) : i == j ? 1.0F : 0.5F;
  };
  const NpyFile<float> single("one", n, n, entry);
  const NpyFile<double> other("integers", n, n, [](Index i, Index j) { return i == 31 && j == 9 ? 99999992.0 : 1e8; });
  const ObjectBlock landmarks = numbered({9, 31, 4});
  EXPECT_NO_THROW(tile_of(*open_matrix(single.path(), n, false), range(0, n), landmarks));
  const auto whole = open_matrix(other.path(), n, false);
  EXPECT_THROW(tile_of(*whole, range(0, n), landmarks), Error) << "integers are not rounded";
}

TEST(MatrixSimilarity, AMatrixThatIsNotSquareOrOfAnotherSizeIsRefused) {
  const NpyFile<double> file("wide", n, n + 1, symmetric_entry);
  const std::string wide = error_of([&] { (void)open_matrix(file.path(), n, false); });
  EXPECT_NE(wide.find("60 x 61: a matrix of similarities must be square"), std::string::npos) << wide;
  const NpyFile<double> square("square", n, n, symmetric_entry);
  const std::string other = error_of([&] { (void)open_matrix(square.path(), n - 1, false); });
  EXPECT_NE(other.find("there are 59 objects"), std::string::npos) << other;
}

TEST(MatrixSimilarity, NotANumberIsNamedOnEveryRank) {
  const NpyFile<double> file("nan", n, n, [](Index i, Index j) {
    return (i == 40 && j == 3) || (i == 3 && j == 40) ? std::nan("") : symmetric_entry(i, j);
  });
  const std::string message = error_of([&] {
    const auto similarity = open_matrix(file.path(), n, false);
    test::Context context;
    const NumberedObjects objects = objects_of(n);
    const auto columns = objects.gather(world(), std::vector<Index>{1, 3});
    (void)evaluate_columns(context.execution, *similarity, objects, *columns, "columns", "columns");
  });
  EXPECT_NE(message.find("40"), std::string::npos) << message;
  EXPECT_NE(message.find("3"), std::string::npos) << message;
}

TEST(MatrixSimilarity, IsNotDefinedForUnseenObjects) {
  const NpyFile<double> file("unseen", n, n, symmetric_entry);
  const auto similarity = open_matrix(file.path(), n, false);
  EXPECT_FALSE(similarity->traits().defined_for_unseen);
  EXPECT_THROW(tile_of(*similarity, numbered({-1}), numbered({2})), Error);
}

TEST(MatrixSimilarity, ColumnsAreTheSameOnAnyNumberOfRanks) {
  const NpyFile<double> file("columns", n, n, symmetric_entry);
  const auto similarity = open_matrix(file.path(), n, false);
  test::Context context;
  const NumberedObjects objects = objects_of(n);
  const auto columns = objects.gather(world(), std::vector<Index>{50, 3, 17});
  const auto c = evaluate_columns(context.execution, *similarity, objects, *columns, "columns", "columns");
  for (Index i = c.range().begin; i < c.range().end; ++i) {
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(c.row(i)[b], symmetric_entry(i, columns->ids[b]));
  }
}

}  // namespace
