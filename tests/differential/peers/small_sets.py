"""Draws the small data sets of tests/differential/data: numbers beside levels, without missing cells.

Usage: small_sets.py DIR

orchard.csv has three classes, harvest.csv a numeric target. The numbers have so many digits that
two splits are hardly ever equally good, and the generator is Python's own: the same on every machine.
"""

import math
import pathlib
import random
import sys

SOILS = ["clay", "loam", "sand", "peat", "chalk"]
SLOPES = ["north", "east", "south", "west"]
ROWS = 200


def rows():
    draw = random.Random(1)
    for _ in range(ROWS):
        soil, slope = draw.choice(SOILS), draw.choice(SLOPES)
        rain, height, age = draw.gauss(600, 120), draw.uniform(50, 900), draw.uniform(1, 40)
        vigour = (rain - 600) / 100 + 2 * (soil in ("loam", "chalk")) - 1.5 * (slope == "north")
        vigour += math.sin(age / 6) + draw.gauss(0, 0.7)
        yield [soil, slope, f"{rain:.4f}", f"{height:.4f}", f"{age:.4f}"], vigour, height


def write(path, lines):
    path.write_text("\n".join(",".join(line) for line in lines) + "\n", encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1])
    names = ["soil", "slope", "rain", "height", "age"]
    orchard, harvest = [names + ["fruit"]], [names + ["tonnes"]]
    for cells, vigour, height in rows():
        fruit = "apple" if vigour > 1 else "cherry" if height > 400 else "plum"
        orchard.append(cells + [fruit])
        harvest.append(cells + [f"{10 + 3 * vigour - height / 200:.4f}"])
    write(folder / "orchard.csv", orchard)
    write(folder / "harvest.csv", harvest)


if __name__ == "__main__":
    main()
