// Every reader of files, as a function of a file's bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn::fuzz {

/// A reader, or several of one family: then the first character of an input says which.
struct Reader {
  const char* name;
  void (*read)(std::string_view input);
  bool meets_hdf5_first = false;  ///< damaged files crash and leak in HDF5 1.10 itself: run by name alone
};

/// All readers, by name.
[[nodiscard]] std::span<const Reader> readers();

/// Starts MPI, for one rank. Once, before anything else.
void start();
/// The communicator of that one rank.
[[nodiscard]] const Communicator& alone();

/// Gives the reader an input. An Error of the kinds usage and input is what bad input is to give.
/// @return its message; empty if the input was read
/// @throws std::logic_error for an Error of another kind, or what a sound object would not be
std::string run(const Reader& reader, std::string_view input);

/// @throws std::logic_error with `what` unless it holds
void require(bool holds, const char* what);

/// Takes the first character off `input`; '\0' if it is empty.
char take_choice(std::string_view& input);

void read_csv_points(std::string_view input);
void read_svm_points(std::string_view input);
void read_binary_points(
    std::string_view input);  // n: npy, z: npz, i: idx, l: idx with labels, r: raw32, R: raw64, m: matrix
void read_graph_text(
    std::string_view input);  // e: edges, g: gr, m: mtx, c: cedge, o: osm.pbf; upper case: without lengths
void read_obj_mesh(std::string_view input);
void read_off_mesh(std::string_view input);
void read_ply_mesh(std::string_view input);
void read_gifti_mesh(std::string_view input);
void read_document_files(std::string_view input);  // t: tsv, h: with a header, c: csv, C: with a header, l: lines,
                                                   // z: by characters, j: jsonl, a: json
void read_tree_files(std::string_view input);  // k: kelp, s: svm-light-tk, p: penn; conllu: g: grct, l: lct, else loct
void read_sequence_files(std::string_view input);  // l: lines, t: tsv, c: csv, F: fasta, k: kelp, n: of a name; L, K:
                                                   // by characters
void read_pair_files(std::string_view input);      // A, B, C: XML of that subtask, c: its chunks, k: kelp
void read_vector_files(std::string_view input);    // t: text, b: word2vec, r: raw32, n: npy, w: the list of their words
void read_word_files(std::string_view input);      // p: scored pairs of words, f: features of words
void read_lists(std::string_view input);         // l: landmarks, r: rows, s: split, g: texts, p: positions, o: listed,
                                                 // n: pairs of numbers, t: pairs of texts, x: points
void read_network_file(std::string_view input);  // o: onnx, n: npz
void read_compressed(std::string_view input);    // bytes of any file, plain, .gz, .xz or .zip
void read_manifest_file(std::string_view input);
void read_segment_file(std::string_view input);
void read_config(std::string_view input);       // c: a config, v: a key and its value, s: the table of a sweep
void read_hdf5_data(std::string_view input);    // p: points, m: matrix, g: graph, G: without lengths, l: landmarks
void read_hdf5_stored(std::string_view input);  // r: result, d: its distances, o: operator, m: model, c: classifier, g:
                                                // process, e: embedding, f: fields
void read_hdf5_bytes(std::string_view input);   // the bytes of an HDF5 file; P: points, g, r, o, m as above

}  // namespace cairn::fuzz
