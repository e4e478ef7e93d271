"""Growing on Spark against MLlib's trees: seconds, errors, and bytes by Spark's own metrics.

Usage: scripts/spark-run bench/spark.py [--rows 1000000 10000000] [--depths 5 10 15] [--targets classes regression]
                                        [--scale | --chessboard | --check] [--memory 10g] [--write-doc]
The data are generated and cached first: columns for Softwood, vectors for MLlib. Both grow one tree of the same depth with at
most 255 bins (MLlib: maxBins=255) on local[2]; one run each. --scale measures seconds per pass from 10^5 to 10^7 rows instead;
--chessboard evolves a tree from --rows that are generated anew in every pass. Results are kept in build/bench/spark.json, so that
a table may take several runs; --write-doc puts the table of all of them into docs/evidence/scale.md. --check compares the bytes
of the formulas there with those of Spark's event log, of a run on 200 000 rows, and fails where they are not alike.
"""

import argparse
import glob
import json
import os
import shutil
import sys
import tempfile
import time

os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.evaluation import MulticlassClassificationEvaluator, RegressionEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.regression import DecisionTreeRegressor
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import softwood.spark as sws
from softwood.spark._rows import ClusterRows
from report import ROOT, machine, machine_text, table_text

COLUMNS = 20
BINS = 255
TEST_ROWS = 200_000
RESULTS = ROOT / "build" / "bench" / "spark.json"
DOCUMENT = ROOT / "docs" / "evidence" / "scale.md"
HEADS = {
    "compare": "target rows depth s MLlib_s ratio error MLlib's_error MB_shuffled MLlib's_shuffled MB_to_driver MLlib's_to_driver passes",
    "scale": "rows s passes s_per_pass_of_raw_rows s_per_pass_of_coded_rows",
    "chessboard": "rows s passes merged leaves error",
}


def start(folder, memory, compress=True):
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", memory)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.dir", "file://" + folder)
        .config("spark.shuffle.compress", str(compress).lower())
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def rows_of(spark, rows, regression, seed):
    # Partition p of rand(s) is drawn with s + p: seeds are kept apart.
    columns = [f.rand(seed + 1000 * i).alias(f"x{i}") for i in range(COLUMNS)]
    df = spark.range(rows, numPartitions=8).select(*columns)
    score = f.col("x0") * f.col("x1") * 4 + f.sin(f.col("x2") * 6) + (f.col("x3") - 0.5) * f.col("x4") * 4
    noisy = score + f.randn(seed + 1000 * COLUMNS) * 0.3
    return df.withColumn("label", noisy if regression else (noisy > 1.0).cast("double"))


def cached(df):
    df = df.cache()
    df.count()
    return df


class Bytes:
    """What tasks wrote to shuffles and sent to the driver since the last look, by the event log."""

    def __init__(self, folder):
        self._folder, self._seen = folder, 0

    def take(self):
        time.sleep(1)  # the log is written by a thread of its own
        lines = []
        for path in sorted(glob.glob(self._folder + "/**", recursive=True)):
            if os.path.isfile(path):
                with open(path) as file:
                    lines += file.readlines()
        shuffled = sent = 0
        for line in lines[self._seen :]:
            if not line.startswith('{"Event":"SparkListenerTaskEnd"'):
                continue
            metrics = json.loads(line).get("Task Metrics") or {}
            shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
            sent += metrics.get("Result Size", 0)
        self._seen = len(lines)
        return shuffled / 1e6, sent / 1e6


def timed(counted, work):
    counted.take()
    start = time.time()
    result = work()
    return result, time.time() - start, *counted.take()


