"""Benchmarks of points, kernels, features and transport, of files and plans."""
import json
import statistics
import sys
import time

from measures.base import D, GAMMA, N, ROOT, S, write_points


def nystrom_against_sklearn(bench):
    points = bench.folder / "points.npy"
    write_points(points)
    common = ["--points", points, "--gamma", GAMMA, "--landmarks", S]
    peer_script = ROOT / "apps" / "bench" / "sklearn_nystroem.py"
    ours, embedding, peer = [], [], []
    for repetition in range(5):
        probe = ["--pairs", 100_000] if repetition == 0 else []
        ours.append(bench.ranks(2, "bench_nystrom", *common, *probe, "--resources"))
        peer.append(json.loads(bench.output([sys.executable, peer_script, *common, *probe], threads=2)))
        embedding.append(bench.ranks(2, "bench_nystrom", *common, *probe, "--embedding"))
    gflops = statistics.median(r["gemm_gflops"] for r in ours)
    triad = statistics.median(r["triad_gigabytes"] for r in ours)
    theirs = statistics.median(r["seconds"] for r in peer)
    peer_text = f"scikit-learn Nystroem, 2 threads: {theirs:.2f} s (error {peer[0]['relative_error']:.3g})"
    floor = 2e-9 * N * S * D / gflops + 8e-9 * N * S / triad
    for name, runs, least in (("factors C and J", ours, floor),
                              ("embedding", embedding, floor + 1e-9 * N * S * S / gflops)):
        seconds = statistics.median(r["seconds"] for r in runs)
        bench.row(f"nystrom, rbf, n = {N:,}, d = {D}, s = {S}, 2 ranks: {name}",
                  f"{seconds:.2f} s (error {runs[0]['relative_error']:.3g})", peer_text, f"{theirs / seconds:.1f} x",
                  f"{least:.2f} s: {'n s d + n s² / 2' if name == 'embedding' else 'n s d'} multiply-adds at {gflops:.0f} "
                  f"GFLOP/s, n s values written at {triad:.0f} GB/s")
    return points


def whole_run_against_sklearn(bench, points):
    """From a file of points to a result on the disk with its error, as a user runs it, all else by default."""
    result, embedding = bench.folder / "result.h5", bench.folder / "embedding.npy"
    peer_script = ROOT / "apps" / "bench" / "sklearn_nystroem.py"
    ours, peer, walls = [], [], []
    for _ in range(5):
        start = time.perf_counter()
        ours.append(bench.cairn(2, "approximate", "--data.path", points, "--similarity.kind", "rbf", "--similarity.gamma",
                                GAMMA, "--landmarks.count", S, "--output.path", result))
        walls.append(time.perf_counter() - start)
        result.unlink()
        peer.append(json.loads(bench.output([sys.executable, peer_script, "--points", points, "--gamma", GAMMA,
                                             "--landmarks", S, "--save", embedding], threads=2)))
        embedding.unlink()
    case = f"n = {N:,}, d = {D}, s = {S}, 2 ranks"
    fit = statistics.median(r["seconds"] for r in peer)
    both = statistics.median(r["seconds"] + r["save_seconds"] for r in peer)
    wall = statistics.median(walls)
    rest = statistics.median(r["seconds"]["total"] - r["seconds"]["write"] for r in ours)
    probe = statistics.median(r["seconds"]["probe"] / r["seconds"]["total"] for r in ours)
    bench.row(f"cairn approximate, rbf, {case}: the whole process", f"{wall:.2f} s",
              f"scikit-learn's fit_transform and numpy.save: {both:.2f} s", f"{both / wall:.2f} x",
              f"{statistics.median(r['flush_seconds'] for r in peer):.2f} s more to flush its file; ours is flushed, "
              f"written at {statistics.median(r['write_bytes_per_second'] for r in ours) / 1e6:.0f} MB/s")
    bench.row(f"cairn approximate, rbf, {case}: all but writing", f"{rest:.2f} s",
              f"scikit-learn's fit_transform: {fit:.2f} s", f"{fit / rest:.2f} x", "target: 3 x")
    bench.row(f"cairn approximate, rbf, {case}: the estimate of the error", f"{100 * probe:.1f} % of the run",
              f"{ours[0]['probe_pairs']:,} pairs of {ours[0]['probe_diagonal']:,} objects",
              f"stopped by {ours[0]['probe_stopped_by']}",
              f"relative error {ours[0]['relative_error']:.3g} ± {ours[0]['relative_error_standard_error']:.1g}; target: "
              "at most 10 %")


