"""Benchmarks of graphs and meshes."""
import json
import lzma
import random
import statistics
import sys
import time

from measures.base import ROOT


def interpolation(bench, roads):
    runs = [bench.ranks(2, "bench_interpolation", roads, 20_000, 50, 1 if k == 0 else 0) for k in range(bench.repeats)]
    line = runs[0]
    seconds = statistics.median(r["seconds"] for r in runs)
    bench.row(f"P of {line['vertices']:,} crossings, l = 20,000, p-row = 50, 2 ranks",
              f"{seconds:.1f} s, {1e3 * seconds * 2 / 20_000:.2f} ms per landmark and rank",
              f"CHOLMOD, dense solves, selection: {line['their_supernodal_seconds']:.0f} s supernodal, "
              f"{line['their_simplicial_seconds']:.0f} s simplicial (scaled from a sample)",
              f"{line['their_seconds'] / seconds:.1f} x",
              f"columns differ by {line['difference_99']:.1g} (99th percentile); row sums within "
              f"{line['row_sum_error']:.1g}; peak per rank {line['peak_bytes'] / 1e9:.2f} GB")


def interpolation_scaling(bench):
    runs = {1: [], 2: []}
    for _ in range(bench.repeats):
        for ranks in runs:
            runs[ranks].append(bench.ranks(ranks, "bench_interpolation", "scaling"))

    def seconds(ranks, case):
        return statistics.median(r["cases"][case]["seconds"] for r in runs[ranks])

    cases = runs[2][0]["cases"]
    for ratio in (15, 76):
        chosen = [k for k, case in enumerate(cases) if case["vertices_a_landmark"] == ratio]
        each = [2e3 * seconds(2, k) / cases[k]["landmarks"] for k in chosen]
        sizes = ", ".join(f"{cases[k]['vertices']:,}" for k in chosen)
        bench.row(f"P of grids, {ratio} vertices per landmark, 2 ranks, n = {sizes}",
                  ", ".join(f"{x:.2f}" for x in each) + " ms per landmark and rank", "the same at other n",
                  f"{max(each) / min(each):.2f} x between them", "target: less than 1.3 x")
    largest = [k for k, case in enumerate(cases) if case["vertices"] == cases[-1]["vertices"]]
    largest.sort(key=lambda k: cases[k]["landmarks"])
    bench.row(f"all of P, grid of {cases[-1]['vertices']:,}, 2 ranks, l = "
              + ", ".join(f"{cases[k]['landmarks']:,}" for k in largest),
              ", ".join(f"{seconds(2, k):.1f}" for k in largest) + " s", "the same with fewer landmarks",
              f"{seconds(2, largest[-1]) / seconds(2, largest[0]):.2f} x from the first to the last",
              "P has the same number of entries")
    gains = {name: statistics.median(r[name] for r in runs[2]) / statistics.median(r[name] for r in runs[1])
             for name in ("gemm_gflops", "triad_gigabytes")}
    for k in largest:
        bench.row(f"from 1 to 2 ranks, P of {cases[k]['vertices']:,} vertices, l = {cases[k]['landmarks']:,}",
                  f"{seconds(1, k):.1f} s to {seconds(2, k):.1f} s",
                  f"DGEMM gains {gains['gemm_gflops']:.2f} x, triad {gains['triad_gigabytes']:.2f} x",
                  f"{seconds(1, k) / seconds(2, k):.2f} x", "the gain of the resource that bounds it: between both")


def path_lengths(bench, roads):
    runs = {ranks: bench.ranks(ranks, "bench_path_lengths", roads, 20_000) for ranks in (1, 2)}
    line = runs[2]
    bench.row(f"W of {line['vertices']:,} crossings, l = 20,000, 2 ranks",
              f"{line['matrix_seconds']:.2f} s, and {line['preparation_seconds']:.1f} s for the hierarchy",
              f"a breadth-first search per source: {line['search_matrix_seconds']:.0f} s (scaled from a sample)",
              f"{line['ratio']:.0f} x, {line['ratio_with_preparation']:.0f} x with the hierarchy",
              f"on 1 rank {runs[1]['matrix_seconds']:.2f} s; every entry that was searched for agrees")


