"""scikit-learn on the features that docs/task-svm.md measures: Nystroem and a linear SVM, and an SVM on the kernel itself.

svm_peers.py DATA.csv LABEL GAMMA LANDMARKS C[,C] FOLDS   standardized points; a fifth of the rows is held out, five seeds
"""

import csv
import sys
import time

import numpy
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import SVC, LinearSVC

SEEDS = 5


def read(path, label):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name != label]
    points = numpy.array([[float(row[name]) for name in names] for row in rows])
    deviation = points.std(axis=0)
    return (points - points.mean(axis=0)) / numpy.where(deviation > 0, deviation, 1), numpy.array([row[label] for row in rows])


def report(name, scores, seconds):
    accuracy, macro = numpy.array(scores).T
    print(f"{name}: accuracy {accuracy.mean():.4f} +- {accuracy.std(ddof=1):.4f}, macro F1 {macro.mean():.4f} +- "
          f"{macro.std(ddof=1):.4f}, {seconds / len(scores):.1f} s a seed")


def measure(name, make, features, labels, costs, folds):
    scores, start = [], time.time()
    for seed in range(SEEDS):
        x, x_test, y, y_test = train_test_split(features(seed), labels, test_size=0.2, random_state=seed)
        search = GridSearchCV(make(seed), {"C": costs}, cv=StratifiedKFold(folds, shuffle=True, random_state=seed))
        predicted = (search.fit(x, y) if len(costs) > 1 else make(seed).set_params(C=costs[0]).fit(x, y)).predict(x_test)
        scores.append((accuracy_score(y_test, predicted), f1_score(y_test, predicted, average="macro")))
        if len(costs) > 1:
            print(f"  seed {seed}: C = {search.best_params_['C']:g}, cross-validation {search.best_score_:.4f}")
    report(name, scores, time.time() - start)


def main():
    path, label, gamma, landmarks, costs, folds = sys.argv[1:]
    points, labels = read(path, label)
    costs = [float(cost) for cost in costs.split(",")]

    def nystroem(seed):
        return Nystroem(gamma=float(gamma), n_components=int(landmarks), random_state=seed).fit_transform(points)

    measure("Nystroem and LinearSVC", lambda seed: LinearSVC(tol=1e-2, random_state=seed), nystroem, labels, costs,
            int(folds))
    measure("SVC on the kernel", lambda _: SVC(gamma=float(gamma)), lambda _: points, labels, costs, int(folds))


main()
