"""Models that try everything a tree can ask, trained by the program on data drawn here.

models.py --program SOFTWOOD --out DIR
writes for each model NAME.json and NAME.csv: rows with missing and unknown values, on cuts and next
to them. Nothing is done for models that are newer than the program.
"""

import argparse
import concurrent.futures
import csv
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

COLOURS = ["red", "green", "blue", "dark grey", "white", "black"]


def mixed(target, rows=900, missing=0.08, seed=1):
    """Numbers, levels with and without an order, and missing cells."""
    draw = random.Random(seed)
    yield ["a", "b", "grade", "colour", "shape", "c", "y"]
    for _ in range(rows):
        a, b, c = draw.gauss(0, 1), draw.uniform(-5, 5), draw.randrange(20)
        grade, colour = draw.choice(["low", "mid", "high"]), draw.choice(COLOURS)
        shape = draw.choice(["round", "square"])
        score = a + 0.4 * b * (shape == "round") + 0.2 * c * (colour in ("red", "blue", "white"))
        score += {"low": 0, "mid": 1, "high": 3}[grade] + draw.gauss(0, 0.4)
        if target == "number":
            y = f"{score:.6f}"
        elif target == "two":
            y = "yes" if score > 2 else "no"
        else:
            y = "low" if score < 1 else "middle" if score < 3 else "top"
        cells = [repr(a), repr(b), grade, colour, shape, str(c)]
        yield [("" if draw.random() < missing else cell) for cell in cells] + [y]


def numbers(target, rows=600, inputs=5, seed=2):
    """Numbers alone; curved, with a jump."""
    draw = random.Random(seed)
    yield [f"x{i}" for i in range(inputs)] + ["y"]
    for _ in range(rows):
        x = [draw.gauss(0, 1) for _ in range(inputs)]
        score = x[0] + x[1] * x[2] + (2 if x[-1] > 0.3 else 0) + draw.gauss(0, 0.3)
        y = repr(score) if target == "number" else "ABC"[sum(score > cut for cut in (0, 1.5))]
        yield [repr(value) for value in x] + [y]


def many_levels(target, levels=300, rows=3000, seed=3):
    draw = random.Random(seed)
    yield ["code", "x", "y"]
    effect = [draw.gauss(0, 1) for _ in range(levels)]
    for row in range(rows):
        level = row % levels
        x = draw.random()
        score = effect[level] + x + draw.gauss(0, 0.2)
        yield [f"K{level:03d}", repr(x), repr(score) if target == "number" else "+-"[score > 0.5]]


