"""Pages of what follows a result: coordinates that `cairn embed` found, and models that `cairn train` made."""

import math
import os
from html import escape

from cairn_plot.factors import Table
from cairn_plot.pages import exactly, given, number, pairs, section, size, table
from cairn_plot.provenance import again, footer_of, provenance_of, source_of, texts
from cairn_plot.problem import text_of
from cairn_plot.result_page import SHOWN, cloud_of, shares_of, short, shown, spread

TASKS = {"krr": "Kernel ridge regression", "gp": "Gaussian process regression", "svm": "Classification", "linearize": "A network as a linear model: classification"}


def embedding(file):
    """What document() takes."""
    facts = provenance_of(file)
    count, dimension = file["embedding"].shape
    method = text_of(file.attrs["method"])
    figures = dict(zip(texts(file["report/names"]), file["report/values"][:].tolist()))
    values = file["eigenvalues"][:].tolist()
    shares = [value / figures["trace"] for value in values]
    of = source_of(facts)
    subtitle = f"{escape(method)} of {escape(facts.get('source', 'a result'))}" + (f", data {escape(of)}." if of else ".")
    key_figures = [("dimensions", exactly(dimension)), ("share of the trace", f"{number(100 * figures['trace_share'], 3)}&nbsp;%"),
                   ("stress", exactly(figures["stress"], 3)), ("file", size(os.path.getsize(file.filename)))]
    place = None
    if dimension > 1:
        rows = spread(count, SHOWN)
        place = section("First two coordinates", cloud_of(file, rows, Table(file, "embedding").picked(rows)[:, :2], ("coordinate 1", "coordinate 2")) +
                        f'<p class="soft">{shown(len(rows), count)} {shares_of(shares)}</p>', tall=15)
    lines = [(str(k), value, f"{number(100 * share, 3)}&nbsp;%", residual)
             for k, (value, share, residual) in enumerate(zip(values, shares, file["residuals"][:].tolist()), 1)]
    eigenvalues = section("Eigenvalues", table(("place", "eigenvalue", "of the trace", "residual"), lines, range(4)), tall=3 + len(lines))
    further = section("Figures", pairs([(name.replace("_", " "), exactly(value)) for name, value in figures.items()]) +
                      '<p class="soft">The stress compares distances of coordinates with those of the result, on random pairs.</p>', tall=9)
    return (f"Coordinates of {count:,} objects", subtitle, key_figures, [], [place, eigenvalues, further, again(facts)], footer_of(file, facts))


def model(file):
    """What document() takes."""
    facts = provenance_of(file)
    task = text_of(file.attrs["task"])
    parts = {"krr": ridge, "gp": processes}.get(task, classifier)(file)
    of = file["model"].values() if task == "krr" else [file]
    warnings = [warning for one in of for warning in texts(one["warnings"])]
    title = TASKS.get(task, task)
    place = next((place for place in ("targets", "processes/target", "vecchia/target") if place in file), None)
    names = texts(file[place]) if place else []
    title += f" of {', '.join(names[:4])}{' and others' if len(names) > 4 else ''}" if names else ""
    if "classes" in file:
        title += f" into {len(file['classes'])} classes"
    key_figures = [("training rows", exactly(int(file.attrs["training_rows"])))]
    key_figures += best_score(file, task)
    subtitle = "On " + ", ".join(basis(one) for one in of) + "."
    return title, subtitle, key_figures, warnings, [*parts, again(facts)], footer_of(file, facts)


def basis(one):
    """The result that a model is on, in words."""
    text = {name: escape(text_of(one.attrs[name])) for name in ("result", "method", "similarity") if name in one.attrs}
    parameters = ", ".join(f"{escape(name)} = {escape(short(value))}" for name, value in zip(texts(one["names"]), texts(one["values"])))
    made = " of ".join(filter(None, (text.get("method"), text.get("similarity"))))
    return f"{os.path.basename(text.get('result', 'a file'))} ({made}{', ' if parameters else ''}{parameters})"


def lists(group, names):
    """Columns side by side; texts are ready for HTML."""
    return [[escape(text) for text in texts(group[name])] if group[name].dtype == object else group[name][:].tolist() for name in names]


def regression_scores(group):
    """A table of scores, or nothing."""
    if not len(group["target"]):
        return ""
    names = ["target", "on", "rows", "r_squared", "mean_absolute_error", "root_mean_squared_error"]
    heads = ["target", "on", "rows", "R²", "mean absolute error", "root mean squared error"]
    if "coverage" in group:
        names, heads = names + ["coverage", "mean_width"], heads + ["inside 95 %", "mean width"]
    if "crps" in group:
        names, heads = names + ["log_score", "crps"], heads + ["log score", "CRPS"]
    return table(heads, list(zip(*lists(group, names))), range(2, len(names)))


