#include "pipeline/stored_matrix.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "pipeline/stored.hpp"

namespace cairn::app {

namespace {

template <class T>
class StoredMatrix final : public MatrixOfResult<T> {
 public:
  StoredMatrix(const Execution& execution, const Settings& given, const std::string& path,
               const ResultDescription& description)
      : execution_(execution),
        path_(path),
        description_(description),
        // The inputs of the results themselves may no longer exist.
        reused_(given.knows("similarity.reuse") && given.given("similarity.reuse") ? given.text("similarity.reuse")
                                                                                   : ""),
        settings_(stored_settings(description, path, given)),
        request_(checked_request(settings_)) {
    data_ = load_stored_data<T>(execution, request_, description, path,
                                read_result_shape(execution.communicator, path).rows);
  }

  [[nodiscard]] const ObjectSet& objects() override { return *data_.objects; }
  [[nodiscard]] const Similarity<T>& entries() override { return *matrix().entries; }
  [[nodiscard]] const ObjectSet& compared() override { return *matrix().objects; }
  [[nodiscard]] Index evaluations() const override { return matrix_ ? matrix_->evaluations() : 0; }

  [[nodiscard]] std::vector<std::string> warnings() const override {
    if (distances_ == nullptr) return {};
    const auto& use = distances_->use();
    if (use.other_block > 0) {
      return {fmt::format("{}: all distances were evaluated, since not all of them are in {}", path_, reused_)};
    }
    if (use.other_columns == 0) return {};
    return {fmt::format("{}: {} of {} columns of distances were evaluated, since they are not in {}", path_,
                        grouped(use.other_columns), grouped(use.known_columns + use.other_columns), reused_)};
  }

  // For distances: the bytes of this node's ranks, and those that each of them assembles.
  [[nodiscard]] Index bytes_beside(Index matrix_bytes) const override {
    if (reused_.empty()) return 0;
    const Communicator& communicator = execution_.communicator;
    const Index columns = read_distances_shape(communicator, reused_, output_keys).columns;
    const Index all = read_result_shape(communicator, reused_).rows * columns * static_cast<Index>(sizeof(double));
    const Index here = communicator.node().size();
    return all / communicator.size() * here + matrix_bytes * here;
  }

 private:
  ExactMatrix<T>& matrix() {
    if (matrix_) return *matrix_;
    matrix_.emplace(stored_exact_matrix(execution_, settings_, request_, description_, data_));
    if (!reused_.empty()) distances_ = use_distances(execution_, data_, *matrix_, {reused_, false}, named_keys());
    return *matrix_;
  }

  const Execution& execution_;
  std::string path_;
  ResultDescription description_;
  std::string reused_;
  Settings settings_;
  RunRequest request_;  // refers to settings_
  Data<T> data_;
  std::optional<ExactMatrix<T>> matrix_;
  std::shared_ptr<DistanceTable<T>> distances_;
};

}  // namespace

template <class T>
FindMatrix<T> find_stored_matrix(const Execution& execution, const Settings& settings) {
  return [&](const std::string& path, const ResultDescription& description) {
    return std::make_unique<StoredMatrix<T>>(execution, settings, path, description);
  };
}

template FindMatrix<float> find_stored_matrix(const Execution&, const Settings&);
template FindMatrix<double> find_stored_matrix(const Execution&, const Settings&);

}  // namespace cairn::app
