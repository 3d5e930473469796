// What is where a file is to be written: what may be replaced, what is written as it is, what is the same file.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// What a command writes, by which it knows a file that it wrote before.
enum class OutputForm {
  result,           ///< of `approximate` and `extend`; this and the next five are HDF5, known by the attribute `format`
  model,            ///< of `train` and `linearize`
  plan,             ///< of `transport`
  sparse_operator,  ///< the matrix of `output.operator`
  data,             ///< embeddings and tables
  fields,
  xdmf,     ///< a text for ParaView whose grid is called cairn
  json,     ///< a report or a calibration: one of the marks that begin these
  table,    ///< CSV with a heading that begins as those of cairn do, or predictions in the format of SemEval
  values,   ///< a number a line
  vectors,  ///< vectors of words: two numbers in the first line
  numpy,    ///< a matrix of NumPy
};

/// What begins the JSON objects of cairn: a member "program".
inline constexpr const char* json_mark = "program";

/// True if files of this form are HDF5. Local.
[[nodiscard]] bool is_hdf5(OutputForm form);

/// The form of data or a text by the ending of its name; a table where it says nothing.
[[nodiscard]] OutputForm form_of_name(const std::string& path);

/// Whether the path is a device, a pipe, or an open descriptor of this process (/dev/stdout), behind links, too: such a
/// thing is written and never replaced. Local.
[[nodiscard]] bool is_stream(const std::string& path);
/// The descriptor of this process that the path stands for, if it stands for one. Local.
[[nodiscard]] std::optional<int> own_descriptor(const std::string& path);

/// Whether writing both would leave one file: the same name in other words, behind links, too. Streams are none. Local.
[[nodiscard]] bool same_output(const std::string& one, const std::string& other);

/// Whether the file holds what cairn writes in that form. Local.
[[nodiscard]] bool is_of_cairn(const std::string& path, OutputForm form);

/// @throws Error(usage) if there is a file that is neither empty nor, in that form, one of cairn's own: its content
/// would be lost. Collective; rank 0 looks.
void require_replaceable(const Communicator& communicator, const OutputPath& path, OutputForm form);

/// As check_writable of a file; a stream must be open or permitted for writing. @throws Error(usage). Collective.
void check_stream_or_file(const Communicator& communicator, const OutputPath& path);

}  // namespace cairn
