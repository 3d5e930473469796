#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>

#include "cairn/base/error.hpp"
#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

namespace {

using std::numbers::pi;

[[noreturn]] void refuse(const std::string& kind, Index points, Index least, const KeyNames& keys) {
  throw Error(ErrorKind::usage,
              fmt::format("{} = {}: the mesh '{}' has at least {} vertices", keys("points"), points, kind, least));
}

Index floor_root(double value) { return static_cast<Index>(std::floor(std::sqrt(value) * (1.0 + 1e-15))); }

void add_on_sphere(MeshFile& mesh, double x, double y, double z) {
  const double radius = std::hypot(x, y, z);
  mesh.coordinates.insert(mesh.coordinates.end(), {x / radius, y / radius, z / radius});
}

// The twelve corners and twenty outward-oriented faces of an icosahedron.
void icosahedron(std::vector<std::array<double, 3>>& corners, std::vector<std::array<Index, 3>>& faces) {
  constexpr double g = std::numbers::phi;
  corners = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
             {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  faces = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
           {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
           {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
}

// Each face is split into f² triangles. A vertex is identified by its weights of the icosahedron's corners, integers
// with sum f, so that neighboring faces find the same vertex.
MeshFile sphere(Index points, const KeyNames& keys) {
  if (points < 12) refuse("sphere", points, 12, keys);
  const Index f = floor_root(static_cast<double>(points - 2) / 10.0);
  std::vector<std::array<double, 3>> corners;
  std::vector<std::array<Index, 3>> faces;
  icosahedron(corners, faces);
  MeshFile mesh;
  std::map<std::array<Index, 6>, Index> known;  // three pairs of corner and weight, ascending
  const auto vertex = [&](const std::array<Index, 3>& face, Index i, Index j) {
    std::array<std::pair<Index, Index>, 3> parts{{{face[0], f - i - j}, {face[1], i}, {face[2], j}}};
    double x[3] = {};
    for (auto& [corner, weight] : parts) {
      for (std::size_t k = 0; k < 3; ++k) x[k] += static_cast<double>(weight) * corners[corner][k];
      if (weight == 0) corner = -1;
    }
    std::sort(parts.begin(), parts.end());
    const std::array<Index, 6> key{parts[0].first,  parts[0].second, parts[1].first,
                                   parts[1].second, parts[2].first,  parts[2].second};
    const auto [found, is_new] = known.emplace(key, mesh.vertices());
    if (is_new) add_on_sphere(mesh, x[0], x[1], x[2]);
    return found->second;
  };
  for (const auto& face : faces) {
    for (Index i = 0; i < f; ++i) {
      for (Index j = 0; i + j < f; ++j) {
        const Index a = vertex(face, i, j), b = vertex(face, i + 1, j), c = vertex(face, i, j + 1);
        mesh.triangles.insert(mesh.triangles.end(), {a, b, c});
        if (i + j + 1 < f) mesh.triangles.insert(mesh.triangles.end(), {b, vertex(face, i + 1, j + 1), c});
      }
    }
  }
  return mesh;
}

// Adds the triangles of a grid of a x b vertices, number i * b + j: squares are split in two. If `closed`, rows and
// columns are closed.
void add_grid_triangles(MeshFile& mesh, Index a, Index b, bool closed) {
  for (Index i = 0; i < (closed ? a : a - 1); ++i) {
    for (Index j = 0; j < (closed ? b : b - 1); ++j) {
      const Index next_i = (i + 1) % a, next_j = (j + 1) % b;
      const Index p = i * b + j, q = next_i * b + j, r = next_i * b + next_j, s = i * b + next_j;
      mesh.triangles.insert(mesh.triangles.end(), {p, q, r, p, r, s});
    }
  }
}

MeshFile torus(Index points, const KeyNames& keys) {
  constexpr double tube = 0.4;
  const Index b = floor_root(static_cast<double>(points) * tube);
  if (b < 3) refuse("torus", points, 23, keys);
  const Index a = points / b;
  MeshFile mesh;
  for (Index i = 0; i < a; ++i) {
    const double u = 2.0 * pi * static_cast<double>(i) / static_cast<double>(a);
    for (Index j = 0; j < b; ++j) {
      const double v = 2.0 * pi * static_cast<double>(j) / static_cast<double>(b);
      const double ring = 1.0 + tube * std::cos(v);
      mesh.coordinates.insert(mesh.coordinates.end(), {ring * std::cos(u), ring * std::sin(u), tube * std::sin(v)});
    }
  }
  add_grid_triangles(mesh, a, b, true);
  return mesh;
}

// Length of the spiral (t cos t, t sin t) from 0 to t; its derivative is sqrt(1 + t²).
double spiral_length(double t) { return 0.5 * (t * std::sqrt(1.0 + t * t) + std::asinh(t)); }

double spiral_angle(double length) {
  double t = std::sqrt(2.0 * length);
  for (int step = 0; step < 50; ++step) {
    const double change = (spiral_length(t) - length) / std::sqrt(1.0 + t * t);
    t -= change;
    if (std::abs(change) < 1e-14 * t) break;
  }
  return t;
}

MeshFile swiss_roll(Index points, const KeyNames& keys) {
  constexpr double height = 21.0;
  const double first = spiral_length(1.5 * pi), last = spiral_length(4.5 * pi);
  const Index b = floor_root(static_cast<double>(points) * height / (last - first));
  if (b < 2) refuse("swiss-roll", points, 18, keys);
  const Index a = points / b;
  MeshFile mesh;
  for (Index i = 0; i < a; ++i) {
    const double t = spiral_angle(first + (last - first) * static_cast<double>(i) / static_cast<double>(a - 1));
    for (Index j = 0; j < b; ++j) {
      const double h = height * static_cast<double>(j) / static_cast<double>(b - 1);
      mesh.coordinates.insert(mesh.coordinates.end(), {t * std::cos(t), h, t * std::sin(t)});
    }
  }
  add_grid_triangles(mesh, a, b, false);
  return mesh;
}

}  // namespace

MeshFile generate_mesh(const std::string& kind, Index points, const KeyNames& keys) {
  if (kind != "sphere" && kind != "torus" && kind != "swiss-roll") {
    throw Error(ErrorKind::usage,
                fmt::format("{}: '{}' is not known for a mesh; there are sphere, torus and swiss-roll",
                            keys("generate"), kind));
  }
  if (constexpr Index most = std::numeric_limits<std::int32_t>::max(); points > most) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: a mesh has at most {} vertices", keys("points"), points, most));
  }
  MeshFile mesh = kind == "sphere"  ? sphere(points, keys)
                  : kind == "torus" ? torus(points, keys)
                                    : swiss_roll(points, keys);
  mesh.path = kind;
  return mesh;
}

}  // namespace cairn
