#include "cairn/data/mesh/mesh_cleaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr double degenerate_area = 1e-12;  // area / square of the longest side

bool is_degenerate(const MeshFile& mesh, Index t) {
  const Index* corners = mesh.triangles.data() + 3 * t;
  const double* a = mesh.coordinates.data() + 3 * corners[0];
  const double* b = mesh.coordinates.data() + 3 * corners[1];
  const double* c = mesh.coordinates.data() + 3 * corners[2];
  std::array<double, 3> u{}, v{};
  double longest = 0.0, side_c = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    side_c += (v[k] - u[k]) * (v[k] - u[k]);
  }
  longest = std::max({u[0] * u[0] + u[1] * u[1] + u[2] * u[2], v[0] * v[0] + v[1] * v[1] + v[2] * v[2], side_c});
  const double area = 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  return area <= degenerate_area * longest;
}

void move_triangle(MeshFile& mesh, Index from, Index to) {
  std::copy_n(mesh.triangles.begin() + 3 * from, 3, mesh.triangles.begin() + 3 * to);
  if (!mesh.lines.empty()) mesh.lines[to] = mesh.lines[from];
}

void cut_triangles(MeshFile& mesh, Index count) {
  mesh.triangles.resize(3 * count);
  if (!mesh.lines.empty()) mesh.lines.resize(count);
}

// An edge with one of its triangles.
struct EdgeSide {
  Index low = 0, high = 0, triangle = 0;
  [[nodiscard]] bool same_edge(const EdgeSide& other) const { return low == other.low && high == other.high; }
  friend auto operator<=>(const EdgeSide&, const EdgeSide&) = default;
};

[[noreturn]] void refuse_edge(const MeshFile& mesh, const EdgeSide* sides, Index count) {
  std::string triangles;
  for (Index k = 0; k < std::min<Index>(count, 5); ++k) {
    const Index t = sides[k].triangle;
    triangles += fmt::format("{}{}", k > 0 ? ", " : "", mesh.lines.empty() ? t : mesh.lines[t]);
  }
  throw Error(ErrorKind::input,
              fmt::format("{}: the edge of vertices {} and {} belongs to {} triangles ({} {}{}); the surface is no "
                          "manifold there, mend it first",
                          mesh.path, sides->low + mesh.first_number, sides->high + mesh.first_number, count,
                          mesh.lines.empty() ? "numbers" : "lines", triangles, count > 5 ? ", ..." : ""));
}

// For each vertex, the smallest number of the vertices at its position.
std::vector<Index> first_at_position(std::span<const double> coordinates) {
  const auto position = [&](Index v) { return coordinates.subspan(3 * v, 3); };
  std::vector<Index> order(coordinates.size() / 3);
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto [p, q] = std::ranges::mismatch(position(a), position(b));
    return p == position(a).end() ? a < b : *p < *q;
  });
  std::vector<Index> first(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && std::ranges::equal(position(order[k]), position(order[k - 1]));
    first[order[k]] = same ? first[order[k - 1]] : order[k];
  }
  return first;
}

}  // namespace

void check_triangles(const MeshFile& mesh) {
  const Index n = mesh.vertices();
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const Index* corners = mesh.triangles.data() + 3 * t;
    for (int k = 0; k < 3; ++k) {
      if (corners[k] >= 0 && corners[k] < n) continue;
      throw Error(ErrorKind::input,
                  fmt::format("{}vertex {} is out of range; there are {} vertices, {} to {}", mesh.place(t),
                              corners[k] + mesh.first_number, n, mesh.first_number, n - 1 + mesh.first_number));
    }
  }
}

void refuse_repeated_corners(const MeshFile& mesh, const std::string& drop_key) {
  Index count = 0, first = 0, vertex = 0;
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const Index* corners = mesh.triangles.data() + 3 * t;
    const int k = corners[0] == corners[1] || corners[0] == corners[2] ? 0 : corners[1] == corners[2] ? 1 : -1;
    if (k >= 0 && count++ == 0) first = t, vertex = corners[k];
  }
  if (count == 0) return;
  throw Error(ErrorKind::input,
              fmt::format("{}a triangle has vertex {} twice{}; {} = true leaves {} out", mesh.place(first),
                          vertex + mesh.first_number,
                          count > 1 ? fmt::format(" (the first of {} triangles that have one twice)", count) : "",
                          drop_key, count > 1 ? "them" : "it"));
}