def compare(spark, counted, rows, depths, regression, keep):
    """Ours at all depths with the columns cached, then MLlib's with vectors cached instead."""
    task, figure = ("regression", "mse") if regression else ("classification", "error")
    test = cached(rows_of(spark, TEST_ROWS, regression, 500))
    # Both are asked once before, so that neither is charged with starting workers and compiling.
    sws.train(test, "label", recipe="grow search=binned max-depth=3", task=task)
    df = cached(rows_of(spark, rows, regression, 0))
    ours = {}
    for depth in depths:
        recipe = f"grow search=binned max-depth={depth} bins={BINS}"
        model, *figures = timed(counted, lambda recipe=recipe: sws.train(df, "label", recipe=recipe, task=task))
        ours[depth] = [model.spark_passes_, sws.evaluate(model, test)[figure], *figures]
        print("ours", rows, task, depth, *[round(x, 2) for x in figures], model.spark_seconds_, file=sys.stderr, flush=True)
    assembler = VectorAssembler(inputCols=[f"x{i}" for i in range(COLUMNS)], outputCol="features")
    df.unpersist()
    vectors = cached(assembler.transform(df).select("features", "label"))
    tree = DecisionTreeRegressor if regression else DecisionTreeClassifier
    tree(maxDepth=3, maxBins=BINS).fit(assembler.transform(test))
    evaluator = (
        RegressionEvaluator(metricName="mse") if regression else MulticlassClassificationEvaluator(metricName="accuracy")
    )
    for depth in depths:
        peer = tree(maxDepth=depth, maxBins=BINS, maxMemoryInMB=1024)
        model, their_time, their_shuffled, their_sent = timed(counted, lambda peer=peer: peer.fit(vectors))
        found = evaluator.evaluate(model.transform(assembler.transform(test)))
        their_error = found if regression else 1 - found
        passes, error, seconds, shuffled, sent = ours[depth]
        keep(
            "compare",
            ["regression" if regression else "classes", rows, depth],
            [f"{seconds:.1f}", f"{their_time:.1f}", f"{their_time / seconds:.2f}", f"{error:.4f}", f"{their_error:.4f}"]
            + [f"{x:.1f}" for x in (shuffled, their_shuffled, sent, their_sent)]
            + [f"{passes['raw'] + passes['code']} + {passes['growing']}"],
        )
    for one in (vectors, test):
        one.unpersist()


def scale(spark, rows, keep):
    df = cached(rows_of(spark, rows, False, 0))
    sws.train(df, "label", recipe="grow search=binned max-depth=1")  # starts the workers
    start = time.time()
    model = sws.train(df, "label", recipe=f"grow search=binned max-depth=10 bins={BINS}")
    seconds, passes, times = time.time() - start, model.spark_passes_, model.spark_seconds_
    # Coding is done by the pass that first asks coded rows, which takes their facts.
    raw = (times["raw"] + times["code"] + times["facts"]) / (passes["raw"] + 1)
    coded = times["grow"] / passes["grow"]
    count = passes["raw"] + passes["code"] + passes["growing"]
    keep("scale", [rows], [f"{seconds:.1f}", str(count), f"{raw:.2f}", f"{coded:.2f}"])
    df.unpersist()


