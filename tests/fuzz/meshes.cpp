// Triangle meshes in text, binary and XML files.
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "checks.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

// The first character: d drops what is degenerate and unused, l keeps the largest component alone.
void read(std::string_view input, const char* format) {
  const char choice = take_choice(input);
  MeshSource source;
  source.path = file_of(input);
  source.format = format;
  source.drop_degenerate = source.drop_unused = choice == 'd';
  source.largest_component = choice == 'l';
  check(read_mesh(alone(), source));
}

}  // namespace

void read_obj_mesh(std::string_view input) { read(input, "obj"); }
void read_off_mesh(std::string_view input) { read(input, "off"); }
void read_ply_mesh(std::string_view input) { read(input, "ply"); }
void read_gifti_mesh(std::string_view input) { read(input, "gifti"); }

}  // namespace cairn::fuzz
