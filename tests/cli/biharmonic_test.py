"""Ways to compute P: solvers, operators, soft landmarks, and what of them does not go together."""

import unittest

from cairn_program import CairnTest, csv_text, points


class Solvers(CairnTest):
    data = ["--data.kind", "graph", "--data.generate", "grid", "--data.points", "900", "--data.largest-component",
            "true", "--landmarks.count", "60"]

    def approximate(self, *arguments, ranks=0):
        return self.json("approximate", *self.data, "--output.path", "r.h5", *arguments, ranks=ranks)

    def test_all_solvers_give_one_error(self):
        errors = {}
        for solver, ranks in (("direct", 2), ("local", 2), ("petsc", 1)):
            report = self.approximate("--approximation.solver", solver, "--evaluation.rows", "all", ranks=ranks)
            self.assertEqual(solver, report["solver"])
            self.assertGreater(report["condition_estimate"], 10)
            errors[solver] = report["relative_squared_error"]
        self.assertAlmostEqual(1, errors["petsc"] / errors["direct"], delta=1e-3)
        self.assertAlmostEqual(1, errors["local"] / errors["direct"], delta=1e-3)

    def test_iterations_are_reported(self):
        for preconditioner, ranks in (("hypre", 2), ("gamg", 1)):
            report = self.json("approximate", *self.data[:-1], "9", "--output.path", "r.h5", "--approximation.solver",
                               "petsc", "--approximation.preconditioner", preconditioner,
                               "--approximation.tolerance", "1e-9", ranks=ranks)
            self.assertGreater(report["iterations"], 1)
            self.assertGreater(report["preconditioned_condition"], 1)
            self.assertLess(report["row_sum_error"], 1e-6)

    def test_the_former_name_of_petsc_is_accepted(self):
        few = [*self.data[:-1], "9", "--output.path", "r.h5", "--approximation.p-row", "9"]
        report = self.json("approximate", *few, "--approximation.solver", "iterative")
        self.assertEqual("petsc", report["solver"])
        self.assertIn("solver = iterative is called petsc now", report["notes"])
        self.refused(2, "PETSc has no use for -cairn_interpolation_a", "approximate", *few, "--overwrite", "--approximation.solver",
                     "petsc", "--approximation.petsc-options", "-cairn_interpolation_a 1")

    def test_iterations_that_stop_early_are_an_error(self):
        self.refused(4, "sum to 1 within .* take a smaller tolerance", "approximate",
                     *self.data[:-1], "3", "--output.path", "r.h5", "--approximation.solver", "petsc",
                     "--approximation.tolerance", "0.3")

    def test_auto_says_why(self):
        few = self.approximate("--approximation.p-row", "50")
        self.assertEqual("direct", few["solver"])
        self.assertRegex(few["solver_reason"], "factor fits")
        many = self.approximate("--approximation.p-row", "10")
        self.assertEqual("local", many["solver"])
        self.assertRegex(many["solver_reason"], "neighborhood has 33 %")

    def test_keys_that_the_chosen_solver_does_not_have_are_noted(self):
        keys = ["--approximation.tolerance", "1e-6", "--approximation.preconditioner", "gamg"]
        few = self.approximate("--approximation.p-row", "50", *keys)["notes"]
        for key in ("tolerance", "preconditioner"):
            self.assertIn(f"{key} had no effect: solver direct has no use for it", few)
        many = " ".join(self.approximate("--approximation.p-row", "10", *keys)["notes"])
        self.assertIn("preconditioner had no effect: solver local", many)
        self.assertNotIn("tolerance", many)

    def test_soft_landmarks(self):
        whole = ("--evaluation.rows", "all")  # the same rows however fast the machine is
        hard = self.approximate("--approximation.solver", "direct", *whole)
        soft = self.approximate("--approximation.soft-landmarks", "1", *whole)
        iterated = self.approximate("--approximation.soft-landmarks", "1", "--approximation.solver", "petsc",
                                    "--approximation.tolerance", "1e-9", *whole)
        stiff = self.approximate("--approximation.soft-landmarks", "1e6", *whole, ranks=2)
        self.assertEqual("direct", soft["solver"])
        self.assertAlmostEqual(1, iterated["relative_squared_error"] / soft["relative_squared_error"], delta=1e-3)
        self.assertNotEqual(hard["relative_squared_error"], soft["relative_squared_error"])
        self.assertAlmostEqual(1, stiff["relative_squared_error"] / hard["relative_squared_error"], delta=0.02)

    def test_options_that_do_not_go_together(self):
        base = ["approximate", *self.data, "--output.path", "r.h5"]
        for pattern, *arguments in [
                ("preconditioner has no effect if the solver is direct", "--approximation.solver", "direct",
                 "--approximation.preconditioner", "gamg"),
                ("tolerance has no effect if the solver is direct", "--approximation.solver", "direct",
                 "--approximation.tolerance", "1e-3"),
                ("soft-landmarks = 0 is not above 0", "--approximation.soft-landmarks", "0"),
                ("soft-landmarks", "--approximation.soft-landmarks", "-1"),
                ("soft-landmarks is incompatible with --approximation.solver = local", "--approximation.soft-landmarks", "1",
                 "--approximation.solver", "local"),
                ("p-row", "--approximation.p-row", "0"),
                ("operator-path has no effect if the operator is graph", "--approximation.operator-path",
                 "o.h5"),
                ("operator-path", "--approximation.operator", "file"),
                ("name the same file", "--output.operator", "r.h5"),
                ("--output.operator and --json name the same file", "--output.operator", "o.h5", "--json", "o.h5"),
                ("compression has no effect if approximation.method is nystrom", "--approximation.method", "nystrom",
                 "--output.compression", "none"),
                ("soft-landmarks has no effect if approximation.method is nystrom", "--approximation.method",
                 "nystrom", "--approximation.soft-landmarks", "1")]:
            self.refused(2, pattern, *base, *arguments, ranks=[1])


