// Every input of corpus/ again: small files, of which those called sound-... are read, and what fuzzing has found.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "readers.hpp"

namespace {

namespace fs = std::filesystem;
using cairn::fuzz::Reader;

class Corpus : public testing::TestWithParam<Reader> {};

TEST_P(Corpus, IsReadOrRefused) {
  cairn::fuzz::start();
  const Reader reader = GetParam();
  std::vector<fs::path> inputs;
  for (const auto& entry : fs::directory_iterator(fs::path(CAIRN_FUZZ_CORPUS) / reader.name)) {
    inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  ASSERT_FALSE(inputs.empty());
  for (const fs::path& path : inputs) {
    std::ifstream file(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::string refusal;
    EXPECT_NO_THROW(refusal = cairn::fuzz::run(reader, input)) << path;
    if (path.filename().string().starts_with("sound-")) EXPECT_EQ(refusal, "") << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, Corpus,
                         testing::ValuesIn(cairn::fuzz::readers().begin(), cairn::fuzz::readers().end()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
