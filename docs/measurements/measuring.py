"""What programs of this folder share: runs of cairn, and measurements that are kept as they come and shown as a table."""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile


def run(command, report, allowed=()):
    """The report of a command that writes one there, or None if it ends with a code that is allowed; others end all."""
    words = [str(word) for word in (*command, "--json", report)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode in allowed:
        return None
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\nfailed with {done.returncode}:\n{done.stderr}")
    return json.loads(pathlib.Path(report).read_text())


def main(description, fields, add_arguments, measure, table, repeats=("seeds", 5)):
    """The command line of a measurement: --out FILE measures and shows, --print FILE shows what was measured before.

    add_arguments(parser) adds those of its own; measure(options, folder) gives records of the fields, and may leave files
    in the folder; table(path, options) prints them. repeats: the option that says how often, and its default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--cairn", type=pathlib.Path)
    parser.add_argument(f"--{repeats[0]}", type=int, default=repeats[1])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--print", type=pathlib.Path, dest="shown", metavar="CSV")
    options = parser.parse_args()
    if not options.shown:
        with tempfile.TemporaryDirectory() as folder, options.out.open("w", newline="") as file:
            lines = csv.DictWriter(file, fields)
            lines.writeheader()
            for one in measure(options, pathlib.Path(folder)):
                lines.writerow(one)
                file.flush()
    table(options.shown or options.out, options)
