"""Rows of the tests: numbers, texts, booleans, null, weights."""

import numpy as np


def table(rows=1200, seed=1, regression=False, copies=1):
    random = np.random.default_rng(seed)
    x = random.normal(size=rows).round(3)
    y = random.uniform(-5, 5, size=rows)
    z = random.integers(0, 20, size=rows)
    colour = np.array(["red", "it's", 'a "b"', "grey"], dtype=object)[random.integers(0, 4, size=rows)]
    flag = random.random(rows) < 0.5
    missing = random.random((rows, 3)) < 0.1
    score = x + y * (colour == "red") + 0.2 * z * flag + random.normal(scale=0.5, size=rows)
    target = score if regression else np.where(score > 1, "high", np.where(score > -1, "middle", "low"))
    result = []
    for i in range(rows):
        result.append(
            (
                float(x[i]),
                None if missing[i, 0] else float(y[i]),
                None if missing[i, 1] else int(z[i]),
                None if missing[i, 2] else str(colour[i]),
                bool(flag[i]),
                float(i % 3),
                float(target[i]) if regression else str(target[i]),
            )
        )
    return result * copies


NAMES = ["x", "y", "z", "colour", "flag", "w", "target"]


def frame(spark, rows, parts):
    kind = "double" if isinstance(rows[0][-1], float) else "string"
    schema = f"x double, y double, z long, colour string, flag boolean, w double, target {kind}"
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, parts), schema)


def columns(rows):
    """The same for softwood.train."""
    import pyarrow as pa

    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(NAMES)})


def csv_file(rows, path):
    import csv

    def text(cell):
        return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else cell

    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows([[text(cell) for cell in row] for row in rows])
