"""Every greedy method beside rpart, J48, partykit's ctree and scikit-learn on the same ten folds.

Usage: build/peers-env/bin/python bench/methods.py [--data DIR] [--sets a,b] [--methods a,b]
       [--no-peers] [--write-doc] [--again] [--limit S]

Prints one table for classification (error in %) and one for regression (mean square error as a
share of the variance), means over the folds, with the leaves below; then the fit seconds. Folds are
stratified and drawn once from a fixed seed. Every figure is kept in build/bench/methods.json as soon as it
is there and not measured again (--again does), so a run may be ended and taken up later. rpart is grown in full and pruned by its 1-SE rule, J48
and ctree have their defaults, scikit-learn's tree is grown in full, as by default.
"""

import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "differential" / "peers"))
FOLDS = 10
SEED = 20260
CLASS_METHODS = ["id3", "cart", "c45", "ctree", "ldt", "oblique", "quadratic", "omnivariate"]
NUMBER_METHODS = {
    "cart": [],
    "ctree": [],
    "oblique": [],
    "quadratic": [],
    "cart+linear": ["--set", "grow.leaf=linear"],
    "ctree+linear": ["--set", "grow.leaf=linear"],
    "oblique+linear": ["--set", "grow.leaf=linear"],
    "quadratic+linear": ["--set", "grow.leaf=linear"],
}
CLASS_PEERS = ["rpart", "J48", "partykit", "scikit-learn"]
NUMBER_PEERS = ["rpart", "partykit", "scikit-learn"]
DOC = ROOT / "docs/evidence/comparison.md"
KEPT = ROOT / "build" / "bench" / "methods.json"


def read(path):
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def is_regression(rows):
    """The rule of the program: at most ten distinct whole numbers are classes."""
    try:
        values = {float(row[-1]) for row in rows}
    except ValueError:
        return False
    return not (len(values) <= 10 and all(value == int(value) for value in values))


def folds_of(rows, regression):
    """The fold (1 … 10) of each row; every class is dealt out evenly."""
    generator = random.Random(SEED)
    order = list(range(len(rows)))
    generator.shuffle(order)
    if not regression:
        order.sort(key=lambda i: rows[i][-1])  # stable: shuffled within a class
    folds = [0] * len(rows)
    for place, i in enumerate(order):
        folds[i] = place % FOLDS + 1
    return folds


def run_softwood(data, folds_file, method, settings, threads, limit):
    """Means over the folds; nothing when it takes longer than `limit` seconds."""
    command = [str(ROOT / "build/release/softwood"), "cv", str(data), "--method", method, *settings,
               "--folds-file", str(folds_file), "--threads", str(threads), "--json", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        print(f"given up after {limit} s: {' '.join(command)}", file=sys.stderr, flush=True)
        return None
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    result = json.loads(done.stdout)["methods"][0]
    figure = "error" if "error" in result else "nmse"
    return {name: result[source]["mean"] for name, source in
            [("error", figure), ("leaves", "leaves"), ("seconds", "fit_seconds")]}


def mean_of(results):
    return {key: statistics.fmean(result[key] for result in results) for key in results[0]}


def run_r(data, folds_file, task):
    text = subprocess.run(["Rscript", str(ROOT / "bench/methods_peers.R"), str(data),
                           str(folds_file), task], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        method, _, error, leaves, seconds = line.split(",")
        found.setdefault(method, []).append(
            {"error": float(error), "leaves": float(leaves), "seconds": float(seconds)})
    return found


def run_j48(data, folds):
    import j48_trees  # the way rows are written for Weka is the same as for the recorded trees

    rows = j48_trees.DataSet(data)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        train, test = pathlib.Path(folder, "train.arff"), pathlib.Path(folder, "test.arff")
        for fold in sorted(set(folds)):
            rows.write(train, lambda i: folds[i] != fold)
            rows.write(test, lambda i: folds[i] == fold)
            started = time.perf_counter()
            text = j48_trees.weka("weka.classifiers.trees.J48", "-t", str(train), "-T", str(test))
            seconds = time.perf_counter() - started
            part = text.split("Error on test data")[1]
            wrong = next(line for line in part.splitlines() if "Incorrectly" in line).split()
            leaves = next(line for line in text.splitlines() if "Number of Leaves" in line)
            results.append({"error": float(wrong[-2]) / 100, "leaves": float(leaves.split()[-1]),
                            "seconds": seconds})
    return results


def run_sklearn(header, rows, folds, regression):
    import numpy
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    columns = []
    for c in range(len(header) - 1):
        cells = [row[c] for row in rows]
        try:
            columns.append([float(cell) if cell else numpy.nan for cell in cells])
        except ValueError:
            codes = {level: i for i, level in enumerate(dict.fromkeys(cells))}
            columns.append([codes[cell] if cell else numpy.nan for cell in cells])
    x = numpy.array(columns, dtype=float).T
    y = numpy.array([float(row[-1]) for row in rows] if regression else [row[-1] for row in rows])
    folds = numpy.array(folds)
    results = []
    for fold in sorted(set(folds)):
        train, test = folds != fold, folds == fold
        kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
        started = time.perf_counter()
        tree = kind(random_state=0).fit(x[train], y[train])
        seconds = time.perf_counter() - started
        answer = tree.predict(x[test])
        error = numpy.mean((answer - y[test]) ** 2) if regression else numpy.mean(answer != y[test])
        results.append({"error": float(error), "leaves": float(tree.get_n_leaves()),
                        "seconds": seconds})
    return results


def make_relative(results, rows, folds):
    """Mean square errors as shares of the variance of each test part, as our nmse."""
    values = [float(row[-1]) for row in rows]
    for fold, result in zip(sorted(set(folds)), results):
        part = [value for value, of in zip(values, folds) if of == fold]
        result["error"] /= statistics.pvariance(part)


def run_set(path, options, kept):
    """The figures of all methods on one set: those that `kept` has not, are measured and put there."""
    header, rows = read(path)
    regression = is_regression(rows)
    folds = folds_of(rows, regression)
    methods = NUMBER_METHODS if regression else {method: [] for method in CLASS_METHODS}
    found = kept.setdefault(path.stem, {})

    def keep(name, figures):
        found[name] = figures
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1))

    with tempfile.TemporaryDirectory() as folder:
        folds_file = pathlib.Path(folder, "folds.csv")
        folds_file.write_text("fold\n" + "".join(f"{fold}\n" for fold in folds))
        for name, settings in methods.items():
            if name in found or (options.methods and name not in options.methods.split(",")):
                continue
            print(f"{path.stem}: {name}", file=sys.stderr, flush=True)
            figures = run_softwood(path, folds_file, name.split("+")[0], settings, options.threads,
                                   options.limit)
            if figures:
                keep(name, figures)
        wanted = set() if options.no_peers else set(NUMBER_PEERS if regression else CLASS_PEERS)
        if wanted - set(found):
            print(f"{path.stem}: peers", file=sys.stderr, flush=True)
            peers = run_r(path, folds_file, "regression" if regression else "classification")
            if not regression:
                peers["J48"] = run_j48(path, folds)
            peers["scikit-learn"] = run_sklearn(header, rows, folds, regression)
            for name, by_fold in peers.items():
                if regression:
                    make_relative(by_fold, rows, folds)
                keep(name, mean_of(by_fold))
    return regression, found


