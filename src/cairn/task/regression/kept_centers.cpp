#include "cairn/task/regression/kept_centers.hpp"

#include <algorithm>

#include "cairn/data/data_kinds.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn {

template <class T>
std::vector<Index> own_landmarks(const StoredResult<T>& result) {
  const auto& origin = result.approximation.left_origin;
  if (!origin || origin->features || is_extension(result.description)) return {};
  std::vector<Index> landmarks = origin->indices;
  std::ranges::sort(landmarks);
  const bool own =
      !landmarks.empty() && landmarks.front() >= 0 && landmarks.back() < result.approximation.left.partition().rows();
  return own ? landmarks : std::vector<Index>();
}

template std::vector<Index> own_landmarks(const StoredResult<float>&);
template std::vector<Index> own_landmarks(const StoredResult<double>&);

template <class T>
void keep_points(const Communicator& communicator, MatrixOfResult<T>& matrix, const ResultDescription& description,
                 const std::string& path, StoredCenters& centers, std::vector<std::string>& warnings) {
  const ObjectSet& objects = matrix.compared();
  const bool points = description.object_kind == point_data().name &&
                      dynamic_cast<const PointSet<T>*>(&objects) != nullptr &&
                      matrix.entries().traits().defined_for_unseen;
  if (!points) {
    warnings.emplace_back("the objects are no points: the model predicts for those of its result alone");
    return;
  }
  centers.points = known_objects(description, path).points;
  centers.points->dimension = objects.dimension();
  const std::vector<Index> wanted = communicator.is_root() ? centers.rows : std::vector<Index>();
  centers.objects = objects.gather(communicator, wanted);
}

template void keep_points(const Communicator&, MatrixOfResult<float>&, const ResultDescription&, const std::string&,
                          StoredCenters&, std::vector<std::string>&);
template void keep_points(const Communicator&, MatrixOfResult<double>&, const ResultDescription&, const std::string&,
                          StoredCenters&, std::vector<std::string>&);

}  // namespace cairn
