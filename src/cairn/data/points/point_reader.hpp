// Reading points from files of any known format, generating them, and scaling them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/points/point_columns.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// A column of a table that holds texts of the points.
struct TextColumn {
  std::string key;   ///< key of the column: label, split, group, id
  std::string name;  ///< name of the column, or its number from 1; empty: there is none
  std::vector<std::string> ObjectTexts::*texts;
};

/// Source of points. Exactly one of `path` and `generator` is set.
struct PointSource {
  std::string path{};    ///< file, possibly .gz or .xz
  std::string format{};  ///< csv, svm, idx, npy, npz, raw32, raw64, hdf5; empty: from the file's name
  /// csv: column by name or number from 1; idx: path of the label file; "" for none. svm and hdf5 files contain their
  /// labels; "first" and "labels" may be given for them, and the labels are then required.
  std::string label{};
  std::string split{}, group{}, identifier{};  ///< csv: columns, given like `label`; empty: none
  Index unlabelled = 0;                        ///< csv: `label` has no effect if lines have this many fields
  std::string labels_in = "labels";            ///< hdf5: the data set with labels
  std::string dataset{};    ///< hdf5: name of the data set or the group with compressed rows; empty: "points", or the
                            ///< only one; npz: name of the array; empty: the only one
  Index dimension = 0;      ///< raw32, raw64: values per row; svm: at least this many; others: a check; 0: not given
  std::string generator{};  ///< gaussian-mixture, swiss-roll, uniform, normal
  Index points = 0;         ///< generator: n
  std::uint64_t seed = 0;   ///< generator
  /// csv and matrices: columns that become coordinates, by name, number from 1 or range of numbers (2-12), read in this
  /// order; empty: all but the label. Columns of `ignored` do not become coordinates.
  std::vector<std::string> columns{};
  std::vector<std::string> ignored{};
  bool ignored_may_be_missing = false;  ///< names among `ignored` that the file does not have are no error
  /// csv: treatment of rows with missing values: refuse, skip or nan (the values are NaN); empty: refuse, for a table
  /// without keys of its own.
  std::string missing = "refuse";
  std::string separator = "auto";  ///< csv: field separator: auto, comma, semicolon, tab, blank, pipe
  /// True if points may be sparse: those of a file of entries (svm, hdf5 and npz of compressed rows), if few
  /// coordinates are nonzero.
  bool sparse = false;
  KeyNames keys{};  ///< names of path, format, label, split, group, id, dataset, dimension, generate, points, columns,
                    ///< ignore, missing, separator

  /// Columns of label, split, group and id. Local.
  [[nodiscard]] std::array<TextColumn, 4> text_columns() const;
};

/// Points and the findings of reading them.
template <class T>
struct PointTable {
  PointSet<T> points;
  PointReport report;
  std::vector<Index> numbers;  ///< this rank's row numbers in the file, from 0; empty if no rows can have been skipped
};

/// Reads or generates points, each rank its part. Generated point i is the same on any number of ranks.
/// @throws Error(usage) for an unknown format or generator, Error(input) with file:line for invalid input (missing,
/// empty, too few or too many values, no number, NaN or infinite, a requested label that does not exist): the same on
/// every rank. Collective.
template <class T>
[[nodiscard]] PointTable<T> read_point_table(const Communicator& communicator, const PointSource& source);

/// True if the labels of the source's format are in a separate file, which `label` names (idx). False also if the
/// format is not clear from the name of the file. Local.
[[nodiscard]] bool labels_are_a_file(const PointSource& source);

/// The points of read_point_table, without the findings.
template <class T>
[[nodiscard]] PointSet<T> read_points(const Communicator& communicator, const PointSource& source);

/// Shape of the points of a file without reading their values, where the format allows it (npy, raw, idx, hdf5); else
/// nothing. Local.
struct PointShape {
  Index points = 0;
  Index dimension = 0;
  Index entries = -1;  ///< entries in the file; -1: it has all coordinates
};
[[nodiscard]] std::optional<PointShape> peek_point_shape(const PointSource& source);

/// x -> (x - shift) * factor, with one shift and factor per coordinate; or each point divided by its Euclidean norm.
struct Scaling {
  std::string kind = "none";  ///< none, center, standard, min-max, unit-norm
  std::vector<double> shift;  ///< empty for none and unit-norm
  std::vector<double> factor;
};

/// True if 0 stays 0 in every coordinate, so that sparse points stay sparse. Local.
[[nodiscard]] bool keeps_zeros(const Scaling& scaling);

/// center: mean 0; standard: mean 0, variance 1 (population); min-max: [0, 1]; constant coordinates become 0. The sums
/// are taken unit by unit (RowPartition::unit), so that they do not depend on the number of ranks. Collective.
/// @param keys  name of the kind (scaling)
/// @throws Error(usage) for an unknown kind, Error(input) if unit-norm finds a zero vector (its row is named);
/// Error(internal) for sparse points with center or standard, or if the scaling to be applied does not keep their zeros
template <class T>
[[nodiscard]] Scaling fit_scaling(const Communicator& communicator, const PointSet<T>& points, const std::string& kind,
                                  const KeyNames& keys = {});
template <class T>
void apply_scaling(const Communicator& communicator, const Scaling& scaling, PointSet<T>& points,
                   const KeyNames& keys = {});

}  // namespace cairn
