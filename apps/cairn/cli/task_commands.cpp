#include "cli/task_commands.hpp"

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "keys/data_keys.hpp"
#include "keys/task_keys.hpp"
#include "models/model_commands.hpp"

namespace cairn::app {

namespace {

using enum ValueType;

const Argument result_argument{"FILE", "A result file that cairn wrote."};

}  // namespace

Parameter json_option() {
  return {"json", "FILE", output_path, "", "Also write everything that is printed as one JSON object to this file."};
}

Command embed_command() {
  return {"embed",
          "Finds coordinates for the objects of a result, whose distances are like those that it holds.",
          "Classical multidimensional scaling: the largest eigenvalues and their vectors of B = -1/2 H D2 H, H = I - "
          "11'/n, from the factors of the squared distances D2, as approximation.transform = sqrt stores them. Of "
          "similarities K it takes B = H K H, which is kernel principal component analysis.",
          {result_argument},
          {"run.seed", "run.threads", "run.memory", "run.stall-timeout"},
          {{"dimension", "D", integer, "", "Coordinates of an object.", {}, 1},
           {"out", "FILE", output_path, "",
            "The file that is written: HDF5 where its name ends in .h5 or .hdf5, CSV where it ends in .csv."},
           {"pairs",
            "N",
            integer,
            "10000",
            "Random pairs of objects on which distances between coordinates are compared with those in FILE.",
            {},
            1},
           {"squared-distances", "BOOL", flag, "false",
            "Take a matrix that was read from a file, or the values of a scorer, for squared distances."},
           json_option()},
          false,
          run_embed,
          check_embed};
}

Command cluster_command() {
  return {
      "cluster",
      "Groups the objects of a result by average linkage, and scores the groups.",
      "Two clusters are as near as the mean similarity (or distance) of their objects, by the approximation, of which "
      "nothing of n rows and n columns is formed; nearest ones are joined until --threshold or --clusters is reached. "
      "Against gold clusters MUC, B-cubed, CEAF-e and CoNLL F1 are printed.",
      {result_argument},
      with(place_keys(), {"similarity.path", "similarity.search", "similarity.command", "run.threads", "run.memory",
                          "run.stall-timeout"}),
      {{"threshold", "NUMBER[,NUMBER]", text, "",
        "Join clusters while their mean similarity is at least this (distances: at most); of several, with gold "
        "clusters, that with the best CoNLL F1 is taken."},
       {"clusters", "N", integer, "", "Join clusters until there are so many.", {}, 1},
       {"exact", "BOOL", flag, "false",
        "Take the matrix itself, all of whose entries are evaluated: n^2 evaluations and 8 n^2 bytes over all ranks. "
        "The data are those that the result's own config names, unless keys of [data] say where they are now."},
       {"gold", "FILE", input_path, "",
        "Score the clusters against these: a line for each row of the data with the name of its cluster, empty where "
        "it has none."},
       {"gold-labels", "BOOL", flag, "false", "Score the clusters against the labels of the rows."},
       {"out", "FILE", output_path, "",
        "The file that is written: the cluster of each row, from 0; HDF5 with all merges where its name ends in .h5 or "
        ".hdf5, CSV where it ends in .csv."},
       json_option()},
      false,
      run_cluster,
      check_cluster};
}

Command train_command() {
  std::vector<Parameter> options = task_options();
  options.push_back(json_option());
  return {
      "train",
      "Trains a model on the factors of results: kernel ridge regression or a classifier, without the matrix itself.",
      task_details() +
          " For a task on the matrix itself the data are those that the result's own config names unless keys of "
          "[data] say where they are now, or made of the distances that similarity.reuse names.",
      {{"FILE...", fmt::format("A result file that cairn wrote; {}.", several_results())}},
      with(place_keys(), {"similarity.path", "similarity.search", "similarity.command", "similarity.reuse",
                          "output.path", "run.seed", "run.threads", "run.memory", "run.stall-timeout"}),
      options,
      false,
      run_train,
      check_train};
}

Command predict_command() {
  return {
      "predict",
      "Predicts the values of objects from a model of train and the result that it was trained on.",
      "Objects that were not in the data are predicted from a file that extend made of that result. The mean of "
      "all models in the file is written; of a classifier classes, which are compared with the labels of the rows "
      "where there are any.",
      {{"MODEL", "A model file that cairn train wrote."}},
      {"run.threads", "run.stall-timeout"},
      {{"result",
        "FILE",
        input_path,
        "",
        "The result whose rows are predicted; of an ensemble one for each model, in their order, or one for all. By "
        "default those that the models were trained on.",
        {},
        {},
        true},
       {"rows", "FILE", input_path, "", "Predict these rows alone: numbers from 0, one a line."},
       {"out", "FILE", output_path, "",
        "The CSV file that is written: row, label where there are any, then the targets; of a classifier the predicted "
        "class and the score of each class."},
       json_option()},
      false,
      run_predict,
      check_predict};
}

}  // namespace cairn::app