def path_tables(bench, roads):
    """1,000 sources to all, and tables in memory; beside the hierarchy, and what is written."""
    runs = [bench.ranks(2, "bench_path_tables", roads, 1000, 20_000, 100_000) for _ in range(bench.repeats)]
    line, vertices = runs[0], f"{runs[0]['vertices']:,} crossings"
    middle = lambda of: statistics.median(of(run) for run in runs)
    one = middle(lambda run: run["columns"]["milliseconds_per_source"])
    least = middle(lambda run: run["columns"]["floor_milliseconds"])
    fresh = middle(lambda run: run["columns"]["fresh_milliseconds_per_source"])
    peak = f"peak per rank {max(run['peak_bytes'] for run in runs) / 1e9:.2f} GB"
    bench.row(f"one source to all {vertices}, 1,000 columns, 2 ranks", f"{one:.2f} ms per source, {fresh:.2f} ms into new memory",
              f"floor: {least:.2f} ms", f"{one / least:.1f} x the floor", f"8 bytes a length written once at {line['triad_gigabytes']:.0f} GB/s; target: 1.5 ms; all columns in memory, 6.1 GB a rank")
    for k, target in ((0, 1.2), (1, 20)):
        size = line["tables"][k]["size"]
        seconds, floor = (middle(lambda run, name=name: run["tables"][k][name]) for name in ("seconds", "floor_seconds"))
        bench.row(f"table of {size:,} x {size:,} path lengths, {vertices}, 2 ranks", f"{seconds:.2f} s", f"floor: {floor:.2f} s",
                  f"{seconds / floor:.1f} x the floor", f"{line['tables'][k]['number_bytes']} bytes a length written once; target: {target} s; hierarchy {line['hierarchy_seconds']:.1f} s, {peak}")


def reweighing(bench, roads, size=20_000):
    """New lengths of all roads, and tables where 30 % of them are one way, beside tables where none is."""
    runs = [bench.ranks(2, "bench_reweighing", roads, 10, 0.3, size) for _ in range(bench.repeats)]
    line, middle = runs[0], lambda of: statistics.median(of(run) for run in runs)
    case = f"{line['vertices']:,} crossings, {line['edges']:,} roads, 2 ranks"
    for name, kind in (("undirected", "roads"), ("directed", "roads, 30 % one way")):
        own = line[name]
        seconds, order = (middle(lambda run, key=key: run[name][key]) for key in ("slowest_seconds", "order_seconds"))
        floor = own["completion_arcs"] * (16 if name == "directed" else 8) * 4 / line["triad_gigabytes"] / 1e9
        bench.row(f"new lengths of all {kind}, {case}", f"{seconds:.2f} s, the slowest of 10", f"floor: {floor:.3f} s",
                  f"{seconds / floor:.0f} x the floor", f"lengths of {own['completion_arcs']:,} arcs read and written twice at {line['triad_gigabytes']:.0f} GB/s; "
                  f"1,000 pairs of each equal Dijkstra's; target: 1 s; the order, which stays: {order:.1f} s")
    bench.row(f"table of {size:,} x {size:,} path lengths, 30 % one way, {case}", f"{middle(lambda run: run['directed']['table_seconds']):.2f} s",
              f"both ways: {middle(lambda run: run['undirected']['table_seconds']):.2f} s", f"{middle(lambda run: run['table_ratio']):.2f} x its time",
              f"lengths of 1 to 1,000 a road, {line['directed']['length_bytes']} bytes in a sweep; target: 1.6 x")


def path_columns(bench, roads):
    """Whole runs of nystrom with few landmarks and with more: what each further source takes, from the search to the file."""
    few, more = 64, 320
    result = bench.folder / "columns.h5"
    runs = {few: [], more: []}
    for _ in range(bench.repeats):
        for count, reports in runs.items():
            reports.append(bench.cairn(2, "approximate", "--data.kind", "graph", "--data.path", roads, "--approximation.method", "nystrom",
                                       "--landmarks.selection", "uniform", "--landmarks.count", count, "--output.path", result,
                                       "--overwrite", "true"))
    middle = lambda count, phase: statistics.median(report["seconds"][phase] for report in runs[count])
    slope = {phase: 1e3 * (middle(more, phase) - middle(few, phase)) / (more - few) for phase in runs[few][0]["seconds"]}
    last = runs[more][0]
    written = last["result_bytes"] - runs[few][0]["result_bytes"]
    vertices, numbers = last["n"], (more - few) * last["n"]
    bench.row(f"nystrom of {vertices:,} crossings, 2 ranks: each landmark beyond {few}, of {more}", f"{slope['total']:.1f} ms",
              f"without the file: {slope['total'] - slope['write']:.1f} ms", f"{written / numbers:.1f} bytes a length in the file",
              f"columns {slope['similarities']:.1f} ms, error on {last['probe_diagonal']} rows {slope['evaluation']:.1f} ms, file {slope['write']:.1f} ms; "
              f"target: 4 ms; {few} columns take {middle(few, 'similarities'):.2f} s, the busiest rank {runs[few][0]['phases']['similarities']['imbalance']:.2f} "
              f"of the mean; peak per rank {last['peak_bytes'] / 1e9:.2f} GB")