def chessboard(spark, rows, keep):
    """A board of 4 x 4 fields, one label in ten wrong: greedy growth does not see it, evolution does."""

    def board(count, seed):
        x, y = f.rand(seed), f.rand(seed + 10_000)
        df = spark.range(count, numPartitions=max(8, count // 4_000_000)).select(x.alias("x"), y.alias("y"))
        is_white = (f.floor(f.col("x") * 4) + f.floor(f.col("y") * 4)) % 2 == 0
        return df.withColumn("white", f.when((f.rand(seed + 20_000) < 0.9) == is_white, 1.0).otherwise(0.0))

    start = time.time()
    model = sws.train(board(rows, 0), "white", recipe="evolve cuts=bins", task="classification", reread=True)
    seconds, passes = time.time() - start, model.spark_passes_
    error = sws.evaluate(model, board(1_000_000, 100_000))["error"]
    merged = next((note for note in model.notes if "evolved from" in note), "all")
    count = passes["raw"] + passes["code"] + passes["coded"]
    keep("chessboard", [rows], [f"{seconds:.1f}", str(count), merged, str(model.leaves), f"{error:.4f}"])


def bytes_of_number(number):
    """Of a whole number as messages have it: seven bits in each byte, one of them for the sign."""
    return 1 if number < 2**6 else 2 if number < 2**13 else 3


def formulas(model, rows, parts, tasks):
    """MB that tasks write to shuffles, by pass, as docs/evidence/scale.md has it: of two classes and columns of even values.
    `tasks` count the parts in a growing pass."""
    knots = 256
    ranges = 32768 if rows / parts >= 65536 else min(32768, max(1024, (5 * knots * rows / parts) ** 0.5))
    ranges = ranges // knots * knots
    counts = parts * COLUMNS * (ranges * bytes_of_number(rows / parts / ranges) + 8 * knots)
    # In the brackets where bins end, and some rows before and after; and counts of these and of what is between them.
    values = COLUMNS * (BINS - 1) * (rows / ranges + 2 * (2 + BINS / 128))
    between = 2 * parts * COLUMNS * (BINS - 1) * bytes_of_number(rows / parts / BINS)
    sample = rows / parts
    while sample > 2048:
        sample /= 2
    asked = asked_nodes(model.tree)
    cells = COLUMNS * (BINS + 1) * 2
    grow = sum(nodes * cells * bytes_of_number(rows / tasks / nodes / 4 / BINS) for nodes in asked)
    return {
        "summary": (parts * COLUMNS * 8 * sample + counts) / 1e6,
        "counts": (7 * values + between) / 1e6,
        "growth": tasks * grow / 1e6,
    }


def asked_nodes(tree):
    """Nodes that are asked about, by pass: the root, then of the children of each split the lighter one, but for the last level."""
    depths = tree.depth[~tree.is_leaf].tolist()
    return [1] + [depths.count(level) for level in range(tree.max_depth - 1)]


def check(spark, counted, rows=200_000, parts=8, tolerance=0.25):
    """The bytes of the formulas beside those of the event log; whether they are alike."""
    df = cached(rows_of(spark, rows, False, 0))
    sent, passes = {"summary": 0.0, "counts": 0.0, "growth": 0.0}, {"summary": 0, "counts": 0, "growth": 0}
    run = ClusterRows.run

    def noted(self, kind, request):
        counted.take()
        answers = run(self, kind, request)
        name = "growth" if kind == "grow" else "counts" if kind == "raw" and passes["summary"] else "summary" if kind == "raw" else None
        if name:
            sent[name] += counted.take()[0]
            passes[name] += 1
        return answers

    ClusterRows.run = noted
    try:
        model = sws.train(df, "label", recipe=f"grow search=binned max-depth=8 bins={BINS}", small_rows=1)
    finally:
        ClusterRows.run = run
    expected = formulas(model, rows, parts, tasks=max(spark.sparkContext.defaultParallelism, parts // 4))
    lines = [[name, passes[name], f"{expected[name]:.2f}", f"{sent[name]:.2f}"] for name in sent]
    print(table_text(["pass", "passes", "MB by formula", "MB shuffled"], [[str(cell) for cell in line] for line in lines]))
    return all(abs(sent[name] - expected[name]) <= tolerance * expected[name] for name in sent)


class Kept:
    """Lines of all tables, by what was measured."""

    def __init__(self):
        self.tables = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}

    def __call__(self, table, key, values):
        lines = [line for line in self.tables.get(table, []) if line[: len(key)] != key]
        self.tables[table] = sorted(lines + [[*key, *values]], key=lambda line: line[: len(key)])
        self.tables["machine"] = machine_text(machine(), os.getloadavg()[0])
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(self.tables, indent=1) + "\n")

    def text(self, table):
        head = [word.replace("_", " ") for word in HEADS[table].split()]
        return table_text(head, [[str(cell) for cell in line] for line in self.tables.get(table, [])])

    def write_document(self):
        document = DOCUMENT.read_text()
        for table in HEADS:
            begin, end = f"<!-- {table} -->", f"<!-- /{table} -->"
            before, rest = document.split(begin)
            text = f"{self.tables['machine']}\n\n{self.text(table)}" if table in self.tables else "Not measured yet."
            document = f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"
        DOCUMENT.write_text(document)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 10, 15])
    parser.add_argument("--targets", nargs="+", choices=["classes", "regression"], default=["classes", "regression"])
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--chessboard", action="store_true")
    parser.add_argument("--check", action="store_true", help="formulas against the event log")
    parser.add_argument("--memory", default="10g", help="of the driver, which is the executor, too")
    parser.add_argument("--write-doc", action="store_true")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    spark = start(folder, arguments.memory, compress=not arguments.check)
    keep, counted = Kept(), Bytes(folder)
    if arguments.check:
        try:
            alike = check(spark, counted)
        finally:
            spark.stop()
            shutil.rmtree(folder, ignore_errors=True)
        sys.exit(0 if alike else 1)
    table = "scale" if arguments.scale else "chessboard" if arguments.chessboard else "compare"
    try:
        for rows in [100_000, 1_000_000, 10_000_000] if arguments.scale else arguments.rows:
            if arguments.scale:
                scale(spark, rows, keep)
            elif arguments.chessboard:
                chessboard(spark, rows, keep)
            else:
                for target in arguments.targets:
                    compare(spark, counted, rows, arguments.depths, target == "regression", keep)
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(keep.text(table))
    if arguments.write_doc:
        keep.write_document()


if __name__ == "__main__":
    main()
