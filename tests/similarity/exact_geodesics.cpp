#include "exact_geodesics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <queue>
#include <tuple>
#include <utility>

namespace cairn::test {

namespace {

constexpr double rounding = 1e-11;

struct Point {
  double x = 0.0, y = 0.0;
};
double distance(const Point& p, const Point& q) { return std::hypot(p.x - q.x, p.y - q.y); }

// The part [begin, end] of side `side` of `triangle`, measured from the side's first corner, and the source that is
// seen through it from inside the triangle: at `origin`, below the side, `travelled` from the true source.
struct Window {
  Index triangle = 0;
  int side = 0;
  double begin = 0.0, end = 0.0;
  Point origin;
  double travelled = 0.0;
};

struct Event {
  double distance = 0.0;
  Index vertex = -1;  // or -1: a window
  Window window;
  friend bool operator<(const Event& a, const Event& b) { return a.distance > b.distance; }  // the nearest first
};

class Propagation {
 public:
  explicit Propagation(const TriangleMesh& mesh) : mesh_(mesh) {
    const auto n = static_cast<std::size_t>(mesh.size());
    std::vector<double> angles(n, 0.0);
    bends_.assign(n, false);
    incident_.resize(n);
    for (Index t = 0; t < mesh.triangle_count(); ++t) {
      for (int k = 0; k < 3; ++k) {
        const auto i = static_cast<std::size_t>(corner(t, k));
        sides_[edge(corner(t, k), corner(t, k + 1))].emplace_back(t, k);
        incident_[i].emplace_back(t, k);
        const double a = length(t, k), b = length(t, k + 2), c = length(t, k + 1);
        angles[i] += std::acos(std::clamp((a * a + b * b - c * c) / (2 * a * b), -1.0, 1.0));
      }
    }
    for (std::size_t v = 0; v < n; ++v) bends_[v] = angles[v] > 2 * std::numbers::pi - 1e-9;
    for (const auto& [vertices, sides] : sides_) {
      if (sides.size() == 1) bends_[at(vertices.first)] = bends_[at(vertices.second)] = true;
    }
  }

  std::vector<double> from(Index source) {
    distances_.assign(mesh_.size(), std::numeric_limits<double>::infinity());
    source_ = source;
    lower(source, 0.0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.vertex < 0)
        carry(event.window);
      else if (event.distance <= distances_[at(event.vertex)])
        spread(event.vertex);
    }
    return distances_;
  }

 private:
  static std::size_t at(Index v) { return static_cast<std::size_t>(v); }
  static std::pair<Index, Index> edge(Index i, Index j) { return std::minmax({i, j}); }
  [[nodiscard]] Index corner(Index t, int k) const { return mesh_.triangle(t)[k % 3]; }
  [[nodiscard]] double length(Index t, int k) const {
    const double *p = mesh_.vertex(corner(t, k)), *q = mesh_.vertex(corner(t, k + 1));
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  }
  // The corner that faces side k, where the side lies on the axis.
  [[nodiscard]] Point apex(Index t, int k) const {
    const double a = length(t, k), b = length(t, k + 2), c = length(t, k + 1);
    const double x = (a * a + b * b - c * c) / (2 * a);
    return {x, std::sqrt(std::max(0.0, b * b - x * x))};
  }

  void lower(Index v, double value) {
    if (!(value < distances_[at(v)])) return;
    distances_[at(v)] = value;
    events_.push({value, v, {}});
  }

  // Along the edges at a vertex; where paths bend also to all that is seen from it through the sides that face it.
  void spread(Index v) {
    const double travelled = distances_[at(v)];
    for (const auto& [t, k] : incident_[at(v)]) {
      lower(corner(t, k + 1), travelled + length(t, k));
      lower(corner(t, k + 2), travelled + length(t, k + 2));
      if (!bends_[at(v)] && v != source_) continue;
      const Point a{}, b{length(t, k), 0.0};
      const double x = (b.x * b.x + std::pow(length(t, k + 2), 2) - std::pow(length(t, k + 1), 2)) / (2 * b.x);
      const Point c{x, std::sqrt(std::max(0.0, std::pow(length(t, k + 2), 2) - x * x))};
      add(t, k + 1, b, c, 0.0, 1.0, a, travelled);
    }
  }

