#!/usr/bin/env python3
"""Measures the Python package beside scikit-learn and the program, in one run on one machine.

    make python
    PYTHONPATH=build/release/python build/python-env/bin/python bench/python.py [--rows 1000000]

Prints the tables of docs/evidence/benchmarks.md: growing by layout of the data, prediction, one row,
import time and size. Times are the best of the repeats.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "build" / "release" / "softwood"


def best(work, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def make_rows(rows, columns=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 1, rows) > 0).astype(int)
    return X, y


def layouts(X):
    import pandas
    import polars
    import pyarrow

    names = [f"x{i}" for i in range(X.shape[1])]
    frame = pandas.DataFrame(np.asfortranarray(X), columns=names)
    return {
        "C order": X,
        "Fortran order": np.asfortranarray(X),
        "pandas": frame,
        "polars": polars.from_pandas(frame),
        "pyarrow": pyarrow.Table.from_pandas(frame, preserve_index=False),
    }


def program_seconds(X, y, recipe, repeats):
    """Growing alone, of the program on the same rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        header = ",".join([f"x{i}" for i in range(X.shape[1])] + ["y"])
        np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.17g")
        command = [PROGRAM, "train", path, "--recipe", recipe, "--threads", "1", "--quiet", "--json", "-o", os.devnull]
        found = [json.loads(subprocess.check_output(command))["seconds"]["grow"] for _ in range(repeats)]
    return min(found)


def fits(X, y, repeats):
    from sklearn.tree import DecisionTreeClassifier

    from softwood import TreeClassifier

    for depth in (10, None):
        recipe = "grow" if depth is None else f"grow max-depth={depth}"
        growing = program_seconds(X, y, recipe, repeats)
        theirs = best(lambda: DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y), 1)
        print(f"\nfit, depth {depth or 'unlimited'}: program grows in {growing:.2f} s, scikit-learn {theirs:.2f} s")
        for name, table in layouts(X).items():
            ours = best(lambda: TreeClassifier(recipe=recipe).fit(table, y), repeats)
            print(f"  {name:14} {ours:7.2f} s  {ours / growing:5.2f} times the program  {theirs / ours:5.1f} times faster")


def predictions(X, y, repeats):
    from sklearn.tree import DecisionTreeClassifier

    from softwood import TreeClassifier

    ours = TreeClassifier(recipe="grow max-depth=10").fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=10, random_state=0).fit(X, y)
    print("\npredict, depth 10, C order")
    for method in ("predict", "predict_proba"):
        mine = best(lambda: getattr(ours, method)(X), repeats)
        other = best(lambda: getattr(theirs, method)(X), repeats)
        print(f"  {method:14} {mine:7.3f} s  scikit-learn {other:7.3f} s  {other / mine:5.1f} times faster")
    row = X[:1].copy()
    calls = 2000
    for name, tree in (("softwood", ours), ("scikit-learn", theirs)):
        seconds = best(lambda: [tree.predict(row) for _ in range(calls)], 3) / calls
        print(f"  one row, {name:12} {1e6 * seconds:6.1f} us")
    model = ours.model_
    seconds = best(lambda: [model.predict(row) for _ in range(calls)], 3) / calls
    print(f"  one row, Model        {1e6 * seconds:6.1f} us")


def imports():
    code = "import numpy, time; t = time.perf_counter(); import softwood; print(time.perf_counter() - t)"
    seconds = min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))
    print(f"\nimport softwood after NumPy: {1000 * seconds:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    X, y = make_rows(arguments.rows)
    print(f"{X.shape[0]} x {X.shape[1]} rows of float64, 1 thread, best of {arguments.repeats}")
    fits(X, y, arguments.repeats)
    predictions(X, y, arguments.repeats)
    imports()


if __name__ == "__main__":
    main()
