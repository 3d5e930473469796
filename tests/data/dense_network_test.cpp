// Networks that NumPy and the Python package onnx wrote (networks/write.py).
#include "cairn/data/network/dense_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "expected_errors.hpp"
#include "written_files.hpp"

namespace cairn::test::dense_network_test {
namespace {

std::string file(const std::string& name) { return std::string(CAIRN_TEST_DATA) + "/networks/" + name; }

std::vector<double> steps(int count) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(k / 8.0 - 1.5);
  return values;
}

void expect_the_network(const DenseNetwork& network) {
  EXPECT_EQ(network.inputs, 5);
  EXPECT_EQ(network.hidden, 4);
  EXPECT_EQ(network.outputs, 3);
  EXPECT_EQ(network.hidden_weights, steps(20));
  EXPECT_EQ(network.output_weights, steps(12));
  EXPECT_THAT(network.hidden_biases, testing::ElementsAre(0.5, -0.25, 0.125, 1));
  EXPECT_THAT(network.output_biases, testing::ElementsAre(0.25, 0, -0.75));
}

bool has_onnx() {
  const auto error = error_of([] { (void)read_network(world(), file("gemm.onnx")); });
  return !error || std::string(error->what()).find("libonnx") == std::string::npos;
}

TEST(DenseNetworks, OfNumPyAreRead) {
  for (const char* name : {"network.npz", "network-float-fortran.npz"}) {
    SCOPED_TRACE(name);
    const DenseNetwork network = read_network(world(), file(name));
    expect_the_network(network);
    EXPECT_EQ(network.activation, "");
  }
}

TEST(DenseNetworks, OfOnnxAreRead) {
  if (!has_onnx()) GTEST_SKIP() << "built without libonnx; a build with libonnx-dev and libprotobuf-dev runs it";
  for (const char* name : {"gemm.onnx", "external.onnx"}) {
    SCOPED_TRACE(name);
    const DenseNetwork network = read_network(world(), file(name));
    expect_the_network(network);
    EXPECT_EQ(network.activation, "logistic");
    EXPECT_THAT(network.layers, testing::ElementsAre("Gemm (first) 5 x 4", "Sigmoid", "Gemm (second) 4 x 3"));
    EXPECT_TRUE(network.notes.empty());
  }
}

TEST(DenseNetworks, OfProductsAndSumsAreRead) {
  if (!has_onnx()) GTEST_SKIP() << "built without libonnx; a build with libonnx-dev and libprotobuf-dev runs it";
  const DenseNetwork network = read_network(world(), file("matmul-double.onnx"));
  expect_the_network(network);
  EXPECT_EQ(network.activation, "tanh");
  EXPECT_THAT(network.notes, testing::ElementsAre(testing::HasSubstr("Softmax")));
}

TEST(DenseNetworks, ThatAreOthersAreRefused) {
  if (!has_onnx()) GTEST_SKIP() << "built without libonnx; a build with libonnx-dev and libprotobuf-dev runs it";
  const auto refused = [](const std::string& path, std::initializer_list<const char*> parts) {
    SCOPED_TRACE(path);
    expect_error([&] { (void)read_network(world(), path); }, ErrorKind::input, parts);
  };
  refused(file("relu.onnx"), {"relu.onnx", "Relu", "not known"});
  refused(file("deep.onnx"), {"deep.onnx", "Tanh (again)", "second hidden layer"});
  refused(file("shapes.onnx"), {"shapes.onnx", "do not chain", "Gemm (second)", "takes 3 numbers", "gives 4"});
  refused(file("integers.onnx"), {"integers.onnx", "Cast (rounded)", "makes integers"});
  refused(file("none.onnx"), {"none.onnx"});
}

TEST(DenseNetworks, ThatAreCutAreRefusedAtEveryPlace) {
  const WrittenFiles files;
  for (const char* name : {"gemm.onnx", "network.npz"}) {
    if (std::string(name).ends_with(".onnx") && !has_onnx()) continue;
    SCOPED_TRACE(name);
    std::ifstream stream(file(name), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    for (std::size_t size = 0; size < whole.size(); size += 41) {
      const std::string path = files.write("cut-" + std::string(name), whole.substr(0, size));
      expect_error([&] { (void)read_network(world(), path); }, ErrorKind::input, {});
      world().barrier();
    }
  }
}

TEST(DenseNetworks, NeedTheFileOfTheirWeights) {
  if (!has_onnx()) GTEST_SKIP() << "built without libonnx; a build with libonnx-dev and libprotobuf-dev runs it";
  std::ifstream stream(file("external.onnx"), std::ios::binary);
  const WrittenFiles files;
  const std::string alone = files.write("alone.onnx", std::string((std::istreambuf_iterator<char>(stream)), {}));
  expect_error([&] { (void)read_network(world(), alone); }, ErrorKind::input,
               {"weights W1", "external.weights", "missing"});
}

}  // namespace
}  // namespace cairn::test::dense_network_test
