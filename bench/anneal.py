#!/usr/bin/env python3
"""Softening by annealing: Softwood and the same algorithm in R, one after the other on the same tree.

    bench/anneal.py build/release/softwood ../shared/data/magic.csv [--leaves 50] [--calls 100]
    bench/anneal.py build/release/softwood ../shared/data/magic.csv --cost

The tree is grown by Softwood on two thirds of the rows. Both programs soften it with the paper's
settings on all rows of the file; R stops after --calls calls of the annealer at the latest. Their random
numbers differ, so what is compared is the processor time a call of the annealer. --cost prints
Softwood's instructions and time a call against the number of rows and leaves instead.
"""

import argparse
import csv
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(command):
    """Standard output, standard error and processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, done.stderr, seconds


def write_rows(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def soften(softwood, model, data, out):
    """Calls of the annealer, objectives, and processor seconds less those of reading alone."""
    base = [softwood, "rework", model, data, "--threads", "1", "-o", out, "--recipe"]
    _, _, idle = run([*base, "prune by=simplify"])
    _, notes, seconds = run([*base, "soften by=anneal temp=10"])
    found = re.search(r"(\d+) calls of the annealer, objective ([\d.]+) to ([\d.]+)", notes)
    return int(found[1]), float(found[2]), float(found[3]), max(seconds - idle, 1e-3)


def tree_for_r(model, names, path):
    """The tree as R reads it: nodes numbered from 1, the share of the second class at the leaves."""
    lines = []
    for node in json.loads(pathlib.Path(model).read_text())["nodes"]:
        sums = node["sums"]
        value = sums[1] / sum(sums)
        if "gate" in node:
            feature = names.index(node["gate"]["terms"][0]["value"]) + 1
            lines.append([node["node"] + 1, feature, node["gate"]["cut"], node["first"] + 1,
                          node["first"] + 2, value])
        else:
            lines.append([node["node"] + 1, 0, 0, 0, 0, value])
    write_rows(path, ["node", "feature", "cut", "left", "right", "value"], lines)


def instructions(softwood, model, data, out):
    """Instructions of softening alone, by callgrind, in millions."""
    total = []
    for recipe in ("prune by=simplify", "soften by=anneal temp=10"):
        _, text, _ = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", softwood,
                          "rework", model, data, "--threads", "1", "-o", out, "--recipe", recipe])
        total.append(int(re.search(r"Collected : (\d+)", text)[1]))
    return (total[1] - total[0]) / 1e6


def cost_table(softwood, header, rows, work):
    print(f"{'rows':>7} {'leaves':>7} {'calls':>6} {'ms a call':>10} {'M instructions a call':>22}")
    for count, leaves in ((1000, 20), (2000, 20), (4000, 20), (8000, 20), (4000, 10), (4000, 40),
                          (4000, 80)):
        data, model, out = (work / name for name in ("part.csv", "part.json", "out.json"))
        write_rows(data, header, rows[:count])
        run([softwood, "train", data, "--recipe", f"grow max-leaves={leaves}", "--quiet", "-o", model])
        calls, _, _, seconds = soften(softwood, model, data, out)
        millions = instructions(softwood, model, data, out)
        print(f"{count:>7} {leaves:>7} {calls:>6} {1000 * seconds / calls:>10.2f} "
              f"{millions / calls:>22.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("softwood", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--leaves", type=int, default=50)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--cost", action="store_true")
    options = parser.parse_args()
    softwood = options.softwood.resolve()
    with open(options.data, newline="") as file:
        header, *rows = csv.reader(file)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if options.cost:
            # Files may be sorted by class: a fixed shuffle.
            random.Random(1).shuffle(rows)
            cost_table(softwood, header, rows, work)
            return
        part, whole, model = work / "part.csv", work / "whole.csv", work / "tree.json"
        write_rows(part, header, [row for i, row in enumerate(rows) if i % 3 != 2])
        recipe = f"grow max-leaves={options.leaves}"
        run([softwood, "train", part, "--recipe", recipe, "--quiet", "-o", model])
        tree_for_r(model, header[:-1], work / "tree.csv")
        second = json.loads(model.read_text())["schema"]["target"]["levels"][1]
        write_rows(whole, [*header[:-1], "y"],
                   [[*row[:-1], int(row[-1] == second)] for row in rows])
        calls, before, after, seconds = soften(softwood, model, options.data, work / "soft.json")
        ours = 1000 * seconds / calls
        print(f"Softwood  {calls:>5} calls, objective {before:.1f} to {after:.1f}, "
              f"{seconds:.2f} s, {ours:.3f} ms a call", flush=True)
        text, _, _ = run(["Rscript", HERE / "anneal.R", work / "tree.csv", whole, options.calls, 1])
        r = json.loads(text)
        theirs = 1000 * r["cpu_seconds"] / r["calls"]
        print(f"R         {r['calls']:>5} calls, objective {r['before']:.1f} to {r['after']:.1f}, "
              f"{r['cpu_seconds']:.2f} s, {theirs:.3f} ms a call")
        print(f"R / Softwood, a call: {theirs / ours:.0f}")


if __name__ == "__main__":
    main()
