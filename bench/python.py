#!/usr/bin/env python3
"""Measures the Python package beside scikit-learn and the program, in one run on one machine.

    make bench-python
    PYTHONPATH=build/release/python build/python-env/bin/python bench/python.py [--rows 1000000]

Prints the tables of docs/evidence/benchmarks.md, section Python; --write-doc puts them there.
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
import report

PROGRAM = report.ROOT / "build/release/softwood"
WHEELS = report.ROOT / "build/wheel"
COLUMNS = 20
CELL = 8  # bytes
MIB = 1 << 20

# Most that the time of a fit may be of the program's growing.
LAYOUTS = {"C order": 1.4, "Fortran order": 1.15, "pandas": 1.15, "polars": 1.15, "pyarrow": 1.15}
DEPTHS = {"10": 10, "unlimited": None}
LEAST_FASTER_FIT, LEAST_FASTER_PREDICT = 15, 5
MOST_ROW, MOST_IMPORT, MOST_WHEEL = 20e-6, 0.150, 10e6


def make_rows(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 1, rows) > 0).astype(int)
    return X, y


def frame_of(X):
    import pandas

    return pandas.DataFrame(np.asfortranarray(X), columns=[f"x{i}" for i in range(X.shape[1])])


def in_layout(X, layout):
    if layout == "C order":
        return X
    if layout == "Fortran order":
        return np.asfortranarray(X)
    if layout == "pandas":
        return frame_of(X)
    if layout == "polars":
        import polars

        return polars.from_pandas(frame_of(X))
    import pyarrow

    return pyarrow.Table.from_pandas(frame_of(X), preserve_index=False)


# --- One measurement in a process of its own


def memory(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return 0


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure_fit(rows, layout, depth, repeats):
    """Seconds of the fastest fit and the most memory beyond what was there before."""
    if layout == "scikit-learn":
        from sklearn.tree import DecisionTreeClassifier

        def make():
            return DecisionTreeClassifier(max_depth=depth, random_state=0)
    else:
        from softwood import CartClassifier

        def make():
            return CartClassifier(ccp_alpha=0.0, max_depth=depth)

    X, y = make_rows(rows)
    make().fit(X[:100], y[:100])  # imports
    table = in_layout(X, layout if layout in LAYOUTS else "C order")
    del X
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
    before = memory("VmRSS")
    seconds = [timed(lambda: make().fit(table, y)) for _ in range(repeats)]
    return {"seconds": min(seconds), "bytes": memory("VmHWM") - before}


def child(*arguments):
    print("measuring:", *arguments, file=sys.stderr)
    command = [sys.executable, __file__, "--measure", json.dumps(arguments)]
    return json.loads(subprocess.check_output(command))


def measure_program(path, depth, rows):
    """The growing of the program alone, and its memory beyond the cells."""
    print("measuring: the program, depth", depth, file=sys.stderr)
    recipe = "grow" if depth is None else f"grow max-depth={depth}"
    command = [PROGRAM, "train", path, "--recipe", recipe, "--threads", "1", "--quiet", "--json", "-o", os.devnull]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        seconds = json.load(process.stdout)["seconds"]["grow"]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return {"seconds": seconds, "bytes": usage.ru_maxrss * 1024 - rows * (COLUMNS + 1) * CELL}


def least(measured):
    """The best of several measurements, part by part."""
    return {part: min(one[part] for one in measured) for part in measured[0]}


# --- Tables


def reached(value):
    return "yes" if value else "no"


def measure_in_turns(path, depth, rows, repeats):
    """The program and every layout, again and again: a busy minute of the machine meets them all."""
    rounds = [
        {"program": measure_program(path, depth, rows)}
        | {layout: child(rows, layout, depth, 2) for layout in LAYOUTS}
        for _ in range(repeats)
    ]
    return {name: least([measured[name] for measured in rounds]) for name in rounds[0]}


def fit_table(rows, repeats):
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        X, y = make_rows(rows)
        frame_of(X).assign(y=y).pipe(in_file, path)
        del X, y
        measured = {depth: measure_in_turns(path, limit, rows, repeats) for depth, limit in DEPTHS.items()}
    for depth, limit in DEPTHS.items():
        program = measured[depth]["program"]
        theirs = child(rows, "scikit-learn", limit, 1)
        for layout, most in LAYOUTS.items():
            ours = measured[depth][layout]
            ratio, faster = ours["seconds"] / program["seconds"], theirs["seconds"] / ours["seconds"]
            lacks = [
                name
                for name, fails in (
                    ("time", ratio > most),
                    ("speed", faster < LEAST_FASTER_FIT),
                    ("memory", ours["bytes"] > program["bytes"]),
                )
                if fails
            ]
            lines.append(
                [f"depth {depth}", layout, report.duration(program["seconds"]), report.duration(ours["seconds"]),
                 f"{ratio:.2f}", f"{most:g}", report.duration(theirs["seconds"]), f"{faster:.1f}",
                 f"{LEAST_FASTER_FIT}", f"{program['bytes'] / MIB:.0f}", f"{ours['bytes'] / MIB:.0f}",
                 "no: " + ", ".join(lacks) if lacks else "yes"]
            )  # fmt: skip
    head = ["fit", "layout", "program", "ours", "ratio", "at most", "sklearn", "faster", "at least", "program MiB",
            "our MiB", "reached"]  # fmt: skip
    return report.table_text(head, lines)


def in_file(frame, path):
    import polars

    polars.from_pandas(frame).write_csv(path)


def answer_table(rows, repeats):
    from sklearn.tree import DecisionTreeClassifier

    from softwood import CartClassifier

    X, y = make_rows(rows)
    ours = CartClassifier(ccp_alpha=0.0, max_depth=10).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=10, random_state=0).fit(X, y)
    lines = []
    for method in ("predict", "predict_proba"):
        mine = min(timed(lambda: getattr(ours, method)(X)) for _ in range(repeats))
        other = min(timed(lambda: getattr(theirs, method)(X)) for _ in range(repeats))
        lines.append([f"{method}, {rows} rows", report.duration(mine), report.duration(other), f"{other / mine:.1f}",
                      f"at least {LEAST_FASTER_PREDICT} times", reached(other >= LEAST_FASTER_PREDICT * mine)])  # fmt: skip
    row, calls = X[:1].copy(), 2000
    mine, other = (
        min(timed(lambda: [tree.predict(row) for _ in range(calls)]) for _ in range(repeats)) / calls
        for tree in (ours, theirs)
    )
    lines.append(["predict, one row", report.duration(mine), report.duration(other), f"{other / mine:.1f}",
                  f"at most {report.duration(MOST_ROW)}", reached(mine <= MOST_ROW)])  # fmt: skip
    return lines + [import_line(), wheel_line()]


def import_line():
    """Of the package and its estimators; NumPy and scikit-learn were imported before."""
    code = (
        "import numpy, sklearn.base, sklearn.utils.validation, sklearn.utils.multiclass, joblib, time\n"
        "t = time.perf_counter(); import softwood; softwood.CartClassifier; print(time.perf_counter() - t)"
    )
    seconds = min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))
    return ["import", report.duration(seconds), "-", "-", f"at most {report.duration(MOST_IMPORT)}",
            reached(seconds <= MOST_IMPORT)]  # fmt: skip


def wheel_line():
    wheels = list(WHEELS.glob("*.whl"))
    if not wheels:
        return ["wheel", "-", "-", "-", f"at most {MOST_WHEEL / 1e6:g} MB", "no: make wheel"]
    size = max(wheel.stat().st_size for wheel in wheels)
    return ["wheel", f"{size / 1e6:.1f} MB", "-", "-", f"at most {MOST_WHEEL / 1e6:g} MB", reached(size <= MOST_WHEEL)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write-doc", action="store_true", help="put the tables in the document")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure_fit(*json.loads(arguments.measure))))
        return
    load = os.getloadavg()[0]
    about = (
        f"{arguments.rows} x {COLUMNS} float64, 1 thread; {report.machine_text(report.machine(), load)} "
        f"Best of {arguments.repeats} (scikit-learn's fits: one)."
    )
    fits = fit_table(arguments.rows, arguments.repeats)
    head = ["work", "ours", "sklearn", "faster", "target", "reached"]
    answers = report.table_text(head, answer_table(arguments.rows, arguments.repeats))
    text = f"{about}\n\n{fits}\n\n{answers}"
    print(text)
    if arguments.write_doc:
        report.write_document("python", text)


if __name__ == "__main__":
    main()
