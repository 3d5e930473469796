#include "real_texts.hpp"

#include "cairn/base/error.hpp"

namespace cairn::bench {

DocumentSource texts_of_kind(const std::string& kind, const std::filesystem::path& data, const Communicator& world) {
  const std::filesystem::path texts = data / "documents";
  DocumentSource source{.vectors = {.path = data / "words" / "glove100.f32le.gz",
                                    .words = data / "words" / "glove100.words.txt.gz",
                                    .format = "raw32"}};
  source.tokenization.stop_words = read_stop_words(world, texts / "stop-words.txt");
  if (kind == "tweets") {
    source.path = texts / "twitter.txt.xz";
    source.format = std::string("tsv");
  } else if (kind == "recipes") {
    source.path = texts / "recipe.json.zip";
    source.format = std::string("json");
    source.text = std::string("ingredients");
  } else if (kind == "abstracts") {
    source.path = texts / "ohsumed.training.tsv.gz";
    source.test_path = texts / "ohsumed.test.tsv.gz";
    source.format = std::string("tsv");
    source.label = std::string("1");
    source.text = std::string("3");
    source.classes = {"C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08", "C09", "C10"};
  } else if (kind == "messages") {
    source.path = texts / "20news.train.tsv.gz";
    source.test_path = texts / "20news.test.tsv.gz";
    source.format = std::string("tsv");
    source.label = std::string("1");
    source.text = std::string("3");
  } else {
    throw Error(ErrorKind::usage, "KIND is tweets, recipes, abstracts or messages");
  }
  return source;
}

}  // namespace cairn::bench
