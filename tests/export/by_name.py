"""Python, JavaScript and Java take rows by column name, and refuse the same rows in the same way.

by_name.py --program SOFTWOOD --to python|javascript|java
Exit code 77 (skipped) when a program that the format needs is not there.
"""

import argparse
import csv
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
ROW = {"size": 0.2, "class": 1.5, "col\"our": "red"}
# Changes of the row, and what is answered: the answer of which other row, or part of an error.
CASES = [
    ({"other": "ignored"}, {}),
    ({"size": True}, {"size": 1.0}),
    ({"size": 2}, {"size": 2.0}),
    ({"size": "NaN"}, {"size": None}),  # the number, not the text
    ({"col\"our": "NaN"}, {"col\"our": None}),
    ({"col\"our": "never seen"}, {"col\"our": None}),
    ({"size": "absent"}, "the row has no .?size"),
    ({"col\"our": "absent"}, "the row has no .?col\\\\?\"our"),
    ({"size": "'0.2'"}, "column .?size.? takes numbers, not .?.?0.2"),
    ({"col\"our": 1}, "column .?col\\\\?\"our.? takes texts, not"),
]


def train(program, folder):
    draw = random.Random(1)
    with open(folder / "data.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*ROW, "y"])
        for _ in range(300):
            size, kind, colour = draw.random() * 2, draw.random() * 3, draw.choice(["red", "blue"])
            score = size + (kind > 1) + (colour == "red") + draw.gauss(0, 0.2)
            writer.writerow([size, kind, colour, "high" if score > 2 else "low"])
    subprocess.run([program, "train", "data.csv", "--recipe", "grow missing=fractional", "--quiet",
                    "-o", "model.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def rows():
    """Each row of CASES, and the one that it is to be answered like."""
    for changes, expected in CASES:
        yield {**ROW, **changes}
        yield {**ROW, **expected} if isinstance(expected, dict) else ROW


def run(words, folder):
    if shutil.which(words[0]) is None:
        print(f"skipped: there is no {words[0]}")
        sys.exit(SKIPPED)
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        print(result.stdout + result.stderr)
        sys.exit(1)
    return result.stdout.splitlines()


def literal(text, quote):
    return quote + text.replace(quote, "\\" + quote) + quote


def python_answers(folder):
    def cell(value):
        return {"NaN": "float('nan')", "'0.2'": "'0.2'"}.get(value, repr(value))

    lines = ["import tree", "def answer(row):", "    try: print(tree.predict_proba(row))",
             "    except (KeyError, TypeError) as error: print('error', error.args[0])"]
    for row in rows():
        cells = [f"{name!r}: {cell(value)}" for name, value in row.items() if value != "absent"]
        lines.append(f"answer({{{', '.join(cells)}}})")
    (folder / "run.py").write_text("\n".join(lines))
    (folder / "batch.py").write_text(BATCHES)
    print("\n".join(run(["python3", "batch.py"], folder)))
    return run(["python3", "run.py"], folder)


# Columns of every type that holds numbers or texts are answered like rows one by one.
BATCHES = '''
import sys
import tree
try:
    import numpy as np
except ImportError:
    sys.exit(print("there is no NumPy for batches"))


def check(sizes, kinds, colours, rows):
    columns = {"size": sizes, "class": kinds, 'col"our': colours, "other": None}
    expected = [tree.predict_proba(dict(zip(columns, row))) for row in rows]
    assert tree.predict_proba_batch(columns).tolist() == expected, (columns, expected)
    assert tree.predict_batch(columns).tolist() == [tree.predict(dict(zip(columns, row)))
                                                    for row in rows]


def refuse(error, text, **changes):
    columns = {"size": [0.2], "class": [1.5], 'col"our': ["red"], **changes}
    columns = {name: cells for name, cells in columns.items() if cells is not None}
    try:
        tree.predict_batch(columns)
    except error as caught:
        assert text in caught.args[0], caught
    else:
        raise AssertionError(f"{columns} was not refused")


numbers = [0, 1, 2]
rows = list(zip(numbers, numbers, ["red", "blue", "unknown"]))
for kind in (np.int8, np.uint64, np.float32, np.float64, object):
    cells = np.array(numbers, dtype=kind)
    check(cells, cells, np.array(["red", "blue", "unknown"]), rows)
check([True, None], (np.float32(1.5), float("nan")), ["red", None],
      [(1, 1.5, "red"), (None, None, None)])
check([None], np.array([2]), np.array([np.nan], dtype=object), [(None, 2, None)])
check([], [], [], [])
refuse(KeyError, "there is no column 'size'", size=None)
refuse(ValueError, "column 'class' has 2 rows, 'size' has 1", **{"class": [1, 2]})
refuse(TypeError, "column 'size' takes numbers, not '0.2'", size=["0.2"])
refuse(TypeError, "column 'size' takes numbers, not '0.2'", size=np.array(["0.2"]))
refuse(TypeError, "column 'size' has dates", size=np.array(["2020-01-01"], dtype="datetime64[ns]"))
refuse(TypeError, "takes texts, not 1", **{'col"our': np.array([1])})
refuse(TypeError, "column 'size' is not a sequence", size=0.2)
print("batches are answered like rows")
'''


def javascript_answers(folder):
    def cell(value):
        if value in ("NaN", "'0.2'"):
            return value
        if isinstance(value, str):
            return literal(value, '"')
        return "null" if value is None else repr(value).lower()

    lines = ['import { predictProba } from "./tree.mjs";', "function answer(row) {",
             "  try { console.log(String(predictProba(row))); }",
             "  catch (error) { console.log(`error ${error.message}`); }", "}"]
    for row in rows():
        cells = [f"{literal(name, chr(34))}: {cell(value)}" for name, value in row.items()
                 if value != "absent"]
        lines.append(f"answer({{{', '.join(cells)}}});")
    (folder / "run.mjs").write_text("\n".join(lines))
    return run(["node", "run.mjs"], folder)


def java_answers(folder):
    def cell(value):
        if isinstance(value, str):
            return {"NaN": "Double.NaN", "'0.2'": '"0.2"'}.get(value, literal(value, '"'))
        return "null" if value is None else repr(value).lower()

    lines = ["import java.util.*;", "public class Run {",
             "  static void answer(Object... cells) {",
             "    Map<String, Object> row = new HashMap<>();",
             "    for (int i = 0; i < cells.length; i += 2) {",
             "      row.put((String) cells[i], cells[i + 1]);", "    }",
             "    try { System.out.println(Arrays.toString(Tree.predictProba(row))); }",
             "    catch (IllegalArgumentException error) {",
             '      System.out.println("error " + error.getMessage());', "    }", "  }",
             "  public static void main(String[] none) {"]
    for row in rows():
        cells = [f"{literal(name, chr(34))}, {cell(value)}" for name, value in row.items()
                 if value != "absent"]
        lines.append(f"    answer({', '.join(cells)});")
    (folder / "Run.java").write_text("\n".join([*lines, "  }", "}"]))
    run(["javac", "--release", "8", "-Xlint:all", "-Xlint:-options", "-Werror", "Tree.java"], folder)
    run(["javac", "Run.java", "Tree.java"], folder)
    return run(["java", "-cp", ".", "Run"], folder)


FORMATS = {"python": ("tree.py", python_answers), "javascript": ("tree.mjs", javascript_answers),
           "java": ("Tree.java", java_answers)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--to", required=True, choices=FORMATS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train(given.program, folder)
        file, answers_of = FORMATS[given.to]
        subprocess.run([given.program, "export", "model.json", "--to", given.to, "-o", file],
                       cwd=folder, check=True)
        answers = answers_of(folder)
    failed = 0
    for (changes, expected), answer, other in zip(CASES, answers[::2], answers[1::2]):
        right = answer == other if isinstance(expected, dict) else \
            re.match("error " + expected, answer)
        if not right:
            failed += 1
            print(f"{changes}: {answer}, expected {other if isinstance(expected, dict) else expected}")
    print(f"{given.to}: {len(CASES)} rows, {failed} failed")
    return bool(failed or len(answers) != 2 * len(CASES))


if __name__ == "__main__":
    sys.exit(main())