def best_score(file, task):
    """The last line of scores of the first target, as a key figure."""
    group = file["scores"] if "scores" in file else None
    if task == "krr" and not len(group["target"]):
        group = file["model/0/scores"]
    key, words = ("accuracy", "accuracy") if task not in ("krr", "gp") else ("r_squared", "R²")
    if group is None or key not in group or not len(group[key]):
        return []
    on = texts(group["on"])
    chosen = next((name for name in ("test", "held-out", "cross-validation", "leave-one-out") if name in on), on[0])
    value = float(group[key][on.index(chosen)])
    return [(f"{words}, {chosen}", exactly(value))] if math.isfinite(value) else []


def ridge(file):
    models = list(file["model"].values())
    for place, one in enumerate(models, 1):
        name = f"Model {place}" if len(models) > 1 else "Model"
        attributes = one.attrs
        tried = ", ".join(given(value) for value in one["lambdas"][:].tolist())
        yield section(name, pairs([("result", escape(text_of(attributes["result"]))), ("λ", f"{given(float(attributes['lambda']))}, of {tried}"),
                                   ("eigenvalues of K̃ on the training rows", f"{exactly(float(attributes['smallest_eigenvalue']), 3)} to "
                                                                            f"{exactly(float(attributes['largest_eigenvalue']))}"),
                                   ("condition of λ I + K̃", exactly(float(attributes["condition"])))]))
        if scores := regression_scores(one["scores"]):
            yield section(f"Scores of {name.lower()}", scores)
    if scores := regression_scores(file["scores"]):
        yield section("Scores of the mean of the models", scores)


def processes(file):
    if "vecchia" in file:
        yield from processes_by_neighbors(file)
        return
    names = ["target", "mean", "scale", "sigma", "length", "noise", "log_marginal_likelihood"]
    heads = ["target", "mean", "standard deviation", "σ", "length", "noise", "log marginal likelihood"]
    yield section("Processes", table(heads, list(zip(*lists(file["processes"], names))), range(1, 7)))
    if scores := regression_scores(file["scores"]):
        yield section("Scores", scores)


def processes_by_neighbors(file):
    group = file["vecchia"]
    chosen = {"neighbors": exactly(int(group.attrs["neighbors"])), "smoothness": escape(text_of(group.attrs["smoothness"])),
              "features": "coordinates" if "points" in file else "rows of L"}
    yield section("Vecchia's likelihood", pairs(list(chosen.items())), tall=5)
    names = ["target", "mean", "scale", "sigma", "noise", "log_marginal_likelihood"]
    heads = ["target", "mean", "standard deviation", "σ", "noise", "log likelihood"]
    yield section("Processes", table(heads, list(zip(*lists(group, names))), range(1, 6)))
    lengths = group["lengths"][:]
    columns = texts(file["points/columns"]) if "points/columns" in file else [str(c + 1) for c in range(lengths.shape[1])]
    if lengths.shape[1] == 1:
        columns = ["all columns"]
    targets = [escape(name) for name in texts(group["target"])]
    yield section("Lengths", table(["column", *targets], [(escape(name), *line) for name, line in zip(columns, lengths.T.tolist())],
                                   range(1, len(targets) + 1)))
    if scores := regression_scores(file["scores"]):
        yield section("Scores", scores)


def classifier(file):
    attributes = file.attrs
    chosen = [(shown_name, escape(text_of(attributes[name])) if isinstance(attributes[name], (str, bytes)) else exactly(attributes[name].item()))
              for name, shown_name in (("result", "basis"), ("loss", "loss"), ("cost", "C"), ("folds", "folds of the validation"), ("bias", "bias"),
                                       ("multiclass", "classes"), ("class_weights", "weights of classes")) if name in attributes]
    yield section("Model", pairs(chosen), tall=7)
    if "candidates" in file and len(file["candidates/cost"]) > 1:
        names = [name for name in ("result", "cost", "accuracy", "macro_f1", "map") if name in file["candidates"]]
        columns = dict(zip(names, lists(file["candidates"], names)))
        columns["cost"] = [given(value) for value in columns["cost"]]
        heads = {"cost": "C", "macro_f1": "macro F1", "map": "MAP"}
        yield section("Validation", table([heads.get(name, name) for name in names], list(zip(*columns.values())), range(1, len(names))), tall=8)
    if "scores" not in file or not len(file["scores/on"]):
        return
    yield section("Scores", table(("on", "accuracy", "macro F1"), list(zip(*lists(file["scores"], ["on", "accuracy", "macro_f1"]))), (1, 2)), tall=5)
    labels = texts(file["labels"])
    counts = file["scores/confusion"][:].reshape(-1, len(labels), len(labels)) if len(labels) <= 30 else []
    for on, matrix in list(zip(texts(file["scores/on"]), counts))[-1:]:
        rows = [(escape(label), *line) for label, line in zip(labels, matrix.tolist())]
        yield section(f"Truth by predicted, {on}", table(["", *map(escape, labels)], rows, range(1, len(labels) + 1)))
