// Checks of an existing file at an output path: may it be replaced, is it a stream, is it the same file as another.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Form of an output, by which a command recognizes a file that it wrote before.
enum class OutputForm {
  result,  ///< from `approximate` and `extend`; this and the next six are HDF5, known by the attribute `format`
  model,   ///< from `train` and `linearize`
  plan,    ///< from `transport`
  completed_graph,  ///< from `reweigh`
  sparse_operator,  ///< matrix of `output.operator`
  data,             ///< embeddings and tables
  fields,
  xdmf,     ///< a text for ParaView whose grid is called cairn
  json,     ///< report or calibration, recognized by one of the marks with which they begin
  table,    ///< CSV with a heading that begins as those of cairn do, or predictions in the format of SemEval
  values,   ///< one number per line
  vectors,  ///< word vectors: two numbers in the first line
  numpy,    ///< matrix of NumPy
};

/// First member of cairn's JSON objects: "program".
inline constexpr const char* json_mark = "program";

/// True if files of this form are HDF5. Local.
[[nodiscard]] bool is_hdf5(OutputForm form);

/// Form of data or a text, by the extension of its name; `table` if the extension is unknown.
[[nodiscard]] OutputForm form_of_name(const std::string& path);

/// True if the path, after links are followed, is a device, a pipe or an open descriptor of this process (/dev/stdout).
/// Such a stream is written and never replaced. Local.
[[nodiscard]] bool is_stream(const std::string& path);
/// Descriptor of this process that the path refers to, if any. Local.
[[nodiscard]] std::optional<int> own_descriptor(const std::string& path);

/// True if both paths name the same file, links followed, so that writing both would leave one file. False for streams.
/// Local.
[[nodiscard]] bool same_output(const std::string& one, const std::string& other);

/// True if the file holds what cairn writes in that form. Local.
[[nodiscard]] bool is_of_cairn(const std::string& path, OutputForm form);

/// @throws Error(usage) if the file exists, is not empty, and was not written by cairn in that form: its content would
/// be lost. Collective; rank 0 checks.
void require_replaceable(const Communicator& communicator, const OutputPath& path, OutputForm form);

/// Like check_writable for a file; a stream must be open for writing or permit it. @throws Error(usage). Collective.
void check_stream_or_file(const Communicator& communicator, const OutputPath& path);

}  // namespace cairn