Index count_equal_positions(std::span<const double> coordinates) {
  const std::vector<Index> first = first_at_position(coordinates);
  Index count = 0;
  for (std::size_t v = 0; v < first.size(); ++v) count += first[v] == static_cast<Index>(v) ? 0 : 1;
  return count;
}

Index merge_equal_positions(MeshFile& mesh, std::vector<Index>& numbers) {
  const std::vector<Index> first = first_at_position(mesh.coordinates);
  std::vector<bool> keep(first.size());
  for (std::size_t v = 0; v < first.size(); ++v) keep[v] = first[v] == static_cast<Index>(v);
  const Index merged = std::count(keep.begin(), keep.end(), false);
  if (merged == 0) return 0;
  for (Index& corner : mesh.triangles) corner = first[corner];
  keep_vertices(mesh, keep, numbers);
  return merged;
}

Index count_degenerate(const MeshFile& mesh) {
  Index count = 0;
  for (Index t = 0; t < mesh.triangle_count(); ++t) count += is_degenerate(mesh, t) ? 1 : 0;
  return count;
}

Index drop_degenerate(MeshFile& mesh) {
  Index kept = 0;
  const Index all = mesh.triangle_count();
  for (Index t = 0; t < all; ++t) {
    if (!is_degenerate(mesh, t)) move_triangle(mesh, t, kept++);
  }
  cut_triangles(mesh, kept);
  return all - kept;
}

void keep_vertices(MeshFile& mesh, const std::vector<bool>& keep, std::vector<Index>& numbers) {
  const Index n = mesh.vertices();
  if (numbers.empty()) {
    numbers.resize(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
  }
  std::vector<Index> renumbered(n, -1);
  Index vertices = 0;
  for (Index v = 0; v < n; ++v) {
    if (!keep[v]) continue;
    std::copy_n(mesh.coordinates.begin() + 3 * v, 3, mesh.coordinates.begin() + 3 * vertices);
    numbers[vertices] = numbers[v];
    renumbered[v] = vertices++;
  }
  mesh.coordinates.resize(3 * vertices);
  numbers.resize(vertices);
  Index triangles = 0;
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    Index* corners = mesh.triangles.data() + 3 * t;
    for (int k = 0; k < 3; ++k) corners[k] = renumbered[corners[k]];
    if (corners[0] >= 0 && corners[1] >= 0 && corners[2] >= 0) move_triangle(mesh, t, triangles++);
  }
  cut_triangles(mesh, triangles);
}

std::vector<bool> used_vertices(const MeshFile& mesh) {
  std::vector<bool> used(mesh.vertices(), false);
  for (const Index v : mesh.triangles) used[v] = true;
  return used;
}

Index count_boundary_edges(const MeshFile& mesh) {
  std::vector<EdgeSide> sides;
  sides.reserve(mesh.triangles.size());
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const Index* corners = mesh.triangles.data() + 3 * t;
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(corners[k], corners[(k + 1) % 3]);
      sides.push_back({low, high, t});
    }
  }
  std::sort(sides.begin(), sides.end());
  Index boundary = 0;
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].same_edge(sides[begin])) ++end;
    if (end - begin > 2) refuse_edge(mesh, sides.data() + begin, static_cast<Index>(end - begin));
    if (end - begin == 1) ++boundary;
  }
  return boundary;
}

MeshComponents mesh_components(Index vertices, std::span<const Index> triangles) {
  std::vector<Index> parent(vertices);
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root_of = [&](Index v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (std::size_t k = 0; k + 2 < triangles.size(); k += 3) {
    for (const Index other : {triangles[k + 1], triangles[k + 2]}) {
      const auto [low, high] = std::minmax({root_of(triangles[k]), root_of(other)});
      parent[high] = low;
    }
  }
  MeshComponents result;
  result.of_vertex.resize(vertices);
  for (Index v = 0; v < vertices; ++v) {  // the root of a component is its smallest vertex and comes first
    const Index root = root_of(v);
    if (root == v) {
      result.of_vertex[v] = static_cast<Index>(result.sizes.size());
      result.sizes.push_back(0);
    } else {
      result.of_vertex[v] = result.of_vertex[root];
    }
    ++result.sizes[result.of_vertex[v]];
  }
  return result;
}

}  // namespace cairn
