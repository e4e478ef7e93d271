"""Growing on Spark against MLlib's trees: seconds, errors, and bytes by Spark's own metrics.

Usage: scripts/spark-run bench/spark.py [--rows 1000000 10000000] [--depths 5 10 15] [--scale | --chessboard]
The data are generated and cached first. Both grow one tree of the same depth with at most 255 bins (MLlib: maxBins=256)
on local[2]; one run each. --scale measures seconds per pass from 10^5 to 10^7 rows instead; --chessboard evolves a tree from
--rows that are generated anew in every pass.
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

COLUMNS = 20


def start(folder):
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "8g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.dir", "file://" + folder)
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def rows_of(spark, rows, regression):
    df = spark.range(rows, numPartitions=8).select(*[f.rand(i).alias(f"x{i}") for i in range(COLUMNS)])
    score = f.col("x0") * f.col("x1") * 4 + f.sin(f.col("x2") * 6) + (f.col("x3") - 0.5) * f.col("x4") * 4
    noisy = score + f.randn(99) * 0.3
    label = noisy if regression else (noisy > 1.0).cast("double")
    df = df.withColumn("label", label).cache()
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
        return shuffled, sent


def compare(spark, counted, rows, depth, regression):
    df = rows_of(spark, rows, regression)
    train, test = df, rows_of(spark, 100_000, regression)  # other random rows: other partitions
    names = [f"x{i}" for i in range(COLUMNS)]
    assembler = VectorAssembler(inputCols=names, outputCol="features")
    vectors = assembler.transform(train).select("features", "label").cache()
    vectors.count()
    counted.take()
    start = time.time()
    ours = sws.train(
        train, "label", recipe=f"grow search=binned max-depth={depth}", task="regression" if regression else "classification"
    )
    our_time, our_bytes = time.time() - start, counted.take()
    peer = (DecisionTreeRegressor if regression else DecisionTreeClassifier)(maxDepth=depth, maxBins=256, maxMemoryInMB=1024)
    start = time.time()
    theirs = peer.fit(vectors)
    their_time, their_bytes = time.time() - start, counted.take()
    found = theirs.transform(assembler.transform(test))
    if regression:
        their_error = RegressionEvaluator(metricName="mse").evaluate(found)
        our_error = sws.evaluate(ours, test)["mse"]
    else:
        their_error = 1 - MulticlassClassificationEvaluator(metricName="accuracy").evaluate(found)
        our_error = sws.evaluate(ours, test)["error"]
    vectors.unpersist()
    df.unpersist()
    test.unpersist()
    counted.take()
    passes = ours.spark_passes_
    print(
        f"| {'regression' if regression else 'classes'} | {rows} | {depth} | {our_time:.1f} | {their_time:.1f} | {their_time / our_time:.2f} | "
        f"{our_error:.4f} | {their_error:.4f} | {our_bytes[0] / 1e6:.1f} | {their_bytes[0] / 1e6:.1f} | {our_bytes[1] / 1e6:.1f} | "
        f"{their_bytes[1] / 1e6:.1f} | {passes['raw'] + passes['code']} + {passes['growing']} |",
        flush=True,
    )


def scale(spark):
    print("| rows | seconds | passes | seconds per pass |\n|---|---|---|---|")
    for rows in (100_000, 1_000_000, 10_000_000):
        df = rows_of(spark, rows, False)
        start = time.time()
        passes = sws.train(df, "label", recipe="grow search=binned max-depth=10").spark_passes_
        seconds, count = time.time() - start, passes["raw"] + passes["code"] + passes["growing"]
        print(f"| {rows} | {seconds:.1f} | {count} | {seconds / count:.2f} |", flush=True)
        df.unpersist()


def chessboard(spark, rows):
    """A board of 4 x 4 fields, one label in ten wrong: greedy growth does not see it, evolution does."""

    def board(count, seed):
        x, y = f.rand(seed), f.rand(seed + 1)
        df = spark.range(count, numPartitions=max(8, count // 4_000_000)).select(x.alias("x"), y.alias("y"))
        is_white = (f.floor(f.col("x") * 4) + f.floor(f.col("y") * 4)) % 2 == 0
        return df.withColumn("colour", f.when((f.rand(seed + 2) < 0.9) == is_white, "white").otherwise("black"))

    start = time.time()
    model = sws.train(board(rows, 1), "colour", recipe="evolve cuts=bins")
    seconds, passes = time.time() - start, model.spark_passes_
    error = sws.evaluate(model, board(1_000_000, 11))["error"]
    count = passes["raw"] + passes["code"] + passes["growing"]
    print(f"| {rows} | {seconds:.1f} | {count} | {model.leaves} | {error:.4f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 10, 15])
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--chessboard", action="store_true")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    spark = start(folder)
    try:
        if arguments.scale:
            return scale(spark)
        if arguments.chessboard:
            print("| rows | seconds | passes | leaves | error |\n|---|---|---|---|---|")
            for rows in arguments.rows:
                chessboard(spark, rows)
            return
        print("| target | rows | depth | s | s MLlib | times | error | MLlib's | MB shuffled | MLlib's | MB to driver | MLlib's | passes |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        counted = Bytes(folder)
        for rows in arguments.rows:
            for regression in (False, True):
                for depth in arguments.depths:
                    compare(spark, counted, rows, depth, regression)
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
