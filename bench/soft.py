#!/usr/bin/env python3
"""Training of soft-refined beside a forest and boosting: Softwood and its peers in turns; prints one table.

Usage: build/peers-env/bin/python bench/soft.py [--rows 1000,4000,16000] [--columns 10] [--classes] [--large | --predict]

Needs build/release/softwood and build/peers-env (`make bench-soft-fits` makes both). Rows are drawn evenly, the target is
that of Friedman 1991 (five of the inputs count) with noise, or whether it is above its median. All have two threads:
RandomForest(300), XGBoost(300) and LightGBM(300) with their defaults. CPU seconds are those of a process of its own that
trains and answers 10 000 other rows; a start of the peers' interpreter with its imports is measured and taken off. The
last columns are the squared error as a share of the variance, or the share of wrong classes, for those rows. --large
trains 100 000 x 10 and 1 000 000 x 20, Softwood alone. --predict compares the prediction of a soft tree of 64 leaves with
that of XGBoost(300): 1 000 000 rows in memory, by the Python packages, the best of five in turns; it needs PYTHONPATH of
the package (`make bench-soft-fits` sets it).
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy

from report import ROOT, table_text

PROGRAM = ROOT / "build/release/softwood"
OTHERS = 10_000
PEERS = ("RandomForest", "XGBoost", "LightGBM")


def friedman(rows, columns, seed, classes):
    random = numpy.random.default_rng(seed)
    x = random.uniform(size=(rows, columns))
    y = (10 * numpy.sin(numpy.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
         + random.normal(size=rows))
    return x, (y > 14.4).astype(int) if classes else y


def peer_model(name, classes):
    if name == "RandomForest":
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
        return (RandomForestClassifier if classes else RandomForestRegressor)(300, n_jobs=2, random_state=1)
    if name == "XGBoost":
        import xgboost
        return (xgboost.XGBClassifier if classes else xgboost.XGBRegressor)(n_estimators=300, n_jobs=2)
    import lightgbm
    return (lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor)(n_estimators=300, n_jobs=2, verbose=-1)


def run_peer(name, rows, columns, classes):
    """In a process of its own: prints the loss for the other rows; without rows it only starts."""
    model = peer_model(name, classes)
    if rows == 0:
        return
    model.fit(*friedman(rows, columns, 1, classes))
    x, y = friedman(OTHERS, columns, 2, classes)
    print(loss(model.predict(x), y, classes))


def loss(answers, y, classes):
    return float(numpy.mean(answers != y) if classes else numpy.mean((answers - y) ** 2) / numpy.var(y))


def cpu(command):
    """CPU seconds, wall seconds, peak MiB and standard output of a process."""
    before, start = os.times(), os.times().elapsed
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    after = os.times()
    if done.returncode:
        sys.exit(f"{command[0]} failed")
    used = after.children_user - before.children_user + after.children_system - before.children_system
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return used, after.elapsed - start, peak, done.stdout


def softwood(folder, rows, columns, classes):
    for name, count, seed in (("train", rows, 1), ("others", OTHERS, 2)):
        x, y = friedman(count, columns, seed, classes)
        header = ",".join([f"x{i}" for i in range(columns)] + ["y"])
        numpy.savetxt(folder / f"{name}.csv", numpy.column_stack([x, y]), delimiter=",", header=header, comments="",
                      fmt="%.9g")
    task = "classification" if classes else "regression"
    used, wall, peak, _ = cpu([PROGRAM, "train", folder / "train.csv", "--method", "soft-refined", "--task", task,
                               "--threads", 2, "--quiet", "-o", folder / "model.json"])
    cpu([PROGRAM, "predict", folder / "model.json", folder / "others.csv", "--quiet", "-o", folder / "answers.csv"])
    answers = numpy.loadtxt(folder / "answers.csv", delimiter=",", skiprows=1)
    return used, wall, peak, loss(answers, friedman(OTHERS, columns, 2, classes)[1], classes)


def compare(folder, rows, columns, classes):
    ours = softwood(folder, rows, columns, classes)
    line = [f"{rows} x {columns}", f"{ours[0]:.2f}", f"{ours[1]:.2f}"]
    losses = [f"{ours[3]:.4f}"]
    for name in PEERS:
        call = [sys.executable, __file__, "--peer", name, "--columns", columns, *(["--classes"] if classes else [])]
        start = cpu([*call, "--rows", 0])[0]
        used, _, _, text = cpu([*call, "--rows", rows])
        line.append(f"{used - start:.2f} ({ours[0] / (used - start):.1f})")
        losses.append(f"{float(text):.4f}")
    return line + losses


def predict(columns):
    """Seconds per million rows: probabilities of a soft tree of depth 6, and of XGBoost, by threads."""
    import time

    import softwood as package
    import xgboost
    x, y = friedman(4_000, columns, 1, True)
    tree = package.TreeClassifier(recipe="grow-soft shape=full depth=6 leaves=constant terms=linear map=none members=1")
    boosted = xgboost.XGBClassifier(n_estimators=300)
    many = numpy.asfortranarray(friedman(1_000_000, columns, 2, True)[0])
    rows = numpy.ascontiguousarray(many)
    tree.fit(x, y)
    boosted.fit(x, y)
    lines = []
    for threads in (1, 2):
        tree.set_params(n_jobs=threads)
        boosted.set_params(n_jobs=threads)
        best = [float("inf")] * 2
        for _ in range(5):
            for i, work in enumerate((lambda: tree.predict_proba(many), lambda: boosted.predict_proba(rows))):
                start = time.perf_counter()
                work()
                best[i] = min(best[i], time.perf_counter() - start)
        lines.append([str(threads), str(tree.get_n_leaves()), *(f"{s:.3f}" for s in best), f"{best[1] / best[0]:.2f}"])
    print(table_text(["threads", "leaves", "soft tree s", "XGBoost s", "times faster"], lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", default="1000,4000,16000")
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--classes", action="store_true", help="two classes instead of a number")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        run_peer(options.peer, int(options.rows), options.columns, options.classes)
        return
    if options.predict:
        predict(options.columns)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.large:
            lines = []
            for rows, columns in ((100_000, 10), (1_000_000, 20)):
                used, wall, peak, lost = softwood(folder, rows, columns, options.classes)
                lines.append([f"{rows} x {columns}", f"{used:.1f}", f"{wall:.1f}", f"{peak:.0f}", f"{lost:.4f}"])
            print(table_text(["rows x inputs", "CPU s", "wall s", "peak MiB", "loss"], lines))
            return
        lines = [compare(folder, int(rows), options.columns, options.classes) for rows in options.rows.split(",")]
    print(table_text(["rows x inputs", "soft-refined CPU s", "wall s", *(f"{name} CPU s (times)" for name in PEERS),
                      "loss", *(f"{name}'s" for name in PEERS)], lines))


if __name__ == "__main__":
    main()
