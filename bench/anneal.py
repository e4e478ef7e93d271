#!/usr/bin/env python3
"""Softening by annealing: Softwood and the same algorithm in R, one after the other on the same tree.

    bench/anneal.py build/release/softwood ../shared/data/magic.csv [--leaves 49] [--calls 1000000]
    bench/anneal.py build/release/softwood ../shared/data/magic.csv --cost

As in the paper's experiment two thirds of the rows are D1 and two thirds of those grow the tree. Both
programs soften it on D1 with the paper's settings; R stops after --calls calls of the annealer at the latest.
Their random numbers differ, so times are compared by the call of the annealer, which evaluates the
objective 101 times. Times are processor seconds of one thread, without reading the files.

--cost prints instead how many instructions (valgrind --tool=callgrind) Softwood needs for a call and for one of
its evaluations, against the number of rows and of leaves, beside those of one pass over all rows with
the softened tree.
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
SOFTEN = "soften by=anneal temp=10 patience=50"
EVALUATIONS = 101  # of a call
REPEATS = 3


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


def rework(softwood, model, data, recipe, out):
    return [softwood, "rework", model, data, "--threads", "1", "-o", out, "--recipe", recipe]


def what_was_done(notes):
    """Calls of the annealer, the objective before and after."""
    found = re.search(r"(\d+) calls of the annealer, objective (\S+) to (\S+)", notes)
    return int(found[1]), float(found[2]), float(found[3])


def soften(softwood, model, data, out):
    """What was done, and processor seconds less those of a recipe that only reads: means of some runs."""
    total = 0
    for _ in range(REPEATS):
        total -= run(rework(softwood, model, data, "prune by=simplify", out))[2]
        _, notes, seconds = run(rework(softwood, model, data, SOFTEN, out))
        total += seconds
    return *what_was_done(notes), total / REPEATS


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


def beside_r(softwood, header, rows, options, work):
    grown, data, model = work / "grown.csv", work / "d1.csv", work / "tree.json"
    d1 = rows[: len(rows) * 2 // 3]
    write_rows(data, header, d1)
    write_rows(grown, header, d1[: len(d1) * 2 // 3])
    run([softwood, "train", grown, "--recipe", f"grow max-leaves={options.leaves}", "--quiet", "-o", model])
    tree_for_r(model, header[:-1], work / "tree.csv")
    second = json.loads(model.read_text())["schema"]["target"]["levels"][1]
    write_rows(work / "r.csv", [*header[:-1], "y"], [[*row[:-1], int(row[-1] == second)] for row in d1])

    def line(name, calls, before, after, seconds):
        print(f"{name:<9} {calls:>5} calls, objective {before:.1f} to {after:.1f}, {seconds:.3f} s, "
              f"{1000 * seconds / calls:.3f} ms a call", flush=True)
        return seconds / calls

    print(f"{len(d1)} rows, {options.leaves} leaves")
    ours = line("Softwood", *soften(softwood, model, data, work / "soft.json"))
    text, _, _ = run(["Rscript", HERE / "anneal.R", work / "tree.csv", work / "r.csv", options.calls, 1])
    r = json.loads(text)
    theirs = line("R", r["calls"], r["before"], r["after"], r["cpu_seconds"])
    print(f"R / Softwood, a call: {theirs / ours:.0f}")


def instructions(command, function):
    """Instructions within a function, and all that it calls; and what the command said."""
    _, text, _ = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                      f"--toggle-collect={function}", *command])
    return int(re.search(r"Collected : (\d+)", text)[1]), text


def cost_table(softwood, header, rows, work):
    print("millions of instructions")
    print(f"{'rows':>6} {'leaves':>6} {'depth':>5} {'calls':>5} {'a call':>8} {'an evaluation':>13} "
          f"{'a pass':>7} {'pass / evaluation':>17}")
    for count, leaves in ((1500, 25), (3000, 25), (6000, 25), (12000, 25),
                          (6000, 12), (6000, 50), (6000, 100), (6000, 200)):
        data, model, soft = (work / name for name in ("part.csv", "part.json", "soft.json"))
        write_rows(data, header, rows[:count])
        text, _, _ = run([softwood, "train", data, "--recipe", f"grow max-leaves={leaves}", "--quiet",
                          "--json", "-o", model])
        softening, notes = instructions(rework(softwood, model, data, SOFTEN, soft),
                                        "softwood::soften::soften_tree(*")
        calls = what_was_done(notes)[0]
        # The first thing that softening does is a pass with the tree as it is.
        one_pass, _ = instructions(rework(softwood, soft, data, SOFTEN.replace("patience=50", "patience=1"), work / "again.json"),
                                   "softwood::fit::training_loss(*")
        a_call = softening / calls
        print(f"{count:>6} {leaves:>6} {json.loads(text)['depth']:>5} {calls:>5} {a_call / 1e6:>8.3f} "
              f"{a_call / EVALUATIONS / 1e6:>13.4f} {one_pass / 1e6:>7.2f} "
              f"{one_pass * EVALUATIONS / a_call:>17.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("softwood", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path, help="CSV file, two classes in the last column")
    parser.add_argument("--leaves", type=int, default=49)
    parser.add_argument("--calls", type=int, default=1000000)
    parser.add_argument("--cost", action="store_true")
    options = parser.parse_args()
    softwood = options.softwood.resolve()
    with open(options.data, newline="") as file:
        header, *rows = csv.reader(file)
    random.Random(1).shuffle(rows)  # files may be sorted by class
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if options.cost:
            cost_table(softwood, header, rows, work)
        else:
            beside_r(softwood, header, rows, options, work)


if __name__ == "__main__":
    main()
