#include "command.hpp"

#include "model_commands.hpp"

namespace cairn::app {

namespace {

using enum ValueType;

const std::vector<std::string> all_keys = {"data",       "similarity", "landmarks", "approximation",
                                           "evaluation", "run",        "output"};

Option positions_option() {
  return {
      "positions", "FILE", input_path, "",
      "With an output in .h5 or .xdmf: where the vertices are drawn. A CSV file with a line a vertex (x,y or x,y,z; "
      "with a header whose first name ends in id, the vertex' number in the data first), or an embedding that cairn "
      "wrote (HDF5). A graph needs it."};
}

const std::string field_files =
    " The name's ending says what is written: .csv the numbers alone, .h5 with the shape of the data for cairn-plot, "
    ".xdmf that and a text file for ParaView.";

Option json_option() {
  return {"json", "FILE", output_path, "", "Also write everything that is printed as one JSON object to this file."};
}

const Argument result_argument{"FILE", "A result file that cairn wrote."};

Command approximate_command() {
  return {
      "approximate",
      "Approximates the matrix of similarities that a config describes and writes the factors to a result file.",
      "The error is estimated on the diagonal and on random pairs, drawn apart from the landmarks; of path lengths, "
      "geodesics and whatever biharmonic interpolates on whole rows. The output path "
      "and the memory that the "
      "run will take (run.memory) are checked before anything is evaluated.",
      {},
      all_keys,
      {{"restart", "BOOL", flag, "false",
        "Go on from run.checkpoint where an earlier run was stopped, on any number of ranks; from the beginning where "
        "there is none."},
       json_option()},
      true,
      run_approximate};
}

Command evaluate_command() {
  return {
      "evaluate",
      "Measures the error of a result against the matrix itself.",
      "The data are those that the result's own config names, unless --data.path or other keys of [data] say where "
      "they are now; a digest tells whether they are the same. Without an option the error is measured on random "
      "pairs (path lengths, geodesics and all biharmonic results: on random rows), independent of those in the file "
      "where run.seed differs.",
      {result_argument},
      {"data.path", "data.format", "data.dataset", "data.label", "data.generate", "data.points", "data.dimension",
       "data.seed", "similarity.path", "similarity.search", "evaluation", "run.seed", "run.threads", "run.memory",
       "run.stall-timeout"},
      {{"spectrum",
        "N",
        integer,
        "",
        "Also estimate the spectrum of the matrix from a random sample of N objects: their eigenvalues times n / N.",
        {},
        1},
       {"row",
        "I",
        integer,
        "",
        "Compare row I with the exact one instead of measuring the error of the matrix.",
        {},
        0},
       {"out", "FILE", output_path, "", "The file for --row (column, exact and approximate value)." + field_files},
       {"by-vertex", "FILE", output_path, "",
        "Also write the error of every vertex over the compared rows, root mean square and relative." + field_files},
       positions_option(),
       json_option()},
      false,
      run_evaluate};
}

Command query_command() {
  return {
      "query",
      "Reads entries, rows and nearest objects of an approximated matrix from a result file alone.",
      "Objects are named by their row number from 0. Files that show the shape of the data (--out in .h5 or .xdmf) "
      "need the data themselves: those that the result's own config names, unless keys of [data] say where they "
      "are now.",
      {result_argument},
      {"data.path", "data.format", "data.dataset", "data.label", "data.generate", "data.points", "data.dimension",
       "data.seed", "run.threads", "run.memory", "run.stall-timeout"},
      {{"entry", "I,J", text, "", "Print the entry in row I and column J; may be repeated.", {}, {}, true},
       {"row", "I", integer, "", "Print row I; give --out where it is long.", {}, 0},
       {"nearest",
        "I",
        integer,
        "",
        "Print the objects nearest to object I by the approximation: those with the largest similarity or the smallest "
        "distance in K~, which may be below 0 where K is not; the nearest by K itself may be others.",
        {},
        0},
       {"k", "N", integer, "10", "How many nearest objects.", {}, 1},
       {"left-column",
        "J",
        integer,
        "",
        "Print column J of the left factor: of P, how much landmark J (from 0, in the order of the file) "
        "counts in the row of every vertex.",
        {},
        0},
       {"out", "FILE", output_path, "",
        "Write the row or column to this file (column or row, value) instead of printing it." + field_files},
       positions_option(),
       json_option()},
      false,
      run_query};
}

Command extend_command() {
  return {"extend",
          "Computes factor rows for objects that were not in the data, from a result file alone.",
          "The new points are scaled as the old ones were and compared with the landmarks in the file. The output is a "
          "result file whose rows are the new objects: its left and right factors together with those of FILE give the "
          "similarities between new and old objects.",
          {result_argument},
          {"data.path", "data.format", "data.dataset", "data.label", "data.generate", "data.points", "data.dimension",
           "data.seed", "run.threads", "run.stall-timeout", "output.path"},
          {json_option()},
          false,
          run_extend};
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
            "Take a matrix that was read from a file for squared distances, not for similarities."},
           json_option()},
          false,
          run_embed};
}

