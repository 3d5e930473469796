// One surface in every format, and what each format refuses.
#include <bit>

#include "cairn/data/mesh/triangle_mesh.hpp"
#include "written_files.hpp"

namespace cairn::test::mesh_formats_test {
namespace {

// A square pyramid: five vertices, its base a polygon of four corners.
const std::vector<double> coordinates{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 2};
const std::vector<std::int32_t> corners{0, 3, 2, 0, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};

void expect_pyramid(const std::string& path) {
  const TriangleMesh mesh = read_mesh(world(), {.path = path});
  const auto x = mesh.coordinates().values();
  const auto t = mesh.triangles().values();
  EXPECT_EQ(std::vector<double>(x.begin(), x.end()), coordinates) << path;
  EXPECT_EQ(std::vector<std::int32_t>(t.begin(), t.end()), corners) << path;
  EXPECT_EQ(mesh.report().boundary_edges, 0);
}

void expect_refused(const WrittenFiles& files, const std::string& name, const std::string& bytes,
                    std::initializer_list<const char*> parts) {
  const std::string path = files.write(name, bytes);
  expect_error([&] { (void)read_mesh(world(), {.path = path}); }, ErrorKind::input, parts);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string off_points = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 2\n";
const std::string faces = "4 0 3 2 1\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";

TEST(Off, IsRead) {
  const WrittenFiles files;
  expect_pyramid(files.write("m.off", "OFF\n5 5 8\n" + off_points + faces));
  expect_pyramid(files.write("m.off", "# made by hand\nOFF 5 5 0\r\n\n" + off_points + "# faces\n" + faces));
  expect_pyramid(files.write("m.off", replaced("COFF\n5 5\n" + off_points + faces, "1 1 0\n", "1 1 0 255 0 0 255\n")));
  expect_pyramid(files.write("m.off.gz", gzipped("OFF\n5 5 0\n" + off_points + faces)));
}

TEST(Off, NamesTheLineOfWhatItRefuses) {
  const WrittenFiles files;
  const std::string good = "OFF\n5 5 0\n" + off_points + faces;
  expect_refused(files, "m.off", replaced(good, "OFF", "4OFF"), {"m.off:1: '4OFF' is no OFF mesh in three dimensions"});
  expect_refused(files, "m.off", replaced(good, "OFF", "OFF BINARY"), {"m.off:1: binary OFF is not read"});
  expect_refused(files, "m.off", replaced(good, "5 5 0", "5 x 0"), {"m.off:2: 'x' is not an integer"});
  expect_refused(files, "m.off", replaced(good, "5 5 0", "-5 5 0"), {"m.off:2: a negative count"});
  expect_refused(files, "m.off", replaced(good, "5 5 0", "9223372036854775807 9223372036854775807 0"),
                 {"m.off:2: counts 9223372036854775807 vertices", "no file has so many"});
  expect_refused(files, "m.off", replaced(good, "3 2 3 4\n", "9223372036854775807 2 3 4\n"),
                 {"m.off:11: a corner of a face is missing"});
  expect_refused(files, "m.off", replaced(good, "5 5 0", "5 6 0"),
                 {"truncated", "5 vertices and 6 faces, it has 5 and 5"});
  expect_refused(files, "m.off", replaced(good, "1 1 0\n", "1 1\n"), {"m.off:5: z is missing"});
  expect_refused(files, "m.off", replaced(good, "3 2 3 4\n", "3 2 3 5\n"),
                 {"m.off:11: vertex 5 is out of range", "0 to 4"});
  expect_refused(files, "m.off", replaced(good, "3 2 3 4\n", "3 2 3\n"), {"m.off:11: a corner of a face is missing"});
  expect_refused(files, "m.off", replaced(good, "3 2 3 4\n", "2 2 3\n"), {"m.off:11: a face of 2 corners"});
}

const std::string ply_elements =
    "comment by hand\nelement vertex 5\nproperty float x\nproperty uchar grey\nproperty double y\nproperty float z\n"
    "element face 5\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
    "element extra 1\nproperty short s\nend_header\n";

std::string ascii_ply() {
  return "ply\nformat ascii 1.0\n" + ply_elements +
         "0 9 0 0\n1 9 0 0\n1 9 1 0\n0 9 1 0\n0.5 9 0.5 2\n4 0 3 2 1 0\n3 0 1 4 2 .5 .5\n3 1 2 4 0\n3 2 3 4 0\n3 3 0 4 "
         "0\n7\n";
}

template <class T>
std::string number(T value, bool big) {
  std::string bytes = bytes_of(std::vector<T>{value});
  if (big == (std::endian::native == std::endian::little)) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string binary_ply(bool big) {
  std::string bytes = "ply\nformat binary_" + std::string(big ? "big" : "little") + "_endian 1.0\n" + ply_elements;
  for (std::size_t v = 0; v < 15; v += 3) {
    bytes += number(static_cast<float>(coordinates[v]), big) + "\n" + number(coordinates[v + 1], big) +
             number(static_cast<float>(coordinates[v + 2]), big);
  }
  for (const auto& face :
       std::vector<std::vector<std::int32_t>>{{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}) {
    bytes += static_cast<char>(face.size());
    for (const std::int32_t v : face) bytes += number(v, big);
    bytes += '\1' + number(0.5F, big);
  }
  return bytes + number(std::int16_t{7}, big);
}

TEST(Ply, IsReadAsTextAndInBothByteOrders) {
  const WrittenFiles files;
  expect_pyramid(files.write("m.ply", ascii_ply()));
  expect_pyramid(files.write("m.ply", replaced(ascii_ply(), "vertex_indices", "vertex_index")));
  expect_pyramid(files.write("m.ply", binary_ply(false)));
  expect_pyramid(files.write("m.ply", binary_ply(true)));
  expect_pyramid(files.write("m.ply.xz", xz_compressed(binary_ply(true))));
}

TEST(Ply, NamesWhatItRefuses) {
  const WrittenFiles files;
  const std::string text = ascii_ply(), binary = binary_ply(false);
  expect_refused(files, "m.ply", "plx\n", {"m.ply:1: does not begin with 'ply'"});
  expect_refused(files, "m.ply", replaced(text, "ascii", "utf8"), {"m.ply:2: 'utf8' is no format of PLY"});
  expect_refused(files, "m.ply", replaced(text, "float x", "real x"), {"m.ply:5: 'real' is not a number type"});
  expect_refused(files, "m.ply", replaced(text, "float x", "float t"), {"m.ply: its vertices have no x, y and z"});
  expect_refused(files, "m.ply", replaced(text, "vertex_indices", "strips"), {"m.ply: has no faces with a list"});
  expect_refused(files, "m.ply", "ply\nformat ascii 1.0\nelement vertex 5\n", {"the header has no end"});
  expect_refused(files, "m.ply", replaced(text, "3 2 3 4 0", "3 2 3 5 0"), {"m.ply:23: vertex 5 is out of range"});
  expect_refused(files, "m.ply", replaced(text, "3 2 3 4 0", "2 2 3 0"), {"m.ply:23: a face of 2 corners"});
  expect_refused(files, "m.ply", replaced(text, "3 2 3 4 0", "3 2 3.5 4 0"), {"m.ply:23: 3.5 is not an integer"});
  expect_refused(files, "m.ply", replaced(text, "3 3 0 4 0\n7\n", ""), {"m.ply: is truncated"});
  for (const char* corner : {"nan", "1e300", "-inf"}) {
    expect_refused(
        files, "m.ply",
        replaced(replaced(text, "uchar int", "uchar double"), "3 2 3 4 0", std::string("3 2 ") + corner + " 4 0"),
        {"m.ply:23: "});
  }
  expect_refused(files, "m.ply", replaced(binary, "element extra", "element none 9000000000000000000\nelement extra"),
                 {"m.ply: its 9000000000000000000 elements 'none' have no properties"});
  expect_refused(files, "m.ply",
                 replaced(text, "element extra 1\nproperty short s", "element vertex 1\nproperty short x"),
                 {"m.ply: a second element 'vertex'"});
  expect_refused(files, "m.ply", binary.substr(0, binary.size() - 5), {"m.ply: is truncated"});
  expect_refused(files, "m.ply", replaced(binary, number(std::int32_t{3}, false), number(std::int32_t{-3}, false)),
                 {"m.ply: triangle 0: vertex -3 is out of range"});
  std::string infinite = binary;
  infinite.replace(infinite.find("end_header\n") + 11, 4, number(std::numeric_limits<float>::infinity(), false));
  expect_refused(files, "m.ply", infinite, {"m.ply: vertex 0: a coordinate is not finite"});
}

std::string base64(const std::string& bytes) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    unsigned word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (k + j < bytes.size() ? static_cast<unsigned char>(bytes[k + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= std::min<std::size_t>(3, bytes.size() - k) ? digits[word >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

std::string zlib_packed(const std::string& bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  packed.resize(size);
  return packed;
}

std::string data_array(const std::string& intent, const std::string& type, const std::string& encoding,
                       const std::string& rows, const std::string& data, const std::string& more = "") {
  return "<DataArray Intent=\"NIFTI_INTENT_" + intent + "\" DataType=\"NIFTI_TYPE_" + type +
         "\" Dimensionality=\"2\" Dim0=\"" + rows + "\" Dim1=\"3\" Encoding=\"" + encoding + "\" " + more +
         ">\n<MetaData/><CoordinateSystemTransformMatrix><MatrixData>1 0 0 0</MatrixData>"
         "</CoordinateSystemTransformMatrix>\n<Data>" +
         data + "</Data></DataArray>\n";
}

std::string gifti(const std::string& arrays) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE GIFTI SYSTEM "
         "\"http://www.nitrc.org/frs/download.php/115/gifti.dtd\">\n<GIFTI Version=\"1.0\">\n" +
         arrays + "</GIFTI>\n";
}

template <class T, class U>
std::string all_bytes(const std::vector<U>& values, bool big) {
  std::string bytes;
  for (const U value : values) bytes += number(static_cast<T>(value), big);
  return bytes;
}

std::string gifti_points() {
  return data_array("POINTSET", "FLOAT32", "ASCII", "5", "0 0 0\n1 0 0\n1 1 0\n0 1 0 .5 .5 2");
}
std::string gifti_triangles() {
  return data_array("TRIANGLE", "INT32", "ASCII", "6", "0 3 2 0 2 1 0 1 4 1 2 4 2 3 4 3 0 4");
}

TEST(Gifti, IsReadInAllItsEncodings) {
  const WrittenFiles files;
  const std::string little = "Endian=\"GIFTI_ENDIAN_LITTLE\"", big = "Endian=\"GIFTI_ENDIAN_BIG\"";
  expect_pyramid(files.write("m.gii", gifti(gifti_points() + gifti_triangles())));
  expect_pyramid(
      files.write("m.gii", gifti(data_array("TRIANGLE", "UINT32", "GZipBase64Binary", "6",
                                            base64(zlib_packed(all_bytes<std::uint32_t>(corners, false))), little) +
                                 data_array("POINTSET", "FLOAT32", "GZipBase64Binary", "5",
                                            base64(zlib_packed(all_bytes<float>(coordinates, false))), little))));
  expect_pyramid(
      files.write("m.gii", gifti(data_array("POINTSET", "FLOAT64", "Base64Binary", "5",
                                            "\n" + base64(all_bytes<double>(coordinates, true)) + "\n", big) +
                                 data_array("TRIANGLE", "INT32", "Base64Binary", "6",
                                            base64(all_bytes<std::int32_t>(corners, true)), big))));
  expect_pyramid(files.write(
      "m.gii.gz",
      gzipped(gifti(gifti_points() + data_array("TRIANGLE", "INT32", "GZipBase64Binary", "6",
                                                base64(gzipped(all_bytes<std::int32_t>(corners, false))), little)))));
  const std::vector<double> by_columns{0, 1, 1, 0, .5, 0, 0, 1, 1, .5, 0, 0, 0, 0, 2};
  expect_pyramid(files.write("m.gii", gifti(data_array("POINTSET", "FLOAT64", "Base64Binary", "5",
                                                       base64(all_bytes<double>(by_columns, false)),
                                                       little + " ArrayIndexingOrder=\"ColumnMajorOrder\"") +
                                            gifti_triangles())));
}

TEST(Gifti, NamesWhatItRefuses) {
  const WrittenFiles files;
  const std::string points = gifti_points(), triangles = gifti_triangles();
  expect_refused(files, "m.gii", "", {"m.gii: is empty"});
  expect_refused(files, "m.gii", "<html>\n</html>\n", {"m.gii:1: the first element is 'html'"});
  expect_refused(files, "m.gii", gifti(points + "<Data>"), {"m.gii:", "mismatched tag"});
  expect_refused(files, "m.gii", gifti(points), {"m.gii: has no array of intent NIFTI_INTENT_TRIANGLE"});
  expect_refused(files, "m.gii", gifti(points + points + triangles),
                 {"a second array of intent NIFTI_INTENT_POINTSET"});
  expect_refused(files, "m.gii", gifti(points + replaced(triangles, "3 0 4", "3 0 5")),
                 {"triangle 5: vertex 5 is out of range"});
  for (const char* corner : {".5", "1e300", "-1e300"}) {
    expect_refused(files, "m.gii", gifti(points + replaced(triangles, "3 0 4", std::string("3 0 ") + corner)),
                   {"is not an integer"});
  }
  expect_refused(files, "m.gii", gifti(points + replaced(triangles, "3 0 4", "3 0")),
                 {"m.gii:10: ", "17 values, not the 6 x 3"});
  expect_refused(files, "m.gii", gifti(replaced(points, "Dim1=\"3\"", "Dim1=\"2\"") + triangles),
                 {"m.gii:4: ", "is no array of n x 3"});
  expect_refused(files, "m.gii", gifti(points + replaced(triangles, "\"ASCII\"", "\"ExternalFileBinary\"")),
                 {"'ExternalFileBinary' is not read"});
  expect_refused(files, "m.gii", gifti(points + replaced(triangles, "\"ASCII\"", "\"GZipBase64Binary\"")),
                 {"damaged or truncated"});
  expect_refused(files, "m.gii", gifti(points + data_array("TRIANGLE", "INT16", "Base64Binary", "6", "AAAA")),
                 {"'NIFTI_TYPE_INT16' is not read"});
  expect_refused(files, "m.gii",
                 replaced(gifti(points + triangles), "SYSTEM \"http://www.nitrc.org/frs/download.php/115/gifti.dtd\"",
                          "[<!ENTITY a \"aaaa\">]"),
                 {"defines an entity 'a'"});
}

class OtherMeshes : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("CAIRN_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
    folder_ = folder;
  }
  void expect_closed(const std::string& name, Index vertices, Index triangles) const {
    const TriangleMesh mesh = read_mesh(world(), {.path = folder_ + "/meshes/" + name});
    EXPECT_EQ(mesh.size(), vertices);
    EXPECT_EQ(mesh.triangle_count(), triangles);
    EXPECT_EQ(mesh.report().boundary_edges, 0);
    EXPECT_EQ(mesh.report().components, 1);
  }

 private:
  std::string folder_;
};

TEST_F(OtherMeshes, AreClosed) {
  CAIRN_UP_TO_RANKS(2);
  expect_closed("bunny-14290.obj.xz", 14290, 28576);
  expect_closed("brain-151487.gii.xz", 151487, 302970);
  expect_closed("igea-134345.off.xz", 134345, 268686);
}

TEST(GeneratedMesh, SphereIsClosedRoundAndEven) {
  for (const auto& [points, n] : {std::pair{Index{12}, Index{12}}, {41, 12}, {42, 42}, {10242, 10242}, {5000, 4842}}) {
    const TriangleMesh mesh = read_mesh(world(), {.generator = "sphere", .points = points});
    EXPECT_EQ(mesh.size(), n);
    EXPECT_EQ(mesh.triangle_count(), 2 * n - 4);  // Euler
    EXPECT_EQ(mesh.report().boundary_edges, 0);
    for (Index v = 0; v < n; ++v)
      EXPECT_NEAR(std::hypot(mesh.vertex(v)[0], mesh.vertex(v)[1], mesh.vertex(v)[2]), 1.0, 1e-15);
  }
}

TEST(GeneratedMesh, TorusIsClosed) {
  const TriangleMesh mesh = read_mesh(world(), {.generator = "torus", .points = 1000});
  EXPECT_EQ(mesh.size(), 1000);  // 50 x 20
  EXPECT_EQ(mesh.triangle_count(), 2000);
  EXPECT_EQ(mesh.report().boundary_edges, 0);
  EXPECT_EQ(mesh.report().components, 1);
}

TEST(GeneratedMesh, SwissRollIsARectangleRolledUp) {
  const TriangleMesh mesh = read_mesh(world(), {.generator = "swiss-roll", .points = 5000});
  EXPECT_EQ(mesh.size(), 34 * 147);
  EXPECT_EQ(mesh.report().boundary_edges, 2 * (33 + 146));
  const double *first = mesh.vertex(0), *last = mesh.vertex(mesh.size() - 1);
  EXPECT_NEAR(std::hypot(first[0], first[2]), 4.71238898, 1e-8);
  EXPECT_NEAR(std::hypot(last[0], last[2]), 14.13716694, 1e-8);
  EXPECT_NEAR(last[1], 21.0, 1e-12);
  double least = 1e9, largest = 0.0;
  for (Index i = 0; i + 1 < 147; ++i) {
    const double *p = mesh.vertex(34 * i), *q = mesh.vertex(34 * (i + 1));
    const double step = std::hypot(p[0] - q[0], p[2] - q[2]);
    least = std::min(least, step);
    largest = std::max(largest, step);
  }
  EXPECT_NEAR(largest / least, 1.0, 1e-3);  // chords of equal arcs
}

TEST(GeneratedMesh, RefusesWhatItCannotMake) {
  expect_error([&] { (void)read_mesh(world(), {.generator = "cube", .points = 100}); }, ErrorKind::usage,
               {"'cube' is not known for a mesh", "sphere, torus and swiss-roll"});
  expect_error([&] { (void)read_mesh(world(), {.generator = "sphere", .points = 11}); }, ErrorKind::usage,
               {"at least 12"});
  expect_error([&] { (void)read_mesh(world(), {.generator = "torus", .points = 22}); }, ErrorKind::usage,
               {"at least 23"});
  expect_error([&] { (void)read_mesh(world(), {.generator = "swiss-roll", .points = 17}); }, ErrorKind::usage,
               {"at least 18"});
  for (const char* kind : {"sphere", "torus", "swiss-roll"}) {
    expect_error([&] { (void)read_mesh(world(), {.generator = kind, .points = Index{1} << 31}); }, ErrorKind::usage,
                 {"parameter points = 2147483648: a mesh has at most 2147483647 vertices"});
  }
  EXPECT_EQ(read_mesh(world(), {.generator = "torus", .points = 23}).size(), 21);
  EXPECT_EQ(read_mesh(world(), {.generator = "swiss-roll", .points = 18}).size(), 18);
}

}  // namespace
}  // namespace cairn::test::mesh_formats_test
