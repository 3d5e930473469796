// Cairn's HDF5 result files. docs/file-format.md describes the format; only this folder knows it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/data/points/point_columns.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/distance_table.hpp"
#include "cairn/store/hdf5/compression.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

class PathLength;
struct StoredHierarchy;

inline constexpr int result_format_version = 3;       ///< of a result with trees
inline constexpr int rectangular_format_version = 2;  ///< if the columns represent other objects than the rows
inline constexpr int square_format_version = 1;       ///< if the columns represent the objects of the rows

/// Content of a result file besides its factors.
struct ResultDescription {
  std::string similarity;                                                  ///< kind
  std::vector<std::pair<std::string, std::string>> similarity_parameters;  ///< resolved
  std::string landmark_selection;
  /// Number of objects of the data set that the landmark indices refer to; 0: the rows of the factors. An extension has
  /// other rows.
  Index landmark_population = 0;
  std::string precision = "double";               ///< of the factors: double, single
  std::uint64_t data_digest = 0;                  ///< of all objects, independent of the number of ranks
  Index evaluations = 0;                          ///< evaluations for the factors
  std::optional<ErrorEstimate> error;             ///< from the probe
  std::map<std::string, std::string> provenance;  ///< config text, versions, command line, date, seed, ranks, ...
  std::vector<PhaseSummary> phases;
  std::map<std::string, double> metrics;              ///< further metrics, by the names in docs/file-format.md
  std::vector<std::pair<Index, double>> growth{};     ///< landmarks and relative error, as a run to a stated error grew
  std::string scaling;                                ///< none, center, standard, min-max, unit-norm
  std::vector<double> scaling_shift, scaling_factor;  ///< as in Scaling
  std::string object_kind = "points";                 ///< points, matrix, graph, mesh, documents
  Index dimension = 0;                                ///< of points, or of word vectors
  std::optional<Tokenization> tokenization;           ///< for documents with word vectors
  std::optional<PointColumns> columns;                ///< for points that were read from a table
};

/// Sizes and types, without the factors: what `info` prints and what is needed before reading. Read on every rank.
struct ResultShape {
  int format_version = 0;
  Index rows = 0, left_columns = 0, right_columns = 0;
  Index right_rows = 0;
  bool has_right = false, symmetric = true;
  bool rectangular = false;  ///< rows of /right represent other objects than those of /left
  bool sparse = false;       ///< /left is stored in compressed rows
  bool left_stored = true;   ///< false: there is no /left, and its rows follow from the landmarks
  /// Bytes of an entry of a dense factor that has integers; 0: it has floats.
  Index left_integer_bytes = 0, right_integer_bytes = 0;
  Index left_entries = 0;  ///< stored entries of /left
  Index core_rows = -1;    ///< stored rows of /left, if those of /trees follow from them; otherwise negative
  std::string core_layout, transform, meaning, precision;
  bool has_labels = false;
  bool has_right_labels = false;  ///< of the objects that the columns represent
  bool has_splits = false, has_groups = false, has_identifiers = false, has_texts = false;
  Index landmarks = 0;        ///< listed landmarks of the left factor; 0: none
  bool has_numbers = false;   ///< rows have different numbers in the data file
  Index hierarchy_arcs = -1;  ///< of /hierarchy; negative: there is none
  Index near = 0;             ///< nearest objects per object whose entries /near has; 0: no such group
  Index near_entries = 0;     ///< stored entries of /near

  [[nodiscard]] bool has_hierarchy() const { return hierarchy_arcs >= 0; }
  [[nodiscard]] bool has_trees() const { return core_rows >= 0; }
};

/// Data from which similarities were computed, which a result may keep beside its factors. All must live until they are
/// written.
template <class T>
struct KeptParts {
  const StoredDistances<T>* distances = nullptr;  ///< for /base
  const CooccurrenceCounts* counts = nullptr;     ///< word co-occurrences, for /counts
  const StoredHierarchy* hierarchy = nullptr;     ///< this rank's part, for /hierarchy; on all ranks or on none
  const NearEntries<T>* near = nullptr;           ///< S, for /near
};

/// References to this rank's texts beside the rows of a result, as in ObjectTexts.
struct RowTexts {
  const std::vector<std::string>*labels = &none(), *splits = &none(), *groups = &none(), *identifiers = &none(),
        *texts = &none();

  RowTexts() = default;
  RowTexts(const std::vector<std::string>& only_labels) : labels(&only_labels) {}  // NOLINT: labels are texts
  RowTexts(const ObjectTexts& of)                                                  // NOLINT: likewise
      : labels(&of.labels), splits(&of.splits), groups(&of.groups), identifiers(&of.identifiers), texts(&of.texts) {}
  RowTexts(const ObjectSet& objects)  // NOLINT: likewise
      : labels(&objects.labels()),
        splits(&objects.splits()),
        groups(&objects.groups()),
        identifiers(&objects.identifiers()),
        texts(&made_),
        made_(objects.texts()) {}
  RowTexts(const RowTexts&) = delete;
  RowTexts& operator=(const RowTexts&) = delete;
  ~RowTexts() = default;