  // The window [begin, end], in shares of the way from p to q, on the far side of side k of triangle t; p is its corner
  // k.
  void add(Index t, int k, const Point& p, const Point& q, double begin, double end, const Point& origin,
           double travelled) {
    const double size = distance(p, q);
    if ((end - begin) * size <= rounding) return;
    const Index i = corner(t, k), j = corner(t, k + 1);
    for (const auto& [triangle, side] : sides_[edge(i, j)]) {
      if (triangle == t) continue;
      Window window{triangle, side, begin * size, end * size, {}, travelled};
      const double dx = (q.x - p.x) / size, dy = (q.y - p.y) / size;
      window.origin.x = (origin.x - p.x) * dx + (origin.y - p.y) * dy;
      window.origin.y = -std::abs((origin.y - p.y) * dx - (origin.x - p.x) * dy);
      if (corner(triangle, side) != i) {
        window.origin.x = size - window.origin.x;
        std::tie(window.begin, window.end) = std::pair{size - window.end, size - window.begin};
      }
      const double near = std::clamp(window.origin.x, window.begin, window.end);
      if (useful(window)) events_.push({travelled + distance(window.origin, {near, 0.0}), -1, window});
    }
  }

  // False if a path over an end of the edge is shorter to every point of the window.
  [[nodiscard]] bool useful(const Window& w) const {
    const double size = length(w.triangle, w.side);
    const double over_first = distances_[at(corner(w.triangle, w.side))] + w.end;
    const double over_second = distances_[at(corner(w.triangle, w.side + 1))] + size - w.begin;
    return w.travelled + distance(w.origin, {w.end, 0.0}) <= over_first + rounding &&
           w.travelled + distance(w.origin, {w.begin, 0.0}) <= over_second + rounding;
  }

  // Where the ray from o through (x, 0) meets the line from p to q, as a share of the way.
  static double meeting(const Point& o, double x, const Point& p, const Point& q) {
    const double dx = x - o.x, dy = -o.y;
    const double above = dx * (p.y - o.y) - dy * (p.x - o.x);
    const double below = dx * (q.y - o.y) - dy * (q.x - o.x);
    return above / (above - below);
  }

  // Through a triangle to its other two sides and the corner between them.
  void carry(const Window& w) {
    if (!useful(w)) return;
    const Point a{}, b{length(w.triangle, w.side), 0.0}, c = apex(w.triangle, w.side), o = w.origin;
    const double to_corner = o.x + (c.x - o.x) * -o.y / (c.y - o.y);  // where the line to the corner meets the side
    if (to_corner >= w.begin - rounding && to_corner <= w.end + rounding)
      lower(corner(w.triangle, w.side + 2), w.travelled + distance(o, c));
    if (to_corner > w.begin) {  // the side from c to a, met on the left
      const double end = to_corner <= w.end ? 0.0 : meeting(o, w.end, c, a);
      add(w.triangle, w.side + 2, c, a, std::clamp(end, 0.0, 1.0), std::clamp(meeting(o, w.begin, c, a), 0.0, 1.0), o,
          w.travelled);
    }
    if (to_corner < w.end) {  // the side from b to c
      const double end = to_corner >= w.begin ? 1.0 : meeting(o, w.begin, b, c);
      add(w.triangle, w.side + 1, b, c, std::clamp(meeting(o, w.end, b, c), 0.0, 1.0), std::clamp(end, 0.0, 1.0), o,
          w.travelled);
    }
  }

  const TriangleMesh& mesh_;
  std::map<std::pair<Index, Index>, std::vector<std::pair<Index, int>>> sides_;
  std::vector<std::vector<std::pair<Index, int>>> incident_;
  std::vector<bool> bends_;
  Index source_ = 0;
  std::vector<double> distances_;
  std::priority_queue<Event> events_;
};

}  // namespace

std::vector<double> exact_geodesics(const TriangleMesh& mesh, Index source) { return Propagation(mesh).from(source); }

}  // namespace cairn::test
