"""Seconds that plans predict on two hosts beside those that runs take, with cables of several delays and rates.

    predicted_seconds.py PROGRAM [--csv FILE] [--repeats N]

Each plan measures the links of the hosts and the rates of their ranks itself; nothing is fitted to runs. Reading and writing are
left out: the hosts share one file system. Needs what two_hosts.py needs; the processors of both hosts are those of this machine.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

import two_hosts

CABLES = [(2e-5, 1.25e8), (2e-4, 1.25e8), (1e-3, 1.25e8), (5e-3, 1.25e8)]  # seconds, bytes per second
POINTS = ["--data.generate", "normal", "--data.dimension", "16", "--similarity.kind", "rbf", "--similarity.gamma", "0.05"]
TEXTS = ["--data.kind", "documents", "--data.generate", "zipf", "--data.vocabulary", "2000", "--data.dimension", "20", "--similarity.kind", "wmd",
         "--similarity.gamma", "0.4"]
JOBS = {
    "nystrom, 20,000 x 16, s = 400": [*POINTS, "--data.points", "20000", "--landmarks.count", "400", "--approximation.method", "nystrom"],
    "nystrom, 60,000 x 16, s = 800": [*POINTS, "--data.points", "60000", "--landmarks.count", "800", "--approximation.method", "nystrom"],
    "sms-nystrom, 20,000 x 16, s = 300": [*POINTS, "--data.points", "20000", "--landmarks.count", "300", "--approximation.method", "sms-nystrom"],
    "sicur, 20,000 x 16, s = 300": [*POINTS, "--data.points", "20000", "--landmarks.count", "300", "--approximation.method", "sicur"],
    "nystrom, 20,000 texts by wmd, s = 100": [*TEXTS, "--data.points", "20000", "--landmarks.count", "100", "--approximation.method", "nystrom"],
}
PAIRS = ["--evaluation.pairs", "20000"]
PHASES = ("landmarks", "similarities", "joining", "probe")


def seconds(report):
    return sum(report["seconds"].get(phase, 0.0) for phase in PHASES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--csv")
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    if reason := two_hosts.cannot_run():
        sys.exit(f"predicted_seconds: {reason}")
    lines = []
    for delay, rate in CABLES:
        with two_hosts.TwoHosts(delay, rate) as hosts, tempfile.TemporaryDirectory() as folder:

            def run(ranks, *arguments):
                report = os.path.join(folder, "report.json")
                subprocess.run([*hosts.mpirun("-wdir", folder), "-n", str(ranks), os.path.abspath(chosen.program), *arguments, "--json", report, "--overwrite", "true"],
                               env=hosts.environment(), check=True, timeout=100, stdout=subprocess.DEVNULL, cwd=folder)
                with open(report, encoding="utf-8") as file:
                    return json.load(file)

            for ranks in (2, 4):
                for name, job in JOBS.items():
                    predicted = seconds(run(ranks, "plan", *job, *PAIRS, "--nodes", "2"))
                    taken = statistics.median(seconds(run(ranks, "approximate", *job, *PAIRS, "--output.path", "r.h5"))
                                              for _ in range(chosen.repeats))
                    lines.append((name, ranks, delay, rate, round(predicted, 4), round(taken, 4), round(predicted / taken, 3)))
                    print(*lines[-1], sep=", ", flush=True)
    ratios = sorted(abs(line[-1] - 1) for line in lines)
    print(f"{len(lines)} runs: median error {100 * statistics.median(ratios):.0f} %, 90 % within {100 * ratios[int(0.9 * len(ratios))]:.0f} %")
    if chosen.csv:
        with open(chosen.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["job", "ranks", "delay_seconds", "bytes_per_second", "predicted_seconds", "taken_seconds", "ratio"])
            writer.writerows(lines)


if __name__ == "__main__":
    main()