def table(title, results, columns, figure, form):
    columns = [column for column in columns if any(column in found for found in results.values())]
    width = max([len(name) for name in results] + [4]) + 2
    widths = [max(len(column), 7) for column in columns]
    lines = [title, "", "| " + "set".ljust(width) + "|" + "|".join(
        f" {column:>{w}} " for column, w in zip(columns, widths)) + "|",
        "|" + "-" * (width + 1) + "|" + "|".join("-" * (w + 1) + ":" for w in widths) + "|"]

    def line(name, values):
        cells = (f" {form(value) if value is not None else '-':>{w}} "
                 for value, w in zip(values, widths))
        lines.append("| " + name.ljust(width) + "|" + "|".join(cells) + "|")

    for name, found in results.items():
        line(name, [found[c][figure] if c in found else None for c in columns])
    whole = [found for found in results.values() if all(c in found for c in columns)]
    if whole:
        line("mean", [statistics.fmean(found[c][figure] for found in whole) for c in columns])
    return "\n".join(lines) + "\n"


def milliseconds(seconds):
    value = 1000 * seconds
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def report(results):
    parts = []
    for regression, columns, title, form in [
            (False, CLASS_METHODS + CLASS_PEERS, "Classification: error in %",
             lambda value: f"{100 * value:.2f}"),
            (True, list(NUMBER_METHODS) + NUMBER_PEERS,
             "Regression: mean square error as a share of the variance",
             lambda value: f"{value:.4f}")]:
        kind = {name: found for name, (numbers, found) in results.items() if numbers == regression}
        if not kind:
            continue
        parts.append(table(title, kind, columns, "error", form))
        parts.append(table("Leaves", kind, columns, "leaves", lambda value: f"{value:.1f}"))
        parts.append(table("Milliseconds for one fit with its pruning (Softwood: folds side by side on its threads)",
                           kind, columns, "seconds", milliseconds))
        for ours, peer in [("cart", "rpart"), ("ctree", "partykit")]:
            ratios = [found[peer]["seconds"] / found[ours]["seconds"] for found in kind.values()
                      if ours in found and peer in found]
            if ratios:
                parts.append(f"{peer} takes {statistics.median(ratios):.1f} times as long as {ours} "
                             f"(median over {len(ratios)} sets).\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--sets", help="names of sets, joined by commas; otherwise all")
    parser.add_argument("--methods", help="names of our methods; otherwise all")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--again", action="store_true", help="measure what is kept, too")
    parser.add_argument("--limit", type=float, default=1800,
                        help="seconds after which a method is given up on a set")
    parser.add_argument("--threads", type=int, default=2, help="of Softwood")
    parser.add_argument("--write-doc", action="store_true", help="put the tables into docs")
    options = parser.parse_args()
    # Small ones first, so that a run that is ended early has most of them.
    paths = sorted(pathlib.Path(options.data).glob("*.csv"), key=lambda path: path.stat().st_size)
    if options.sets:
        paths = [path for path in paths if path.stem in options.sets.split(",")]
    if not paths:
        print(f"skipped: there are no data sets in {options.data}")
        return
    kept = json.loads(KEPT.read_text()) if KEPT.exists() and not options.again else {}
    results = {path.stem: run_set(path, options, kept) for path in paths}
    text = report(dict(sorted(results.items())))
    print(text)
    if options.write_doc:
        head, _, rest = DOC.read_text().partition("<!-- tables -->")
        _, _, tail = rest.partition("<!-- /tables -->")
        DOC.write_text(f"{head}<!-- tables -->\n{text}<!-- /tables -->{tail}")


if __name__ == "__main__":
    main()
