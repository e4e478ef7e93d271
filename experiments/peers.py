#!/usr/bin/env python3
"""Random forests and boosted trees of other libraries on the splits of the experiments.

Usage: build/peers-env/bin/python experiments/peers.py [-o FILE] [--runs N] [--magic SPLITS] [--auto ROWS]
       [--methods NAMES] DATA [SET...]

soft-trees: on the published folds (DATA/splits), forests of 300 trees trained on the training half
(forest-half) and on both halves (forest-both); error on the test third, or the squared error as a
share of the test third's variance (nmse), and the same of forest-half on the validation half. --runs: only
the first ones of the ten. The test third is the same in all of them, so forest-both differs by its seed alone.
magic: a forest of 500 trees and XGBoost with 300 rounds, on the splits of the file: a line for each
row, a column for each split, 0 for the rows to be tested with; log-loss, Brier score and AUC besides the error.
auto: forest, extra trees (300 trees each), XGBoost and LightGBM with 300 rounds, histogram boosting, and explainable
boosting with outer_bags=4 (its default takes minutes), on the folds that `softwood reproduce auto -o DIR` leaves in
DIR/auto-rows. Libraries that are not there are left out. --methods: only these of them, as explainable boosting takes
hours where there are many classes.
Lines of sets, runs and methods that are not run are kept as they are in the file.
"""
import argparse
import csv
import pathlib
import sys
import time
import warnings

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import roc_auc_score
from xgboost import XGBClassifier, XGBRegressor

SETS = (
    "abalone add10 boston california_housing comp_activ concrete puma8fh puma8fm puma8nh puma8nm "
    "breast_wisc german_credit_numeric magic musk2 pima polyadenylation ringnorm satellite47 "
    "spambase twonorm"
).split()
FIELDS = ["experiment", "set", "run", "method", "figure", "value"]


def read_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [list(column) for column in zip(*rows[1:])]


def as_numbers(column):
    return np.array([float(cell) if cell not in ("", "?") else np.nan for cell in column])


def encode(column):
    """A numeric column as it is; a nominal one as one indicator a level."""
    try:
        return [as_numbers(column)]
    except ValueError:
        return [np.array([cell == level for cell in column], float) for level in sorted(set(column))]


def is_numeric(column):
    try:
        as_numbers(column)
    except ValueError:
        return False
    return True


def read_set(data, name):
    _, columns = read_columns(data / f"{name}.csv")
    x = np.column_stack([part for column in columns[:-1] for part in encode(column)])
    target = columns[-1]
    distinct = sorted(set(target))
    if len(distinct) <= 10 or not is_numeric(target):
        return x, np.array([distinct.index(cell) for cell in target]), True
    return x, as_numbers(target), False


def forest(classes, trees, seed):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    # Regression forests try a third of the inputs at a node, as Breiman 2001 and R do.
    features = "sqrt" if classes else 1 / 3
    return kind(trees, max_features=features, random_state=seed, n_jobs=1)


def figures(model, x, y, classes, prefix=""):
    answers = model.predict(x)
    if classes:
        return {prefix + "error": float(np.mean(answers != y))}
    return {prefix + "nmse": float(np.mean((answers - y) ** 2) / np.var(y))}


def probability_figures(model, x, y):
    """For two classes, as docs/reference/measures.md defines them."""
    second = model.predict_proba(x)[:, 1]
    of_truth = np.clip(np.where(y == 1, second, 1 - second), 1e-15, 1)
    return {"logloss": float(-np.mean(np.log(of_truth))), "brier": float(2 * np.mean((second - y) ** 2)),
            "auc": float(roc_auc_score(y, second))}


def timed_fit(model, x, y):
    start = time.process_time()
    model.fit(x, y)
    return {"fit_seconds": time.process_time() - start}


def soft_trees(data, name, runs):
    x, y, classes = read_set(data, name)
    _, folds = read_columns(data / "splits" / f"{name}.csv")
    run = 0
    for repeat in folds:
        fold = np.array([int(cell) for cell in repeat])
        # The validation half comes in the order of its number, as in `softwood cv --folds`.
        for validation in (1, 2):
            run += 1
            if run > runs:
                return
            train, held, test = fold == 3 - validation, fold == validation, fold == 0
            for method, rows in (("forest-half", train), ("forest-both", train | held)):
                model = forest(classes, 300, run)
                found = timed_fit(model, x[rows], y[rows])
                found |= figures(model, x[test], y[test], classes)
                if rows is train:
                    found |= figures(model, x[held], y[held], classes, "validation_")
                for figure, value in found.items():
                    yield "soft-trees", name, run, method, figure, value


