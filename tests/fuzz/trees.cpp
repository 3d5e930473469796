// Files of trees.
#include <string>

#include "cairn/data/trees/tree_reader.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

void read_tree_files(std::string_view input) {
  const char choice = take_choice(input);
  TreeSource source{.path = file_of(input)};
  switch (choice) {
    case 'k':
      source.format = "kelp";
      source.text = "q";
      break;
    case 's':
      source.format = "svm-light-tk";
      source.tree = "2";
      break;
    case 'p':
      source.format = "penn";
      break;
    case 'g':
      source.format = "conllu";
      source.tree = "grct";
      source.text = "text";
      break;
    case 'l':
      source.format = "conllu";
      source.tree = "lct";
      break;
    default:
      source.format = "conllu";
      source.tree = "loct";
  }
  const ReadTrees read = read_trees(alone(), source);
  const TreeSet& trees = *read.trees;
  const ForestView forest = trees.trees();
  require(forest.size() == trees.size() && trees.size() > 0, "not one tree an object");
  for (Index a = 0; a < forest.size(); ++a) {
    require(is_sound(forest.tree(a), trees.tree_labels()->size()), "a tree that is none");
  }
  const TreeLabels& labels = *trees.tree_labels();
  for (std::int32_t k = 0; k < labels.size(); ++k) {
    require(!labels.name(k).empty(), "an empty label");
    require(labels.find(labels.name(k)) == k, "a label that is not found");
    require_utf8(labels.name(k), "a label");
  }
  require(trees.labels().empty() || std::ssize(trees.labels()) == trees.size(), "not one class a tree");
  require(trees.texts().empty() || std::ssize(trees.texts()) == trees.size(), "not one text a tree");
}

}  // namespace cairn::fuzz
