#!/usr/bin/env python3
"""Compares recipes within the training parts of an experiment's splits, never with its test rows.

    experiments/inner.py build/release/softwood ../shared/data/magic.csv OUT/magic-splits.csv \\
        --recipe "grow | prune" --recipe "grow | prune | soften"

SPLITS has a line for each row of the data and a column for each split, 0 for the rows to be tested with, as
`softwood reproduce magic -o OUT` writes it. For each split the other rows are cross-validated by themselves: what is
chosen for a split by its own column was chosen without its test rows.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, rows


def cross_validate(options, header, rows, folder):
    data = pathlib.Path(folder) / "d1.csv"
    with open(data, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    command = [options.softwood, "cv", data, "--folds", options.folds, "--quiet", "--json"]
    for recipe in options.recipe:
        command += ["--recipe", recipe]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["methods"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("softwood", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("splits", type=pathlib.Path)
    parser.add_argument("--recipe", action="append", required=True)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--first", type=int, help="only so many splits")
    options = parser.parse_args()
    header, rows = read(options.data)
    names, parts = read(options.splits)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(len(names))[: options.first]:
            d1 = [row for row, part in zip(rows, parts, strict=True) if part[k] != "0"]
            found.append(cross_validate(options, header, d1, folder))
            print(f"{names[k]} done", file=sys.stderr)
    for r, recipe in enumerate(options.recipe):
        figures = [candidates[r] for candidates in found]
        means = {name: statistics.mean(figure[name]["mean"] for figure in figures)
                 for name in ("error", "logloss", "auc", "leaves", "fit_seconds")}
        print(recipe)
        print("    error by split", " ".join(f"{figure['error']['mean']:.4f}" for figure in figures))
        print("    means", ", ".join(f"{name} {value:.4f}" for name, value in means.items()))


if __name__ == "__main__":
    main()
