#include "cairn/data/network/dense_network.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/root_reading.hpp"
#include "cairn/data/network/network_formats.hpp"

namespace cairn {

namespace {

DenseNetwork read_any(const std::string& path, const std::string& format) {
  if (format == "npz" || (format.empty() && path.ends_with(".npz"))) return read_npz_network(path);
  if (format == "onnx" || (format.empty() && path.ends_with(".onnx"))) return read_onnx_network(path);
  throw Error(ErrorKind::usage, fmt::format("{}: the name of a network's file must end in .onnx or .npz", path));
}

void require_sound(const std::string& path, const DenseNetwork& network) {
  for (const auto& [name, values] : {std::pair("weights of the hidden layer", &network.hidden_weights),
                                     std::pair("biases of the hidden layer", &network.hidden_biases),
                                     std::pair("weights of the outputs", &network.output_weights),
                                     std::pair("biases of the outputs", &network.output_biases)}) {
    for (const double value : *values) {
      if (std::isfinite(value)) continue;
      throw Error(ErrorKind::input, fmt::format("{}: one of the {} is {}", path, name, value));
    }
  }
  if (network.inputs == 0 || network.hidden == 0 || network.outputs == 0) {
    throw Error(ErrorKind::input, fmt::format("{}: the network has {} inputs, {} hidden units and {} outputs", path,
                                              network.inputs, network.hidden, network.outputs));
  }
}

void broadcast_texts(const Communicator& communicator, std::vector<std::string>& texts) {
  auto count = static_cast<Index>(texts.size());
  communicator.broadcast(std::span(&count, 1), 0);
  texts.resize(count);
  for (std::string& text : texts) communicator.broadcast(text, 0);
}

}  // namespace

DenseNetwork read_network(const Communicator& communicator, const std::string& path, const std::string& format) {
  DenseNetwork network;
  read_on_root(communicator, path, [&] {
    network = read_any(path, format);
    require_sound(path, network);
  });
  Index sizes[] = {network.inputs, network.hidden, network.outputs};
  communicator.broadcast(std::span<Index>(sizes), 0);
  network.inputs = sizes[0], network.hidden = sizes[1], network.outputs = sizes[2];
  for (auto* values :
       {&network.hidden_weights, &network.hidden_biases, &network.output_weights, &network.output_biases}) {
    communicator.broadcast(*values, 0);
  }
  communicator.broadcast(network.activation, 0);
  broadcast_texts(communicator, network.layers);
  broadcast_texts(communicator, network.notes);
  return network;
}

}  // namespace cairn
