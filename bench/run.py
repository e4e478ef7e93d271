#!/usr/bin/env python3
"""Measures Softwood against other programs, prints one table and writes build/bench/results.json.

Usage: build/peers-env/bin/python bench/run.py [--quick] [--rows N] [--repeats N] [--r-repeats N]
                                               [--only TEXT,...] [--work DIR] [--write-doc]
--only takes parts of the names of works or peers (`--only predict,duckdb`).

Needs build/release/bench/softwood_bench and build/peers-env (make bench makes both). Each line of
the table is a comparison of the same work on the same data with the same number of threads. Both
sides run in turns, each time in a process of its own, as many times as the other; the best time
and the largest peak memory count. docs/evidence/benchmarks.md tells the rest.
"""

import argparse
import os
import pathlib
import sys
from dataclasses import dataclass

import peers
from report import (PROGRAM, RESULTS, best_of, duration, machine, machine_text, softwood,
                    table_text, write_document, write_results)

QUALITY_MARGIN = 1e-3  # of training accuracy, or of the mean square error


@dataclass(frozen=True)
class Comparison:
    work: str
    peer: str  # item of peers.py, or "" for Softwood itself on one thread, or "1 ms"
    ours: str  # item of softwood_bench
    threads: int
    target: float  # how many times faster we want to be
    inner: int = 1  # repetitions within a process, for short work
    same_tree: bool = False  # same quality and no more memory are wanted too
    slow: bool = False  # left out by --quick; --r-repeats runs


COMPARISONS = [
    Comparison("fit exact, depth 10", "sklearn_fit_depth10", "fit_depth10", 1, 10, 1, True),
    Comparison("fit exact, depth 10", "rpart_fit_depth10", "fit_depth10", 1, 5, 1, True, True),
    Comparison("fit exact, depth 10", "", "fit_depth10", 2, 1),
    Comparison("fit exact, unlimited", "sklearn_fit_unlimited", "fit_unlimited", 1, 10, 1, True),
    Comparison("fit exact, depth 30", "rpart_fit_unlimited", "fit_depth30", 1, 5, 1, True, True),
    Comparison("fit exact, unlimited", "", "fit_unlimited", 2, 1),
    Comparison("fit numbers, depth 10", "sklearn_fit_reg_depth10", "fit_reg_depth10", 1, 10, 1,
               True),
    Comparison("fit numbers, depth 10", "", "fit_reg_depth10", 2, 1),
    Comparison("fit numbers, unlimited", "sklearn_fit_reg_unlimited", "fit_reg_unlimited", 1, 10,
               1, True),
    Comparison("fit numbers, unlimited", "", "fit_reg_unlimited", 2, 1),
    Comparison("fit binned, depth 10", "lightgbm_one_tree", "binned_depth10", 2, 2, 3),
    Comparison("fit binned, depth 10", "xgboost_hist_one_tree", "binned_depth10", 2, 2, 3),
    Comparison("predict classes", "sklearn_predict", "predict", 1, 5, 5),
    Comparison("predict classes", "lightgbm_predict", "predict", 2, 5, 5),
    Comparison("predict probabilities", "lightgbm_predict", "probabilities", 2, 5, 5),
    Comparison("pruning path, 10 folds", "rpart_cv", "cv", 1, 10),
    Comparison("pruning path, 10 folds", "", "cv", 2, 1),
    Comparison("read CSV", "pandas_read_csv_1thread", "read_csv", 1, 4, 3),
    Comparison("read CSV", "pandas_read_csv", "read_csv", 2, 4, 3),
    Comparison("read CSV", "duckdb_read_csv", "read_csv", 2, 1, 3),
    Comparison("fit iris, cart", "1 ms", "iris", 1, 1, 2000),
    Comparison("fit iris, cart", "1 ms", "iris", 2, 1, 2000),
]


def warm(work):
    """Reads the files once, so that nobody pays for the disk."""
    for path in sorted(work.glob("bench*.*")):
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 22):
                pass


def rows_of(item, rows):
    return rows // 10 if item == "cv" else rows


def measure(comparison, args):
    """Both sides in turns; (ours, theirs)."""
    repeats = args.r_repeats if comparison.peer.startswith("rpart") else args.repeats
    common = {"work": args.work, "rows": rows_of(comparison.ours, args.rows),
              "reps": comparison.inner}
    settings = argparse.Namespace(work=args.work, rows=args.rows, reps=comparison.inner, r_reps=1)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(softwood(comparison.ours, threads=comparison.threads, **common))
        if comparison.peer == "1 ms":
            continue
        if comparison.peer:
            theirs.append(peers.run_item(comparison.peer, settings))
        else:
            theirs.append(softwood(comparison.ours, threads=1, **common))
    ours = best_of(ours)
    if comparison.peer == "1 ms":  # a typical time, not the best of thousands
        ours["seconds"] = ours.get("median_seconds", 0)
        return ours, {"seconds": 1e-3, "threads": comparison.threads}
    return ours, best_of(theirs)


