"""The command line of reproduce."""
import argparse
import os
import pathlib
import resource
import sys
import tempfile
import time

from . import page, tables
from .entry import Row
from .papers import PAPERS
from .runs import KEPT, PROJECT, Failed, Missing, Runs, find

DESCRIPTION = """\
Computes tables and figures of the papers whose methods Cairn has, and prints them beside the papers' numbers.
Each has a short version (--quick, the default: seconds to a minute) and one of full size (--full).

  reproduce --list               what there is
  reproduce NAME...              computes it, writes NAME.csv, and prints it beside the paper
  reproduce --check [NAME...]    compares fresh quick runs with the tables in docs/measurements/reproduction
  reproduce --show NAME...       prints what was kept, of full size where there is such a table; --out FOLDER writes it
  reproduce --index              prints docs/reproduction.md

A table is a line for each number: panel, series, the place along it, seed, what was measured, value, and the paper's.
'cairn-plot NAME.csv' draws it."""

EPILOG = """\
exit codes: 0 done, 1 a check found a difference, 2 usage, 3 a file of the data is missing, 4 a run failed;
77: --check without the data of anything (--skip)"""


def arguments(words):
    parser = argparse.ArgumentParser(prog="reproduce", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="NAME", nargs="*", help="tables and figures, or the short name of a paper for all of its own")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list names, seconds of one core, relative bounds of a check, and what is missing")
    what.add_argument("--check", action="store_true", help="compare fresh quick runs with kept tables")
    what.add_argument("--show", action="store_true", help="print kept tables")
    what.add_argument("--index", action="store_true", help="print the index of all as a page")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="the short version (default)")
    size.add_argument("--full", action="store_true", help="full size: minutes to hours")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("CAIRN_DATA", PROJECT.parent / "shared" / "data"),
                        help="the folder of the data (default: $CAIRN_DATA, or ../shared/data)")
    parser.add_argument("--cairn", default=os.environ.get("CAIRN_PROGRAM", PROJECT / "build/release/apps/cairn/cairn"),
                        help="the program (default: $CAIRN_PROGRAM, or that of build/release)")
    parser.add_argument("--mpi", default="", help='what starts it, as "mpirun -n 2" (default: nothing, one process)')
    parser.add_argument("--work", type=pathlib.Path, help="a folder for intermediate files, which stay there (default: one that is removed)")
    parser.add_argument("--out", type=pathlib.Path, help="the folder that tables are written to (default: this one; --show writes them only with it)")
    parser.add_argument("--kept", type=pathlib.Path, default=KEPT, help="the folder of kept tables (default: docs/measurements/reproduction)")
    parser.add_argument("--skip", action="store_true", help="leave out what lacks data, and say so")
    return parser, parser.parse_args(words)


def chosen(parser, names):
    """Entries by their names; all without one."""
    entries = [entry for paper in PAPERS for entry in paper.entries]
    if not names:
        return entries
    by_name = {entry.name: [entry] for entry in entries} | {paper.short: list(paper.entries) for paper in PAPERS}
    for name in names:
        if name not in by_name:
            parser.error(f"there is no {name}; --list has the names")
    return [entry for name in names for entry in by_name[name]]


def missing_of(entry, data):
    for name in entry.needs:
        try:
            find(data, name)
        except Missing as missing:
            return str(missing)
    return ""


def list_all(options):
    for paper in PAPERS:
        print(f"{paper.short}: {paper.cites}")
        for entry in paper.entries:
            if entry.measure is None:
                state = "not computed: " + entry.deviation
            else:
                state = f"{entry.seconds[0]:>4} s quick, {entry.seconds[1]:>6} s full"
                missing = missing_of(entry, options.data)
                state += f"; {missing}" if missing else ""
            print(f"  {entry.name:26} {entry.shows:10} {state}\n{'':14}{entry.title}")
            if entry.measure:
                print(f"{'':14}checked within " + "; ".join(f"{measure} {'any number' if bound is None else f'{bound:g}'}"
                                                            for measure, bound in entry.bounds.items()))
    return 0


def compute(entry, options, folder):
    run = Runs(pathlib.Path(options.cairn).resolve(), pathlib.Path(options.data).resolve(), folder, options.mpi)
    return [Row(*row) for row in entry.measure(run, options.full)]


def show(entry, options):
    rows, source = page.kept_rows(entry, options.kept)
    if rows is None:
        print(f"{entry.name}: nothing was kept")
        return
    print(f"{entry.name}, from {source}: {entry.title}")
    print("\n".join(tables.beside(entry, rows)))
    if options.out:
        print(write(entry, rows, options.out, "" if source == f"reproduction/{entry.name}.csv" else "-full"))


def write(entry, rows, folder, ending):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{entry.name}{ending}.csv"
    tables.write(path, entry, rows)
    return path


def core_seconds():
    """Of this process and of those that it started and that ended."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def run_one(entry, options, folder):
    """0 if all is well, 1 if a check found a difference."""
    started, cores = time.monotonic(), core_seconds()
    rows = compute(entry, options, folder)
    took = f"{time.monotonic() - started:.1f} s, {core_seconds() - cores:.1f} core-seconds"
    if options.check:
        told = tables.differences(entry, rows, options.kept / f"{entry.name}.csv")
        print(f"{entry.name}: {'as kept' if not told else f'{len(told)} differences'} ({len(rows)} numbers, {took})", flush=True)
        print("".join(f"  {sentence}\n" for sentence in told), end="", flush=True)
        return 1 if told else 0
    path = write(entry, rows, options.out or pathlib.Path("."), "-full" if options.full else "")
    print(f"{entry.name}: {entry.title} ({took}, {path})")
    print("\n".join(tables.beside(entry, rows)), flush=True)
    return 0


def main(words):
    parser, options = arguments(words)
    if options.list:
        return list_all(options)
    if options.index:
        print(page.index(), end="")
        return 0
    if options.full and options.check:
        parser.error("--check is of quick runs")
    if not options.names and not options.check:
        parser.error("give a NAME, or --list, --check, --index")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    code, done = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.work or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for entry in chosen(parser, options.names):
            if options.show:
                show(entry, options)
                continue
            if entry.measure is None:
                if options.names and entry.name in options.names:
                    print(f"{entry.name} is not computed: {entry.deviation}")
                continue
            missing = missing_of(entry, options.data)
            if missing:
                print(f"{entry.name}: {'left out' if options.skip else 'stopped'}, {missing}", file=sys.stderr)
                if not options.skip:
                    return 3
                continue
            try:
                code = max(code, run_one(entry, options, folder))
                done += 1
            except Failed as failed:
                print(f"{entry.name}: {failed}", file=sys.stderr)
                return 4
    return 77 if options.skip and options.check and not done else code