class LandmarksAtTheEnds(CairnTest):
    def test_all_vertices_and_one(self):
        for kind, generate in (("graph", "grid"), ("mesh", "torus")):
            data = ["--data.kind", kind, "--data.generate", generate, "--data.points", "121", "--output.path", "r.h5",
                    "--data.largest-component", "true"]
            if kind == "graph":
                data += ["--approximation.exact-trees", "false"]  # which would add to K~ what leads to them
            n = self.json("approximate", *data, "--landmarks.count", "1", ranks=2)["n"]
            every = self.json("approximate", *data, "--landmarks.count", n, "--evaluation.rows", "all", ranks=3)
            # W is all of K; of geodesics, which are one-sided, it is the mean.
            exact = "symmetric_relative_squared_error" if kind == "mesh" else "relative_error"
            self.assertEqual(0, every[exact])
            self.assertRegex(every["solver_reason"], "identity")
            self.assertEqual(n, every["p_nonzeros"])
            for solver in ("direct", "local", "petsc"):
                one = self.json("approximate", *data, "--landmarks.count", "1", "--approximation.solver", solver)
                # The one column of P is 1 everywhere.
                self.assertLess(one["row_sum_error"], 1e-6 if solver == "petsc" else 1e-8)
                self.assertAlmostEqual(1, one["relative_error"], delta=1e-6)  # K~ is K of the landmark with itself: 0


class Hubs(CairnTest):
    def test_patches_of_an_operator_that_is_nearly_dense_are_not_taken(self):
        n = 12000
        self.write("hub.txt", "".join(f"0 {v}\n{v} {v % (n - 1) + 1}\n" for v in range(1, n)))
        job = ["--data.kind", "graph", "--data.path", "hub.txt", "--landmarks.count", 400, "--approximation.p-row", 4]
        report = self.json("approximate", *job, "--output.path", "r.h5")
        self.assertRegex(report["solver_reason"], r"up to 11999 neighbors, .* 1\.2e\+04 entries in each of 12000 rows; the factor")
        self.assertLess(report["row_sum_error"], 1e-10)
        self.cairn("plan", *job)


