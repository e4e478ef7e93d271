"""The structure of every view of one model: elements with their classes, texts and titles, but no coordinates.

structure.py --program SOFTWOOD [--accept]
compares with the files in golden/; --accept writes them anew: read the difference before you commit it.
"""

import argparse
import difflib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from itertools import groupby
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
FOLDER = Path(__file__).parent
IRIS = FOLDER.parent / "differential/data/iris.csv"
# name: (options of train, options of plot)
VIEWS = {
    "tree": ("", ["iris.csv", "--row", "60"]),
    "tree-without-rows": ("", []),
    "tree-soft": ("grow max-depth=2 | soften by=anneal", []),
    "tree-oblique": ("grow split=oblique max-depth=2", ["iris.csv"]),
    "tree-folded": ("grow", ["--depth", "1"]),
    "pruning": ("", ["--validation", "iris.csv"]),
    "importance": ("", []),
    "regions": ("", ["iris.csv", "--depths", "1,full"]),
    "roc": ("", ["iris.csv"]),
    "calibration": ("", ["iris.csv"]),
    "impurity": ("", []),
    "overfitting": ("", ["iris.csv", "--validation", "iris.csv"]),
    "frontier": ("auto hard=yes max-leaves=8", []),
    "two.threshold": ("", ["two.csv"]),
    "two.impurity": ("", []),
    "number.tree": ("grow max-depth=2", ["number.csv"]),
    "number.regions": ("grow max-depth=2", []),
}


def outline(svg):
    """One line per element, texts with their words; equal neighbours are counted."""
    lines = []

    def visit(element, depth):
        tag = element.tag.removeprefix(SVG)
        if tag == "style":
            return
        classes = "".join(f".{name}" for name in element.get("class", "").split())
        words = f" {element.text.strip()!r}" if tag in ("text", "title", "desc") and element.text else ""
        if tag == "text" and len(element):  # what was cut, after its title
            words = f" {(element[0].tail or '').strip()!r}"
        lines.append("  " * depth + tag + classes + words)
        for child in element:
            visit(child, depth + 1)

    visit(xml.fromstring(svg), 0)
    return [f"{line} x {count}" if count > 1 else line for line, count in ((k, len(list(g))) for k, g in groupby(lines))]


def write_data(folder):
    """Iris with its three species, with one against the others, and with a number to be predicted."""
    rows = [line.split(",") for line in IRIS.read_text().split()]
    # By the sepals alone: with the petals it would be too easy.
    two = [[*row[:2], "virginica" if "virginica" in row[4] else "other" if i else row[4]] for i, row in enumerate(rows)]
    number = [row[:4] for row in rows]
    for name, table in {"iris": rows, "two": two, "number": number}.items():
        (folder / f"{name}.csv").write_text("".join(",".join(row) + "\n" for row in table))


def draw(program, folder, name):
    recipe, flags = VIEWS[name]
    data = name.split(".")[0] if "." in name else "iris"
    train = [program, "train", f"{data}.csv", "-o", "model.json", "--quiet"]
    subprocess.run(train + (["--recipe", recipe] if recipe else []), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    rows = flags[:1] if flags[:1] and flags[0].endswith(".csv") else []
    view = name.split(".")[-1].split("-")[0]
    command = [program, "plot", "model.json", *rows, "--view", view, *flags[len(rows):], "--quiet"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--accept", action="store_true")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_data(folder)
        for name in VIEWS:
            found = outline(draw(Path(arguments.program).resolve(), folder, name))
            golden = FOLDER / "golden" / f"{name}.txt"
            if arguments.accept:
                golden.parent.mkdir(exist_ok=True)
                golden.write_text("\n".join(found) + "\n")
                continue
            wanted = golden.read_text().splitlines()
            difference = list(difflib.unified_diff(wanted, found, f"golden/{name}.txt", "found", lineterm=""))
            print("\n".join(difference[:40]) if difference else f"{name}: {len(found)} lines as expected")
            failed |= bool(difference)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
