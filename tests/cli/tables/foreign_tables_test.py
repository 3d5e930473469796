"""Tables as others write them: texts among numbers, separators, quotes, comments, missing labels and spellings of labels."""

import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest, csv_text, points  # noqa: E402

N = 60
RBF = ["--similarity.kind", "rbf", "--similarity.gamma", "2", "--landmarks.count", "20", "--approximation.embedding", "true"]


class TablesTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = points(N, 2)

    def approximate(self, *options, text=None, ranks=0, expect=0):
        if text is not None:
            self.write("p.csv", text)
        return self.cairn("approximate", "--data.path", "p.csv", *RBF, "--output.path", "r.h5", *options, ranks=ranks, expect=expect)

    def refused_text(self, pattern, text, *options):
        """Reading the table fails with this message, on one rank and two."""
        self.write("p.csv", text)
        self.refused(3, pattern, "approximate", "--data.path", "p.csv", *RBF, "--output.path", "r.h5", *options)

    def digest(self, text, *options):
        self.approximate(*options, text=text)
        return self.json("info", "r.h5")["data_digest"]


class TextsTest(TablesTest):
    def test_all_columns_of_texts_are_named_at_once(self):
        text = "age,workclass,fnlwgt,education,sex,class\n39, State-gov,77516, Bachelors, Male,a\n50, Private,83311, HS-grad, Male,b\n"
        start = r"^p\.csv:2: column 2 \(workclass\): ' State-gov' is not a number; columns of texts: workclass, education, sex"
        self.refused_text(start + r", class \(4 of 6\): data\.ignore leaves columns out, data\.label makes one the label$", text)
        self.refused_text(start + r" \(3 of 5\): data\.ignore leaves columns out$", text, "--data.label", "class")
        self.refused_text(r"^p\.csv:3: column 2 \(b\): 'x' is not a number( \(.*\))?$", "a,b\n1,2\n3,x\n")
        self.write("y.csv", "name,y\n" + "".join(f"n{i},{i}\n" for i in range(N)))
        self.approximate(text=csv_text(self.points))
        self.refused(3, r"y\.csv:2: column 1 \(name\): 'n0' is not a number; columns of texts: name \(1 of 2\): FILE:COLUMN", "train",
                     "r.h5", "--targets", "y.csv", "--output.path", "m.h5")

    def test_a_separator_at_the_end_of_lines_is_named(self):
        said = r"'' .*the last column has no name and no value.*data\.ignore = 3 leaves it out"
        self.refused_text(r"^p\.csv:2: column 3: " + said, "a,b,\n1,2,\n3,4,\n")
        self.refused_text(r"^p\.csv:1: column 3: " + said, "1,2,\n3,4,\n")
        self.assertEqual(self.digest(csv_text(self.points)), self.digest(csv_text(self.points).replace("\n", ",\n"), "--data.ignore", 3))

    def test_decimal_commas_are_named(self):
        for text in ("a;b\n1,5;2\n", "a\tb\n1,5\t2\n", "1;2,5\n3,5;4\n", "1,5;2,5\n3,5;4,5\n"):
            self.refused_text(r"^p\.csv:[12]: column [12].*'\d,\d' is not a number; numbers have a point in Cairn's tables, not a comma: "
                              r".*sed 's/,/\./g' p\.csv$", text)
        self.refused_text(r"'1,5' is not a number; numbers have a point in Cairn's tables, not a comma: .*points$", 'a,b\n"1,5",2\n')


