"""Grows scikit-learn's trees on one data set and writes them as a record.

Usage: sklearn_trees.py DATA.csv classification|regression OUT.json

Only the numeric inputs are used, and only rows in which all of them are present.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np
import pandas as pd
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

MAX_BYTES = 700 * 1024
FIRST_ROWS = 2000  # for unpruned trees whose record would be too large
ENTROPY_SETS = {"iris", "wine", "pima", "vehicle", "spambase", "letter", "page_blocks", "breast_wisc"}
LIMITS = {"max_depth": 4, "min_samples_leaf": 20}


def load(path):
    """The numeric inputs (float64, NaN = missing) and the target as strings."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    names, columns = [], []
    for name in table.columns[:-1]:
        text = table[name]
        try:
            # float() rounds correctly; pandas' own fast parser may be off by one unit.
            columns.append([float(cell) if cell else np.nan for cell in text])
            names.append(name)
        except ValueError:
            pass  # a nominal input
    return names, np.array(columns).T, table.iloc[:, -1].to_numpy()


def grow(task, criterion, limits, x, y):
    kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
    model = kind(criterion=criterion, random_state=0, **limits).fit(x, y)
    tree = model.tree_
    n, impurity = tree.n_node_samples, tree.impurity
    left, right = tree.children_left, tree.children_right
    decrease = np.zeros(tree.node_count)
    for i in np.flatnonzero(left >= 0):
        l, r = left[i], right[i]
        decrease[i] = impurity[i] - n[l] / n[i] * impurity[l] - n[r] / n[i] * impurity[r]
    record = {
        "call": repr(model),
        "criterion": criterion,
        **{key: limits.get(key) for key in LIMITS},
        "rows": len(x),
        "depth": int(tree.max_depth),
        "feature": tree.feature.tolist(),
        "threshold": tree.threshold.tolist(),
        "left": left.tolist(),
        "right": right.tolist(),
        "n_node_samples": n.tolist(),
        "impurity": impurity.tolist(),
        "decrease": decrease.tolist(),
    }
    if limits:
        if task == "classification":
            counts = np.rint(tree.value[:, 0, :] * n[:, None]).astype(int)
            record["value"] = counts.tolist()
        else:
            record["value"] = tree.value[:, 0, 0].tolist()
    return record


def compact(record):
    return json.dumps(record, separators=(",", ":"), allow_nan=False)


def main():
    path, task, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    name = path.stem
    inputs, x, y = load(path)
    out.unlink(missing_ok=True)
    if not inputs:
        print(f"sklearn {name}: no numeric input, left out", file=sys.stderr)
        return
    complete = ~np.isnan(x).any(axis=1)
    x, y = x[complete].astype(np.float32), y[complete]
    classes = None
    if task == "classification":
        classes, y = np.unique(y.astype(str), return_inverse=True)
        criteria = ["gini"] + ["entropy"] * (name in ENTROPY_SETS)
    else:
        y = np.array([float(cell) for cell in y])
        criteria = ["squared_error"]

    record = {
        "peer": "scikit-learn",
        "version": sklearn.__version__,
        "data": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "task": task,
        "inputs": inputs,
        "complete_rows_only": not bool(complete.all()),
        "classes": None if classes is None else classes.tolist(),
    }
    # Full rows first; the first FIRST_ROWS rows if that makes too large a file.
    for rows in (len(x), FIRST_ROWS):
        record["trees"] = []
        for criterion in criteria:
            record["trees"].append(grow(task, criterion, {}, x[:rows], y[:rows]))
            record["trees"].append(grow(task, criterion, LIMITS, x, y))
        text = compact(record) + "\n"
        if len(text) <= MAX_BYTES:
            break
    else:
        raise SystemExit(f"sklearn {name}: record of {len(text)} bytes is too large")
    out.write_text(text)
    nodes = [len(tree["feature"]) for tree in record["trees"]]
    print(f"sklearn {name}: {rows} rows unpruned, nodes {nodes}, {len(text)} bytes")


if __name__ == "__main__":
    main()
