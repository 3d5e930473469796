#include "cairn/parameters/config_texts.hpp"

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/config_file.hpp"

namespace cairn {

const std::string& ConfigTexts::text(const std::string& path) {
  const auto known = std::ranges::find(texts_, path, &std::pair<std::string, std::string>::first);
  if (known != texts_.end()) return known->second;
  if (handed_out_) throw Error(ErrorKind::internal, "rank 0 has not read the config " + path);
  return texts_.emplace_back(path, read_config_bytes(path)).second;
}

void ConfigTexts::hand_out(const Communicator& communicator) {
  auto count = static_cast<Index>(texts_.size());
  communicator.broadcast(std::span(&count, 1), 0);
  texts_.resize(count);
  for (auto& [path, text] : texts_) {
    communicator.broadcast(path, 0);
    communicator.broadcast(text, 0);
  }
  handed_out_ = true;
}

}  // namespace cairn
