"""The same tree, byte for byte, however rows are partitioned; and what is refused."""

import json
import os
import random
import signal
import subprocess
import threading
import time
import warnings

import numpy as np
import pytest

import softwood
import softwood.spark as sws

from rows import columns, csv_file, frame, table

GROW = "grow search=binned max-depth=3 bins=64"
PRUNE = "grow search=binned max-depth=4 min-leaf=2 | prune folds=4"
quiet = pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")


pytestmark = pytest.mark.filterwarnings("ignore:.*have a weight:softwood.SoftwoodWarning")


# A task takes some hundredths of a second, whatever it does: few levels where there are many partitions.
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("parts, depth, folds", [(1, 5, 0), (2, 3, 4), (7, 5, 0), (64, 2, 0)])
def test_any_partitions_and_order(spark, regression, parts, depth, folds):
    rows = table(regression=regression)
    recipe = f"grow search=binned max-depth={depth} bins=64" + (f" | prune folds={folds}" if folds else "")
    expected = softwood.train(columns(rows), "target", recipe=recipe, weights="w").to_text()
    random.Random(parts).shuffle(rows)
    model = sws.train(frame(spark, rows, parts), "target", recipe=recipe, weights="w")
    assert model.to_text() == expected
    assert model.leaves > 2
    assert model.spark_passes_["raw"] + model.spark_passes_["code"] <= 10
    assert model.spark_passes_["growing"] <= depth + 2


def test_the_bytes_of_the_program(spark, program, tmp_path):
    rows = table(seed=2, copies=2)
    csv_file(rows, tmp_path / "rows.csv")
    subprocess.run(
        [program, "train", "rows.csv", "--target", "target", "--recipe", PRUNE, "--quiet", "-o", "m.json"],
        cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )
    model = sws.train(frame(spark, rows, 3), "target", recipe=PRUNE)
    assert model.to_text() == (tmp_path / "m.json").read_text()


def test_methods_are_binned_here(spark):
    rows = table(300)
    model = sws.train(frame(spark, rows, 2), "target", method="cart", small_rows=50)
    expected = softwood.train(columns(rows), "target", method="cart", settings={"grow.search": "binned"})
    assert model.to_text() == expected.to_text()
    assert model.spark_passes_["finish"] == 1


def test_validation_rows(spark):
    rows, known = table(seed=3), table(400, seed=4)
    recipe = "grow search=binned | prune rule=min"
    model = sws.train(frame(spark, rows, 3), "target", recipe=recipe, validation=frame(spark, known, 2))
    expected = softwood.train(columns(rows), "target", recipe=recipe, validation=columns(known))
    assert model.to_text() == expected.to_text()


@pytest.mark.parametrize("regression", [False, True])
def test_evolution(spark, regression):
    rows = table(seed=8, copies=2, regression=regression)
    recipe = "evolve cuts=bins generations=10 max-depth=3"
    expected = softwood.train(columns(rows), "target", recipe=recipe).to_text()
    random.Random(8).shuffle(rows)
    for parts in (1, 5):
        assert sws.train(frame(spark, rows, parts), "target", recipe=recipe).to_text() == expected


@quiet
def test_other_recipes_on_all_rows_or_a_sample(spark):
    rows = table(600, seed=5)
    recipe = "grow max-depth=4 | prune by=pessimistic"
    expected = softwood.train(columns(rows), "target", recipe=recipe)
    assert sws.train(frame(spark, rows, 3), "target", recipe=recipe).to_text() == expected.to_text()
    found = []
    for parts in (1, 4):
        with pytest.warns(softwood.SoftwoodWarning, match="of 600 rows.*error on all rows"):
            found.append(sws.train(frame(spark, rows, parts), "target", recipe=recipe, sample_rows=200).to_text())
    assert found[0] == found[1] != expected.to_text()


def test_every_method_is_for_spark_or_a_sample(spark):
    from softwood import _core

    in_parts = [name for name in softwood.methods() if _core.is_for_parts(_core.TrainSettings(method=name))]
    assert in_parts == ["cart"]
    rows = table(150, seed=5)
    found = sws.train(frame(spark, rows, 2), "target", method="c45")
    assert found.to_text() == softwood.train(columns(rows), "target", method="c45").to_text()