Command plan_command() {
  return {
      "plan",
      "Predicts memory, evaluations and time of a config, without running it.",
      "Bytes are those of the largest rank. Times come from a measurement of a few seconds on this machine; the rate "
      "of the disk is assumed and printed. Text files are read once to know their shape. Nothing is written: "
      "output.path "
      "and output.operator may stand in the config and do nothing here.",
      {},
      all_keys,
      {{"ranks", "N", integer, "", "Ranks to plan for; by default those that it runs on.", {}, 1, false, 1e8},
       json_option()},
      true,
      run_plan};
}

Command info_command() {
  return {"info",
          "Prints what a file holds that cairn wrote.",
          "",
          {{"FILE", "A result, model, embedding, operator or file of fields (HDF5) that cairn wrote."}},
          {"run.stall-timeout"},
          {json_option()},
          false,
          run_info};
}

Command convert_command() {
  return {
      "convert",
      "Writes any readable points, matrix or graph as HDF5.",
      "The data set is called points, with labels beside it where there are any; run.precision says whether its "
      "numbers are float64 or float32. A matrix of similarities in a text or compressed file becomes one that can "
      "be read by piece. With data.kind = graph the file holds compressed rows (starts, neighbours, lengths), which "
      "ranks read in parallel. Meshes are refused: they are read as they are.",
      {{"INPUT", "The file to read."}, {"OUTPUT", "The HDF5 file to write."}},
      {"data.kind", "data.format", "data.dataset", "data.label", "data.dimension", "data.weighted",
       "data.largest-component", "run.precision", "run.stall-timeout"},
      {json_option()},
      false,
      run_convert};
}

Command sweep_command() {
  return {
      "sweep",
      "Runs a config over lists of values and repeats, and writes one CSV line a run.",
      "All combinations of the values are run, each as often as --repeats says, with seeds run.seed, run.seed + 1 and "
      "so on. No result file is written: output.path may stand in the config and does nothing. A run that fails for a "
      "numeric reason or for memory is a line with its "
      "message. "
      "At the end median and quartiles of every combination are printed.",
      {},
      all_keys,
      {{"vary", "KEY=V,V", text, "", "A key and its values, with commas; may be repeated.", {}, {}, true},
       {"repeats", "N", integer, "1", "Runs of each combination.", {}, 1},
       {"part", "K/N", text, "",
        "Every N-th run alone, from the K-th on: as many jobs as there are parts share a sweep, each with a CSV file of "
        "its own; slurm/sweep.sbatch joins them."},
       {"output.csv", "FILE", output_path, "", "The CSV file that is written; it grows with every run."},
       {"restart", "BOOL", flag, "false",
        "Go on with the CSV file where an earlier sweep left it: runs that it holds are not repeated, failed ones "
        "are."},
       json_option()},
      true,
      run_sweep};
}

Command train_command() {
  return {
      "train",
      "Trains a model on the factors of results: kernel ridge regression, without the matrix itself.",
      "Coefficients are (lambda I + K~)^-1 times the targets, through the factors alone. Of several lambdas the one "
      "with the best exact leave-one-out score is taken. Several results give an ensemble, whose mean is predicted; "
      "those with the same sparse factor (approximation.reuse) share its Gram matrix where they follow one another.",
      {{"FILE...", "A result file that cairn wrote; several of them give an ensemble."}},
      {"output.path", "run.seed", "run.threads", "run.memory", "run.stall-timeout"},
      {{"task", "NAME", choice, "krr", "What is trained: krr is kernel ridge regression.", {"krr"}},
       {"targets", "FILE[:COLUMN]", text, "",
        "The values to learn: a CSV file with a line for each row of the data, and which of its columns, by name or "
        "number from 1, with commas between several; by default all of them. Without a file the labels of the data "
        "are learned."},
       {"targets-key", "COLUMN", text, "",
        "The column of the targets that holds labels of rows: values go to the rows with the same label, and rows "
        "without value are left out. By default values stand in the order of the rows."},
       {"lambda", "NUMBER[,NUMBER]", text, "",
        "The ridge, above 0, in units of the similarity; or several to choose from."},
       {"leave-one-out", "BOOL", flag, "false", "Score a single lambda by leave-one-out, too; several always are."},
       {"train-fraction",
        "NUMBER",
        number,
        "",
        "Train on each row with this probability, and score on the others; by default on all rows that have a target.",
        {},
        0,
        false,
        1},
       {"train-rows", "FILE", input_path, "",
        "Train on these rows, numbers from 0, one a line, and score on the others that have a target."},
       json_option()},
      false,
      run_train};
}

Command predict_command() {
  return {
      "predict",
      "Predicts the values of objects from a model of train and the result that it was trained on.",
      "Objects that were not in the data are predicted from a file that extend made of that result. The mean of "
      "all models in the file is written.",
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
       {"out", "FILE", output_path, "", "The CSV file that is written: row, label where there are any, targets."},
       json_option()},
      false,
      run_predict};
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      approximate_command(), evaluate_command(), query_command(), extend_command(),  embed_command(), train_command(),
      predict_command(),     plan_command(),     info_command(),  convert_command(), sweep_command()};
  return all;
}

}  // namespace cairn::app
