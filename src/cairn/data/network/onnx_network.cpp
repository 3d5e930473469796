// Networks in ONNX: a chain of nodes from the input to the output.
#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/data/network/network_formats.hpp"

#ifdef CAIRN_HAVE_ONNX

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "cairn/base/index.hpp"
#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

namespace {

// Weights, row-major.
struct OnnxTensor {
  std::vector<Index> shape;
  std::vector<double> values;

  [[nodiscard]] Index rows() const { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
  [[nodiscard]] Index columns() const { return shape.empty() ? 1 : shape.back(); }
  [[nodiscard]] bool is_matrix() const { return shape.size() == 2; }
};

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

// Reads a tensor of float, double, or 64-bit integers (shapes), if necessary from the file beside this one that it
// names.
// @param path  path of the ONNX file @throws Error(input) for other types, and for missing numbers. Local.
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

struct Activation {
  const char* node;
  const char* function;
};
constexpr std::array activations{Activation{"Sigmoid", "logistic"}, Activation{"Tanh", "tanh"},
                                 Activation{"Softplus", "softplus"}, Activation{"Exp", "exp"}};
// They do not change which output is the largest; Sigmoid is another such function.
constexpr std::array output_functions{"Softmax", "LogSoftmax"};
// They pass rows on unchanged.
constexpr std::array without_effect{"Identity", "Dropout", "Flatten", "Cast", "Reshape"};

bool casts_to_floating_point(const onnx::NodeProto& node) {
  using Tensor = onnx::TensorProto;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() != "to") continue;
    return attribute.i() == Tensor::FLOAT || attribute.i() == Tensor::DOUBLE || attribute.i() == Tensor::FLOAT16 ||
           attribute.i() == Tensor::BFLOAT16;
  }
  return false;
}

template <class List>
bool holds(const List& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

// A row-major matrix A and a vector b: rows x of the previous layer become x Aᵀ + b.
struct Layer {
  Index inputs = 0, outputs = 0;
  std::vector<double> weights;  // outputs x inputs
  std::vector<double> biases;
  bool biased = false;
};

class OnnxReader {
 public:
  explicit OnnxReader(const std::string& path) : path_(path) {}

  DenseNetwork read();

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::input, fmt::format("{}: {}", path_, why));
  }
  static std::string called(const onnx::NodeProto& node) {
    return node.name().empty() ? node.op_type() : fmt::format("{} ({})", node.op_type(), node.name());
  }
  void parse();
  void read_constants();
  void take(const onnx::NodeProto& node, const std::string& value);
  // The constant among two inputs; the other input is the value of the previous node.
  [[nodiscard]] const OnnxTensor& constant_beside(const onnx::NodeProto& node, const std::string& value) const;
  [[nodiscard]] const OnnxTensor& constant(const onnx::NodeProto& node, const std::string& name) const;
  void take_gemm(const onnx::NodeProto& node);
  void take_product(const onnx::NodeProto& node, const std::string& value);
  void take_sum(const onnx::NodeProto& node, const std::string& value);
  void take_activation(const onnx::NodeProto& node, const std::string& function);
  void push(const onnx::NodeProto& node, Layer layer);
  [[nodiscard]] const onnx::NodeProto* next_of(const std::string& value, const std::set<std::string>& outputs) const;
  [[nodiscard]] DenseNetwork network();

  const std::string& path_;
  onnx::ModelProto model_;
  std::map<std::string, OnnxTensor> constants_;
  std::vector<Layer> layers_;
  std::string activation_, output_function_;
  std::vector<std::string> names_;
};

void OnnxReader::parse() {
  const Index size = file_size(path_);
  std::ifstream file(path_, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!file.read(bytes.data(), size)) fail("cannot be read");
  if (!model_.ParseFromString(bytes)) fail("is truncated, damaged, or no ONNX file");
  if (!model_.has_graph() || model_.graph().node_size() == 0) fail("is truncated, or no ONNX file: it has no graph");
}

void OnnxReader::read_constants() {
  for (const auto& tensor : model_.graph().initializer()) {
    constants_.insert_or_assign(tensor.name(), read_onnx_tensor(path_, tensor, tensor.name()));
  }
  for (const auto& node : model_.graph().node()) {
    if (node.op_type() != "Constant" || node.output_size() != 1) continue;
    const auto value = std::ranges::find(node.attribute(), "value", &onnx::AttributeProto::name);
    if (value == node.attribute().end() || !value->has_t())
      fail(fmt::format("the constant {} is no tensor", called(node)));
    constants_.insert_or_assign(node.output(0), read_onnx_tensor(path_, value->t(), node.output(0)));
  }
}

