// Five ways to a result: a plan, the keys of a config, points and a graph of the program, new objects with their error.
#include <cairn/run/session.hpp>
#include <cmath>
#include <cstdio>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (const cairn::Session session(MPI_COMM_WORLD); argc == 2) {
    const std::string letters = std::string(argv[1]) + "/letter.csv.xz";
    cairn::GivenValues keys = {{"data.path", letters},       {"data.label", "Letter"},
                               {"similarity.kind", "rbf"},   {"similarity.gamma", "scale"},
                               {"landmarks.count", 200},     {"output.near", 5},
                               {"output.path", "letter.h5"}, {"run.checkpoint", "letter.checkpoint"}};
    const cairn::Plan planned = cairn::plan(session, keys);  // 1. memory of the run
    const auto result = cairn::approximate(session, keys);   // 2. what `cairn approximate` does with such a config
    const auto more = cairn::extend(session, result, {{"path", letters}, {"label", "Letter"}}, {.pairs = 500});  // 3.
    std::vector<double> waves;
    for (int i = 0; i < 300; ++i) waves.insert(waves.end(), {std::sin(0.1 * i), std::cos(0.3 * i)});
    const auto points = cairn::distribute_points(session, waves, 2);  // 4. points that each rank holds
    const auto kernel = cairn::approximate(session, points, {{"similarity.kind", "rbf"}, {"landmarks.count", 50}});
    std::vector<cairn::Index> starts{0}, neighbors;
    for (cairn::Index v = 0, first = 300 * session.communicator().rank(); v < 300; ++v) {
      neighbors.push_back(first + (v + 1) % 300);  // a ring on each rank
      if (v == 0 && first > 0) neighbors.push_back(first - 300);
      starts.push_back(static_cast<cairn::Index>(neighbors.size()));
    }
    const auto rings = cairn::distribute_graph(session, starts, neighbors);  // 5. a graph in compressed rows
    const auto lengths = cairn::approximate(
        session, rings,
        {{"similarity.kind", "path-length"}, {"approximation.method", "biharmonic"}, {"landmarks.count", 60}});
    if (session.communicator().is_root())
      std::printf("%d %.3f %.3f %.3f %.3f\n", planned.peak_bytes > 0,
                  result.description().error->relative_error, more.description().error->relative_error,
                  kernel.description().error->relative_error, lengths.description().error->relative_error);
  }
  MPI_Finalize();
}
