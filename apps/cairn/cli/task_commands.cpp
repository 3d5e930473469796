#include "cli/task_commands.hpp"

#include "commands/commands.hpp"
#include "keys/data_keys.hpp"
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

namespace {

// Of train, by kernel ridge regression.
std::vector<Parameter> ridge_options() {
  return {
      {"targets", "FILE[:COLUMN]", text, "",
       "krr: the values to learn: a CSV file with a line for each row of the data, and which of its columns, by name "
       "or number from 1, with commas between several; by default all of them. Without a file the labels of the data "
       "are learned."},
      {"targets-key", "COLUMN", text, "",
       "krr: the column of the targets that holds labels of rows: values go to the rows with the same label, and rows "
       "without value are left out. By default values stand in the order of the rows."},
      {"lambda", "NUMBER[,NUMBER]", text, "",
       "krr: the ridge, above 0, in units of the similarity; or several to choose from."},
      {"leave-one-out", "BOOL", flag, "false", "krr: score a single lambda by leave-one-out, too; several always are."},
  };
}

// Of train, by support vector machines.
std::vector<Parameter> machine_options() {
  return {
      {"cost", "NUMBER[,NUMBER]", text, "0.01,0.1,1,10,100",
       "svm, kernel-svm: C, the weight of losses beside 1/2 ||w||^2, above 0; or several to choose from by "
       "cross-validation."},
      {"loss",
       "NAME",
       choice,
       "squared-hinge",
       "svm: what a row costs, by its margin m: squared-hinge max(0, 1 - m)^2, hinge max(0, 1 - m), logistic "
       "log(1 + exp(-m)).",
       {"squared-hinge", "hinge", "logistic"}},
      {"folds",
       "N",
       integer,
       "5",
       "svm, kernel-svm: folds of cross-validation, stratified by class; where it is given, a single candidate is "
       "validated, too.",
       {},
       2,
       false,
       1e6},
      {"bias", "NUMBER", number, "1", "svm: a feature with this value is added to each row; 0 adds none.", {}, 0},
      {"tolerance", "NUMBER", number, "",
       "svm, kernel-svm: how near the optimum LIBLINEAR and LIBSVM stop, by measures of their own; above 0. By "
       "default 0.1 and 0.001."},
      {"repeats",
       "N",
       integer,
       "1",
       "svm: splits (--train-fraction) and folds are drawn so often, with seeds run.seed, run.seed + 1 and so on; "
       "mean and standard deviation are printed, the first model is kept.",
       {},
       1},
  };
}

// Of train: which rows it takes.
std::vector<Parameter> row_options() {
  return {
      {"train-fraction",
       "NUMBER",
       number,
       "",
       "Train on each row with this probability, and score on the others; by default on the splits train and test of "
       "the data, and where they have none, on all rows that have a target.",
       {},
       0,
       false,
       1},
      {"train-rows", "FILE", input_path, "",
       "Train on these rows, numbers from 0, one a line, and score on the others that have a target."},
      {"split", "FILE", input_path, "",
       "Train and score on the rows that this file says: a line for each row of the data, which is train, test, or - "
       "for neither."},
  };
}

// What train takes, task by task.
std::vector<Parameter> train_options() {
  std::vector<Parameter> options = {
      {"task",
       "NAME",
       choice,
       "krr",
       "What is trained: krr is kernel ridge regression, svm a linear support vector machine by LIBLINEAR, kernel-svm "
       "one on the matrix itself by LIBSVM, which is scored and not kept.",
       {"krr", "svm", "kernel-svm"}},
  };
  for (const auto& part : {ridge_options(), machine_options(), row_options(), std::vector<Parameter>{json_option()}}) {
    options.insert(options.end(), part.begin(), part.end());
  }
  return options;
}

}  // namespace

Command train_command() {
  return {
      "train",
      "Trains a model on the factors of results: kernel ridge regression or a classifier, without the matrix itself.",
      "krr: coefficients are (lambda I + K~)^-1 times the targets, through the factors alone. Of several lambdas the "
      "one with the best exact leave-one-out score is taken. Several results give an ensemble, whose mean is "
      "predicted; "
      "those with the same sparse factor (approximation.reuse) share its Gram matrix where they follow one another. "
      "svm: linear support vector machines on the rows of the left factor, one class against the rest, for the labels "
      "of the data. Of several Cs and several results (a gamma each) that with the best accuracy in cross-validation "
      "is "
      "taken. kernel-svm: of small sets, machines on K itself, to compare with: all entries between the rows "
      "are evaluated, of the data that the result's own config names unless keys of [data] say where they are now, or "
      "made of the distances that similarity.reuse names.",
      {{"FILE...",
        "A result file that cairn wrote; several give an ensemble (krr) or are chosen from by cross-validation "
        "(svm, kernel-svm)."}},
      with(place_keys(), {"similarity.path", "similarity.search", "similarity.command", "similarity.reuse",
                          "output.path", "run.seed", "run.threads", "run.memory", "run.stall-timeout"}),
      train_options(),
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
