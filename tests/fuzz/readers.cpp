#include "readers.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "cairn/base/error.hpp"

namespace cairn::fuzz {

namespace {

constexpr Reader all[] = {{"csv", read_csv_points},
                          {"svm", read_svm_points},
                          {"binary-points", read_binary_points},
                          {"graph", read_graph_text},
                          {"obj", read_obj_mesh},
                          {"off", read_off_mesh},
                          {"ply", read_ply_mesh},
                          {"gifti", read_gifti_mesh},
                          {"documents", read_document_files},
                          {"trees", read_tree_files},
                          {"sequences", read_sequence_files},
                          {"pairs", read_pair_files},
                          {"word-vectors", read_vector_files},
                          {"word-files", read_word_files},
                          {"lists", read_lists},
                          {"network", read_network_file},
                          {"compressed", read_compressed},
                          {"manifest", read_manifest_file},
                          {"segment", read_segment_file},
                          {"config", read_config},
                          {"hdf5-data", read_hdf5_data},
                          {"hdf5-stored", read_hdf5_stored},
                          {"hdf5-bytes", read_hdf5_bytes, true}};

const Communicator* communicator = nullptr;  // never given back: MPI may be at its end before this

}  // namespace

std::span<const Reader> readers() { return all; }

void start() {
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);  // no daemon for one rank
  int started = 0, provided = 0;
  MPI_Initialized(&started);
  if (started == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (communicator == nullptr) communicator = new Communicator(MPI_COMM_SELF);
}

const Communicator& alone() { return *communicator; }

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

char take_choice(std::string_view& input) {
  if (input.empty()) return '\0';
  const char first = input.front();
  input.remove_prefix(1);
  return first;
}

std::string run(const Reader& reader, std::string_view input) {
  try {
    reader.read(input);
    return {};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage || error.kind() == ErrorKind::input) return error.what();
    throw std::logic_error("an Error with exit code " + std::to_string(error.exit_code()) + ": " + error.what());
  }
}

}  // namespace cairn::fuzz
