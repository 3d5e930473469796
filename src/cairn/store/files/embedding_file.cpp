#include "cairn/store/files/embedding_file.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/seal_file.hpp"
#include "cairn/store/hdf5/shared_table.hpp"
#include "cairn/store/result/description.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

constexpr const char* format = "cairn-embedding";
constexpr const char* table = "embedding";

// Writes everything but the rows that all ranks write. Rank 0 only.
void lay_out(const std::string& path, const EmbeddingDescription& description, const std::vector<SharedTable>& tables) {
  Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(format));
  hdf5::write_attribute(file, "format_version", Index{embedding_format_version});
  hdf5::write_attribute(file, "method", description.method);
  hdf5::write_attribute(file, "object_kind", description.object_kind);
  hdf5::write_attribute(file, "data_digest", description.data_digest);
  hdf5::write_numbers(file, "eigenvalues", std::span<const double>(description.eigenvalues));
  hdf5::write_numbers(file, "residuals", std::span<const double>(description.residuals));
  {
    const Handle report = hdf5::create_group(file, "report");
    write_metrics(report, description.metrics);
  }
  write_provenance(file, description.provenance, description.phases);
  create_tables(file, tables);
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

InputFile open_embedding(const std::string& path) {
  InputFile file(path);
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != format) {
    throw Error(ErrorKind::input, fmt::format("{} is an HDF5 file, but no embedding of cairn", path));
  }
  const Index version = file.index_attribute("/", "format_version");
  if (version > embedding_format_version) {
    throw Error(ErrorKind::input, fmt::format("{} has format version {}; this program reads up to version {}: use a "
                                              "newer Cairn",
                                              path, version, embedding_format_version));
  }
  if (version < 1) file.refuse(fmt::format("its format version is {}", version));
  return file;
}

StoredEmbedding checked_embedding(const InputFile& file) {
  StoredEmbedding stored;
  stored.format_version = static_cast<int>(file.index_attribute("/", "format_version"));
  const hdf5::TableShape shape = file.table(table);
  if (shape.columns < 1 || shape.type.kind != hdf5::ElementType::Kind::float64) {
    file.refuse("/embedding is not a matrix of float64");
  }
  stored.rows = shape.rows;
  stored.dimension = shape.columns;
  EmbeddingDescription& description = stored.description;
  description.method = file.text_attribute("/", "method");
  description.object_kind = file.text_attribute("/", "object_kind");
  description.data_digest = file.unsigned_attribute("/", "data_digest");
  description.eigenvalues = file.numbers("eigenvalues");
  description.residuals = file.numbers("residuals");
  const auto dimension = static_cast<std::size_t>(stored.dimension);
  if (description.eigenvalues.size() != dimension || description.residuals.size() != dimension) {
    file.refuse("/eigenvalues and /residuals do not have one number a coordinate");
  }
  description.metrics = read_metrics(file);
  read_provenance(file, description.provenance, description.phases);
  stored.has_labels = file.has(layout::labels);
  if (stored.has_labels) {
    const hdf5::TableShape labels = file.table(layout::labels);
    if (labels.type.kind != hdf5::ElementType::Kind::text || labels.columns >= 0 || labels.rows != stored.rows) {
      file.refuse("/labels are not one text a row");
    }
  }
  return stored;
}

}  // namespace

void write_embedding(const Execution& execution, const OutputPath& path, const RowBlock<double>& coordinates,
                     const EmbeddingDescription& description, const std::vector<std::string>& labels) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  std::vector<SharedTable> tables{factor_table(communicator, table, coordinates)};
  if (auto names = label_table(communicator, layout::labels, coordinates.partition(), labels)) {
    tables.push_back(std::move(*names));
  }
  ResultDescription small;  // small parts that are the same as in a result
  small.provenance = description.provenance;
  small.phases = description.phases;
  const auto numbers = static_cast<Index>(2 * description.eigenvalues.size() + description.metrics.size());
  Index bytes = description_bytes(small, {}) + numbers * static_cast<Index>(sizeof(double));
  for (const SharedTable& shared : tables) bytes += shared.bytes();

  AtomicFile target(communicator, path);
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), description, tables);
  });
  target.reserve();
  phase.count_bytes(write_tables(communicator, target.partial_path(), tables));
  target.commit();
}

bool is_embedding(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    const InputFile file(path);
    return file.has_attribute("/", "format") && file.text_attribute("/", "format") == format;
  });
}

StoredEmbedding read_embedding_description(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return checked_embedding(open_embedding(path)); });
}

}  // namespace cairn
