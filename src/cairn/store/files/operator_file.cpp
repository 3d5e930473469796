#include "cairn/store/files/operator_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/seal_file.hpp"
#include "cairn/store/hdf5/shared_table.hpp"
#include "cairn/store/hdf5/sparse_factor.hpp"

namespace cairn {

namespace {

constexpr const char* format = "cairn-operator";
constexpr const char* weights = "weights";
constexpr const char* inverse_mass = "inverse_mass";
constexpr const char* parameters = "parameters";

// This rank's rows of A.
SparseRows<double> own_rows(const Communicator& communicator, const BiharmonicOperator& op) {
  const RowPartition partition(op.size(), communicator.size());
  const Range own = partition.range(communicator.rank());
  const Index begin = op.starts[own.begin], end = op.starts[own.end];
  std::vector<Index> starts, indices;
  std::vector<double> values;
  for (Index v = own.begin; v <= own.end; ++v) starts.push_back(op.starts[v] - begin);
  for (Index arc = begin; arc < end; ++arc) {
    indices.push_back(op.neighbors[arc]);
    values.push_back(op.weight(arc));
  }
  return {partition, communicator.rank(), op.size(), std::move(starts), std::move(indices), std::move(values)};
}

RowBlock<double> own_masses(const Communicator& communicator, const BiharmonicOperator& op) {
  const RowPartition partition(op.size(), communicator.size());
  RowBlock<double> block(partition, communicator.rank(), 1);
  for (Index v = block.range().begin; v < block.range().end; ++v) block.row(v)[0] = op.inverse_mass_of(v);
  return block;
}

// Writes all but the rows of the tables. One rank.
void lay_out(const std::string& path, const BiharmonicOperator& op, const OperatorOrigin& origin,
             const std::vector<SharedTable>& tables) {
  hdf5::Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(format));
  hdf5::write_attribute(file, "format_version", static_cast<Index>(operator_format_version));
  hdf5::write_attribute(file, "kind", op.kind);
  hdf5::write_attribute(file, "data_digest", origin.data_digest);
  hdf5::write_attribute(file, "scaling", origin.scaling);
  hdf5::write_flag(file, "unit_weights", op.weights.empty());
  {
    const hdf5::Handle group = hdf5::create_group(file, parameters);
    for (const auto& [name, value] : origin.parameters) hdf5::write_attribute(group, name, value);
  }
  create_sparse_group(file, weights, op.size(), op.size());
  create_tables(file, tables);
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

bool says_operator(const hdf5::InputFile& file) {
  return file.has_attribute("/", "format") && file.text_attribute("/", "format") == format;
}

void check_format(const hdf5::InputFile& file, const std::string& path, const KeyNames& keys = {}) {
  if (!says_operator(file)) {
    throw Error(ErrorKind::input,
                fmt::format("{} is not an operator that Cairn wrote ({})", path, keys("operator", "write_operator")));
  }
  if (const Index version = file.index_attribute("/", "format_version"); version > operator_format_version) {
    throw Error(ErrorKind::input, fmt::format("{} has format {}, and this program reads formats up to {}", path,
                                              version, operator_format_version));
  }
}

void check_origin(const hdf5::InputFile& file, const std::string& path, const OperatorOrigin& expected) {
  check_format(file, path, expected.output_keys);
  if (const auto digest = file.unsigned_attribute("/", "data_digest"); digest != expected.data_digest) {
    throw Error(ErrorKind::input, fmt::format("{} is the operator of other data (their digest is {:016x}, that of the "
                                              "data of this run {:016x})",
                                              path, digest, expected.data_digest));
  }
  if (const std::string scaling = file.text_attribute("/", "scaling"); scaling != expected.scaling) {
    throw Error(ErrorKind::input, fmt::format("{} is the operator of data with {} = {}, not {}", path,
                                              expected.data_keys("scaling"), scaling, expected.scaling));
  }
}

// An entry of A on its way to the rank of its column.
struct Entry {
  std::int32_t row, column;
  double value;
};

// Throws if A is not symmetric, or has diagonal entries. Collective.
void check_symmetric(const Communicator& communicator, const std::string& path, const SparseRows<double>& a) {
  std::vector<std::vector<Entry>> send(communicator.size());
  collectively(communicator, [&] {
    if (a.columns() != a.rows()) throw Error(ErrorKind::input, fmt::format("{}: /weights is not square", path));
    for (Index row = a.range().begin; row < a.range().end; ++row) {
      const auto entries = a.row(row);
      for (std::size_t k = 0; k < entries.columns.size(); ++k) {
        const auto owner = static_cast<std::size_t>(a.partition().owner(entries.columns[k]));
        send[owner].push_back(
            {static_cast<std::int32_t>(row), static_cast<std::int32_t>(entries.columns[k]), entries.values[k]});
      }
    }
  });
  const auto received = communicator.exchange(send);
  collectively(communicator, [&] {
    for (const auto& list : received) {
      for (const Entry& entry : list) {
        const auto mirror = a.row(entry.column);
        const auto found = std::ranges::lower_bound(mirror.columns, Index{entry.row});
        const auto place = static_cast<std::size_t>(found - mirror.columns.begin());
        if (entry.row != entry.column && found != mirror.columns.end() && *found == entry.row &&
            mirror.values[place] == entry.value) {
          continue;
        }
        throw Error(ErrorKind::input, fmt::format("{}: /weights holds {} in row {}, column {}, which is no entry of a "
                                                  "symmetric matrix without diagonal; write the operator anew",
                                                  path, entry.value, entry.row, entry.column));
      }
    }
  });
}

}  // namespace

void write_operator(const Execution& execution, const OutputPath& path, const BiharmonicOperator& op,
                    const OperatorOrigin& origin) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("write operator");
  const auto a = collectively(communicator, [&] { return own_rows(communicator, op); });
  const auto masses = collectively(communicator, [&] { return own_masses(communicator, op); });
  std::vector<SharedTable> tables = sparse_factor_tables(communicator, weights, a);
  if (!op.inverse_mass.empty()) tables.push_back(factor_table(communicator, inverse_mass, masses));
  AtomicFile target(communicator, path);
  constexpr Index head = Index{1} << 16;
  Index bytes = head;
  for (const SharedTable& table : tables) bytes += table.bytes();
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), op, origin, tables);
  });
  target.reserve();
  phase.count_bytes(write_tables(communicator, target.partial_path(), tables));
  target.commit();
}

