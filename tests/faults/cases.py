"""Runs of cairn in a folder that is made anew for every fault: approximate with a checkpoint, and the other commands."""

import os
import re
import shutil

import jobs
from runs import Run
import results

LONGEST = 60
RANKS = 3
LIBRARY = os.environ.get("CAIRN_FAULTS", "")


class Job:
    """`cairn approximate` with a checkpoint; one that is gone on with begins from a run that was stopped."""

    output = "r.h5"

    def __init__(self, name, top):
        self.name = name
        self.origin = os.path.join(top, "origin-" + re.sub(r"\W+", "-", name))
        self.folder = os.path.join(top, "work")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)  # a sweep remembers where its data are
        jobs.write_points(self.path("p.csv"), 400)
        self.prepare()
        os.rename(self.folder, self.origin)
        with open(os.path.join(self.origin, self.output), "rb") as file:
            self.old = file.read()

    def prepare(self):
        command = ["approximate", *jobs.SMALL[self.name]]
        self.run(self.folder, 2, [*command, "--output.path", "whole.h5"], expect=0)
        self.command = [*command, "--output.path", self.output, "--run.checkpoint", "ck", "--restart",
                        "--run.checkpoint-interval", "0"]
        if self.name.endswith("gone on with"):
            self.run(self.folder, RANKS, [*self.command, "--run.max-time", "0"], expect=75)
        self.run(self.folder, 1, [*command, "--run.seed", "5", "--output.path", self.output], expect=0)

    def run(self, folder, ranks, command, expect=None, environment=None):
        run = Run(folder, ranks, [*command, "--run.stall-timeout", "30s"], environment).finish(LONGEST)
        if expect is not None and run.code != expect:
            raise RuntimeError(f"{self.name}: code {run.code}, not {expect}: {run.err}")
        return run

    def path(self, name):
        return os.path.join(self.folder, name)

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.origin, self.folder)

    def faulty(self, fault):
        """A run with this fault. @return it, and the lines of the library's log"""
        self.fresh()
        log = self.folder + ".log"
        if os.path.exists(log):
            os.remove(log)
        run = self.run(self.folder, RANKS, self.command,
                       environment={"LD_PRELOAD": LIBRARY, "CAIRN_FAULT": fault, "CAIRN_FAULT_FOLDER": self.folder,
                                    "CAIRN_FAULT_LOG": log})
        lines = open(log, encoding="utf-8").read().splitlines() if os.path.exists(log) else []
        return run, lines

    def counts(self):
        """Calls of each point by rank in a run without a fault."""
        run, lines = self.faulty("write:0:0")
        if run.code != 0:
            raise RuntimeError(f"{self.name}: {run.err}")
        words = [line.split() for line in lines if line.startswith("counted ")]
        return {(word[2], int(word[1])): int(word[3]) for word in words}

    compare = staticmethod(results.difference)

    def result_is_right(self):
        """Nothing, or what is wrong with the output."""
        try:
            self.compare(self.path(self.output), self.path("whole" + os.path.splitext(self.output)[1]))
        except (results.Different, OSError, KeyError, ValueError, IndexError) as error:
            return f"{self.output}: {error}"
        return None

    def damages(self, killed, messages=()):
        """What is wrong with the files after a run that failed, and said so. A file that could not be renamed is kept and
        named."""
        wrong = []
        if not os.path.exists(self.path(self.output)):
            wrong.append("the old file is gone")
        else:
            with open(self.path(self.output), "rb") as file:
                if file.read() != self.old and (reason := self.result_is_right()):
                    wrong.append(f"neither the old file nor the new one: {reason}")
        kept = [message for message in messages if "the complete file is" in message]
        partial = [name for name in os.listdir(self.folder) if "partial" in name and not any(name in message for message in kept)]
        if partial and not killed:
            wrong.append(f"left {partial}")
        return wrong

    def again(self, ranks):
        """The same command once more, without a fault: what is wrong with what it gives."""
        run = self.run(self.folder, ranks, self.command)
        if run.code != 0:
            return [f"again on {ranks} ranks it ended with {run.code}: {run.messages() or run.err[-500:]}"]
        wrong = [f"again: {reason}"] if (reason := self.result_is_right()) else []
        left = [name for name in os.listdir(self.folder) if name.startswith("ck")]
        return wrong + ([f"a finished run left {left}"] if left else [])


class Command(Job):
    """Another command, which reads a result and writes a file where an older one is."""

    def __init__(self, name, top):
        self.output, self.command, self.older = jobs.COMMANDS[name]
        super().__init__(name, top)

    compare = staticmethod(results.output_difference)

    def prepare(self):
        jobs.write_points(self.path("q.csv"), 50)
        self.run(self.folder, 2, ["approximate", *jobs.SMALL["entries"], "--output.path", "in.h5"], expect=0)
        self.run(self.folder, 2, self.command, expect=0)
        output = self.path(self.output)
        whole = self.path("whole" + os.path.splitext(self.output)[1])
        os.rename(output, whole)
        if self.older:
            self.run(self.folder, 2, self.older, expect=0)
            return
        with open(whole, encoding="utf-8") as file, open(output, "w", encoding="utf-8") as older:
            older.writelines(file.readlines()[:2])


def make(name, top):
    return Command(name, top) if name in jobs.COMMANDS else Job(name, top)
