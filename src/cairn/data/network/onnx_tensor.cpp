#ifdef CAIRN_HAVE_ONNX

#include "cairn/data/network/onnx_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores little-endian numbers");

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, why));
}

std::string external_bytes(const std::string& path, const onnx::TensorProto& tensor) {
  std::string location;
  Index offset = 0, length = -1;
  for (const auto& entry : tensor.external_data()) {
    try {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = std::stoll(entry.value());
      if (entry.key() == "length") length = std::stoll(entry.value());
    } catch (const std::exception&) {
      fail(path,
           fmt::format("the weights {} have the {} '{}' in another file", tensor.name(), entry.key(), entry.value()));
    }
  }
  const std::filesystem::path relative(location);
  const bool outside = relative.is_absolute() || std::ranges::find(relative, "..") != relative.end();
  if (location.empty() || outside) {
    fail(path,
         fmt::format("the weights {} are in the file '{}', which is not beside this one", tensor.name(), location));
  }
  const std::string place = (std::filesystem::path(path).parent_path() / relative).string();
  std::error_code error;
  const auto size = static_cast<Index>(std::filesystem::file_size(place, error));
  std::ifstream file(place, std::ios::binary);
  if (error || !file) fail(path, fmt::format("the weights {} are in {}, which is missing", tensor.name(), place));
  if (length < 0) length = size - offset;
  if (offset < 0 || offset > size || length < 0 || length > size - offset) {
    fail(path, fmt::format("{} is truncated: it has no {} bytes at {} for the weights {}", place, length, offset,
                           tensor.name()));
  }
  std::string bytes(static_cast<std::size_t>(length), '\0');
  file.seekg(offset);
  if (!file.read(bytes.data(), length)) fail(path, fmt::format("{} cannot be read", place));
  return bytes;
}

template <class Number>
void take_raw(const std::string& path, const std::string& raw, const std::string& name, Index count,
              std::vector<double>& values) {
  const auto found = static_cast<Index>(raw.size() / sizeof(Number));
  if (raw.size() % sizeof(Number) != 0 || found != count) {
    fail(path, fmt::format("the weights {} hold {} bytes for {} numbers", name, raw.size(), count));
  }
  values.reserve(count);
  for (Index k = 0; k < count; ++k) {
    Number number;
    std::memcpy(&number, raw.data() + static_cast<std::size_t>(k) * sizeof(Number), sizeof(Number));
    values.push_back(static_cast<double>(number));
  }
}

}  // namespace

OnnxTensor read_onnx_tensor(const std::string& path, const onnx::TensorProto& tensor, const std::string& name) {
  constexpr Index most_numbers = Index{1} << 33;
  OnnxTensor result;
  Index count = 1;
  for (const auto size : tensor.dims()) {
    if (size < 0 || (size > 0 && count > most_numbers / size))
      fail(path, fmt::format("the weights {} have no size", name));
    count *= size;
    result.shape.push_back(size);
  }
  const bool external = tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL;
  const std::string raw = external ? external_bytes(path, tensor) : tensor.raw_data();
  const bool is_raw = external || tensor.has_raw_data();
  const auto take_list = [&](const auto& list) {
    if (list.size() != count) fail(path, fmt::format("the weights {} hold {} of {} numbers", name, list.size(), count));
    result.values.assign(list.begin(), list.end());
  };
  switch (tensor.data_type()) {
    case onnx::TensorProto_DataType_FLOAT:
      is_raw ? take_raw<float>(path, raw, name, count, result.values) : take_list(tensor.float_data());
      break;
    case onnx::TensorProto_DataType_DOUBLE:
      is_raw ? take_raw<double>(path, raw, name, count, result.values) : take_list(tensor.double_data());
      break;
    case onnx::TensorProto_DataType_INT64:  // shapes of Reshape
      is_raw ? take_raw<std::int64_t>(path, raw, name, count, result.values) : take_list(tensor.int64_data());
      break;
    default:
      fail(path, fmt::format("the weights {} are of type {}; float and double are read", name, tensor.data_type()));
  }
  return result;
}

}  // namespace cairn

#endif