def many_classes(classes=40, rows=1600, seed=4):
    draw = random.Random(seed)
    yield ["x", "y", "kind"]
    for _ in range(rows):
        x, y = draw.random() * 8, draw.random() * 5
        yield [repr(x), repr(y), f"class {int(x) * 5 + int(y):02d}"[: 8 + classes // 100]]


def neighbours():
    """Cuts that differ in their last bit."""
    import math

    yield ["x", "z", "y"]
    x = 0.1
    for step in range(24):
        for _ in range(5):
            yield [repr(x), repr(math.nextafter(1.0, 2.0) if step % 3 else 1.0), "pq"[step // 2 % 2]]
        x = math.nextafter(x, 1.0)


def extremes():
    """Huge, tiny and subnormal values."""
    draw = random.Random(5)
    values = [1.7e308, -1.7e308, 5e-324, -5e-324, 2.2e-308, 1e-310, 0.0, -0.0, 1e160, -1e160, 1.0]
    yield ["x", "w", "y"]
    for _ in range(400):
        x, w = draw.choice(values), draw.choice(values)
        yield [repr(x), repr(w), "big" if x > 1 or w > 1e-311 else "small"]


HOSTILE = ['say "hi"', "it's", "select", "naïve Größe", "🌲 tree", "a\\b", "*/ end", "</script>", "??/",
           "line\nbreak", "${x} %d {0}", "; drop table data; --", "\\u000a", "row", "tab\there"]


def hostile(rows=600):
    draw = random.Random(6)
    yield HOSTILE[:6] + ['class "x" --']
    for _ in range(rows):
        levels = [draw.choice(HOSTILE) for _ in range(2)]
        x = [draw.random() for _ in range(4)]
        score = x[0] + (levels[0] in HOSTILE[:6]) + (levels[1] in HOSTILE[4:9]) * x[1]
        yield [repr(x[0]), levels[0], repr(x[1]), levels[1], repr(x[2]), repr(x[3]),
               HOSTILE[(score > 0.8) * 3 + (score > 1.4) * 5]]


def marked(target):
    """As mixed, but most missing cells hold a mark: a number, or a text."""
    draw = random.Random(7)
    rows = mixed(target, missing=0.15, seed=7)
    yield next(rows)
    for *cells, y in rows:
        yield [cell or draw.choice(["", "-9", "-9", "0.1", "N/A"]) for cell in cells] + [y]


def costs(out):
    path = out / "matrix-of-costs.csv"
    path.write_text("actual,no,yes\nno,0,1\nyes,5,0\n")
    return ["--costs", str(path)]


# name: (rows, options of train)
def recipe(text, *more):
    return ["--recipe", text, *more]


def method(name, *more):
    return ["--method", name, *more]


ORDINAL = ["--ordinal", "grade=low:mid:high"]
# A level of an ordinal input that is a mark stays a level, and counts as missing.
MARKS = ["--na", "-9,0.1,N/A", "--ordinal", "grade=low:-9:mid:high"]


def all_models(out):
    two, three, number = (lambda t=t: mixed(t) for t in ("two", "three", "number"))
    plain, plain_number = (lambda t=t: numbers(t) for t in ("class", "number"))
    models = {
        # every method
        "cart": (three, method("cart", *ORDINAL)),
        "cart-number": (number, method("cart", *ORDINAL)),
        "id3": (three, method("id3")),
        "c45": (two, method("c45")),
        "c45-soft": (two, method("c45-soft")),
        "cart-annealed": (plain, recipe("grow max-depth=4 | soften by=anneal")),
        "cart-annealed-number": (plain_number, recipe("grow max-depth=4 | soften by=anneal")),
        "ldt": (plain, method("ldt")),
        "oblique": (two, method("oblique", *ORDINAL)),
        "oblique-number": (plain_number, method("oblique")),
        "quadratic": (plain, method("quadratic")),
        "quadratic-number": (plain_number, method("quadratic")),
        "omnivariate": (plain, recipe("grow split=omnivariate max-depth=3")),
        "ctree": (three, method("ctree", *ORDINAL)),
        "ctree-number": (number, method("ctree")),
        "evolve": (two, recipe("evolve generations=100 patience=50")),
        "evolve-oblique": (plain, recipe("evolve split=oblique generations=100 patience=50")),
        "evolve-number": (number, recipe("evolve generations=100 patience=50")),
        "soft": (plain, recipe("grow-soft shape=full depth=3")),
        "soft-levels": (three, recipe("grow-soft shape=full depth=3", *ORDINAL)),
        "soft-number": (number, recipe("grow-soft shape=full depth=3")),
        "soft-refined": (lambda: numbers("class", rows=300, inputs=3), method("soft-refined")),
        "soft-refined-number": (lambda: numbers("number", rows=300, inputs=3),
                                method("soft-refined")),
        "soft-gradient": (two, recipe("grow max-depth=5 | soften by=gradient move=ramps,leaves")),
        "soft-interval": (two, recipe("grow max-depth=5 | soften by=interval")),
        # every rule for missing values
        **{f"missing-{rule}": (three, recipe(f"grow missing={rule} max-depth=6", *ORDINAL))
           for rule in ("learned", "majority", "separate", "surrogate", "fractional", "impute")},
        **{f"missing-{rule}-number": (number, recipe(f"grow missing={rule} max-depth=6"))
           for rule in ("surrogate", "fractional", "separate")},
        # levels
        "multiway": (three, recipe("grow nominal=multiway missing=fractional max-depth=5")),
        "multiway-number": (number, recipe("grow nominal=multiway max-depth=5")),
        "levels-300": (lambda: many_levels("class"), recipe("grow max-depth=8")),
        "levels-300-number": (lambda: many_levels("number"), recipe("grow max-depth=6")),
        "levels-300-multiway": (lambda: many_levels("class"), recipe("grow nominal=multiway")),
        # leaves
        **{f"leaf-{leaf}": (two, recipe(f"grow leaf={leaf} max-depth=3 min-leaf=20"))
           for leaf in ("majority", "laplace", "m-estimate", "logistic", "naive-bayes")},
        **{f"leaf-{leaf}": (number, recipe(f"grow leaf={leaf} max-depth=3 min-leaf=30"))
           for leaf in ("linear", "ridge")},
        "leaf-logistic-three": (three, recipe("grow leaf=logistic max-depth=2 min-leaf=30")),
        "leaf-median": (number, recipe("grow criterion=mae max-depth=4")),
        # decisions
        "costs": (two, recipe("grow max-depth=6 leaf=laplace", *costs(out))),
        "costs-soft": (two, recipe("grow max-depth=4 | soften by=gradient", *costs(out))),
        # texts and numbers that the training data named as missing
        **{f"marks-{rule}": (lambda: marked("three"),
                             recipe(f"grow missing={rule} max-depth=6", *MARKS))
           for rule in ("learned", "surrogate", "fractional", "impute")},
        "marks-number": (lambda: marked("number"),
                         recipe("grow leaf=linear max-depth=3 min-leaf=30", *MARKS)),
        "marks-soft": (lambda: marked("two"), recipe("grow-soft shape=full depth=3", *MARKS)),
        # sizes
        "leaf-alone": (plain, recipe("grow max-depth=0")),
        "classes-40": (many_classes, recipe("grow")),
        "large": (lambda: numbers("class", rows=6000), recipe("grow")),
        "soft-large": (lambda: numbers("class", rows=4000),
                       recipe("grow max-leaves=500 | soften by=interval")),
        # adversaries
        "neighbours": (neighbours, recipe("grow cut-at=data-point")),
        "extremes": (extremes, recipe("grow cut-at=data-point")),
        "hostile": (hostile, recipe("grow max-depth=7", "--target", 'class "x" --')),
        "hostile-soft": (hostile, recipe("grow max-depth=4 | soften by=gradient", "--target",
                                         'class "x" --')),
    }
    return models


# Models whose class is decided by a threshold, by name: --threshold of export.
THRESHOLDS = {"c45": "0.3", "soft-gradient": "no:0.7"}


def write_rows(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def make(program, out, name, rows, options):
    model = out / f"{name}.json"
    data = out / f"{name}.csv"
    if data.exists() and data.stat().st_mtime > os.stat(program).st_mtime:
        return
    training = out / f"{name}.training.csv"
    write_rows(training, rows())
    words = [program, "train", str(training), *options, "--quiet", "--threads", "1", "-o", str(model)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    beside = out / f"{name}.export"
    subprocess.run([program, "export", str(model), "--to", "python", "--self-test", "-o", str(beside)],
                   check=True)
    shutil.move(f"{beside}.rows.csv", data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    models = all_models(given.out)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {name: pool.submit(make, given.program, given.out, name, *model)
                for name, model in models.items()}
    failed = [name for name, job in jobs.items() if job.exception() is not None]
    for name in failed:
        print(f"{name}: {jobs[name].exception()}", file=sys.stderr)
    print(f"{len(models) - len(failed)} models in {given.out.name}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
