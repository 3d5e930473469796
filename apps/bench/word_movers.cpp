// Word mover's distances of a tile of real documents. Arguments: KIND: tweets, recipes, abstracts, messages; the folder
// of the data; rows; columns; a folder for the documents and distances, for the peer pot_word_movers.py. One rank. One
// line of JSON.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"
#include "real_texts.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;
using Path = std::filesystem::path;

template <class T>
void write_raw(const Path& path, std::span<const T> values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

// Writes the documents of a block: starts, words, counts. The vectors of all words are written separately.
void write_block(const Path& folder, const DocumentBlock& block) {
  std::filesystem::create_directories(folder);
  write_raw(folder / "starts.i64", block.starts);
  write_raw(folder / "words.i32", block.words);
  write_raw(folder / "counts.f32", block.counts);
}

struct Tile {
  const ObjectBlock& rows;
  const ObjectBlock& columns;
};

// Seconds per tile: the median of `repeats` runs, after one that fills the caches.
double seconds_of(const Similarity<double>& distance, const Tile& tile, int repeats, std::vector<double>& values) {
  values.resize(tile.rows.size() * tile.columns.size());
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const double start = MPI_Wtime();
    distance.tile(tile.rows, tile.columns, {values.data(), tile.rows.size(), tile.columns.size()});
    if (repeat > 0) seconds.push_back(MPI_Wtime() - start);
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[repeats / 2];
}

nlohmann::json run(const Communicator& world, const std::string& kind, const Path& data, Index rows, Index columns,
                   const Path& folder) {
  const auto read = read_documents(world, bench::texts_of_kind(kind, data, world));
  const DocumentSet& documents = *read.documents;
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 0};
  const auto distance = make_wmd_distance<double>(execution, documents);
  const auto drawn = sample_without_replacement(documents.size(), rows + columns, Random(1, Stream::test));
  const auto x = documents.gather(world, std::span(drawn).first(rows));
  const auto y = documents.gather(world, std::span(drawn).subspan(rows));
  std::vector<double> values;
  const double seconds = seconds_of(*distance, {*x, *y}, 5, values);
  const auto& left = dynamic_cast<const DocumentBlock&>(*x);
  const auto& right = dynamic_cast<const DocumentBlock&>(*y);
  if (!folder.empty()) {
    write_block(folder / "rows", left);
    write_block(folder / "columns", right);
    const MatrixView<const float> vectors = documents.vectors()->vectors();
    write_raw(folder / "vectors.f32",
              std::span(vectors.data, static_cast<std::size_t>(vectors.rows * vectors.columns)));
    write_raw(folder / "distances.f64", std::span<const double>(values));
  }
  const auto words = static_cast<double>(documents.bags().words.size());
  const double of_rows = static_cast<double>(left.words.size()), of_columns = static_cast<double>(right.words.size());
  nlohmann::json line;
  line["documents"] = documents.size();
  line["words_a_document"] = words / static_cast<double>(documents.size());
  line["dimension"] = documents.vectors()->dimension();
  line["pairs"] = rows * columns;
  line["pairs_a_second"] = static_cast<double>(rows * columns) / seconds;
  line["gemm_gflops"] = bench::gemm_gflops(world);
  // multiply-adds of all pairs of words, without reuse of any
  line["ground_flops_a_pair"] = 2.0 * of_rows / static_cast<double>(rows) * of_columns / static_cast<double>(columns) *
                                static_cast<double>(documents.vectors()->dimension());
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    const Index rows = argc > 4 ? std::atoll(argv[3]) : 0, columns = argc > 4 ? std::atoll(argv[4]) : 0;
    if (rows < 1 || columns < 1 || world.size() != 1) {
      throw Error(ErrorKind::usage, "bench_word_movers KIND DATA ROWS COLUMNS [FOLDER], on one rank");
    }
    return run(world, argv[1], argv[2], rows, columns, argc > 5 ? Path(argv[5]) : Path());
  });
}
