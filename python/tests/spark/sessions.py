"""Sessions of Spark."""

import os
import sys

from pyspark.sql import SparkSession


def session(master):
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    active = SparkSession.getActiveSession()
    if active is not None and active.sparkContext.master == master:
        return active
    if active is not None:
        active.stop()
    builder = SparkSession.builder.master(master).appName("softwood tests")
    usual = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.driver.memory": "1g",
    }
    for key, value in usual.items():
        builder = builder.config(key, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found