def falkon(bench, rows=200_000, centers=5_000):
    """Regression on centers by iteration: K between rows and centers is evaluated again in each step, on both sides."""
    import numpy

    draw = numpy.random.default_rng(7)
    points = draw.random((rows, 16), dtype=numpy.float32)
    waves = 0.7 * draw.standard_normal((16, 32))
    values = numpy.cos(points @ waves).sum(1) + 0.1 * draw.standard_normal(rows)
    places = {name: bench.folder / name for name in ("falkon.npy", "falkon.csv", "split.txt")}
    numpy.save(places["falkon.npy"], points)
    numpy.savetxt(places["falkon.csv"], values, fmt="%.6g", header="y", comments="")
    places["split.txt"].write_text("".join("train\n" if one < 0.9 else "test\n" for one in draw.random(rows)))
    result, model = bench.folder / "falkon.h5", bench.folder / "falkon-model.h5"
    gamma, ridge = 0.5, 0.1
    bench.cairn(2, "approximate", "--data.path", places["falkon.npy"], "--similarity.kind", "rbf", "--similarity.gamma", gamma,
                "--landmarks.count", 2, "--approximation.store-left", "false", "--run.precision", "single", "--output.path", result)
    ours, peer = [], []
    for _ in range(bench.repeats):
        ours.append(bench.cairn(2, "train", result, "--krr-method", "centers", "--solver", "iterative", "--centers", centers,
                                "--targets", places["falkon.csv"], "--split", places["split.txt"], "--lambda", ridge,
                                "--output.path", model, "--overwrite"))
        peer.append(json.loads(bench.output([sys.executable, ROOT / "apps" / "bench" / "pytorch_falkon.py", "--points",
                                             places["falkon.npy"], "--targets", places["falkon.csv"], "--split",
                                             places["split.txt"], "--gamma", gamma, "--centers", centers, "--ridge", ridge],
                                            threads=2)))
    seconds = statistics.median(r["seconds"]["total"] for r in ours)
    theirs = statistics.median(r["seconds"] for r in peer)
    trained = ours[0]["training_rows"]
    a_pass = statistics.median(r["phases"]["tiles"]["seconds"] / (r["phases"]["tiles"]["evaluations"] / (trained * centers)) for r in ours)
    peer_pass = statistics.median(r["pass_seconds"] for r in peer)
    score = next(s for s in ours[0]["models"][0]["scores"] if s["on"] == "held-out")["r_squared"]
    bench.row(f"regression on {centers:,} centers by iteration, rbf, {trained:,} x 16 points, single precision, 2 ranks",
              f"{seconds:.1f} s (R² {score:.4f}, {ours[0]['models'][0]['iterations']} iterations)",
              f"Falkon in PyTorch, 2 threads: {theirs:.1f} s (R² {peer[0]['r_squared']:.4f}, {peer[0]['iterations']} iterations)",
              f"{theirs / seconds:.1f} x", f"a pass over K(rows, centers): {a_pass:.2f} s and {peer_pass:.2f} s, "
              f"{peer_pass / a_pass:.1f} x; {1e9 * 2 * a_pass / (trained * centers):.2f} ns an entry and core, with both products; "
              f"peak memory {max(r['peak_bytes'] for r in ours) / 1e9:.2f} GB a rank and {peer[0]['peak_bytes'] / 1e9:.2f} GB")
    for many in (10_000, 40_000):
        one = bench.ranks(2, "bench_center_passes", "--rows", 2 * many, "--centers", many, "--repeats", bench.repeats)
        bench.row(f"a pass over {many:,} centers with both products, rbf, d = 16, single precision, 2 ranks",
                  f"{one['pass_ns']:.2f} ns an entry and core", f"its tiles alone: {one['evaluation_ns']:.2f} ns",
                  f"{one['pass_ns'] / one['evaluation_ns']:.2f} x its time", "the tiles alone")


