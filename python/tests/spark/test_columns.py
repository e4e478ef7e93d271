"""Columns of every kind, and what is said about them: the model is that of one machine."""

import pytest

import softwood
import softwood.spark as sws

from rows import columns, frame, table

GROW = "grow search=binned max-depth=4 bins=32 min-leaf=2"
pytestmark = pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")


def kinds(rows, df):
    """The rows with a column of each kind more: (Spark, here)."""
    import pyarrow as pa
    from pyspark.sql import functions as f

    here = columns(rows)
    x, z = here["x"].to_pylist(), here["z"].to_pylist()
    more = {
        "nan": (f.expr("if(x > 1, double('NaN'), x * z)"), [None if a > 1 or b is None else a * b for a, b in zip(x, z)], pa.float64()),
        "decimal": (f.col("x").cast("decimal(12,3)"), x, pa.float64()),
        "short": (f.col("z").cast("short"), z, pa.int16()),
        "byte": (f.col("z").cast("byte"), z, pa.int8()),
        "float": (f.col("x").cast("float"), x, pa.float32()),
        "a.name with dots": (f.col("x") * 2, [2 * a for a in x], pa.float64()),
        "a `name`": (f.col("x") * 3, [3 * a for a in x], pa.float64()),
        "nothing": (f.lit(None), [None] * len(x), pa.float64()),
        "no text": (f.lit(None).cast("string"), [None] * len(x), pa.string()),
        "Text": (f.when(f.col("x") > 0.5, "").otherwise(f.col("colour")), [None if a > 0.5 else c for a, c in zip(x, here["colour"].to_pylist())], pa.string()),
    }
    for name, (cell, cells, kind) in more.items():
        df = df.withColumn(name, cell)
        here = here.append_column(name, pa.array(cells, kind))
    order = [name for name in here.column_names if name != "target"] + ["target"]
    return df.select(*["`" + name.replace("`", "``") + "`" for name in order]), here.select(order)


@pytest.mark.parametrize("regression", [False, True])
def test_columns_of_every_kind(spark, regression):
    rows = table(400, seed=20, regression=regression)
    df, here = kinds(rows, frame(spark, rows, 3))
    expected = softwood.train(here, "target", recipe=GROW)
    model = sws.train(df, "target", recipe=GROW, reread=regression)
    assert model.to_text() == expected.to_text()
    assert sorted(model.inputs) == sorted(name for name in here.column_names if name not in ("target",))
    found = sws.predict(model, df).toArrow()
    order = {key: i for i, key in enumerate(zip(*[here[name].to_pylist() for name in ("x", "y")]))}
    at = [order[key] for key in zip(found["x"].to_pylist(), found["y"].to_pylist())]
    assert found["prediction"].to_pylist() == [a if regression else str(a) for a in model.predict(here)[at]]
    figure = "mse" if regression else "error"
    assert sws.evaluate(model, df)[figure] == pytest.approx(expected.evaluate(here)[figure], rel=1e-12)


# Each of these is all that says what x or z says.
@pytest.mark.parametrize("names", [["decimal", "byte"], ["float", "short"]])
def test_numbers_of_every_kind_are_asked_about(spark, names):
    rows = table(400, seed=22)
    df, here = kinds(rows, frame(spark, rows, 3))
    model = sws.train(df.select(*names, "target"), "target", recipe=GROW)
    assert model.to_text() == softwood.train(here.select([*names, "target"]), "target", recipe=GROW).to_text()
    assert all(any(name in str(rule) for rule in model.rules()) for name in names)
    found = sws.predict(model, df).toArrow()
    order = {key: i for i, key in enumerate(zip(*[here[name].to_pylist() for name in ("x", "y")]))}
    at = [order[key] for key in zip(found["x"].to_pylist(), found["y"].to_pylist())]
    assert found["prediction"].to_pylist() == [str(a) for a in model.predict(here)[at]]
    assert found["decimal"].type == df.select("decimal").toArrow()["decimal"].type


def test_decimals_are_the_same_numbers_in_training_and_prediction(spark):
    """Of 20 digits: divided by a power of ten the lower number would be rounded twice, and become the higher one."""
    low, high = "0.24151560559444937093", "0.2415156055944494"
    cell = f"cast(if(id % 2 = 0, '{low}', '{high}') as decimal(38, 20)) as x"
    df = spark.range(100).selectExpr(cell, "if(id % 2 = 0, 'low', 'high') as target")
    model = sws.train(df, "target", recipe="grow search=binned")
    assert sws.predict(model, df).where("prediction != target").count() == 0
    assert sws.evaluate(model, df)["error"] == 0


OPTIONS = {
    "nominal and ignore": {"nominal": ["z"], "ignore": ["x", "w"]},
    "positive": {"positive": "high", "ignore": ["w"]},
    "costs": {"costs": {"high": {"low": 5, "middle": 2}}, "weights": "w"},
    "a sampled recipe": {"recipe": "grow max-leaves=5", "nominal": ["z"], "ignore": "w", "costs": {"high": {"low": 5}}},
}


@pytest.mark.parametrize("name", list(OPTIONS))
def test_what_is_said_of_columns(spark, name):
    options = {"recipe": GROW, **OPTIONS[name]}
    rows = table(300, seed=21)
    if name == "positive":
        rows = [row[:-1] + ("high" if row[-1] == "high" else "low",) for row in rows]
    expected = softwood.train(columns(rows), "target", **options)
    model = sws.train(frame(spark, rows, 2), "target", **options)
    assert model.to_text() == expected.to_text()


def test_tables_that_are_none(spark):
    rows = frame(spark, table(60), 2)
    with pytest.raises(softwood.Error, match="there is no input beside the target"):
        sws.train(rows.select("target"), "target", recipe=GROW)
    with pytest.raises(softwood.Error, match="two columns are named 'x'"):
        sws.train(rows.select("x", "y", "x", "target"), "target", recipe=GROW)
    with pytest.raises(softwood.Error, match="columns 'x' and 'X' are one for Spark"):
        sws.train(rows.select("x", rows["y"].alias("X"), "target"), "target", recipe=GROW)
    with pytest.raises(softwood.Error, match="the validation rows have no weight"):
        sws.train(rows, "target", recipe=GROW + " | prune", validation=rows.limit(0))


def test_a_column_of_identifiers_is_left_out(spark):
    keys = spark.range(0, 70000, 1, 3).selectExpr("concat('key', id) as key", "id % 7 as number", "id % 7 > 3 as target")
    model = sws.train(keys, "target", recipe=GROW)
    assert model.inputs == ["number"]
    assert any("left out: of more than 65536 values" in note for note in model.notes)
    with pytest.raises(softwood.Error, match="more than 65536 levels") as caught:
        sws.train(keys.union(keys), "target", recipe=GROW)
    assert "ignore=" in caught.value.hint