const OnnxTensor& OnnxReader::constant(const onnx::NodeProto& node, const std::string& name) const {
  const auto found = constants_.find(name);
  if (found == constants_.end()) {
    fail(fmt::format("the layer {} has no weights in the file: '{}' is computed", called(node), name));
  }
  return found->second;
}

const OnnxTensor& OnnxReader::constant_beside(const onnx::NodeProto& node, const std::string& value) const {
  if (node.input_size() != 2) fail(fmt::format("the layer {} has {} inputs, not 2", called(node), node.input_size()));
  return constant(node, node.input(0) == value ? node.input(1) : node.input(0));
}

void OnnxReader::push(const onnx::NodeProto& node, Layer layer) {
  if (!output_function_.empty()) {
    fail(fmt::format("the layer {} follows {}, which may only be the last: a second hidden layer is not read",
                     called(node), output_function_));
  }
  if (!layers_.empty() && layers_.back().outputs != layer.inputs) {
    fail(fmt::format("shapes do not chain: {} takes {} numbers, and the layer before gives {}", called(node),
                     layer.inputs, layers_.back().outputs));
  }
  names_.push_back(fmt::format("{} {} x {}", called(node), layer.inputs, layer.outputs));
  const std::size_t most = activation_.empty() ? 1 : 2;
  if (layers_.size() == most) {
    fail(fmt::format("the layer {} follows another one without a function between them", called(node)));
  }
  layers_.push_back(std::move(layer));
}

void OnnxReader::take_gemm(const onnx::NodeProto& node) {
  double alpha = 1, beta = 1;
  bool transposed = false;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "alpha") alpha = attribute.f();
    if (attribute.name() == "beta") beta = attribute.f();
    if (attribute.name() == "transB") transposed = attribute.i() != 0;
    if (attribute.name() == "transA" && attribute.i() != 0) {
      fail(fmt::format("the layer {} takes its input transposed", called(node)));
    }
  }
  if (node.input_size() < 2) fail(fmt::format("the layer {} has no weights", called(node)));
  const OnnxTensor& weights = constant(node, node.input(1));
  if (!weights.is_matrix()) fail(fmt::format("the weights of the layer {} are no matrix", called(node)));
  Layer layer;
  layer.inputs = transposed ? weights.columns() : weights.rows();
  layer.outputs = transposed ? weights.rows() : weights.columns();
  layer.weights.resize(weights.values.size());
  for (Index i = 0; i < layer.outputs; ++i) {
    for (Index k = 0; k < layer.inputs; ++k) {
      const Index from = transposed ? i * layer.inputs + k : k * layer.outputs + i;
      layer.weights[i * layer.inputs + k] = alpha * weights.values[from];
    }
  }
  layer.biases.assign(layer.outputs, 0.0);
  layer.biased = node.input_size() > 2 && !node.input(2).empty();
  if (layer.biased) {
    const OnnxTensor& biases = constant(node, node.input(2));
    const auto given = std::ssize(biases.values);
    if (given != layer.outputs && given != 1) {
      fail(fmt::format("shapes do not chain: the layer {} gives {} numbers and has {} biases", called(node),
                       layer.outputs, given));
    }
    for (std::size_t i = 0; i < layer.biases.size(); ++i) layer.biases[i] = beta * biases.values[given == 1 ? 0 : i];
  }
  push(node, std::move(layer));
}

void OnnxReader::take_product(const onnx::NodeProto& node, const std::string& value) {
  const OnnxTensor& weights = constant_beside(node, value);
  if (!weights.is_matrix()) fail(fmt::format("the weights of the layer {} are no matrix", called(node)));
  const bool left = node.input(1) == value;  // W x for columns; rows x become x Wᵀ only if they are transposed
  if (left) fail(fmt::format("the layer {} multiplies from the left; inputs are rows", called(node)));
  Layer layer{.inputs = weights.rows(), .outputs = weights.columns(), .weights = {}, .biases = {}};
  layer.weights.resize(weights.values.size());
  for (Index i = 0; i < layer.outputs; ++i) {
    for (Index k = 0; k < layer.inputs; ++k) {
      layer.weights[i * layer.inputs + k] = weights.values[k * layer.outputs + i];
    }
  }
  layer.biases.assign(layer.outputs, 0.0);
  push(node, std::move(layer));
}

void OnnxReader::take_sum(const onnx::NodeProto& node, const std::string& value) {
  const OnnxTensor& biases = constant_beside(node, value);
  const bool after_layer =
      !layers_.empty() && output_function_.empty() && layers_.size() == (activation_.empty() ? 1 : 2);
  if (!after_layer || layers_.back().biased)
    fail(fmt::format("the layer {} adds to what is no dense layer", called(node)));
  Layer& layer = layers_.back();
  const auto given = std::ssize(biases.values);
  if (given != layer.outputs && given != 1) {
    fail(fmt::format("shapes do not chain: {} adds {} biases to {} numbers", called(node), given, layer.outputs));
  }
  for (std::size_t i = 0; i < layer.biases.size(); ++i) layer.biases[i] += biases.values[given == 1 ? 0 : i];
  layer.biased = true;
}