def fit_of(side):
    """Training accuracy, or mean square error; None when it isn't known."""
    return side.get("train_accuracy", side.get("train_mse"))


def judge(comparison, ours, theirs):
    """The entry of results.json for one comparison."""
    entry = {"work": comparison.work, "peer": comparison.peer or "softwood",
             "item": comparison.ours, "target": comparison.target, "ours": ours, "theirs": theirs}
    if "error" in ours or "error" in theirs:
        return {**entry, "reached": False, "lacks": ["a result"]}
    ratio = theirs["seconds"] / max(ours["seconds"], 1e-9)
    lacks = [] if ratio >= comparison.target else ["speed"]
    if comparison.same_tree:
        if abs(fit_of(ours) - fit_of(theirs)) > QUALITY_MARGIN:
            lacks.append("same fit")
        if ours["peak_kib"] > theirs["peak_kib"]:
            lacks.append("memory")
    return {**entry, "ratio": ratio, "reached": not lacks, "lacks": lacks}


def peer_text(entry):
    name, theirs, ours = entry["peer"], entry["theirs"], entry["ours"]
    if name == "1 ms":
        return f"1 ms ({ours.get('threads')} threads)" if ours.get("threads") != 1 else "1 ms"
    name = "pandas" if name.startswith("pandas") else name.split("_")[0]
    threads = theirs.get("threads", "?")
    same = threads == ours.get("threads")
    return f"{name}, {threads}" if same else f"{name}, {threads} : {ours.get('threads', '?')}"


def cells(entry):
    head = [entry["work"], peer_text(entry)]
    if "ratio" not in entry:
        return [*head, *["-"] * 3, f"{entry['target']:g}", "no: no result", *["-"] * 4]
    ours, theirs = entry["ours"], entry["theirs"]

    def mib(side):
        return f"{side['peak_kib'] / 1024:.0f}" if "peak_kib" in side else "-"

    def fit(side):  # trees that are used or pruned are not compared
        shown = "fit" in entry["item"] or "binned" in entry["item"]
        return f"{fit_of(side):.4f}" if shown and fit_of(side) is not None else "-"

    # The ratio is rounded down, so that it never seems to reach a target that it does not.
    return [*head, duration(theirs["seconds"]), duration(ours["seconds"]),
            f"{int(entry['ratio'] * 100) / 100:.2f}", f"{entry['target']:g}",
            "yes" if entry["reached"] else "no: " + ", ".join(entry["lacks"]),
            mib(theirs), mib(ours), fit(theirs), fit(ours)]


HEAD = ["work", "peer, threads", "peer", "ours", "ratio", "target", "reached", "peer MiB",
        "our MiB", "peer fit", "our fit"]


def main():
    parser = argparse.ArgumentParser(description="Measures against other programs.")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--r-repeats", type=int, default=1, help="of the works that rpart does")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true", help="100 000 rows, rpart's fits left out")
    parser.add_argument("--write-doc", action="store_true", help="put the table in the document")
    args = parser.parse_args()
    args.rows = args.rows or (100_000 if args.quick else 1_000_000)
    args.work = args.work or RESULTS / f"rows-{args.rows}"
    if not PROGRAM.exists():
        sys.exit("softwood_bench is not built: make bench")

    only = args.only.split(",")
    chosen = [c for c in COMPARISONS if not (args.quick and c.slow)
              and any(part in f"{c.work} {c.peer}" for part in only)]
    load = os.getloadavg()[0]
    result = {"rows": args.rows, "machine": machine(), "load": load, "repeats": args.repeats,
              "r_repeats": args.r_repeats, "versions": peers.versions(), "comparisons": []}
    peers.ensure_data(args.work, args.rows)
    warm(args.work)
    for comparison in chosen:
        entry = judge(comparison, *measure(comparison, args))
        result["comparisons"].append(entry)
        write_results("results.json", result)
    table = table_text(HEAD, [cells(entry) for entry in result["comparisons"]])
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    about = (f"{args.rows} rows; {machine_text(result['machine'], load)} Best of {args.repeats} "
             f"({args.r_repeats} with rpart). {versions}.")
    print(f"{about}\n\n{table}")
    if args.write_doc:
        write_document("table", f"{about}\n\n{table}")


if __name__ == "__main__":
    main()