 private:
  static const std::vector<std::string>& none() {
    static const std::vector<std::string> empty;
    return empty;
  }
  std::vector<std::string> made_;
};

/// Writes `approximation` to `path`: beside it first, flushed to disk, then renamed. Removes the partial file on
/// failure.
/// @param texts  labels, splits, groups, identifiers, and texts of the rows; or labels alone
/// @param compression  of a core matrix in tiles; other parts are not compressed
/// @param numbers  distributed as texts: number of each row in the data file, if different from the row
/// @param kept  data from which the similarities were computed
/// @param right_labels  distributed as labels: labels of this rank's rows of /right, if they represent other objects
/// @throws Error(resource) if the disk is full or fails, Error(usage) as check_writable does: the same on every rank,
/// since each rank writes its rows independently and all agree on the outcome. Collective.
template <class T>
void write_result(const Execution& execution, const OutputPath& path, const Approximation<T>& approximation,
                  const ResultDescription& description, const RowTexts& texts,
                  Compression compression = Compression::none, const std::vector<Index>& numbers = {},
                  const KeptParts<T>& kept = {}, const std::vector<std::string>& right_labels = {});

/// Return value of read_result.
template <class T>
struct StoredResult : ObjectTexts {  // texts of this rank
  Approximation<T> approximation;
  ResultDescription description;
  std::vector<Index> numbers;             ///< numbers of this rank's rows in the data file; empty: the rows
  std::vector<std::string> right_labels;  ///< this rank's labels of the objects that the columns represent, or empty

  /// Names of this rank's rows for people: labels, or, without labels, the numbers. Local.
  [[nodiscard]] std::vector<std::string> names() const {
    if (!this->labels.empty()) return this->labels;
    std::vector<std::string> all;
    for (const Index number : numbers) all.push_back(std::to_string(number));
    return all;
  }
};

/// True if the file at `path` is marked as a result; false for a file that is not HDF5. Collective.
[[nodiscard]] bool is_result(const Communicator& communicator, const std::string& path);
/// @throws Error(input) if the file is missing, truncated, has another format or a newer version, or its shapes and
/// indices do not agree (all are checked before they are trusted). Collective.
[[nodiscard]] ResultShape read_result_shape(const Communicator& communicator, const std::string& path);
[[nodiscard]] ResultDescription read_result_description(const Communicator& communicator, const std::string& path);
[[nodiscard]] MethodReport read_result_report(const Communicator& communicator, const std::string& path);
/// The file's precision must be T's. Factors are distributed as in RowPartition(rows, ranks). A core matrix in tiles
/// stays in the file, and is read on demand, if it would take more than `most_tile_bytes` on a rank.
/// @throws Error(usage) if the file keeps no rows of the left factor (ResultShape::left_stored). Collective.
inline constexpr Index all_tiles = std::numeric_limits<Index>::max();
template <class T>
[[nodiscard]] StoredResult<T> read_result(const Communicator& communicator, const std::string& path,
                                          Index most_tile_bytes = all_tiles);
/// The same without the rows of a dense left factor that comes from landmarks or features, which has its shape alone:
/// for tasks on the objects, and commands that evaluate rows. Its digest (columns_digest) does not need them.
template <class T>
[[nodiscard]] StoredResult<T> read_result_beside_rows(const Communicator& communicator, const std::string& path,
                                                      Index most_tile_bytes);
/// The same without core matrix (returned as the identity), right factor, texts and numbers: for another J.
template <class T>
[[nodiscard]] StoredResult<T> read_left_factor(const Communicator& communicator, const std::string& path);

/// Shape of the distances in /base.
struct DistancesShape {
  Index columns = 0;  ///< objects to which all distances are known
  Index random = 0;   ///< random documents among them
  Index sample = 0;   ///< objects whose mutual distances are known
};
/// @param keys  names of the output keys (distances), here and below @throws Error(input) as read_distances.
/// Collective.
[[nodiscard]] DistancesShape read_distances_shape(const Communicator& communicator, const std::string& path,
                                                  const KeyNames& keys = {});

/// The distances in /base, in the file's precision, which must be T's.
/// @throws Error(input) as read_result, and if there are none. Collective.
template <class T>
[[nodiscard]] StoredDistances<T> read_distances(const Communicator& communicator, const std::string& path,
                                                const KeyNames& keys = {});

/// The co-occurrences in /counts, or nothing if there are none. Each rank reads its own rows. @throws Error(input) as
/// read_result. Collective.
[[nodiscard]] std::optional<CooccurrenceCounts> read_counts(const Communicator& communicator, const std::string& path);

/// S of a result with /near, or null if it has none. @throws Error(input) as read_result. Collective.
template <class T>
[[nodiscard]] std::shared_ptr<const NearEntries<T>> read_near_entries(const Communicator& communicator,
                                                                      const std::string& path);

/// The path lengths of the hierarchy in /hierarchy, that is K itself, or null if there is none. Read by one rank,
/// stored once per node. @throws Error(input) as read_result. Collective.
[[nodiscard]] std::unique_ptr<PathLength> read_path_lengths(const Communicator& communicator, const std::string& path);

}  // namespace cairn
