#!/usr/bin/env python3
"""Random forests and boosted trees of other libraries on the splits of the experiments.

Usage: build/peers-env/bin/python experiments/peers.py DATA [-o experiments/peers.csv] [SET...]

soft-trees: on the published folds (DATA/splits), forests of 300 trees trained on the training half
(forest-half) and on both halves (forest-both); errors on the test third and, of forest-half, on the
validation half. Regression errors are shares of the training half's variance.
magic: on seven random splits 2:1, a forest of 500 trees and XGBoost with 300 rounds.
Lines of sets that are not named are kept as they are in the file.
"""
import argparse
import csv
import pathlib
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier

SETS = (
    "abalone add10 boston california_housing comp_activ concrete puma8fh puma8fm puma8nh puma8nm "
    "breast_wisc german_credit_numeric magic musk2 pima polyadenylation ringnorm satellite47 "
    "spambase twonorm"
).split()
FIELDS = ["experiment", "set", "run", "peer", "error", "validation_error", "seconds"]
MAGIC_SPLITS = 7


def read_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [list(column) for column in zip(*rows[1:])]


def as_numbers(column):
    return np.array([float(cell) if cell else np.nan for cell in column])


def encode(column):
    """A numeric column as it is; a nominal one as one indicator a level."""
    try:
        return [as_numbers(column)]
    except ValueError:
        return [np.array([cell == level for cell in column], float) for level in sorted(set(column))]


def read_set(data, name):
    _, columns = read_columns(data / f"{name}.csv")
    x = np.column_stack([part for column in columns[:-1] for part in encode(column)])
    target = columns[-1]
    distinct = sorted(set(target))
    if len(distinct) <= 10:
        return x, np.array([distinct.index(cell) for cell in target]), True
    return x, as_numbers(target), False


def forest(classes, trees, seed):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    # Regression forests try a third of the inputs at a node, as Breiman 2001 and R do.
    features = "sqrt" if classes else 1 / 3
    return kind(trees, max_features=features, random_state=seed, n_jobs=1)


def error(model, x, y, classes, variance):
    answers = model.predict(x)
    return float(np.mean(answers != y)) if classes else float(np.mean((answers - y) ** 2) / variance)


def soft_trees(data, name):
    x, y, classes = read_set(data, name)
    _, folds = read_columns(data / "splits" / f"{name}.csv")
    lines = []
    run = 0
    for repeat in folds:
        fold = np.array([int(cell) for cell in repeat])
        # The validation half comes in the order of its number, as in `softwood cv --folds`.
        for validation in (1, 2):
            train, held, test = fold == 3 - validation, fold == validation, fold == 0
            variance = 1 if classes else np.var(y[train])
            for peer, rows in (("forest-half", train), ("forest-both", train | held)):
                start = time.process_time()
                model = forest(classes, 300, run).fit(x[rows], y[rows])
                seconds = time.process_time() - start
                validated = error(model, x[held], y[held], classes, variance) if rows is train else ""
                lines.append(["soft-trees", name, run, peer,
                              error(model, x[test], y[test], classes, variance), validated, seconds])
            run += 1
    return lines


def magic(data, split_lines):
    x, y, _ = read_set(data, "magic")
    lines = []
    for run, test in enumerate(split_lines):
        for peer, model in (("forest-500", forest(True, 500, run)),
                            ("xgboost-300", XGBClassifier(n_estimators=300, n_jobs=1, random_state=run))):
            start = time.process_time()
            model.fit(x[~test], y[~test])
            lines.append(["magic", "magic", run, peer, error(model, x[test], y[test], True, 1), "",
                          time.process_time() - start])
    return lines


def magic_splits(rows):
    """Seven random splits of the rows; true: test third."""
    for run in range(MAGIC_SPLITS):
        test = np.zeros(rows, bool)
        test[np.random.default_rng(run).permutation(rows)[: rows // 3]] = True
        yield test


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", help="default: all, and magic-splits")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(__file__).with_name("peers.csv"))
    options = parser.parse_args()
    kept = []
    if options.output.exists():
        with open(options.output, newline="", encoding="utf-8") as file:
            kept = list(csv.reader(file))[1:]
    for name in options.sets or SETS + ["magic-splits"]:
        if name == "magic-splits":
            made = magic(options.data, magic_splits(len(read_columns(options.data / "magic.csv")[1][0])))
        else:
            made = soft_trees(options.data, name)
        mine = {(line[0], line[1]) for line in made}
        kept = [line for line in kept if (line[0], line[1]) not in mine]
        kept += [[f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in line] for line in made]
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([FIELDS] + sorted(kept, key=lambda line: (line[0], line[1], line[3], int(line[2]))))


if __name__ == "__main__":
    main()