def from_one_rank_to_two(bench, points):
    common = ["--points", points, "--gamma", GAMMA, "--landmarks", S, "--embedding", "--resources"]
    runs = {ranks: [bench.ranks(ranks, "bench_nystrom", *common) for _ in range(3)] for ranks in (1, 2)}

    def median(ranks, read):
        return statistics.median(read(r) for r in runs[ranks])

    gains = {name: median(2, lambda r: r[name]) / median(1, lambda r: r[name])
             for name in ("gemm_gflops", "triad_gigabytes")}
    for phase in runs[1][0]["phases"]:
        one, two = (median(ranks, lambda r: r["phases"][phase]) for ranks in (1, 2))
        if one < 0.02:
            continue
        bench.row(f"from 1 to 2 ranks, nystrom as an embedding: {phase}", f"{one:.2f} s to {two:.2f} s",
                  f"DGEMM gains {gains['gemm_gflops']:.2f} x, triad {gains['triad_gigabytes']:.2f} x",
                  f"{one / two:.2f} x", "the gain of the resource that bounds the phase")


def rbf_tiles(bench):
    line = bench.ranks(1, "bench_rbf_tiles")
    for case in line["cases"]:
        bench.row(f"rbf tiles, d = {case['dimension']}, {case['precision']}", f"{case['gigaentries']:.3f} G entries/s",
                  f"floor {case['floor_gigaentries']:.3f} G entries/s", f"{100 * case['share_of_floor']:.0f} % of the floor",
                  "only DGEMM, plus one exponential per entry by the better of SLEEF and libmvec")


def joining(bench):
    line = bench.ranks(2, "bench_joining", 8000)
    step = line["phases"]["joining"]
    extra = line["peak_bytes"] - line["peak_bytes_before"]
    bench.row("joining step, s = 8000, indefinite, 2 ranks", f"{step:.1f} s",
              f"bare pdsyevd: {line['pdsyevd_seconds']:.1f} s", f"{step / line['pdsyevd_seconds']:.2f} x its time",
              f"peak per rank {line['peak_bytes'] / 1e9:.2f} GB, {extra / 1e9:.2f} GB above the bare call's")


def writing(bench):
    line = bench.ranks(2, "bench_write_result", bench.folder)
    bench.row(f"writing a result of {line['bytes'] / 1e9:.1f} GB from 2 ranks",
              f"{line['write_megabytes_per_second']:.0f} MB/s",
              f"dd with fsync: {line['dd_megabytes_per_second']:.0f} MB/s", f"{100 * line['share_of_dd']:.0f} % of it",
              "the disk")


def nystrom(bench):
    points = nystrom_against_sklearn(bench)
    whole_run_against_sklearn(bench, points)
    from_one_rank_to_two(bench, points)
    points.unlink()


def transport(bench):
    """An iteration by factors against POT's on a dense matrix; the exact kernel against its lazy one."""
    import numpy

    peer_script = ROOT / "apps" / "bench" / "pot_transport.py"

    def sides(count):
        draw = numpy.random.default_rng(0)
        paths = [bench.folder / f"{name}-{count}.npy" for name in ("source", "target")]
        for path, shift in zip(paths, (0.0, 0.3)):
            numpy.save(path, draw.random((count, 3)) ** (1 + shift))
        return paths

    def ours(ranks, paths, epsilon, iterations, *kernel):
        report = bench.cairn(ranks, "transport", "--data.path", paths[0], "--target.path", paths[1], "--epsilon", epsilon, "--kernel", *kernel,
                             "--iterations", iterations, "--tolerance", 0, "--output.path", bench.folder / "plan.h5")
        return report["seconds"]["sinkhorn"] / iterations, report

    def peer(paths, mode, epsilon, iterations):
        return json.loads(bench.output([sys.executable, peer_script, "--mode", mode, "--source", paths[0], "--target", paths[1], "--epsilon", epsilon,
                                        "--iterations", iterations]))

    small, large = sides(5000), sides(20000)
    runs = [(ours(1, small, 1.0, 3000, "nystrom", "--landmarks.count", 61), peer(small, "dense", 1.0, 30)) for _ in range(5)]
    own = statistics.median(run[0][0] for run in runs)
    columns = runs[0][0][1]["columns"]
    dense = statistics.median(run[1]["seconds_per_iteration"] for run in runs)
    bench.row(f"Sinkhorn's iteration, 5,000 x 5,000 points, Nyström with 61 landmarks ({columns} columns), one core", f"{1e3 * own:.3f} ms",
              f"POT sinkhorn on the dense matrix, one thread: {1e3 * dense:.1f} ms", f"{dense / own:.0f} x",
              f"{2e-6 * 5000 * columns * 8:.1f} MB of factors are read in an iteration")
    exact = {ranks: statistics.median(ours(ranks, large, 0.1, 5, "exact")[0] for _ in range(3)) for ranks in (1, 2)}
    lazy = statistics.median(peer(large, "lazy", 0.1, 2)["nanoseconds_per_entry"] for _ in range(3))
    each = 1e9 * exact[1] / 20000 ** 2
    bench.row("Sinkhorn's iteration, 20,000 x 20,000 points, exact kernel, one core", f"{each:.2f} ns an entry of K (evaluated twice)",
              f"POT empirical_sinkhorn, lazy, one thread: {lazy:.2f} ns", f"{lazy / each:.1f} x", "two exponentials of the rate above")
    bench.row("from 1 to 2 ranks, Sinkhorn's iteration, exact kernel", f"{exact[1]:.2f} s to {exact[2]:.2f} s", "the same on one rank",
              f"{exact[1] / exact[2]:.2f} x", "target: 1.9 x")


