#!/usr/bin/env python3
"""Times the peers on one machine and prints one JSON object.

Usage: build/peers-env/bin/python bench/peers.py --work DIR [--rows N] [--reps N] [--r-reps N]
                                                 [--only ITEM,...]
scripts/peers-env makes the environment; rpart needs Rscript. --only takes names of items or their
beginnings (`--only sklearn,pandas`); `--only data` makes the data alone.

Files made in DIR (and used again when the row count is the same), from a fixed seed:
  bench.csv      N x 20 numeric inputs x0..x19, then `class` (0 or 1)        (N = 1 000 000)
  bench_reg.csv  the same inputs, then the numeric `target`
  bench_mid.csv  the first N / 10 rows of bench.csv
  *.f64          the same columns as raw doubles, one column after the other, the class last

Keys of the object:
  rows, cpus, load      row count, number of processors, load average when the run began
  versions              of each peer
  items.NAME            one object an item; every item runs in a process of its own
    seconds             best wall-clock time of the repetitions
    cpu_seconds         processor time of that repetition, over all threads
    all_seconds         every repetition
    threads             threads the peer may use
    peak_kib            peak resident memory of the whole process
    data_kib            peak resident memory before the first repetition: libraries and data
    train_accuracy      fits of a class; share of the training rows classified correctly
    train_mse           fits of a number; mean square error on the training rows
    leaves, depth       size of the tree
    rows                rows it worked on

Items (1 thread unless said):
  sklearn_fit_depth10, sklearn_fit_unlimited           DecisionTreeClassifier, gini
  sklearn_fit_reg_depth10, sklearn_fit_reg_unlimited   DecisionTreeRegressor, squared_error
  sklearn_predict                                      depth-10 class tree, all rows
  lightgbm_one_tree, xgboost_hist_one_tree             depth 10, 1024 leaves, 255 bins, 2 threads,
                                                       binning included
  lightgbm_predict                                     that tree, all rows, 2 threads
  pandas_read_csv, pandas_read_csv_1thread             C engine, bench.csv, 2 threads and 1
  duckdb_read_csv                                      into a table in memory, 2 threads, bench.csv
  rpart_fit_depth10, rpart_fit_unlimited               gini, cp 0, minsplit 2, minbucket 1, no
                                                       competitors or surrogates, maxdepth 10 / 30
  rpart_cv                                             bench_mid, cp 0, minsplit 20, xval 10
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

COLUMNS = 20
SEED = 20240131
RECIPE = 1  # to be raised when the generated data change
HERE = pathlib.Path(__file__).resolve().parent


# --- data ----------------------------------------------------------------------------------------

def generate(work, rows):
    """Writes the data files: noisy labels over a smooth, stepped and interacting function."""
    import duckdb
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(SEED)
    x = np.empty((COLUMNS, rows))
    common = rng.normal(size=rows)
    for j in range(COLUMNS):
        if j < 8:  # correlated normal inputs
            x[j] = 0.5 * common + rng.normal(size=rows)
        elif j < 13:  # uniform
            x[j] = rng.uniform(-1, 1, size=rows)
        elif j < 16:  # skewed
            x[j] = rng.lognormal(sigma=0.8, size=rows)
        else:  # counts, with many equal values
            x[j] = rng.poisson(2 + 3 * (j - 16), size=rows)
    x = x.round(5)
    score = (np.sin(2 * x[0]) + x[1] * x[2] / 2 + 1.5 * (x[8] > 0.2) * x[3] - np.abs(x[4])
             + np.log(x[13]) * x[9] + 0.2 * x[16] * (x[10] > 0) - 0.1 * x[17] + 0.5 * x[11] ** 2)
    target = (score + rng.normal(scale=0.7, size=rows)).round(5)
    label = (target > np.median(target)) ^ (rng.uniform(size=rows) < 0.05)
    names = [f"x{j}" for j in range(COLUMNS)]
    frame = pd.DataFrame({name: x[j] for j, name in enumerate(names)})
    mid = rows // 10
    link = duckdb.connect()
    for stem, column, values, count in (("bench", "class", label.astype(int), rows),
                                        ("bench_reg", "target", target, rows),
                                        ("bench_mid", "class", label.astype(int), mid)):
        table = frame[:count].assign(**{column: values[:count]})
        link.register("t", table)
        link.execute("COPY (SELECT * FROM t) TO ? (FORMAT csv, HEADER)",
                     [str(work / f"{stem}.csv")])
        with open(work / f"{stem}.f64", "wb") as out:
            for name in table.columns:
                table[name].to_numpy().astype("<f8").tofile(out)


def ensure_data(work, rows):
    stamp = work / "bench_data.json"
    wanted = {"rows": rows, "columns": COLUMNS, "seed": SEED, "recipe": RECIPE}
    if stamp.exists() and json.loads(stamp.read_text()) == wanted:
        return
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, __file__, "--work", str(work), "--rows", str(rows),
                    "--item", "data"], check=True)
    stamp.write_text(json.dumps(wanted))


def load(work, stem, rows):
    """Inputs as float32 in row order, as scikit-learn wants them, and the target."""
    import numpy as np

    x = np.empty((rows, COLUMNS), dtype=np.float32)
    with open(work / f"{stem}.f64", "rb") as file:
        for j in range(COLUMNS):
            x[:, j] = np.fromfile(file, dtype="<f8", count=rows)
        y = np.fromfile(file, dtype="<f8", count=rows)
    return x, y


# --- timing --------------------------------------------------------------------------------------

def peak_kib():
    import resource
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(reps, work):
    """Repeats work() and returns its times with its last result."""
    before, runs = peak_kib(), []
    for _ in range(reps):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        runs.append((time.perf_counter() - wall, time.process_time() - cpu))
    best = min(runs)
    return {"seconds": best[0], "cpu_seconds": best[1], "all_seconds": [run[0] for run in runs],
            "data_kib": before, "peak_kib": peak_kib()}, result


def sklearn_item(name, work, rows, reps):
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    regression = "_reg_" in name
    x, y = load(work, "bench_reg" if regression else "bench", rows)
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    depth = None if name.endswith("unlimited") else 10

    def fit():
        return kind(max_depth=depth, random_state=0).fit(x, y)

    if name == "sklearn_predict":
        model = fit()
        times, guess = measure(reps, lambda: model.predict(x))
    else:
        times, model = measure(reps, fit)
        guess = model.predict(x)
    quality = {"train_mse": float(((guess - y) ** 2).mean())} if regression else \
        {"train_accuracy": float((guess == y).mean())}
    return {**times, **quality, "leaves": int(model.get_n_leaves()),
            "depth": int(model.get_depth()), "threads": 1}


def lightgbm_item(name, work, rows, reps):
    import lightgbm as lgb

    x, y = load(work, "bench", rows)
    settings = {"objective": "binary", "max_depth": 10, "num_leaves": 1024, "max_bin": 255,
                "num_threads": 2, "verbose": -1}

    def fit():
        return lgb.train(settings, lgb.Dataset(x, y), num_boost_round=1)

    if name == "lightgbm_predict":
        model = fit()
        times, guess = measure(reps, lambda: model.predict(x, num_threads=2))
    else:
        times, model = measure(reps, fit)
        guess = model.predict(x, num_threads=2)
    tree = model.dump_model()["tree_info"][0]
    return {**times, "train_accuracy": float(((guess > 0.5) == y).mean()),
            "leaves": tree["num_leaves"], "threads": 2}


def xgboost_item(name, work, rows, reps):
    import xgboost as xgb

    x, y = load(work, "bench", rows)
    settings = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 10,
                "max_leaves": 1024, "max_bin": 255, "nthread": 2}

    def fit():
        return xgb.train(settings, xgb.DMatrix(x, y, nthread=2), 1)

    times, model = measure(reps, fit)
    guess = model.inplace_predict(x)
    leaves = sum(line.count("leaf=") for line in model.get_dump())
    return {**times, "train_accuracy": float(((guess > 0.5) == y).mean()), "leaves": leaves,
            "threads": 2}


def csv_item(name, work, rows, reps):
    path = str(work / "bench.csv")
    if name.startswith("pandas"):
        import pandas as pd
        threads = 1 if name.endswith("1thread") else 2
        pd.set_option("mode.max_threads", threads)  # since 3.1 the C engine is parallel by default
        times, table = measure(reps, lambda: pd.read_csv(path, engine="c"))
        assert table.shape == (rows, COLUMNS + 1)
        return {**times, "threads": threads}
    import duckdb
    link = duckdb.connect()
    link.execute("SET threads = 2")
    times, _ = measure(reps, lambda: link.execute(
        "CREATE OR REPLACE TABLE t AS SELECT * FROM read_csv(?)", [path]))
    assert link.execute("SELECT count(*) FROM t").fetchone() == (rows,)
    return {**times, "threads": 2}


ITEMS = {
    "sklearn_fit_depth10": sklearn_item, "sklearn_fit_unlimited": sklearn_item,
    "sklearn_fit_reg_depth10": sklearn_item, "sklearn_fit_reg_unlimited": sklearn_item,
    "sklearn_predict": sklearn_item,
    "lightgbm_one_tree": lightgbm_item, "xgboost_hist_one_tree": xgboost_item,
    "lightgbm_predict": lightgbm_item,
    "pandas_read_csv": csv_item, "pandas_read_csv_1thread": csv_item, "duckdb_read_csv": csv_item,
    "rpart_fit_depth10": None, "rpart_fit_unlimited": None, "rpart_cv": None,
}


# --- the run -------------------------------------------------------------------------------------

def run_item(name, args):
    rows = args.rows // 10 if name == "rpart_cv" else args.rows
    if name.startswith("rpart"):
        command = ["Rscript", "--vanilla", str(HERE / "rpart_bench.R"), name, str(args.work),
                   str(rows), str(COLUMNS), str(args.r_reps)]
    else:
        command = [sys.executable, __file__, "--work", str(args.work), "--rows", str(rows),
                   "--reps", str(args.reps), "--item", name]
    print(f"peers: {name}", file=sys.stderr)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return {"error": f"exit status {done.returncode}"}
    return {**json.loads(done.stdout.splitlines()[-1]), "rows": rows}


def versions():
    from importlib.metadata import version
    found = {name: version(name) for name in ("scikit-learn", "numpy", "pandas", "lightgbm",
                                              "xgboost-cpu", "duckdb")}
    try:
        found["rpart"] = subprocess.run(
            ["Rscript", "-e", "cat(as.character(packageVersion('rpart')))"],
            capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        found["rpart"] = None
    return found


def main():
    parser = argparse.ArgumentParser(description="Times the peers; see the top of the file.")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--r-reps", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--item", help="for the script's own use: do one item in this process")
    args = parser.parse_args()
    if args.item == "data":
        return generate(args.work, args.rows)
    if args.item:
        return print(json.dumps(ITEMS[args.item](args.item, args.work, args.rows, args.reps)))
    only = tuple(args.only.split(",")) if args.only else ("",)
    result = {"rows": args.rows, "cpus": os.cpu_count(), "load": os.getloadavg()[0],
              "versions": versions(), "items": {}}
    ensure_data(args.work, args.rows)
    for name in ITEMS:
        if name.startswith(only):
            result["items"][name] = run_item(name, args)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
