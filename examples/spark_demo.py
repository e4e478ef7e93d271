"""The same tree on Spark and on one machine, from generated rows. make demo-spark runs it."""

import os
import sys
import time

os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import softwood
import softwood.spark as sws

ROWS = 200_000
RECIPE = "grow search=binned max-depth=8 | prune folds=5"

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")

# A board of 4 x 4 fields, one label in ten drawn anew.
field = (f.floor(f.col("x") * 4) + f.floor(f.col("y") * 4)) % 2
df = (
    spark.range(ROWS, numPartitions=8)
    .select(f.rand(1).alias("x"), f.rand(2).alias("y"), f.rand(3).alias("noise"))
    .withColumn("colour", f.when((f.rand(4) < 0.9) == (field == 0), "white").otherwise("black"))
    .cache()
)
df.count()

start = time.time()
model = sws.train(df, target="colour", recipe=RECIPE)
print(f"{ROWS} rows in {df.rdd.getNumPartitions()} partitions: {model.leaves} leaves, {time.time() - start:.1f} s")
print("passes:", model.spark_passes_)
print(f"error on all rows: {sws.evaluate(model, df)['error']:.4f}")

other = sws.train(df.repartition(3).orderBy("noise"), target="colour", recipe=RECIPE)
here = softwood.train(df.toArrow(), "colour", recipe=RECIPE)
print("sorted, in other partitions: the same bytes:", other.to_text() == model.to_text())
print("on one machine: the same bytes:", here.to_text() == model.to_text())
sws.predict(model, df).select("x", "y", "colour", "prediction").show(5)
spark.stop()