def features(bench):
    """Random features of 200,000 points by the commands of a user, all else by default but the estimate of the error."""
    import numpy

    points = bench.folder / "features.npy"
    numpy.save(points, numpy.random.default_rng(1).standard_normal((N, D)) / 8)
    common = ["approximate", "--data.path", points, "--evaluation.pairs", 0, "--output.path", bench.folder / "features.h5"]
    polynomial = ["--similarity.kind", "polynomial", "--similarity.gamma", 1, "--approximation.method", "poly-tensorsketch",
                  "--approximation.degree", 3]
    cases = {"rff": ["--similarity.kind", "rbf", "--similarity.gamma", 0.5, "--approximation.method", "rff", "--approximation.features", 1000],
             "poly-tensorsketch, allocation = optimal": [*polynomial, "--approximation.features", 1000],
             "poly-tensorsketch, allocation = equal": [*polynomial, "--approximation.allocation", "equal", "--approximation.sketch-columns", 333]}
    for name, arguments in cases.items():
        own, theirs = {1: [], 2: []}, []
        for repetition in range(3):
            for ranks in (1, 2):
                report = bench.cairn(ranks, *common, *arguments)
                own[ranks].append(sum(report["seconds"].get(phase, 0.0) for phase in ("coefficients", "features")))
                peak = report["peak_bytes"]
                made = "; ".join(note for note in report.get("notes", []) if "degree 1" in note)  # monomials or sketches of each degree
            if repetition == 0 or name == "rff":  # the other one takes most of a minute
                script = (f"import numpy,time;from sklearn.kernel_approximation import *;x=numpy.load({str(points)!r});"
                          f"t=time.perf_counter();{'RBFSampler(gamma=0.5,n_components=1000)' if name == 'rff' else 'PolynomialCountSketch(degree=3,gamma=1,coef0=1,n_components=1000)'}"
                          ".fit_transform(x);print(time.perf_counter()-t)")
                theirs.append(float(bench.output([sys.executable, "-c", script])))
        one, two, other = statistics.median(own[1]), statistics.median(own[2]), statistics.median(theirs)
        bench.row(f"{name}, 1,000 columns of {N:,} x {D} points, one core", f"{one:.2f} s",
                  f"scikit-learn {'RBFSampler' if name == 'rff' else 'PolynomialCountSketch'}, one thread: {other:.1f} s", f"{other / one:.1f} x",
                  f"{made + '; ' if made else ''}{8e-9 * N * 1000:.1f} GB are written; 2 ranks: {two:.2f} s, {one / two:.2f} x; peak of a rank there {peak / 1e9:.2f} GB")


