// Meshes: what is read, what is refused and with which words, what is left out.
#include "cairn/data/mesh/triangle_mesh.hpp"

#include <fmt/format.h>

#include "written_files.hpp"

namespace cairn::test::triangle_mesh_test {
namespace {

// Four vertices, four triangles: closed.
constexpr const char* tetrahedron =
    "# a tetrahedron\no t\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n"
    "f 1 3 2\nf 1/1 2/2 4/3\nf 1//1 4//1 3//1\nf 2/1/1 -2/2/1 -1/3/1\n";

std::vector<std::int32_t> corners_of(const TriangleMesh& mesh) {
  const auto values = mesh.triangles().values();
  return {values.begin(), values.end()};
}

TriangleMesh read_text(const WrittenFiles& files, const std::string& text, MeshSource source = {}) {
  source.path = files.write("m.obj", text);
  return read_mesh(world(), source);
}

void expect_refused(const WrittenFiles& files, const std::string& name, const std::string& text,
                    std::initializer_list<const char*> parts, ErrorKind kind = ErrorKind::input) {
  const std::string path = files.write(name, text);
  expect_error([&] { (void)read_mesh(world(), {.path = path}); }, kind, parts);
}

std::string shipped(const char* name) { return fmt::format("{}/{}", CAIRN_TEST_DATA, name); }

TEST(Obj, IsReadInAllItsForms) {
  const WrittenFiles files;
  const TriangleMesh mesh = read_text(files, tetrahedron);
  EXPECT_EQ(mesh.size(), 4);
  EXPECT_EQ(mesh.range(), RowPartition(4, world().size()).range(world().rank()));
  EXPECT_EQ(mesh.vertex(3)[2], 1.0);
  EXPECT_EQ(corners_of(mesh), (std::vector<std::int32_t>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}));
  EXPECT_EQ(mesh.report().boundary_edges, 0);
  EXPECT_EQ(mesh.report().components, 1);
  EXPECT_EQ(mesh.report().degenerate_triangles, 0);
  EXPECT_TRUE(mesh.report().original_ids.empty());
}

TEST(Obj, IsReadCompressed) {
  const WrittenFiles files;
  for (const auto& [name, bytes] :
       {std::pair{"m.obj.gz", gzipped(tetrahedron)}, std::pair{"m.obj.xz", xz_compressed(tetrahedron)}}) {
    EXPECT_EQ(read_mesh(world(), {.path = files.write(name, bytes)}).triangle_count(), 4);
  }
}

TEST(Obj, PolygonsAreFannedAndLinesGoOn) {
  const WrittenFiles files;
  const TriangleMesh mesh =
      read_text(files, "v 0 0 0\r\nv 1 0 0\r\nv 2 1 0\r\nv 1 2 0\r\nv 0 1 0\r\nf 1 2 3 \\\r\n 4 5\r\n");
  EXPECT_EQ(corners_of(mesh), (std::vector<std::int32_t>{0, 1, 2, 0, 2, 3, 0, 3, 4}));
  EXPECT_EQ(mesh.report().boundary_edges, 5);
}

TEST(Obj, NamesTheLineOfWhatItRefuses) {
  const WrittenFiles files;
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  expect_refused(files, "m.obj", square + "f 1 2 3\nf 1 3 5\n",
                 {"m.obj:6: vertex 5 is out of range", "4 vertices, 1 to 4"});
  expect_refused(files, "m.obj", square + "f 1 2 0\n", {"m.obj:5: vertex 0 is out of range"});
  expect_refused(files, "m.obj", square + "f 1 2 -5\n", {"m.obj:5: vertex -5 counts back before the first"});
  expect_refused(files, "m.obj", square + "f 1 2 2\n", {"m.obj:5: a triangle has vertex 2 twice"});
  expect_refused(files, "m.obj", square + "f 1 2\n", {"m.obj:5: a face of 2 corners"});
  expect_refused(files, "m.obj", square + "f 1 2 x\n", {"m.obj:5: 'x' is not an integer"});
  expect_refused(files, "m.obj", "v 0 0 0\nv 0 1\n", {"m.obj:2: z is missing"});
  expect_refused(files, "m.obj", "v 0 0 0\nv 0 one 1\n", {"m.obj:2: 'one' is not a number"});
  expect_refused(files, "m.obj", "v 0 0 0\nv 0 inf 1\n", {"m.obj:2: ", "finite"});
  expect_refused(files, "m.obj", square, {"m.obj: has no triangles"});
  expect_refused(files, "m.obj", "", {"m.obj: is empty"});
  expect_refused(files, "mesh", square, {"does not tell the format"}, ErrorKind::usage);
  expect_error([&] { (void)read_mesh(world(), {.path = files.path("none.obj")}); }, ErrorKind::input, {"No such file"});
  expect_error([&] { (void)read_mesh(world(), {.path = files.path("m.obj"), .format = "blend"}); }, ErrorKind::usage,
               {"'blend' is not known"});
}

TEST(Mesh, AnEdgeOfThreeTrianglesIsNamed) {
  const WrittenFiles files;
  expect_refused(files, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n",
                 {"the edge of vertices 1 and 2 belongs to 3 triangles (lines 6, 7, 8)", "no manifold"});
}

TEST(Mesh, UnusedVerticesAreCountedOrLeftOut) {
  const WrittenFiles files;
  const std::string text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nf 2 3 5\n";
  expect_refused(files, "m.obj", text,
                 {"m.obj: 2 of 5 vertices belong to no triangle (vertex 1 is the first)", "parameter drop-unused"});
  const TriangleMesh mesh = read_text(files, text, {.drop_unused = true});
  EXPECT_EQ(mesh.size(), 3);
  EXPECT_EQ(mesh.report().unused_vertices, 2);
  EXPECT_EQ(corners_of(mesh), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(mesh.vertex(2)[1], 1.0);
  EXPECT_EQ(world().all_gather(mesh.report().original_ids), (std::vector<Index>{1, 2, 4}));
}

TEST(Mesh, TrianglesWithoutAreaAreCountedOrLeftOut) {
  const WrittenFiles files;
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n";
  EXPECT_EQ(read_text(files, text).report().degenerate_triangles, 1);
  const TriangleMesh mesh = read_text(files, text, {.drop_unused = true, .drop_degenerate = true});
  EXPECT_EQ(mesh.report().degenerate_triangles, 1);
  EXPECT_EQ(mesh.report().unused_vertices, 1);
  EXPECT_EQ(mesh.triangle_count(), 1);
}

TEST(Mesh, TheLargestComponentIsKept) {
  const WrittenFiles files;
  std::string text = "v 5 5 5\nv 6 5 5\nv 5 6 5\nf 1 2 3\n";
  for (int i = 0; i < 6; ++i) text += "v " + std::to_string(i) + " " + std::to_string(i % 2) + " 0\n";
  for (int i = 4; i < 8; ++i)
    text += "f " + std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i + 2) + "\n";
  const TriangleMesh all = read_text(files, text);
  EXPECT_EQ(all.report().components, 2);
  EXPECT_EQ(components_of_vertices(all), (std::vector<Index>{0, 0, 0, 1, 1, 1, 1, 1, 1}));
  const TriangleMesh mesh = read_text(files, text, {.largest_component = true});
  EXPECT_EQ(mesh.report().components, 2);
  EXPECT_EQ(mesh.report().dropped_vertices, 3);
  EXPECT_EQ(mesh.size(), 6);
  EXPECT_EQ(mesh.triangle_count(), 4);
  EXPECT_EQ(world().all_gather(mesh.report().original_ids), (std::vector<Index>{3, 4, 5, 6, 7, 8}));
}

TEST(Mesh, ItsVerticesAreNumberedObjects) {
  const WrittenFiles files;
  const TriangleMesh mesh = read_text(files, tetrahedron);
  EXPECT_EQ(mesh.block({1, 3})->ids, (std::vector<Index>{1, 2}));
  EXPECT_EQ(mesh.unpack({1, 3}, mesh.pack({1, 3}))->ids, (std::vector<Index>{1, 2}));
  const std::vector<Index> ids{3, 0, 3};
  EXPECT_EQ(mesh.gather(world(), ids)->ids, ids);
}

TEST(ShippedMesh, BrainIsClosed) {
  const TriangleMesh mesh = read_mesh(world(), {.path = shipped("brain-7502.obj.xz")});
  EXPECT_EQ(mesh.size(), 7502);
  EXPECT_EQ(mesh.triangle_count(), 15000);
  EXPECT_EQ(mesh.report().boundary_edges, 0);
  EXPECT_EQ(mesh.report().components, 1);
  EXPECT_EQ(mesh.vertex(0)[0], -7.975333);
}

}  // namespace
}  // namespace cairn::test::triangle_mesh_test