@quiet
def test_a_sample_of_few_different_rows(spark):
    df = spark.range(0, 6000, 1, 3).selectExpr("id % 4 as a", "id % 8 div 4 as b", "double(id % 3) / 10 as w", "(id % 8) in (1, 2, 6) as target")
    here = df.toArrow()
    for weights in (None, "w"):
        recipe = "grow search=exact"
        inputs = ["a", "b", *([weights] if weights else []), "target"]
        expected = softwood.train(here.select(inputs), "target", recipe=recipe, weights=weights)
        found = []
        for parts in (1, 4):
            rows = df.select(*inputs).repartition(parts)
            found.append(sws.train(rows, "target", recipe=recipe, weights=weights, sample_rows=500))
        assert found[0].to_text() == found[1].to_text()
        assert [str(rule) for rule in found[0].rules()] == [str(rule) for rule in expected.rules()]
        assert found[0].leaves > 3
        assert sws.evaluate(found[0], df, weights=weights)["error"] == 0


def test_copies_are_no_weights_of_the_user(spark):
    """Rows that were drawn have the number of their copies as a weight, of which nobody hears afterwards."""
    df = spark.range(0, 6000, 1, 3).selectExpr("id % 4 as a", "id % 8 div 4 as b", "(id % 8) in (1, 2, 6) as target")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = sws.train(df, "target", recipe="grow search=exact", sample_rows=500, validation=df)
        sws.evaluate(model, df)
    assert not [str(warning.message) for warning in caught if "softwood_copies" in str(warning.message)]
    assert "softwood_copies" not in model.to_text() and not any("softwood_copies" in note for note in model.notes)
    taken = df.withColumnRenamed("b", "softwood_copies")
    with pytest.raises(softwood.Error, match="column 'softwood_copies' has the name of one"):
        sws.train(taken, "target", recipe="grow search=exact", sample_rows=500)
    assert sws.train(taken, "target", recipe="grow search=exact").inputs == ["a", "softwood_copies"]


@quiet
def test_validation_rows_that_are_drawn(spark):
    rows, known = table(300, seed=5), table(700, seed=6)
    recipe = "grow | prune by=reduced-error"
    model = sws.train(frame(spark, rows, 2), "target", recipe=recipe, validation=frame(spark, known, 3), sample_rows=400)
    (note,) = [note for note in model.notes if "in one place" in note]
    assert "of 700 validation rows were used, drawn by their content" in note and "trained on" not in note
    with pytest.warns(softwood.SoftwoodWarning, match="trained on .* of 300 rows.*; .* of 700 validation rows"):
        sws.train(frame(spark, rows, 2), "target", recipe=recipe, validation=frame(spark, known, 3), sample_rows=200)


def bad(df, word, **others):
    with pytest.raises(softwood.Error, match=word):
        sws.train(df, **{"target": "target", "recipe": GROW, **others})


def test_spark_connect_is_refused():
    class DataFrame:
        columns, schema = ["a", "b"], None

    DataFrame.__module__ = "pyspark.sql.connect.dataframe"
    from softwood.spark._rows import is_connected

    assert is_connected(DataFrame()) and not is_connected(object())


def test_what_training_on_spark_connect_says(spark, monkeypatch):
    from softwood.spark import _train

    monkeypatch.setattr(_train, "is_connected", lambda df: True)
    with pytest.raises(softwood.Error, match="Spark Connect has no RDDs") as caught:
        sws.train(frame(spark, table(50), 2), "target", recipe=GROW)
    assert caught.value.kind == "usage" and caught.value.hint == "use a session with a master"


def test_old_spark_is_refused(spark, monkeypatch):
    monkeypatch.setattr(type(spark), "version", property(lambda self: "3.5.1"))
    for recipe in (GROW, "grow max-leaves=3"):
        with pytest.raises(softwood.Error, match="this is Spark 3.5.1: training needs Spark 4") as caught:
            sws.train(frame(spark, table(50), 2), "target", recipe=recipe)
        assert caught.value.kind == "usage"


def test_rows_that_change_are_refused(spark):
    from pyspark.sql import functions as f

    # Of the system: workers of Spark are copies of one process, so that other random numbers may be the same ones. Sums of
    # weights differ for certain, numbers of rows could be equal by chance.
    chance = f.udf(lambda: 0.5 + random.SystemRandom().random(), "double").asNondeterministic()
    df = frame(spark, table(400), 2).select("z", "flag", "target").withColumn("weight", chance())
    with pytest.raises(softwood.Error, match="the rows changed between two passes") as caught:
        sws.train(df, "target", weights="weight", recipe=GROW, reread=True)
    assert "checkpoint" in caught.value.hint
    kept = df.localCheckpoint()
    expected = softwood.train(kept.toArrow(), "target", weights="weight", recipe=GROW)
    assert sws.train(kept, "target", weights="weight", recipe=GROW, reread=True).to_text() == expected.to_text()


