"""Ray, Monath, McCallum and Musco (2022): entries."""
from ..entry import Entry, Paper
from . import text_matrices as matrices
from . import text_tasks as tasks
from .text_matrices import MRPC, STS, TWEETS, WORDS

VECTORS = "GloVe of 100 numbers for word2vec of 300"
NO_MODEL = "no cross-encoder: STS-B and MRPC by word matching and word mover's distances"
EXACT = {"relative error": 1e-3, "CoNLL F1": .02}
MENTIONS = tuple(f"coreference/ecb-dev-{name}" for name in ("corpus.txt.xz", "events.json.xz", "entities.json.xz"))


def paper_table_2():
    values = {"wme": (72.5, 72.5, 55.8, 72.9), "sms-nystrom": (75.3, 77.7, 59.4, 79.3), "stacur": (73.8, 74.9, 58.7, 76.8), "sicur": (74.9, 75.9, 59.3, 73.0),
              "optimal": (75.8, 78.8, 60.3, 82.2)}
    large = {"wme": (74.5, 79.2, 64.5, 78.3), "sms-nystrom": (76.1, 80.7, 65.3, 86.6), "stacur": (71.9, 77.1, 55.7, 84.2), "sicur": (75.3, 79.5, 63.3, 85.8),
             "optimal": (76.9, 81.3, 68.2, 88.3)}
    found = {(size, f"{name}, {method}", "", "accuracy, %"): value for size, table in (("small rank", values), ("large rank", large))
             for method, line in table.items() for name, value in zip(tasks.SETS, line)}
    return found | {("small rank", f"{name}, kernel-svm", "", "accuracy, %"): value for name, value in zip(tasks.SETS, (78.21, 82.17, 69.03, 89.37))}


def paper_table_6():
    values = {("small rank", "wme"): (13.02, 5639.06, 85.43, 2712.12), ("small rank", "sms-nystrom"): (86.23, 13979.01, 629.54, 9422.05),
              ("large rank", "wme"): (102.06, 29238.48, 2787.0, 13021.13), ("large rank", "sms-nystrom"): (1014.06, 223902.32, 21246.65, 130342.28)}
    return {(size, f"{name}, {method}", "", "seconds"): value for (size, method), line in values.items() for name, value in zip(tasks.SETS, line)}


def paper_table_7():
    values = {"wme(SR)": (128, 500, 320, 491), "sms-nystrom(SR)": (421, 532, 500, 550), "stacur(SR)": (382, 548, 488, 548), "sicur(SR)": (507, 550, 550, 550),
              "wme(LR)": (896, 4096, 2500, 4096), "sms-nystrom(LR)": (1631, 4061, 2500, 3872), "stacur(LR)": (1367, 4069, 2489, 3256),
              "sicur(LR)": (1204, 4030, 2500, 3824)}
    return {(name, series, "", "best rank"): value for series, line in values.items() for name, value in zip(tasks.SETS, line)}


def at(measure, *places):
    return tuple((*place, measure) for place in places)


SEARCHED = ("A grid of gamma, C and s for the paper's Bayesian optimization of gamma, 1/lambda and s2 in [1e-4, 1.58], [1, 1e12] and [100, 4096]; tweets and Ohsumed alone: "
            "recipes and 20 newsgroups would need all 1.6e9 and 3.6e8 distances or a new evaluation for each s. " + VECTORS + ".")