class SeparatorsTest(TablesTest):
    def test_are_sought_outside_quotes_and_asked_for(self):
        plain = csv_text(self.points)
        wanted = self.digest(plain)
        for c, name in [(";", "semicolon"), ("\t", "tab"), ("|", "pipe"), (" ", "blank")]:
            self.assertEqual(wanted, self.digest(plain.replace(",", c)), name)
            self.assertEqual(wanted, self.digest(plain.replace(",", c), "--data.separator", name), name)
        for header in ('"a, one";b', "a, one;b", 'a;"b, two, three"', "a, one; two"):
            self.assertEqual(wanted, self.digest(plain.replace(",", ";").replace("x0;x1", header)), header)
        self.refused_text("column 1 .*is not a number", plain, "--data.separator", "semicolon")
        self.write("p.svm", "1 1:2\n")
        self.refused(2, r"data\.separator = tab: p\.svm is of format svm", "approximate", "--data.path", "p.svm", *RBF,
                     "--output.path", "r2.h5", "--data.separator", "tab")
        self.approximate("--data.separator", "pipe", text=plain.replace(",", "|"))
        self.write("new.csv", plain.replace(",", ";"))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.separator", "semicolon", "--output.path", "e.h5")

    def test_columns_that_are_there_are_named(self):
        text = csv_text(self.points, ["a"] * N).replace("class", "Class").replace(",", ";")
        self.refused_text(r"data\.label = class: there is no such column \(3 columns: x0, x1, Class; the separator is semicolon\); "
                          r"did you mean 'Class'\?$", text, "--data.label", "class")
        self.refused_text(r"there is no column y \(3 columns: x0, x1, Class; the separator is semicolon\)$", text, "--data.ignore", "y")
        self.approximate(text=csv_text(self.points))
        self.write("y.csv", "Height,w\n" + "1,2\n" * N)
        self.refused(3, r"y\.csv: there is no column height \(2 columns: Height, w; the separator is comma\); did you mean 'Height'\?",
                     "train", "r.h5", "--targets", "y.csv:height", "--output.path", "m.h5")

    def test_comments_and_excel_s_first_line_are_refused_by_name(self):
        table = csv_text(self.points)
        self.refused_text(r"^p\.csv:1: 'sep=;' is a line for Excel: delete it; data\.separator says", "sep=;\n" + table)
        for head in ("# wine\n", "# wine\n# of UCI\n", "# wine, of UCI, 1998\n"):
            self.refused_text(r"^p\.csv:1: '# wine.*' is a comment, and tables have none: delete lines that begin with #$", head + table)
        self.refused_text(r"^p\.csv:\d+: 1 columns, but the first line has 2; tables have no comments", table + "# end\n")
        self.assertEqual(self.digest(table), self.digest("# " + table))  # a header, as NumPy writes it

    def test_line_breaks_in_quotes_are_named_where_the_quote_opens(self):
        table = csv_text(self.points)
        self.refused_text(r"^p\.csv:1: a quote is not closed in its line; line breaks in quotes are not read$", '"x\n0",x1\n1,2\n')
        self.refused_text(r"^p\.csv:63: a quote is not closed in its line; line breaks", table + '1,2\n"3\n",4\n')
        self.refused_text(r"^p\.csv:1: text follows a closing quote$", '"x"0,x1\n1,2\n')

    def test_a_first_line_of_years_is_warned_of(self):
        table = "1990,1991,1992,1993\n" + "".join(f"{x},{y},{x * y},{x + y}\n" for x, y in self.points)
        self.assertIn("p.csv:1: is read as a point", self.approximate(text=table).err)
        self.assertNotIn("is read as a point", self.approximate(text=table.replace("1993", "1994")).err)


