#!/usr/bin/env python3
"""Path-dependent Shapley values on one core: Softwood and shap's TreeExplainer for the same trees; prints a table.

Usage: PYTHONPATH=build/release/python build/peers-env/bin/python bench/explain.py [--rows N] [--repeats N]

`make bench-explain` builds and installs what it needs: the Python package and shap. The trees are grown by Softwood on
generated numbers, and handed to shap node by node. The values of both are compared before the clock starts. Seconds are
processor time; the best of the repeats counts.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import shap

import softwood
from report import machine, machine_text

INPUTS = 12


def data(rows):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, INPUTS))
    score = x[:, 0] + x[:, 1] * x[:, 2] + np.abs(x[:, 3]) + 0.5 * x[:, 4:].sum(axis=1) + random.normal(size=rows)
    return x, score


def shap_explainer(model):
    """The tree of a regression model as shap takes it."""
    arrays, nodes = model._core.threshold_arrays(), model._core.node_arrays()
    tree = {
        "children_left": arrays["children_left"],
        "children_right": arrays["children_right"],
        "children_default": arrays["children_right"],
        "features": arrays["feature"],
        "thresholds": arrays["threshold"],
        "values": nodes["answers"],
        "node_sample_weight": nodes["weight"],
    }
    return shap.TreeExplainer({"trees": [tree]}, feature_perturbation="tree_path_dependent")


def best(repeats, work):
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    x, y = data(20000)
    rows = x[: arguments.rows]
    columns = {f"x{f}": rows[:, f] for f in range(INPUTS)}
    print(f"{'depth':>5} {'leaves':>6} {'softwood rows/s':>16} {'shap rows/s':>12} {'ratio':>6}")
    for depth in (4, 6, 8, 10, 12):
        training = {f"x{f}": x[:, f] for f in range(INPUTS)} | {"y": y}
        model = softwood.train(training, target="y", recipe=f"grow max-depth={depth} min-leaf=5")
        explainer = shap_explainer(model)
        ours, theirs = model.explain(columns, threads=1).values, explainer.shap_values(rows, check_additivity=False)
        assert np.abs(ours - np.reshape(theirs, ours.shape)).max() < 1e-9
        fast = best(arguments.repeats, lambda: model.explain(columns, threads=1))
        slow = best(arguments.repeats, lambda: explainer.shap_values(rows, check_additivity=False))
        print(
            f"{depth:5} {model.leaves:6} {len(rows) / fast:16,.0f} {len(rows) / slow:12,.0f} {slow / fast:6.1f}",
            flush=True,
        )
    print(f"{len(rows)} rows, {INPUTS} inputs, one thread. {machine_text(machine(), load)}")


if __name__ == "__main__":
    main()