def test_spark_without_its_own_record_batches(spark, monkeypatch):
    from py4j.protocol import Py4JError

    from softwood.spark import _rows

    def missing(df):
        raise Py4JError("Method toArrowBatchRdd([]) does not exist")

    rows = table(200)
    expected = sws.train(frame(spark, rows, 3), "target", recipe=GROW).to_text()
    monkeypatch.setattr(_rows, "_blocks_of_jvm", missing)
    assert sws.train(frame(spark, rows, 3), "target", recipe=GROW).to_text() == expected


def test_executors_of_another_version(spark, monkeypatch):
    from softwood import _core

    monkeypatch.setattr(_core, "__version__", "0.0.1")
    with pytest.raises(softwood.Error, match="the driver has 0.0.1"):
        sws.train(frame(spark, table(50), 2), "target", recipe=GROW)


def test_what_was_kept_is_given_back(spark):
    context = spark.sparkContext._jsc
    before = set(context.getPersistentRDDs().keys())
    seen = []

    from softwood.spark import _rows

    class Watched(_rows.ClusterRows):
        def _coded_pass(self, request):
            answers = super()._coded_pass(request)
            seen.append(len(set(context.getPersistentRDDs().keys()) - before - {self._open and self._open.id()}))
            return answers

    import softwood.spark._train as training

    original, training.ClusterRows = training.ClusterRows, Watched
    try:
        sws.train(frame(spark, table(300), 3), "target", recipe=PRUNE)
    finally:
        training.ClusterRows = original
    # Counting for the deal: coded and exchanged rows. Judging: only those with their folds.
    assert seen == [2, 1]
    assert set(context.getPersistentRDDs().keys()) == before


def test_what_was_kept_is_given_back_after_an_error(spark, monkeypatch):
    """Also what a pass of growth keeps, which fails when it is kept already."""
    from softwood.spark import _parts

    context = spark.sparkContext._jsc
    before = set(context.getPersistentRDDs().keys())

    def failing(request, piece_and_last):
        raise RuntimeError("not today")

    monkeypatch.setattr(_parts, "decided_after", failing)
    with pytest.raises(Exception, match="not today"):
        sws.train(frame(spark, table(300), 3), "target", recipe=GROW, small_rows=1)
    assert set(context.getPersistentRDDs().keys()) == before


def test_bad_input(spark):
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import functions as f

    df = frame(spark, table(100), 2)
    bad(df, "there is no column 'nothing'", target="nothing")
    bad(df, "there is no column 'v'", weights="v")
    bad(df.withColumn("target", f.lit("a")), "only one class")
    bad(df.withColumn("target", f.lit(None).cast("string")), "no row has a value of the target")
    bad(df.limit(0), "there are no rows")
    bad(df.withColumn("w", -f.col("w")), "is no weight", weights="w")
    bad(df.withColumn("d", f.current_date()), "dates and times")
    bad(df.withColumn("a", f.array("x")), "is no input of a tree")
    bad(VectorAssembler(inputCols=["x"], outputCol="v").transform(df), "vectors are no inputs")
    with pytest.raises(softwood.Error, match="inf is infinite") as caught:
        sws.train(df.withColumn("x", f.lit(float("inf"))), "target", recipe=GROW)
    assert caught.value.where == "column 'x'"  # no row, whose number would be that in a block
    many = spark.range(140000).selectExpr("concat('a', id % 70000) as many", "id % 2 as target")
    bad(many, "more than 65536 levels")
    bad(many, "target 'many' has more than 65536 classes", target="many")
    different = spark.range(60).selectExpr("concat('u', id) as x", "id % 2 as target")
    bad(different, "x was left out, as all its values are different")
    bad(df, "max-leaves", recipe="grow search=binned max-leaves=3")
    bad(df, "model in leaves", recipe="grow search=binned leaf=logistic")


def test_arguments_of_another_kind(spark):
    df = frame(spark, table(100), 2)
    model = softwood.train(columns(table(100)), "target", recipe="grow max-leaves=2")
    for wrong in (lambda: sws.train(columns(table(10)), "target"), lambda: sws.train(df, "target", validation="rows"), lambda: sws.describe("rows"), lambda: sws.predict(model, "rows")):
        with pytest.raises(softwood.Error, match="no DataFrame of Spark"):
            wrong()
    for wrong in (lambda: sws.predict(df, model), lambda: sws.evaluate("tree.json", df)):
        with pytest.raises(softwood.Error, match="no model"):
            wrong()
    with pytest.raises(softwood.Error, match="is no dictionary"):
        sws.train(df, "target", settings=["grow.max-depth=2"])


