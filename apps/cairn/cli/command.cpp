#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/run/distances/path_table.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/run/transport/transport_files.hpp"
#include "cairn/task/prediction.hpp"
#include "cairn/task/task_parameters.hpp"
#include "commands/commands.hpp"
#include "models/model_commands.hpp"

namespace cairn::app {

namespace {

// Entries of the table of subcommands for commands that use factors.

// --json, which every command has.
Parameter json_option() {
  return {"json", "FILE", ValueType::output_path, "",
          "Also write everything that is printed as one JSON object to this file."};
}

using enum ValueType;
using Names = std::vector<std::string>;

Names names_of(const std::vector<const TaskDescriptor*>& tasks) {
  Names names;
  for (const TaskDescriptor* task : tasks) names.push_back(task->name);
  return names;
}

bool keeps_states(const TaskDescriptor* task) { return task->unkept != nullptr; }

Parameter restart_option() {
  return {"restart", "BOOL", flag, "false",
          "Go on from run.checkpoint, where an earlier run was stopped; from the beginning where there is none."};
}

Names keys_of_tasks(const std::vector<const TaskDescriptor*>& tasks) {
  Names keys;
  const auto any = [&](auto&& what) { return std::ranges::any_of(tasks, what); };
  const bool matrix = any([](const auto* task) { return task->needs.matrix; });
  if (matrix || any([](const auto* task) { return task->needs.points; })) keys = place_keys();
  if (matrix) {
    keys = with(keys, {"similarity.path", "similarity.search", "similarity.command", "similarity.reuse"});
  }
  if (any([](const auto* task) { return !task->needs.argument.empty(); })) {
    keys = with(keys, {"data", "approximation", "run.precision"});
  }
  if (any([](const auto* task) { return task->needs.model != ModelKind::none; })) keys.emplace_back("output.path");
  if (any([](const auto* task) { return task->needs.draws; })) keys.emplace_back("run.seed");
  if (any(keeps_states)) keys = with(keys, {"run.checkpoint", "run.checkpoint-interval", "run.max-time"});
  return with(keys, {"run.threads", "run.memory", "run.stall-timeout"});
}

// The command with this name that runs tasks.
Command command_of(const std::string& name) {
  const std::vector<const TaskDescriptor*> all = tasks_of(name);
  const bool matrix = std::ranges::any_of(all, [](const auto* task) { return task->needs.matrix; });
  const std::string several = several_results(name), own = all.front()->needs.argument;
  Command command{.name = name,
                  .summary = all.size() == 1
                                 ? all.front()->summary
                                 : fmt::format("Runs one of the tasks {} on results.", joined(names_of(all), ", ")),
                  .details = task_details(name),
                  .arguments = {!own.empty() ? Argument{"FILE", own}
                                             : Argument{several.empty() ? "FILE" : "FILE...",
                                                        fmt::format("A result file that cairn wrote{}.",
                                                                    several.empty() ? "" : "; " + several)}},
                  .keys = keys_of_tasks(all),
                  .options = task_options(name),
                  .takes_config = !own.empty(),
                  .run = run_task_command,
                  .check = check_task};
  if (matrix) {
    command.details +=
        " The matrix itself is evaluated on the data that the result's own config names, unless keys of [data] say "
        "where "
        "they are now. similarity.reuse names a result whose stored distances are taken.";
  }
  if (std::ranges::any_of(all, keeps_states)) command.options.push_back(restart_option());
  command.options.push_back(json_option());
  return command;
}

// One command for each command name of a task, in the order of the table of tasks. @param taken  names of other
// commands
// @throws Error(internal) if a task uses one of these
std::vector<Command> task_commands(const std::vector<std::string>& taken) {
  std::vector<Command> all;
  for (const TaskDescriptor* task : tasks()) {
    if (contains(taken, task->command)) {
      throw Error(ErrorKind::internal,
                  fmt::format("the task {} names the command {}, which runs no tasks", task->name, task->command));
    }
    if (std::ranges::find(all, task->command, &Command::name) == all.end()) all.push_back(command_of(task->command));
  }
  return all;
}

Command predict_command() {
  return {
      "predict",
      "Predicts the values of objects from a model, and the result that it was trained on or points.",
      "A model of linearize takes points, which keys of [data] name, and needs nothing else; without --out its classes "
      "are counted. Of other models, objects that were not in the data are predicted from a file that extend made of "
      "that result. The mean of "
      "all models in the file is written; of Gaussian processes each value with its standard deviation; of a "
      "classifier classes, which are compared with the labels of the rows if there are any. A model of knn compares "
      "objects by K itself: they are read where the configs in the results say, those trained on where keys of [data] "
      "say.",
      {{"MODEL", "A model file that cairn train or cairn linearize wrote."}},
      with(new_object_keys(), {"run.threads", "run.stall-timeout"}),
      task_parameters::with(prediction_parameters(), {json_option()}),
      false,
      run_predict,
      check_predict};
}

using enum ValueType;

const std::vector<std::string> all_keys = {"data",       "similarity", "landmarks", "approximation",
                                           "evaluation", "run",        "output"};

Parameter positions_option() {
  return {
      "positions", "FILE", input_path, "",
      "With an output in .h5 or .xdmf: the places at which the vertices are drawn. A CSV file with a line per vertex "
      "(x,y or x,y,z; "
      "with a header whose first name ends in id, the vertex' number in the data first), an embedding that cairn wrote "
      "(HDF5), coordinates of DIMACS (.co) or OpenStreetMap (.osm.pbf). A graph needs it."};
}

const std::string field_files =
    " The name's ending says what is written: .csv only the numbers, .h5 with the shape of the data for cairn-plot, "
    ".xdmf that and a text file for ParaView.";

const Argument result_argument{"FILE", "A result file that cairn wrote."};

Parameter by_label_option(const std::string& options) {
  return {"by-label", "BOOL", flag, "false",
          "Take the values of " + options +
              " for labels of rows instead of row numbers; if rows have no labels, for their numbers in the file. A "
              "label of several rows is an error."};
}

Parameter by_number_option(const std::string& options) {
  return {"by-number", "BOOL", flag, "false",
          "Take the values of " + options +
              " for numbers in the file of the data: of vertices, or of documents and points if others were ignored. "
              "If these "
              "differ from the places of the rows, it must be said which are meant."};
}

Command approximate_command() {
  return {
      "approximate",
      "Approximates the matrix of similarities that a config describes and writes the factors to a result file.",
      "The error is estimated on the diagonal and on random pairs, drawn apart from the landmarks; of path lengths, "
      "geodesics and whatever biharmonic interpolates on whole rows. The output path and the memory that the run "
      "will take (run.memory) are checked before anything is evaluated.",
      {},
      all_keys,
      {{"restart", "BOOL", flag, "false",
        "Go on from run.checkpoint, at the place at which an earlier run was stopped, on any number of ranks; from "
        "the beginning where there is none."},
       json_option()},
      true,
      run_approximate,
      check_approximate};
}

Command evaluate_command() {
  return {
      "evaluate",
      "Measures the error of a result against the matrix itself, or how good its vectors of words are.",
      "The data are those that the result's own config names, unless --data.path or other keys of [data] say where "
      "they are now; a digest shows whether they are the same. A result that keeps the hierarchy of path lengths has "
      "its exact values itself: data are read only if keys of [data] or similarity.search are given. Without an option "
      "the error is measured on random "
      "pairs (path lengths, geodesics and all biharmonic results: on random rows), independent of those in the file "
      "if run.seed differs. With --pairs the approximation, and the matrix itself, are compared with given scores "
      "of pairs instead. With --words and --qvec the rows of the left factor are vectors of the words that are "
      "their labels, and are compared with what people say of the words: no data are read.",
      {result_argument},
      with(place_keys(), {"similarity.path", "similarity.search", "similarity.command", "evaluation", "run.seed",
                          "run.threads", "run.memory", "run.stall-timeout"}),
      {{"spectrum",
        "N",
        integer,
        "",
        "Also estimate the spectrum of the matrix from a random sample of N objects: their eigenvalues times n / N.",
        {},
        1},
       {"row", "I", text, "",
        "Compare row I, counted from 0, with the exact one instead of measuring the error of the matrix."},
       by_label_option("--row"),
       by_number_option("--row"),
       {"pairs", "FILE[:I,J,SCORE]", text, "",
        "Compare with scores of pairs, in a CSV file with three columns: two row numbers from 0, and the score; or "
        "the columns of that name or number from 1. Prints Pearson's and Spearman's correlation, and if all scores "
        "are 0 or 1, F1 and accuracy on the second half of the pairs, at the thresholds that are best on the first "
        "half."},
       {"threshold-pairs", "FILE[:I,J,SCORE]", text, "",
        "Pairs on which the thresholds are chosen; F1 and accuracy are then those of all of --pairs."},
       {"words", "FILE,FILE", text, "",
        "Files of word similarities: a line is word, word, score. Prints Spearman's correlation of the scores with "
        "the cosines of the words' vectors; pairs with an unknown word are left out and counted."},
       {"qvec", "FILE", input_path, "",
        "A file of linguistic features: a line is a word, a tab, and a JSON object of its features. Prints QVEC and "
        "QVEC-CCA of the words' vectors."},
       {"out", "FILE", output_path, "",
        "The file for --row (column, exact and approximate value, label)." + field_files},
       {"by-vertex", "FILE", output_path, "",
        "Also write the error of every vertex over the compared rows, root mean square and relative." + field_files},
       positions_option(),
       json_option()},
      false,
      run_evaluate,
      check_evaluate};
}

Command query_command() {
  return {
      "query",
      "Reads entries, rows and nearest objects of an approximated matrix from only a result file; path lengths "
      "exactly where the result keeps their hierarchy.",
      "Objects are named by their row number from 0, by a label that is not a number (a word), or as --by-label and "
      "--by-number say. If the result keeps the hierarchy of path lengths (output.hierarchy; only where paths are "
      "searched by one), values are exact; if it keeps entries of near objects (output.near), these are; all others "
      "are those of the approximation, as a line beside the values says. Files that show the shape of the data (--out "
      "in .h5 or "
      ".xdmf) need the data themselves: "
      "those that the result's own config names, unless keys of [data] say where they are now.",
      {result_argument},
      with(place_keys(), {"run.threads", "run.memory", "run.stall-timeout"}),
      {{"entry", "I,J", text, "", "Print the entry in row I and column J; may be repeated.", {}, {}, true},
       {"row", "I", text, "", "Print row I; give --out if it is long."},
       {"nearest", "I", text, "",
        "Print the objects nearest to object I: those with the largest similarity or the smallest distance. If values "
        "are not exact these are of K~, which may be below 0 although K is not; the nearest by K may be others."},
       {"nearest-to", "FILE", input_path, "",
        "FILE is an extension of the result (cairn extend): for each of its objects, the new ones, print the nearest "
        "objects of the result, a line each: new object, old object, value of K~, their labels and names."},
       {"nearest-exact", "BOOL", flag, "false",
        "Nearest objects by K itself, of which none is missed (word mover's distance): of --nearest I, of the new "
        "objects of --nearest-to FILE, else of every object, a line for each neighbor. Reads the texts where the "
        "results' own configs, or keys of [data], say they are."},
       {"pairs", "FILE", input_path, "",
        "Print the value of each pair in a file, one a line: two row numbers a line, with a comma, a tab or blanks "
        "between them (with --by-label, labels). A first line without numbers is a heading. May be .gz or .xz."},
       {"approximate", "BOOL", flag, "false", "Take values of the approximation even if the file has exact ones."},
       by_label_option("--entry, --row, --nearest and --pairs"),
       by_number_option("--entry, --row, --nearest and --pairs"),
       {"k", "N", integer, "10", "--nearest, --nearest-to and --nearest-exact: how many nearest objects.", {}, 1},
       {"by-angle", "BOOL", flag, "",
        "--nearest and --nearest-to: compare objects by the cosine of their rows of the left factor, their vectors, "
        "not by K~; by default true for the words of a corpus, else false."},
       {"left-column",
        "J",
        integer,
        "",
        "Print column J of the left factor: of P, how much landmark J (from 0, in the order of the file) counts in "
        "the row of every vertex.",
        {},
        0},
       {"out", "FILE", output_path, "",
        "Write the row or column to this file (column or row, value, label) instead of printing it, the values of "
        "--pairs, one a line, or the table of --nearest-to or --nearest-exact as CSV; names of rows (files of texts) "
        "stand last there." +
            field_files},
       positions_option(),
       json_option()},
      false,
      run_query,
      check_query};
}

Command extend_command() {
  return {
      "extend",
      "Computes factor rows for objects that were not in the data, from only a result file.",
      "The new points are scaled as the old ones were and compared with the landmarks in the file. The output is a "
      "result file whose rows are the new objects: its left and right factors together with those of FILE give the "
      "similarities between new and old objects. The error of the new rows against K is reported beside that of "
      "FILE. New documents are cut into words as the old ones were, and need the word vectors (data.vectors) for "
      "words of their own; those of the landmarks are in the file. If the objects of FILE are the words of a "
      "corpus, the new objects are texts, and the row of a text is the mean of the rows of its words.",
      {result_argument},
      with(new_object_keys(), {"similarity.command", "run.threads", "run.stall-timeout", "output.path"}),
      {{.name = "weights",
        .value = "NAME",
        .type = choice,
        .fallback = "mean",
        .help = "Texts of words: what a token counts in the mean; mean (all alike) or tf-idf (a token of word w by 1 "
                "+ log((1 + N) / (1 + d)), d of the N new texts having w).",
        .choices = {"mean", "tf-idf"}},
       {.name = "side",
        .value = "NAME",
        .type = choice,
        .fallback = "rows",
        .help = "Of a result whose columns stand for other objects than its rows: what the new objects stand for, "
                "rows or columns; the other factor stays as it is.",
        .choices = {"rows", "columns"}},
       {"pairs",
        "N",
        integer,
        "",
        "Random pairs of new objects on which the error of their rows is measured, beside their similarities with "
        "themselves, which count as in the matrix of the old objects; fewer than 4 objects are not measured. By "
        "default a tenth of the evaluations, 100 to 1,000. 0 measures no error. Of a result whose "
        "columns stand for other objects than its rows: pairs with objects of the other factor, which are read from "
        "where the result has them; by default none.",
        {},
        0},
       json_option()},
      false,
      run_extend,
      check_extend};
}

Command plan_command() {
  return {
      "plan",
      "Predicts memory, evaluations and time of a config, without running it.",
      "Bytes are those of the largest rank. Times come from a measurement of a few seconds on this machine, or from "
      "--calibration for another one; without it the rate of the disk is assumed and printed. Text files, and "
      "others of up to half a gigabyte, are read once: for their shape, and to evaluate a few similarities. "
      "Nothing but a calibration is written: output.path and output.operator may be in the config; output.path "
      "says only whose disk --calibrate measures.",
      {},
      all_keys,
      {{"ranks", "N", integer, "", "Ranks to plan for; by default those that it runs on.", {}, 1, false, 1e8},
       {"nodes",
        "N",
        integer,
        "",
        "Nodes of these ranks, as many on each; by default one, or those that it runs on. If given, it also prints "
        "seconds and node hours for 1, 2, 4, ... ranks, and the number that it recommends.",
        {},
        1,
        false,
        1e8},
       {"slurm", "BOOL", flag, "false",
        "With --nodes: print only the options of sbatch for the recommended number of ranks, as in 'options=$(cairn "
        "plan --config FILE --ranks N --nodes N --slurm) && sbatch $options slurm/approximate.sbatch FILE'."},
       {"calibrate", "FILE", output_path, "",
        "Plan nothing: measure this machine for a minute with all ranks (products, core matrices of several "
        "orders, the disk of output.path or of FILE) and write its rates to FILE (JSON)."},
       {"calibration", "FILE", input_path, "",
        "Rates that --calibrate wrote, of the machine that the run is for: they are not measured here. What "
        "depends on the data is, and scaled by how much faster that machine evaluates. By default the file that "
        "the environment variable CAIRN_CALIBRATION names, if it does."},
       json_option()},
      true,
      run_plan,
      check_plan};
}

Command info_command() {
  return {"info",
          "Prints what a file holds that cairn wrote.",
          "",
          {{"FILE",
            "A result, model, embedding, operator, or file of fields, clusters or points (HDF5) that cairn wrote."}},
          {"run.stall-timeout"},
          {{"verify", "BOOL", flag, "false",
            "Read the whole file, hold each of its data sets against its checksum, and count them; ranks share the "
            "work."},
           json_option()},
          false,
          run_info};
}

Command convert_command() {
  return {"convert",
          "Writes any readable points, matrix or graph as HDF5.",
          "The data set is called points, with labels and names of columns beside it if there are any; run.precision "
          "says whether its numbers are float64 or float32. A matrix of similarities in a text or compressed file "
          "becomes one that can be read by piece. With data.kind = graph the file holds compressed rows (starts, "
          "neighbors, lengths), which ranks read in parallel. Meshes are refused: they are read as they are.",
          {{"INPUT", "The file to read."}, {"OUTPUT", "The HDF5 file to write."}},
          {"data.kind", "data.format", "data.dataset", "data.label", "data.columns", "data.ignore", "data.missing",
           "data.dimension", "data.names", "data.weighted", "data.zero-lengths", "data.largest-component",
           "run.precision", "run.stall-timeout"},
          {json_option()},
          false,
          run_convert,
          check_convert};
}

Command sweep_command() {
  return {
      "sweep",
      "Runs a config over lists of values and repeats, and writes one CSV line a run.",
      "All combinations of the values are run, each as often as --repeats says, with seeds run.seed, run.seed + 1 "
      "and so on. No result file is written: output.path may be in the config and has no effect; run.checkpoint and "
      "run.max-time are only of approximate; a sweep goes on run by run. A run that fails for a numeric reason or "
      "for memory is a line with its message. At the end median and quartiles of every combination are printed.",
      {},
      all_keys,
      {{"vary", "KEY=V,V", text, "", "A key and its values, with commas; may be repeated.", {}, {}, true},
       {"repeats", "N", integer, "1", "Runs of each combination.", {}, 1},
       {"part", "K/N", text, "",
        "Only every N-th run, from the K-th on: as many jobs as there are parts share a sweep, each with a CSV file "
        "of its own; slurm/sweep.sbatch joins them."},
       {"output.csv", "FILE", output_path, "",
        "The CSV file that is written; it grows with every run. One that holds anything but runs of this sweep is "
        "refused without --restart or --overwrite."},
       {"restart", "BOOL", flag, "false",
        "Go on with the CSV file at the place at which an earlier sweep left it: runs that it holds are not "
        "repeated, failed ones are."},
       {"overwrite", "BOOL", flag, "false", "Replace the CSV file, and that of --json, whatever they hold."},
       json_option()},
      true,
      run_sweep,
      check_sweep};
}

const std::vector<std::string> graph_keys = {
    "data.format",   "data.columns",  "data.names",        "data.measure",           "data.contract",
    "data.weighted", "data.directed", "data.zero-lengths", "data.largest-component", "similarity.search",
    "run.threads",   "run.memory",    "run.stall-timeout"};

Parameter weights_option() {
  return {
      "weights", "FILE", input_path, "",
      "New lengths of all edges: a text of edges, as that of the graph, which data.format and data.columns "
      "describe. The hierarchy keeps its order and takes them in a second for a million vertices. An edge that comes "
      "more than once has the least of its lengths."};
}

Command reweigh_command() {
  return {"reweigh",
          "Writes the hierarchy of a graph to a file, and gives it new lengths of edges.",
          "The order in which the vertices are eliminated, and the arcs that this adds, depend on no length: the "
          "file keeps them beside the lengths of edges, and cairn distances reads it in place of the graph. "
          "GRAPH is the graph, or such a file; with --weights the file that is written has these lengths.",
          {{"GRAPH", "The file of a graph, or one that cairn reweigh wrote."}},
          graph_keys,
          {weights_option(),
           {"out", "FILE", output_path, "", "The file that is written, .h5: the graph with the arcs of its hierarchy."},
           json_option()},
          false,
          run_reweigh,
          check_reweigh};
}

Command distances_command() {
  Command command{
      "distances",
      "Writes a table of exact path lengths between chosen vertices of a graph.",
      "Row i has the lengths from the i-th of --sources to all of --targets, or to all vertices. The table may "
      "be larger than the memory: ranks write their rows and forget them. It is read by NumPy without a copy.",
      {{"GRAPH",
        "The file of a graph, one that cairn reweigh made of it, or a result that keeps its hierarchy of path "
        "lengths."}},
      graph_keys,
      path_table_options(),
      false,
      run_distances,
      check_distances};
  command.options.push_back(weights_option());
  command.options.push_back(json_option());
  return command;
}

Command transport_command() {
  Command command{
      "transport",
      "Computes a plan of transport between two sets of points, by Sinkhorn's algorithm.",
      "The sources are those of [data], the targets are read from --target.path as they are, and scaled as they "
      "were. Equal points become one. The plan minimizes cost plus epsilon times relative entropy between the "
      "weights; products with its kernel are computed by --kernel. Printed are the cost of the plan, that of the "
      "plan rounded to its marginals, the entropic cost, and how far the marginals are off; the file holds the "
      "potentials and where each source point goes on average (its barycentre).",
      {},
      {"data", "landmarks", "approximation", "run.seed", "run.threads", "run.precision", "run.checkpoint",
       "run.checkpoint-interval", "run.max-time", "run.stall-timeout", "output.path"},
      transport_options(),
      true,
      run_transport,
      check_transport};
  std::ranges::copy_if(command.keys, std::back_inserter(command.shown),
                       [](const std::string& key) { return key != "data" && key != "approximation"; });
  for (const Parameter& one : point_data().parameters) command.shown.push_back(data_prefix + one.name);
  for (const MethodDescriptor* method : kernel_methods()) {
    for (const Parameter& one : method->parameters) command.shown.push_back(method_prefix + one.name);
  }
  command.options.push_back(restart_option());
  command.options.push_back(json_option());
  return command;
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> table = {approximate_command(), evaluate_command(), query_command(), extend_command()};
    std::vector<Command> others;
    for (auto* command : {predict_command, distances_command, reweigh_command, transport_command, plan_command,
                          info_command, convert_command, sweep_command}) {
      others.push_back(command());
    }
    std::vector<std::string> names;
    for (const auto* list : {&table, &others}) {
      for (const Command& command : *list) names.push_back(command.name);
    }
    for (Command& command : task_commands(names)) table.push_back(std::move(command));
    std::ranges::move(others, std::back_inserter(table));
    return table;
  }();
  return all;
}

std::vector<Parameter> own_options(const Command& command) {
  std::vector<Parameter> options = command.options;
  if (command.takes_config) {
    options.push_back(
        {"config", "FILE", input_path, "",
         "Read keys from this file: sections in brackets and lines of key = value. Every key is also an option, and "
         "every option a key that stands before the sections. The command line wins. Relative paths of files that are "
         "read are relative to the folder of the config."});
  }
  const auto has = [&](const char* name) {
    return std::ranges::any_of(options, [&](const Parameter& option) { return option.name == name; });
  };
  if (has("json") && !has("overwrite")) {
    options.push_back({"overwrite", "BOOL", flag, "false",
                       "Replace a file that is there, whatever it holds. By default one is replaced if it is empty or "
                       "of the kind that is written; docs/reliability.md lists the kinds."});
  }
  options.push_back({"quiet", "BOOL", flag, "false",
                     "Print results and errors only: no header, progress, notes and phases. Warnings go to standard "
                     "error."});
  return options;
}

std::vector<Parameter> options_of(const Command& command) {
  std::vector<Parameter> options = keys_of(command.keys);
  const std::vector<Parameter> own = own_options(command);
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

}  // namespace cairn::app
