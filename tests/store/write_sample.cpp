// Writes a sample result and prints entries of K~ computed from memory: what a reader of the file must find again.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <optional>
#include <span>

#include "sample_result.hpp"

namespace {
std::optional<cairn::Communicator> all_ranks;
}

namespace cairn::test {
const Communicator& world() { return *all_ranks; }
}  // namespace cairn::test

namespace {

using namespace cairn;

// One line an entry: row, column, K~.
void print_entries(const Approximation<double>& approximation) {
  test::Context context;
  std::vector<Index> rows;
  std::vector<Index> columns;
  for (Index i = 0; i < approximation.left.rows(); i += 11) {
    for (Index j = 0; j < approximation.left.rows(); j += 7) {
      rows.push_back(i);
      columns.push_back(j);
    }
  }
  const std::vector<double> entries = approximate_entries<double>(context.execution, approximation, rows, columns);
  if (!test::world().is_root()) return;
  for (std::size_t k = 0; k < rows.size(); ++k) fmt::print("{} {} {:.17g}\n", rows[k], columns[k], entries[k]);
}

void write(const std::string& path, const std::string& layout, bool right) {
  test::SampleShape shape{.right = right};
  if (layout == "identity") shape.layout = test::Layout::identity;
  if (layout == "diagonal") shape.layout = test::Layout::diagonal;
  if (layout == "symmetric-tiles") shape.layout = test::Layout::tiles;
  test::write_sample<double>(shape, path);
  print_entries(test::sample_approximation<double>(shape));
}

}  // namespace

// write_sample FILE identity|diagonal|dense|symmetric-tiles left|right
int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc != 4) return 2;
  all_ranks.emplace(MPI_COMM_WORLD);
  write(argv[1], argv[2], std::string(argv[3]) == "right");
  all_ranks.reset();
  MPI_Finalize();
  return 0;
}