PAPER = Paper("sms", "Ray, Monath, McCallum, Musco 2022: Sublinear Time Approximation of Text Similarity Matrices", (
    Entry("sms-figure-1", "figure 1", "eigenvalues in places 2 to 201 by magnitude",
          f"{VECTORS}; {NO_MODEL}. exp(-gamma WMD) is positive semidefinite to rounding here, so the indefinite matrices are those of word matching.",
          matrices.figure_1, "repro/sms-errors.cfg",
          bounds={"eigenvalue": 1e-4, "negative, share of squares": 1e-2}, needs=(TWEETS, STS, *WORDS), seconds=(5, 150),
          stored=matrices.figure_1_stored, stored_in="sms-spectra.csv",
          headline=at("eigenvalue", ("twitter", "eigenvalues", "2"), ("stsb-logistic", "eigenvalues", "2")) + at("negative, share of squares", ("twitter", "all", ""), ("stsb-logistic", "all", "")),
          page="reproduction-sms.md", says="few negative eigenvalues, very few of large magnitude"),
    Entry("sms-figure-2", "figure 2", "eigenvalues of 50 samples of 200 rows and columns", f"{VECTORS}; {NO_MODEL}. Eigenvalues by NumPy, of matrices by Cairn.",
          matrices.figure_2,
          bounds={"below .001 in magnitude, %": .02, "below .01 in magnitude, %": .02, "negative, %": .02, "share of the eigenvalues": .05},
          needs=(TWEETS, STS, *WORDS), seconds=(5, 120),
          headline=at("below .01 in magnitude, %", ("twitter", "50 samples", ""), ("stsb-logistic", "50 samples", "")) + at("negative, %", ("twitter", "50 samples", ""), ("stsb-logistic", "50 samples", "")),
          says="STS-B and MRPC have many eigenvalues near 0, Twitter many fewer"),
    Entry("sms-figure-3", "figure 3", "error of all methods against s / n", f"5 seeds of 10 in the kept table, s / n to .3, errors on 300 rows; {VECTORS}; {NO_MODEL}.",
          matrices.figure_3,
          matrices.CONFIG, bounds=EXACT, needs=(TWEETS, STS, *WORDS), seconds=(6, 400), stored=matrices.figure_3_stored, stored_in="sms-errors.csv",
          page="reproduction-sms.md",
          headline=at("relative error", *((name, method, "0.1") for name in ("twitter", "stsb-logistic") for method in ("sms-nystrom", "sicur"))),
          says="classic Nyström fails on indefinite matrices, SMS-Nyström and SiCUR do not"),
    Entry("sms-figure-4", "figure 4", "coreference on ECB+: CoNLL F1 and error against landmarks", f"A formula on {VECTORS} in place of the trained model, gold mentions, development part.",
          tasks.figure_4, "repro/sms-coreference.cfg", bounds=EXACT, needs=(*MENTIONS, *WORDS), seconds=(15, 1500), stored=tasks.coreference_stored,
          stored_in="sms-coreference.csv",
          headline=at("CoNLL F1", ("events", "K itself", ""), ("events", "sicur", "0.5"), ("events", "stacur", "0.5"), ("events", "sms-nystrom rescaled", "0.5")),
          page="reproduction-coreference.md", says="SiCUR within 1 point of the exact F1 at s = .9 n, within 1.5 at .5 n"),
    Entry("sms-figure-5", "figure 5", "an example of coreference", "An illustration."),
    Entry("sms-figure-6", "figure 6", "SMS-Nyström with and without rescaling, coreference", "As figure 4.",
          tasks.figure_6, "repro/sms-coreference.cfg", bounds=EXACT,
          needs=(*MENTIONS, *WORDS), seconds=(15, 1500), stored=tasks.figure_6_stored, stored_in="sms-coreference.csv",
          page="reproduction-coreference.md",
          headline=at("CoNLL F1", *(("events", method, share) for share in ("0.2", "0.5") for method in ("sms-nystrom", "sms-nystrom rescaled"))),
          says="rescaling is needed for clusters"),
    Entry("sms-table-1", "table 1", "four sets of documents", "Documents with a known word are counted; recipes are Kaggle's and have no split.",
          tasks.table_1, bounds={"documents": 0, "classes": 0},
          needs=(TWEETS, *WORDS), seconds=(1, 20),
          paper={(name, "here", "", measure): value for name, pair in {"twitter": (3108, 3), "recipe": (39774, 20), "ohsumed": (9152, 10), "20news": (18821, 20)}.items()
                 for measure, value in zip(("documents", "classes"), pair)}),
    Entry("sms-table-2", "table 2", "accuracy of linear machines on embeddings",
          f"{VECTORS}; gamma and C by a grid with 3 or 5 folds in place of Bayesian optimization with 10, 5 seeds of 20. 20 newsgroups at large rank (4 h), Ohsumed's Optimal and kernel machine "
          "(84 million distances, 2 h) were not run but on subsets of 4,000. WME's document embedding and word weighting schemes are not tuned: Cairn has one of each (words drawn from the vocabulary, shares of words).",
          tasks.table_2, "repro/sms-twitter.cfg", bounds={"accuracy, %": .02}, needs=(TWEETS, *WORDS), seconds=(17, 40000), paper=paper_table_2(),
          stored=tasks.table_2_stored,
          stored_in="sms-classification.csv", page="reproduction-classification.md",
          headline=at("accuracy, %", *(("small rank", f"{name}, sms-nystrom", "") for name in tasks.SETS))),
    Entry("sms-table-3", "table 3", "K~ on scored pairs: STS-B and MRPC", f"{NO_MODEL}; RTE is not here. 5 seeds of 50. Accuracy of MRPC with the threshold of the first half of the pairs.",
          matrices.table_3, matrices.CONFIG, bounds={"Pearson, %": .02, "Spearman, %": .02, "F1, %": .02, "accuracy, %": .02},
          needs=(STS, MRPC, *WORDS), seconds=(6, 150),
          paper=matrices.table_3_paper(), page="reproduction-sms.md",
          headline=at("Pearson, %", ("stsb-logistic", "sms-nystrom", "350"), ("stsb-logistic", "sicur", "350")) + at("accuracy, %", ("mrpc", "sms-nystrom", "250"), ("mrpc", "sicur", "250"))),
    Entry("sms-table-4", "table 4", "sizes of STS-B and MRPC", "STS-B's development pairs, sentences once; MRPC's 1,725 test pairs for 408 of validation; RTE is not here.",
          tasks.table_4,
          bounds={"sentences": 0, "pairs": 0}, needs=(STS, MRPC), seconds=(1, 1),
          paper={("stsb", "here", "", "sentences"): 3000, ("mrpc", "here", "", "sentences"): 816}),
    Entry("sms-table-5", "table 5", "relative error on STS-B and MRPC by rank", f"{NO_MODEL}: `stsb-logistic` and `mrpc-logistic` have the form of a classifier's scores; RTE is not here.",
          matrices.table_5,
          matrices.CONFIG, bounds=EXACT, needs=(STS, MRPC, *WORDS), seconds=(6, 150), paper=matrices.table_5_paper(), page="reproduction-sms.md",
          headline=at("relative error", ("stsb-logistic", "sms-nystrom", "350"), ("stsb-logistic", "sicur", "350"), ("mrpc-logistic", "sms-nystrom", "250"), ("mrpc-logistic", "sicur", "250"))),
    Entry("sms-table-6", "table 6", "seconds of WME and SMS-Nyström to their features", "One core of a virtual machine for the paper's Xeon servers: the ratio does not measure the method. "
          "Kept: tweets, at large rank with some ten other programs on the two cores (four to five times as long as alone); the other sets are on the page.",
          tasks.table_6, bounds={"seconds": None}, needs=(TWEETS, *WORDS), seconds=(8, 30000),
          paper=paper_table_6(), stored=tasks.table_6_stored, stored_in="sms-seconds.csv", page="reproduction-classification.md"),
    Entry("sms-table-7", "table 7", "the rank with the best validation accuracy", SEARCHED, tasks.table_7, bounds={"best rank": 1},
          needs=(TWEETS, *WORDS), seconds=(9, 20000), paper=paper_table_7()),
    Entry("sms-figure-7", "figure 7", "validation accuracy over the search, small ranks", SEARCHED, tasks.validation(False),
          bounds={"validation accuracy, %": .02},
          needs=(TWEETS, *WORDS), seconds=(9, 9000), says="Nyström and SiCUR are above StaCUR on most sets"),
    Entry("sms-figure-8", "figure 8", "validation accuracy over the search, large ranks", SEARCHED, tasks.validation(True),
          bounds={"validation accuracy, %": .02},
          needs=(TWEETS, *WORDS), seconds=(7, 20000)),
    Entry("sms-figure-9", "figure 9", "error of SMS-Nyström by alpha and s2", f"3 seeds, s / n to .2; {NO_MODEL}.", matrices.figure_9,
          matrices.CONFIG,
          bounds=EXACT, needs=(STS, *WORDS),
          seconds=(4, 200), stored=matrices.figure_9_stored, stored_in="sms-shift.csv", page="reproduction-sms.md",
          headline=at("relative error", *(("stsb-logistic", f"alpha {alpha}, s2 = {multiple} s1", "0.1") for alpha, multiple in ((1.5, 2), (1, 2), (0.5, 1), (2, 3)))),
          says="alpha = 1.5 and s2 = 2 s1 work moderately well, very low values not at all"),
))
