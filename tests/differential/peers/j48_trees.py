"""Grows the trees of Weka's J48 on one data set and writes them as a record.

Usage: j48_trees.py DATA.csv OUT.json

The pruned and the unpruned tree of all rows, and the class that the pruned tree grown on the other
nine folds gives to each row; row i (from 0) is in fold i % 10. Columns with a cell that is not a
number are nominal, levels and classes in the order of first appearance, empty cells are missing.
"""

import csv
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
FOLDS = 10
PRUNED = ["-M", "2", "-C", "0.25"]
UNPRUNED = ["-U", "-M", "2"]


def weka(*arguments):
    command = ["java", "-Xmx2g", "-Xss64m", "-cp", JAR, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_number(cell):
    try:
        float(cell)
        return True
    except ValueError:
        return False


class DataSet:
    """The rows as lines of ARFF, with names that need no quotes: a0.0 is level 0 of input 0."""

    def __init__(self, path):
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        self.inputs = header[:-1]
        self.levels = []  # of each column; None: numeric
        for column, _ in enumerate(header):
            cells = [row[column] for row in rows if row[column]]
            is_target = column == len(header) - 1
            nominal = is_target or not all(map(is_number, cells))
            self.levels.append(list(dict.fromkeys(cells)) if nominal else None)
        codes = [levels and {level: i for i, level in enumerate(levels)} for levels in self.levels]
        self.lines = [
            ",".join(
                "?" if not cell else cell if codes[i] is None else f"a{i}.{codes[i][cell]}"
                for i, cell in enumerate(row)
            )
            for row in rows
        ]
        self.classes = [codes[-1][row[-1]] for row in rows]

    def write(self, path, keep):
        with open(path, "w") as out:
            out.write("@relation set\n")
            for i, levels in enumerate(self.levels):
                kind = "numeric" if levels is None else "{" + ",".join(
                    f"a{i}.{code}" for code in range(len(levels))) + "}"
                out.write(f"@attribute a{i} {kind}\n")
            out.write("@data\n")
            out.writelines(line + "\n" for i, line in enumerate(self.lines) if keep(i))


LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)a(?P<input>\d+) (?P<sign><=|>|=) (?P<value>[^:\s]+)"
    r"(?:: (?P<leaf>.*))?$")
LEAF = re.compile(r"a\d+\.(?P<code>\d+) \((?P<weight>[^/)]+)(?:/(?P<errors>[^)]+))?\)")


def parse(text):
    """Nodes as printed, depth first; the numbers of a leaf are rounded by J48 to 2 decimals."""
    body = text.split("------------------\n", 1)[1].split("Number of Leaves", 1)[0]
    lines = [line for line in body.splitlines() if line.strip()]
    nodes = {key: [] for key in ("input", "cut", "children", "class", "weight", "errors")}

    def add(leaf):
        found = LEAF.fullmatch(leaf) if leaf else None
        if leaf and not found:
            raise SystemExit(f"not understood: {leaf!r}")
        nodes["input"].append(-1)
        nodes["cut"].append(None)
        nodes["children"].append([])
        nodes["class"].append(int(found["code"]) if found else -1)
        nodes["weight"].append(float(found["weight"]) if found else None)
        nodes["errors"].append(float(found["errors"] or 0) if found else None)
        return len(nodes["input"]) - 1

    if len(lines) == 1 and lines[0].startswith(": "):
        add(lines[0][2:])
        return nodes
    path = [add(None)]
    for line in lines:
        found = LINE.match(line)
        if not found:
            raise SystemExit(f"not understood: {line!r}")
        del path[len(found["bars"]) // 4 + 1:]
        parent = path[-1]
        nodes["input"][parent] = int(found["input"])
        if found["sign"] != "=":
            nodes["cut"][parent] = float(found["value"])
        child = add(found["leaf"])
        nodes["children"][parent].append(child)
        path.append(child)
    sizes = [int(n) for n in re.findall(r"(?:Number of Leaves|Size of the tree)\s*:\s*(\d+)", text)]
    assert sizes == [nodes["input"].count(-1), len(nodes["input"])], sizes
    return nodes


def grow(train, options):
    text = weka("weka.classifiers.trees.J48", "-t", train, "-no-cv", "-v", *options)
    return {"options": " ".join(options), **parse(text)}


def predict(train, test, options):
    text = weka("weka.classifiers.trees.J48", "-t", train, "-T", test, "-p", "0", *options)
    return [int(code) - 1 for code in re.findall(r"^\s*\d+\s+\d+:\S+\s+(\d+):", text, re.M)]


def cross_validate(data, folder):
    predicted = [None] * len(data.lines)
    train, test = f"{folder}/train.arff", f"{folder}/test.arff"
    for fold in range(FOLDS):
        data.write(train, lambda i: i % FOLDS != fold)
        data.write(test, lambda i: i % FOLDS == fold)
        answers = predict(train, test, PRUNED)
        rows = range(fold, len(data.lines), FOLDS)
        assert len(answers) == len(rows), (len(answers), len(rows))
        for row, answer in zip(rows, answers):
            predicted[row] = answer
    return predicted


def main():
    path, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    data = DataSet(path)
    with tempfile.TemporaryDirectory() as folder:
        everything = f"{folder}/all.arff"
        data.write(everything, lambda i: True)
        record = {
            "peer": "weka.classifiers.trees.J48",
            "version": weka("weka.core.Version").strip().splitlines()[0],
            "call": "java -cp weka.jar weka.classifiers.trees.J48 -t ALL -no-cv -v OPTIONS",
            "data": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "task": "classification",
            "inputs": data.inputs,
            "levels": data.levels[:-1],
            "classes": data.levels[-1],
            "trees": [grow(everything, UNPRUNED), grow(everything, PRUNED)],
            "folds": "i % 10 for row i = 0..n-1",
            "predicted": cross_validate(data, folder),
        }
    out.write_text(json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n")
    sizes = [len(tree["input"]) for tree in record["trees"]]
    right = sum(a == b for a, b in zip(record["predicted"], data.classes))
    print(f"j48 {path.stem}: nodes {sizes}, {right} of {len(data.classes)} right, "
          f"{out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
