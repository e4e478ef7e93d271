"""Fits, predicts, pickles, explains and exports in one process for a time, and prints its memory: it must not grow.

Usage: python bench/soak.py [--minutes 10] [--every 30], with the package on the path
"""
import argparse
import gc
import pickle
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import softwood
from softwood import AnnealedTreeClassifier, C45Classifier, CartClassifier, CartRegressor, EvolvedTreeClassifier


def resident():
    """Memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def estimators(seed):
    return [CartClassifier(random_state=seed), C45Classifier(), CartRegressor(random_state=seed),
            AnnealedTreeClassifier(patience=3), EvolvedTreeClassifier(generations=10, population=6, islands=1)]


def one_round(rng, folder, seed):
    """Everything once, on rows of a new size."""
    rows = int(rng.integers(200, 2000))
    X = rng.normal(size=(rows, 6))
    X[rng.random(X.shape) < 0.02] = np.nan
    classes = np.array(["no", "maybe", "yes"])[np.digitize(np.nan_to_num(X[:, 0]), [-0.5, 0.5])]
    for tree in estimators(seed):
        y = np.nan_to_num(X[:, 1]) if isinstance(tree, CartRegressor) else classes
        tree.fit(X, y)
        again = pickle.loads(pickle.dumps(tree))
        assert (again.predict(X) == tree.predict(X)).all()
        tree.explain(X[:20])
        tree.apply(X)
        for form in ("c", "python", "pmml", "sql"):
            try:
                tree.export(form, folder / "export")
            except softwood.Error:
                pass  # a tree that the format cannot express
        tree.save(folder / "tree.json")
        softwood.load(folder / "tree.json")
        str(tree.show())
        tree._repr_html_()
        try:
            type(tree)().fit(X, y[:-1])
        except ValueError:
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=30, help="seconds between two lines")
    parser.add_argument("--most-growth", type=float, default=20, help="MiB, from a fifth of the time on")
    given = parser.parse_args()
    rng = np.random.default_rng(1)
    began = time.monotonic()
    total, printed, rounds, lines = given.minutes * 60, -given.every, 0, []
    with tempfile.TemporaryDirectory() as folder:
        while (now := time.monotonic() - began) < total:
            one_round(rng, Path(folder), rounds)
            rounds += 1
            if now - printed >= given.every:
                printed = now
                gc.collect()
                lines.append((now, resident()))
                print(f"{now:6.0f} s  {rounds:5d} rounds  {lines[-1][1]:7.1f} MiB", flush=True)
    settled = [memory for at, memory in lines if at >= total / 5] or [lines[-1][1]]
    growth = settled[-1] - settled[0]
    print(f"{rounds} rounds, memory grew by {growth:.1f} MiB after the first fifth")
    return int(growth > given.most_growth)


if __name__ == "__main__":
    sys.exit(main())