def magic(data, splits):
    x, y, _ = read_set(data, "magic")
    for run, split in enumerate(read_columns(splits)[1], 1):
        test = np.array([int(cell) for cell in split]) == 0
        for method, model in (("forest-500", forest(True, 500, run)),
                              ("xgboost-300", XGBClassifier(n_estimators=300, n_jobs=1, random_state=run))):
            found = timed_fit(model, x[~test], y[~test]) | figures(model, x[test], y[test], True)
            found |= probability_figures(model, x[test], y[test])
            for figure, value in found.items():
                yield "magic", "magic", run, method, figure, value


def ensembles(classes, seed):
    """Name and model of every peer of `auto`."""
    yield "forest-300", forest(classes, 300, seed)
    extra = ExtraTreesClassifier if classes else ExtraTreesRegressor
    yield "extra-trees-300", extra(300, random_state=seed, n_jobs=1)
    boosted = XGBClassifier if classes else XGBRegressor
    yield "xgboost-300", boosted(n_estimators=300, n_jobs=1, random_state=seed)
    histogram = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    yield "histogram-boosting", histogram(random_state=seed)
    try:
        from lightgbm import LGBMClassifier, LGBMRegressor

        light = LGBMClassifier if classes else LGBMRegressor
        yield "lightgbm-300", light(n_estimators=300, n_jobs=1, random_state=seed, verbose=-1)
    except ImportError:
        pass
    try:
        from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

        explainable = ExplainableBoostingClassifier if classes else ExplainableBoostingRegressor
        yield "explainable-boosting", explainable(outer_bags=4, n_jobs=1, random_state=seed)
    except ImportError:
        pass


def class_figures(model, x, y, classes):
    """Log-loss and AUC for any number of classes, as docs/reference/measures.md defines them."""
    shares = np.zeros((len(y), classes))
    shares[:, model.classes_] = model.predict_proba(x)
    of_truth = np.clip(shares[np.arange(len(y)), y], 1e-15, 1)
    areas = [roc_auc_score(y == k, shares[:, k]) for k in ([1] if classes == 2 else range(classes))
             if 0 < np.sum(y == k) < len(y)]
    return {"logloss": float(-np.mean(np.log(of_truth))), "auc": float(np.mean(areas))}


def filled_by(x, train):
    """Cells without a value get the median of the training rows, 0 where these have none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value
        medians = np.nan_to_num(np.nanmedian(x[train], axis=0))
    return np.where(np.isnan(x), medians, x)


def auto(data, name, rows, runs, methods):
    x, y, classes = read_set(data, name)
    fold = np.array([int(cell) for cell in read_columns(rows / f"{name}.csv")[1][0]])
    for run in range(1, min(runs, fold.max()) + 1):
        test, train = fold == run, (fold != run) & (fold != 0)
        filled = filled_by(x, train)
        for method, model in ensembles(classes, run):
            if methods and method not in methods:
                continue
            # Extra trees and explainable boosting get no cells without a value.
            own = filled if method in ("extra-trees-300", "explainable-boosting") else x
            known, codes = np.unique(y[train], return_inverse=True) if classes else (None, y[train])
            try:
                found = timed_fit(model, own[train], codes)
            except ValueError as error:  # histogram boosting divides its rows and wants two of each class
                print(f"{name}, run {run}: no {method}: {error}", file=sys.stderr)
                continue
            if classes:
                answers = known[np.asarray(model.predict(own[test]), int)]
                found["error"] = float(np.mean(answers != y[test]))
                if len(known) == y.max() + 1:
                    found |= class_figures(model, own[test], y[test], len(known))
            else:
                found |= figures(model, own[test], y[test], classes)
            for figure, value in found.items():
                yield "auto", name, run, method, figure, value


def replace_lines(path, made):
    kept = []
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            kept = list(csv.reader(file))[1:]
    mine = {(*line[:2], str(line[2]), line[3]) for line in made}
    kept = [line for line in kept if tuple(line[:4]) not in mine]
    kept += [[*map(str, line[:-1]), f"{line[-1]:.6g}"] for line in made]
    kept.sort(key=lambda line: (*line[:2], *line[3:5], int(line[2])))
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([FIELDS] + kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", help="default: all")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(__file__).with_name("peers.csv"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--magic", type=pathlib.Path, help="file of splits")
    parser.add_argument("--auto", type=pathlib.Path, help="folder of folds")
    parser.add_argument("--methods", type=lambda text: text.split(","), help="with --auto: only these, with commas between")
    options = parser.parse_args()
    if options.magic:
        replace_lines(options.output, list(magic(options.data, options.magic)))
    if options.auto:
        for name in options.sets or sorted(path.stem for path in options.auto.glob("*.csv")):
            replace_lines(options.output, list(auto(options.data, name, options.auto, options.runs, options.methods)))
        return
    for name in options.sets or ([] if options.magic else SETS):
        replace_lines(options.output, list(soft_trees(options.data, name, options.runs)))


if __name__ == "__main__":
    main()