def plan_against_measured(bench):
    result = bench.folder / "result.h5"
    base = ["--data.generate", "gaussian-mixture", "--similarity.kind", "rbf", "--output.path", result]
    cases = {
        "n = 200,000, d = 64, s = 1000": [*base, "--data.points", N, "--data.dimension", D, "--similarity.gamma", GAMMA,
                                          "--landmarks.count", S],
        "n = 10,000, d = 16, s = 8000": [*base, "--data.points", 10_000, "--data.dimension", 16, "--similarity.gamma",
                                         0.1, "--landmarks.count", 8000],
        "n = 10,000,000, d = 16, s = 100, single": ["--config", ROOT / "configs" / "large" / "points-10m.cfg",
                                                    "--output.path", result],
    }
    for name, arguments in cases.items():
        plan = bench.cairn(2, "plan", *arguments)
        done = bench.cairn(2, "approximate", *arguments)
        predicted, measured = plan["peak_bytes"], done["peak_bytes"]
        bench.row(f"plan against measured, {name}, 2 ranks",
                  f"peak of the largest rank {measured / 1e9:.3f} GB, {done['seconds']['total']:.1f} s",
                  f"plan: {predicted / 1e9:.3f} GB, {plan['seconds']['total']:.1f} s",
                  f"{100 * (predicted / measured - 1):+.0f} %",
                  f"relative error {done['relative_error']:.3g} ± {done['relative_error_standard_error']:.1g}")
        result.unlink()


def hierarchical(bench, peers, count=40_000, landmarks=2_000):
    """Kernels of three widths on points in a cube, as one product of factors, and as a hierarchical matrix."""
    import numpy

    points = numpy.random.default_rng(1).random((count, 3))
    table, raw, result = (bench.folder / name for name in ("cube.npy", "cube.f64", "cube.h5"))
    numpy.save(table, points)
    points.tofile(raw)
    tolerance = 1e-3
    for width, gamma in (("wide", 2), ("middle", 50), ("narrow", 1250)):
        ours = bench.cairn(2, "approximate", "--data.path", table, "--similarity.kind", "rbf", "--similarity.gamma", gamma,
                           "--landmarks.count", landmarks, "--evaluation.pairs", 4_000_000, "--output.path", result)
        seconds = ours["seconds"]["total"] - ours["seconds"]["write"] - ours["seconds"]["probe"]
        peer = json.loads(bench.output([peers / "bin" / "h2pack_gaussian", raw, count, gamma, tolerance], threads=2))
        factors = 8 * (count + landmarks) * landmarks
        bench.row(f"{width} kernel, exp(-{gamma} r²), {count:,} points of a cube, {landmarks:,} landmarks, 2 ranks",
                  f"error {ours['relative_error']:.2g}; {seconds:.1f} s; {factors / 1e6:.0f} MB",
                  f"H2Pack, tolerance {tolerance:g}, 2 threads: error {peer['relative_error']:.2g}; {peer['proxy_seconds']:.1f} s for proxy "
                  f"points, which files can keep, and {peer['build_seconds']:.1f} s; {peer['bytes'] / 1e6:.0f} MB",
                  f"{(peer['proxy_seconds'] + peer['build_seconds']) / seconds:.1f} x in time",
                  f"errors in Frobenius' norm; a product with a vector takes H2Pack {1e3 * peer['product_seconds']:.0f} ms")
        result.unlink()


def package(bench):
    """The Python package, in the process, beside scikit-learn's estimators."""
    script = ROOT / "apps" / "bench" / "sklearn_estimators.py"
    for line in json.loads(bench.output([sys.executable, script, "--package", bench.build / "apps" / "python"])):
        if "peer" in line:
            bench.row(f"cairn.sklearn, {line['what']}, one core", f"{1e3 * line['own']:.0f} ms", f"scikit-learn: {1e3 * line['peer']:.0f} ms",
                      f"{line['peer'] / line['own']:.2f} x", "medians of runs in turn in one process")
        else:
            bench.row(f"package cairn, {line['what']}, one core", f"{line['own']:.2f} s, {line['bytes'] / 1e6:.0f} MB above the import", "none",
                      "", f"import {line['import']:.2f} s")
    script = ROOT / "apps" / "bench" / "package_ranks.py"
    line = json.loads(bench.output([sys.executable, script, "--package", bench.build / "apps" / "python", "--program", bench.build / "apps" / "cairn" / "cairn"]))
    bench.row(f"package cairn, Nystrom, rbf, {line['rows']:,} x {line['dimension']}, {line['landmarks']:,} landmarks, {line['ranks']} ranks, points and "
              "factors in memory", f"{line['package']:.1f} s", f"cairn approximate: {line['program']:.1f} s", f"{line['program'] / line['package']:.2f} x",
              f"n s d = {line['rows'] * line['landmarks'] * line['dimension'] / 1e9:.0f} 10^9 multiply-adds and as many exponentials as entries")