class LabelsTest(TablesTest):
    def labelled(self, labels):
        self.write("p.csv", csv_text(self.points, labels))
        self.approximate("--data.label", "class")

    def table(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_words_for_missing_values_are_no_classes(self):
        classes = ["left" if x < 0.5 else "none" for x, _ in self.points]
        self.labelled([{0: "NA", 4: "?", 8: "None"}.get(i % 12, classes[i]) for i in range(N)])
        for task in ("svm", "kernel-svm"):
            for ranks in (0, 2):
                report = self.json("train", "r.h5", "--task", task, *(["--output.path", "m.h5"] if task == "svm" else []), ranks=ranks)
                if task == "svm":
                    self.assertEqual(["left", "none"], report["classes"])
                said = " ".join(report["warnings"])
                for word in ("NA", r"?", "None"):
                    self.assertIn(f"5 rows have the label '{word}', which means a missing value: they count as rows without label", said)
        self.assertIn("15 have no label", self.cairn("train", "r.h5", "--task", "svm", "--output.path", "m.h5").out)
        report = self.json("predict", "m.h5", "--out", "q.csv", ranks=2)
        self.assertEqual(45, report["scores"][0]["rows"])
        self.assertEqual(["left", "none"], report["labels"])
        self.assertEqual({"left", "none"}, {line["predicted"] for line in self.table("q.csv")})
        self.assertEqual("NA", self.table("q.csv")[0]["label"])

    def test_values_without_label_are_left_out(self):
        values = [repr(3 * x - y) for x, y in self.points]
        self.labelled([{0: "NA", 5: "?"}.get(i % 10, value) for i, value in enumerate(values)])
        for task in ("krr", "gp"):
            for ranks in (0, 2):
                out = self.cairn("train", "r.h5", "--task", task, *(["--lambda", "1e-6"] if task == "krr" else []), "--output.path", "m.h5",
                                 ranks=ranks).out
                self.assertIn("12 rows have no label: they are neither trained on nor scored", out)
        self.labelled(["NA"] * N)
        self.refused(3, "there is no row to train on", "train", "r.h5", "--task", "krr", "--lambda", "1", "--output.path", "n.h5")

    def test_spellings_of_one_number_are_warned_of(self):
        classes = [6 if x < 0.5 else 7 for x, _ in self.points]
        self.labelled([{0: "6.0", 1: "06"}.get(i % 9, "6") if c == 6 else "7" for i, c in enumerate(classes)])
        said = self.json("train", "r.h5", "--task", "svm", "--output.path", "m.h5", ranks=2)["warnings"]
        self.assertEqual(1, sum("are the same number in two spellings" in one for one in said), said)
        self.labelled([str(c) for c in classes])
        report = self.json("train", "r.h5", "--task", "svm", "--output.path", "m.h5")
        self.assertNotIn("spelling", " ".join(report["warnings"]))
        self.write("new.csv", csv_text(self.points, [f"{c}.0" for c in classes]))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "e.h5")
        said = " ".join(self.json("predict", "m.h5", "--result", "e.h5", "--out", "q.csv")["warnings"])
        self.assertRegex(said, r"does not know the label '6\.0' of \d+ rows: they count as mistakes\. It knows '6'; labels are compared")

    def test_predictions_of_rows_that_were_trained_on_are_marked(self):
        self.labelled(["left" if x < 0.5 else "right" for x, _ in self.points])
        self.cairn("train", "r.h5", "--task", "svm", "--train-fraction", "0.7", "--output.path", "m.h5")
        mark = r"the model was trained on \d\d of the 60 rows of this result: the score says little about other rows"
        self.assertRegex(self.cairn("predict", "m.h5", "--out", "q.csv", ranks=2).out, mark)
        self.assertRegex(self.cairn("predict", "m.h5", "--out", "q.csv", "--result", "r.h5").out, mark)
        self.write("new.csv", csv_text(self.points, ["left"] * N))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "e.h5")
        self.assertNotIn("was trained on", self.cairn("predict", "m.h5", "--out", "q.csv", "--result", "e.h5").out)
        self.labelled([repr(3 * x - y) for x, y in self.points])
        self.cairn("train", "r.h5", "--task", "krr", "--lambda", "1e-6", "--output.path", "m.h5")
        self.assertRegex(self.cairn("predict", "m.h5", "--out", "q.csv").out, "the model was trained on 60 of the 60 rows of this result")


if __name__ == "__main__":
    unittest.main()