def test_what_the_columns_are_taken_for_is_said(spark):
    rows = spark.range(120).selectExpr("concat('u', id) as name", "id % 7 as x", "id % 3 as target")
    with pytest.warns(softwood.SoftwoodWarning) as said:
        model = sws.train(rows, "target", recipe=GROW)
    texts = [str(one.message) for one in said]
    for part in ("column 'name' is left out", "target 'target' has 3 distinct whole values"):
        assert any(part in text for text in texts)
        assert any(part in note for note in model.notes)


def test_a_column_without_values(spark):
    import pyarrow as pa
    from pyspark.sql import functions as f

    rows = table(200)
    here = columns(rows).append_column("none", pa.nulls(200, pa.float64()))
    expected = softwood.train(here, "target", recipe=GROW).to_text()
    df = frame(spark, rows, 3).withColumn("none", f.lit(None).cast("double"))
    assert sws.train(df, "target", recipe=GROW).to_text() == expected


def test_a_failure_elsewhere_stays_itself(spark):
    from pyspark.sql import functions as f
    from pyspark.sql.types import DoubleType

    def broken(x):
        raise RuntimeError("not ours")

    df = frame(spark, table(50), 2).withColumn("x", f.udf(broken, DoubleType())("x"))
    with pytest.raises(Exception, match="not ours") as caught:
        sws.train(df, "target", recipe=GROW)
    assert not isinstance(caught.value, softwood.Error)


def test_interrupt_cancels_the_jobs(spark):
    from pyspark.sql import functions as f
    from pyspark.sql.types import DoubleType

    def slow(x):
        time.sleep(0.5)
        return x

    context = spark.sparkContext
    df = frame(spark, table(400), 2).withColumn("x", f.udf(slow, DoubleType())("x"))
    # Spark's own handler would cancel all jobs there are.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    tracker, running = context.statusTracker(), []

    def interrupt():
        while not running:
            time.sleep(0.1)
            running.extend(tracker.getActiveJobsIds())
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            sws.train(df, "target", recipe=GROW)
        while tracker.getActiveJobsIds():
            time.sleep(0.1)
        assert {tracker.getJobInfo(job).status for job in running} == {"FAILED"}
    finally:
        signal.signal(signal.SIGINT, before)
    assert context.getLocalProperty("spark.jobGroup.id") is None
    assert context.getLocalProperty("spark.job.interruptOnCancel") is None


def test_an_interrupt_stays_one(spark):
    """Whatever else fails after it."""
    from softwood.spark._errors import on_driver

    with pytest.raises(KeyboardInterrupt):
        with on_driver(spark, "test"):
            try:
                raise KeyboardInterrupt
            finally:
                raise RuntimeError("an answer that nobody read")
    with pytest.raises(RuntimeError):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            with on_driver(spark, "test"):
                raise RuntimeError("a failure by itself")


def test_describe(spark):
    found = {column["name"]: column for column in sws.describe(frame(spark, table(200), 3).drop("w"))}
    here = columns(table(200))
    assert found["x"]["kind"] == "numeric" and found["colour"]["kind"] == found["flag"]["kind"] == "nominal"
    assert found["y"]["missing"] == here["y"].null_count > 0
    assert found["z"]["distinct"] == len(set(here["z"].to_pylist()) - {None})
    assert found["x"]["min"] == min(here["x"].to_pylist())
    assert sum(found["target"]["levels"].values()) == 200
    json.dumps(list(found.values()))
    assert found["z"]["median"] == np.median([z for z in here["z"].to_pylist() if z is not None])
    others = frame(spark, table(20), 2).selectExpr("current_date() as day", "if(x > 0, '', 'a') as text", "double('NaN') as none")
    many = spark.range(50).selectExpr("cast(id as string) as level")
    assert sws.describe(many)[0]["distinct"] == 50 and len(sws.describe(many)[0]["levels"]) == 20
    day, text, none = sws.describe(others)
    assert day["kind"] == "other" and day["type"] == "date" and day["missing"] == 0
    assert text["distinct"] == 1 and text["missing"] + text["levels"]["a"] == 20
    assert none["missing"] == 20 and none["distinct"] == 0 and none["median"] is None