def queries(bench, peers, count=1_000_000):
    """Path lengths of pairs of crossings, against oracles that are made for them: in memory, and as whole processes."""
    result, graph, pairs = (bench.folder / name for name in ("bay.h5", "bay.txt", "pairs.csv"))
    roads = ROOT / "tests" / "data" / "USA-BAY.gr.xz"
    bench.cairn(1, "approximate", "--config", ROOT / "configs" / "bay.cfg", "--output.path", result)
    with lzma.open(roads, "rt") as file:
        vertices, edges = next(file).split()[2:]
        graph.write_text("\n".join([vertices] + [f"{int(u) - 1} {int(v) - 1}" for u, v in map(str.split, file)]) + "\n")
    draw = random.Random(0)
    pairs.write_text("".join(f"{draw.randrange(int(vertices))},{draw.randrange(int(vertices))}\n" for _ in range(count)))
    values = bench.folder / "values.txt"
    for name, program in (("RoutingKit, a contraction hierarchy", "routingkit_paths"), ("HC2L", "hc2l_paths")):
        own, peer, whole, whole_peer = [], [], [], []
        for _ in range(3):
            own.append(bench.ranks(1, "bench_pairs", roads, pairs))
            start = time.perf_counter()
            peer.append(json.loads(bench.output([peers / "bin" / program, graph, pairs])))
            whole_peer.append(time.perf_counter() - start)
            start = time.perf_counter()
            bench.cairn(1, "query", result, "--by-number", "false", "--pairs", pairs, "--out", values, "--overwrite", "true")
            whole.append(time.perf_counter() - start)
        if any(line["sum"] != own[0]["sum"] for line in own + peer) or sum(map(float, values.read_text().split())) != own[0]["sum"]:
            sys.exit(f"{name} finds other path lengths")
        case = f"path lengths of {count:,} pairs of {int(vertices):,} crossings, one core, against {name}"
        query, query_peer = (statistics.median(line["seconds_a_pair"] for line in lines) for lines in (own, peer))
        index, index_peer = (statistics.median(seconds) for seconds in (
            [line["hierarchy_seconds"] + line["label_seconds"] for line in own], [line["index_seconds"] for line in peer]))
        size, size_peer = (statistics.median(line["index_bytes"] for line in lines) for lines in (own, peer))
        bench.row(f"{case}: in memory", f"{1e6 * query:.2f} µs a pair; index {index:.2f} s, labels {size / 1e6:.0f} MB",
                  f"{1e6 * query_peer:.2f} µs a pair; index {index_peer:.1f} s, {size_peer / 1e6:.0f} MB",
                  f"{query_peer / query:.2f} x; index {index_peer / index:.0f} x in time, {size_peer / size:.1f} x in bytes",
                  f"all lengths agree; {int(edges):,} edges; labels are {size / int(vertices):.0f} bytes a crossing, two are read a pair")
        bench.row(f"{case}: the whole process", f"{statistics.median(whole):.2f} s, of a result that keeps its hierarchy",
                  f"{statistics.median(whole_peer):.2f} s, index included", f"{statistics.median(whole_peer) / statistics.median(whole):.1f} x",
                  "files of pairs and values included")


def geodesics(bench, mesh):
    sources = 272
    ours = bench.ranks(2, "bench_geodesics", mesh, sources, bench.folder)
    peer_script = ROOT / "apps" / "bench" / "scipy_geodesics.py"
    peer = json.loads(bench.output([sys.executable, peer_script, "--folder", bench.folder, "--sources", sources], threads=2))
    bench.row(f"geodesics, {ours['vertices']:,} vertices, 2 ranks", f"{1e3 * ours['seconds_per_source']:.2f} ms per source",
              f"the same with SciPy's SuperLU: {1e3 * peer['seconds_per_source']:.1f} ms",
              f"{peer['seconds_per_source'] / ours['seconds_per_source']:.1f} x", "factors are computed once on both sides")
