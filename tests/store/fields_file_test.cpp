// Fields in a file are what each rank gave, on any number of ranks and in any split of the cells.
#include "cairn/store/files/fields_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "cairn/store/files/output_target.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "sample_result.hpp"

namespace cairn::test::fields_file_test {
namespace {

constexpr Index vertices = 230;
constexpr Index cells = 97;

double value(Index vertex) { return 0.5 * static_cast<double>(vertex * vertex) - 40.0; }
Index corner(Index cell, Index k) { return (cell * 31 + k * 7) % vertices; }

// Rank r of R has the cells from r (r + 1) / 2 parts of all on: more, the higher its rank.
FieldSet sample_fields() {
  const Index ranks = world().size(), rank = world().rank();
  FieldSet set;
  set.landmarks = {229, 0, 64};
  set.geometry.positions = RowBlock<double>(RowPartition(vertices, world().size()), world().rank(), 3);
  Field field{"weight", "P, column 3", "edges", FieldScale::diverging, 64, {}};
  const Range own = set.geometry.positions.range();
  for (Index v = own.begin; v < own.end; ++v) {
    field.values.push_back(value(v));
    for (Index k = 0; k < 3; ++k) set.geometry.positions.row(v)[k] = value(v) + double(k);
  }
  set.fields.push_back(std::move(field));
  set.geometry.corners = 2;
  const Index all = ranks * (ranks + 1) / 2;
  for (Index c = cells * (rank * (rank + 1) / 2) / all; c < cells * ((rank + 1) * (rank + 2) / 2) / all; ++c) {
    for (Index k = 0; k < 2; ++k) set.geometry.own_cells.push_back(corner(c, k));
  }
  return set;
}

template <class T>
std::vector<T> read(const hdf5::InputFile& file, const std::string& name, Index rows, Index columns) {
  const hdf5::TableShape shape = file.table(name);
  EXPECT_EQ(shape.rows, rows) << name;
  EXPECT_EQ(shape.columns, columns) << name;
  std::vector<T> values(rows * std::max<Index>(columns, 1));
  file.read_rows(name, shape, {0, rows}, values.data());
  return values;
}

TEST(FieldsFile, HoldsWhatEveryRankGave) {
  const TemporaryFolder folder;
  Context context(world());
  write_fields(context.execution, folder.file("x.h5"), folder.file("x.xdmf"), sample_fields());
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("x.h5", "x.xdmf"));

  const hdf5::InputFile file(folder.file("x.h5"));
  EXPECT_EQ(file.text_attribute("/", "cells"), "edges");
  EXPECT_EQ(file.text_attribute("/", "names"), "weight");
  EXPECT_EQ(file.text_attribute("fields/weight", "title"), "P, column 3");
  EXPECT_EQ(file.text_attribute("fields/weight", "unit"), "edges");
  EXPECT_EQ(file.text_attribute("fields/weight", "scale"), "diverging");
  EXPECT_EQ(file.index_attribute("fields/weight", "vertex"), 64);
  EXPECT_THAT(file.indices("landmarks"), testing::ElementsAre(229, 0, 64));
  const auto weights = read<double>(file, "fields/weight", vertices, -1);
  const auto numbers = read<Index>(file, "fields/landmark", vertices, -1);
  const auto positions = read<double>(file, "geometry/positions", vertices, 3);
  for (Index v = 0; v < vertices; ++v) {
    const auto at = static_cast<std::size_t>(v);
    EXPECT_EQ(weights[at], value(v));
    EXPECT_EQ(numbers[at], v == 229 ? 0 : v == 0 ? 1 : v == 64 ? 2 : -1);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(positions[3 * at + k], value(v) + double(k));
  }
  const auto edges = read<Index>(file, "geometry/edges", cells, 2);
  for (Index c = 0; c < cells; ++c)
    for (Index k = 0; k < 2; ++k) EXPECT_EQ(edges[2 * c + k], corner(c, k));
}

TEST(FieldsFile, TheTextNamesTheDataSetsBesideIt) {
  const TemporaryFolder folder;
  Context context(world());
  write_fields(context.execution, folder.file("a&b.h5"), folder.file("a&b.xdmf"), sample_fields());
  std::ifstream stream(folder.file("a&b.xdmf"));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (const char* words : {"NumberOfElements=\"97\"", "Dimensions=\"230 3\"", "a&amp;b.h5:/geometry/edges",
                            "a&amp;b.h5:/fields/weight", "a&amp;b.h5:/fields/landmark"}) {
    EXPECT_THAT(text, testing::HasSubstr(words));
  }
}

TEST(FieldsFile, ReplacesFieldsAndNothingElse) {
  const TemporaryFolder folder;
  Context context(world());
  write_fields(context.execution, folder.file("x.h5"), "", sample_fields());
  EXPECT_THAT(folder.names(), testing::ElementsAre("x.h5"));
  require_replaceable(world(), folder.file("x.h5"), OutputForm::fields);
  require_replaceable(world(), folder.file("new.h5"), OutputForm::fields);
  write_sample<double>({}, folder.file("result.h5"));
  EXPECT_THROW(require_replaceable(world(), folder.file("result.h5"), OutputForm::fields), Error);
}

}  // namespace
}  // namespace cairn::test::fields_file_test