bool is_operator(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return says_operator(hdf5::InputFile(path)); });
}

StoredOperator read_operator_description(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    const hdf5::InputFile file(path);
    check_format(file, path);
    const SparseShape shape = sparse_factor_shape(file, weights);
    StoredOperator stored{static_cast<int>(file.index_attribute("/", "format_version")),
                          file.text_attribute("/", "kind"),
                          shape.rows,
                          shape.entries,
                          {file.unsigned_attribute("/", "data_digest"), file.text_attribute("/", "scaling"), {}}};
    for (const char* name : {"neighbours", "perplexity", "flip-edges"}) {
      if (file.has_attribute(parameters, name)) stored.origin.parameters[name] = file.text_attribute(parameters, name);
    }
    return stored;
  });
}

BiharmonicOperator read_operator(const Execution& execution, const std::string& path, const OperatorOrigin& expected) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read operator");
  BiharmonicOperator result;
  bool unit_weights = false, has_masses = false;
  const auto file = collectively(communicator, [&] {
    auto opened = std::make_unique<hdf5::InputFile>(path);
    check_origin(*opened, path, expected);
    if (sparse_factor_shape(*opened, weights).number != hdf5::element_type<double>()) {
      opened->refuse(fmt::format("/{} does not hold float64", weights));
    }
    result.kind = opened->text_attribute("/", "kind");
    unit_weights = opened->flag_attribute("/", "unit_weights");
    has_masses = opened->has(inverse_mass);
    return opened;
  });
  const auto a = read_sparse_factor<double>(communicator, *file, weights);
  check_symmetric(communicator, path, a);
  std::vector<double> masses, degrees;
  std::vector<Index> starts;
  std::vector<std::int32_t> neighbors;
  Index before = 0;
  const auto counts = communicator.all_gather_one(a.own_entries());
  for (int r = 0; r < communicator.rank(); ++r) before += counts[r];
  collectively(communicator, [&] {
    if (unit_weights && !std::ranges::all_of(a.values(), [](double weight) { return weight == 1.0; })) {
      file->refuse(fmt::format("/{} holds other numbers than 1, and unit_weights says that all are 1", weights));
    }
    if (has_masses) {
      const hdf5::TableShape shape = file->table(inverse_mass);
      if (shape.rows != a.rows() || shape.columns != 1 || shape.type != hdf5::element_type<double>()) {
        file->refuse(fmt::format("/{} is not a column of {} float64", inverse_mass, a.rows()));
      }
      masses.resize(a.range().size());
      if (!masses.empty()) file->read_rows(inverse_mass, shape, a.range(), masses.data());
      if (!std::ranges::all_of(masses, [](double mass) { return mass > 0.0 && std::isfinite(mass); })) {
        file->refuse(fmt::format("/{} holds numbers that are not above 0", inverse_mass));
      }
    }
    if (communicator.is_root()) starts.push_back(0);  // ranks have the ends of their rows; rank 0 adds the first 0
    for (Index row = a.range().begin; row < a.range().end; ++row) {
      double degree = 0.0;
      for (const double value : a.row(row).values) degree += value;
      degrees.push_back(degree);
      starts.push_back(before + a.starts()[static_cast<std::size_t>(row - a.range().begin) + 1]);
    }
    neighbors.assign(a.indices().begin(), a.indices().end());
  });
  result.starts = replicate_on_nodes(communicator, std::span<const Index>(starts));
  result.neighbors = replicate_on_nodes(communicator, std::span<const std::int32_t>(neighbors));
  if (!unit_weights) result.weights = replicate_on_nodes(communicator, std::span<const double>(a.values()));
  result.degrees = replicate_on_nodes(communicator, std::span<const double>(degrees));
  if (has_masses) result.inverse_mass = replicate_on_nodes(communicator, std::span<const double>(masses));
  return result;
}

}  // namespace cairn
