"""bench/spark.py measures what the package says of its passes."""

import importlib.util
import pathlib

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[3] / "bench"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    spec = importlib.util.spec_from_file_location("bench_spark", BENCH / "spark.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_seconds_per_pass_and_the_chessboard(spark, bench):
    kept = {}

    def keep(table, key, values):
        kept[table] = len(key) + len(values)

    bench.scale(spark, 3000, keep)
    bench.chessboard(spark, 3000, keep)
    assert kept == {table: len(bench.HEADS[table].split()) for table in ("scale", "chessboard")}