class Operators(CairnTest):
    def test_what_each_kind_of_data_takes(self):
        self.write("p.csv", csv_text(points(300, 2)))
        kinds = {"graph": (["--data.kind", "graph", "--data.generate", "grid", "--data.points", "300",
                            "--data.largest-component", "true"], {"graph"}),
                 "mesh": (["--data.kind", "mesh", "--data.generate", "torus", "--data.points", "300"],
                          {"cotangent", "neighbours", "graph"}),
                 "points": (["--data.path", "p.csv", "--similarity.kind", "euclidean", "--approximation.method",
                             "biharmonic"], {"neighbours"})}
        for data, (arguments, possible) in kinds.items():
            for operator in ("graph", "cotangent", "neighbours"):
                command = ["approximate", *arguments, "--landmarks.count", "60", "--output.path", "r.h5",
                           "--approximation.operator", operator]
                if operator in possible:
                    report = self.json(*command, ranks=2)
                    self.assertEqual(operator, report["operator"])
                    self.assertLess(report["relative_squared_error"], 0.05)
                else:
                    self.refused(2, f"operator = {operator} is not of these data; it can be", *command,
                                 ranks=[1])

    def test_an_operator_is_written_and_read(self):
        self.write("p.csv", csv_text(points(300, 2)))
        self.write("q.csv", csv_text(points(301, 2)))
        base = ["approximate", "--similarity.kind", "euclidean", "--approximation.method", "biharmonic",
                "--landmarks.count", "40", "--output.path", "r.h5", "--evaluation.rows", "all"]
        made = self.json(*base, "--data.path", "p.csv", "--output.operator", "o.h5", "--approximation.neighbours", "12",
                         "--approximation.perplexity", "8", ranks=3)
        for ranks in (0, 2, 4):
            read = self.json(*base, "--data.path", "p.csv", "--approximation.operator", "file",
                             "--approximation.operator-path", "o.h5", ranks=ranks)
            self.assertEqual("neighbours", read["operator"])
            self.assertAlmostEqual(1, read["relative_error"] / made["relative_error"], delta=1e-9)
            stored = self.json("info", "r.h5", ranks=ranks)
            for key in ("row_sum_error", "condition_estimate"):
                self.assertEqual(read[key], stored[key])
            self.assertEqual(("neighbours", read["solver"]),
                             (stored["provenance"]["operator"], stored["provenance"]["solver"]))
        info = self.json("info", "o.h5", ranks=2)
        self.assertEqual(("neighbours", 300, "none", {"neighbours": "12", "perplexity": "8"}),
                         (info["operator"], info["n"], info["scaling"], info["parameters"]))
        self.assertIn("a biharmonic operator of cairn", self.cairn("info", "o.h5").out)
        more = ["80" if argument == "40" else argument for argument in base]
        others = self.json(*more, "--data.path", "p.csv", "--approximation.operator", "file",
                           "--approximation.operator-path", "o.h5")
        self.assertLess(others["relative_error"], made["relative_error"])
        read = ["--approximation.operator", "file", "--approximation.operator-path"]
        self.refused(3, "o.h5 is the operator of other data", *base, "--data.path", "q.csv", *read, "o.h5")
        self.refused(3, "data.scaling = none, not standard", *base, "--data.path", "p.csv", "--data.scaling", "standard",
                     *read, "o.h5", ranks=[1])
        self.refused(3, "r.h5 is not an operator", *("s.h5" if argument == "r.h5" else argument for argument in base),
                     "--data.path", "p.csv", *read, "r.h5")
        self.refused(2, "output.operator would write what", *base, "--data.path", "p.csv", *read, "o.h5",
                     "--output.operator", "o2.h5", ranks=[1])

    def test_a_component_without_landmark_gets_advice_of_its_kind(self):
        rows = points(60, 2)
        self.write("p.csv", csv_text(rows + [[x + 100, y] for x, y in rows]))
        self.write("l.txt", "0\n5\n9\n")
        self.refused(4, "holds no landmark; take more landmarks, or more neighbors of a point", "approximate",
                     "--data.path", "p.csv", "--similarity.kind", "euclidean", "--approximation.method", "biharmonic",
                     "--landmarks.selection", "file", "--landmarks.path", "l.txt", "--output.path", "r.h5")


if __name__ == "__main__":
    unittest.main(verbosity=2)