void OnnxReader::take_activation(const onnx::NodeProto& node, const std::string& function) {
  if (layers_.empty()) fail(fmt::format("the layer {} comes before the first dense layer", called(node)));
  if (layers_.size() == 1 && activation_.empty()) {
    activation_ = function;
    names_.push_back(called(node));
    return;
  }
  const bool last = layers_.size() == 2 && output_function_.empty();
  if (!last || node.op_type() != "Sigmoid") {
    fail(fmt::format("the layer {} makes a second hidden layer; networks with one are read", called(node)));
  }
  output_function_ = called(node);
}

void OnnxReader::take(const onnx::NodeProto& node, const std::string& value) {
  const std::string& type = node.op_type();
  if (type == "Gemm") return take_gemm(node);
  if (type == "MatMul") return take_product(node, value);
  if (type == "Add") return take_sum(node, value);
  if (type == "Cast" && !casts_to_floating_point(node)) fail(fmt::format("{} makes integers of numbers", called(node)));
  if (holds(without_effect, type)) return;
  for (const Activation& one : activations) {
    if (type == one.node) return take_activation(node, one.function);
  }
  if (holds(output_functions, type) && layers_.size() == 2 && output_function_.empty()) {
    output_function_ = called(node);
    return;
  }
  fail(
      fmt::format("the layer {} is not known: dense layers (Gemm, or MatMul and Add) with Sigmoid, Tanh, Softplus or "
                  "Exp between are read",
                  called(node)));
}

// The node whose input is the value; null at the end.
const onnx::NodeProto* OnnxReader::next_of(const std::string& value, const std::set<std::string>& outputs) const {
  const onnx::NodeProto* next = nullptr;
  for (const auto& node : model_.graph().node()) {
    if (std::ranges::find(node.input(), value) == node.input().end()) continue;
    if (next != nullptr) {
      fail(fmt::format("the layers {} and {} take the same numbers: the network is no chain", called(*next),
                       called(node)));
    }
    next = &node;
  }
  if (next != nullptr && outputs.contains(value)) fail(fmt::format("'{}' is an output and goes on", value));
  return next;
}

DenseNetwork OnnxReader::network() {
  if (layers_.size() != 2) {
    fail(fmt::format("the network has {} dense layers{}; one hidden layer, a function and the outputs are read",
                     layers_.size(), activation_.empty() ? " and no function between" : ""));
  }
  DenseNetwork network{.inputs = layers_[0].inputs,
                       .hidden = layers_[0].outputs,
                       .outputs = layers_[1].outputs,
                       .hidden_weights = std::move(layers_[0].weights),
                       .hidden_biases = std::move(layers_[0].biases),
                       .output_weights = std::move(layers_[1].weights),
                       .output_biases = std::move(layers_[1].biases),
                       .activation = activation_,
                       .layers = std::move(names_),
                       .notes = {}};
  if (!output_function_.empty()) {
    network.notes.push_back(
        fmt::format("the last layer, {}, is left out: outputs are what goes into it, and the largest stays the same",
                    output_function_));
  }
  return network;
}

DenseNetwork OnnxReader::read() {
  parse();
  read_constants();
  std::string value;
  for (const auto& input : model_.graph().input()) {
    if (constants_.contains(input.name())) continue;  // older files list weights among the inputs
    if (!value.empty()) fail(fmt::format("the network has several inputs: '{}' and '{}'", value, input.name()));
    value = input.name();
  }
  if (value.empty()) fail("the network has no input");
  std::set<std::string> outputs, seen;
  for (const auto& output : model_.graph().output()) outputs.insert(output.name());
  while (const onnx::NodeProto* node = next_of(value, outputs)) {
    if (!seen.insert(value).second) fail("the layers go round in a circle");
    take(*node, value);
    if (node->output_size() < 1) fail(fmt::format("the layer {} has no output", called(*node)));
    value = node->output(0);
  }
  if (!outputs.contains(value)) fail(fmt::format("the chain of layers ends with '{}', which is no output", value));
  return network();
}

}  // namespace

DenseNetwork read_onnx_network(const std::string& path) { return OnnxReader(path).read(); }

}  // namespace cairn

#else

namespace cairn {

DenseNetwork read_onnx_network(const std::string& path) {
  throw Error(ErrorKind::input,
              fmt::format("{}: this program was built without libonnx, which reads ONNX files (Debian: libonnx-dev and "
                          "libprotobuf-dev); save the weights as .npz with arrays W1, b1, W2, b2",
                          path));
}

}  // namespace cairn

#endif
