"""Predictions, evaluation and the estimators of Spark ML."""

import subprocess

import numpy as np
import pytest

import softwood
import softwood.spark as sws

from rows import columns, frame, table


@pytest.fixture(scope="module")
def trained():
    return softwood.train(columns(table()), "target", recipe="grow search=binned max-depth=5", weights="w")


def test_predictions_are_those_of_one_machine(spark, trained):
    rows = table(300, seed=9)
    found = sws.predict(trained, frame(spark, rows, 3).drop("target")).toArrow()
    here = columns(rows)
    order = {key: i for i, key in enumerate(zip(here["x"].to_pylist(), here["y"].to_pylist(), here["z"].to_pylist()))}
    at = [order[key] for key in zip(found["x"].to_pylist(), found["y"].to_pylist(), found["z"].to_pylist())]
    assert found["prediction"].to_pylist() == [str(c) for c in trained.predict(here)[at]]
    assert np.array_equal(np.array(found["probability"].to_pylist()), trained.predict_proba(here)[at])


def test_a_single_leaf_answers(spark):
    rows = table(50)
    leaf = softwood.train(columns(rows), "target", recipe="grow max-depth=0")
    found = sws.predict(leaf, frame(spark, rows, 2)).toArrow()
    assert found["prediction"].to_pylist() == [str(c) for c in leaf.predict(columns(rows))]
    assert sws.evaluate(leaf, frame(spark, rows, 2))["error"] == leaf.evaluate(columns(rows))["error"]


def test_soft_models_answer_too(spark):
    rows = table(300, regression=True)
    model = softwood.train(columns(rows), "target", recipe="grow max-depth=3 missing=fractional | soften", task="regression")
    found = sws.predict(model, frame(spark, rows, 2)).toArrow()
    assert np.allclose(np.sort(found["prediction"].to_numpy()), np.sort(model.predict(columns(rows))), rtol=0, atol=0)


def test_evaluation_is_that_of_one_machine(spark, trained):
    rows = table(800, seed=10)
    found = sws.evaluate(trained, frame(spark, rows, 5))
    expected = trained.evaluate(columns([row[:5] + (1.0,) + row[6:] for row in rows]))
    assert found["rows"] == 800
    assert np.array_equal(found["confusion"], expected["confusion"])
    assert found["per_class"].keys() == expected["per_class"].keys()
    for figure in ("error", "accuracy", "logloss", "brier", "auc", "balanced_accuracy"):
        assert found[figure] == pytest.approx(expected[figure], rel=1e-12), figure


def test_evaluation_of_numbers(spark):
    rows = table(regression=True)
    model = softwood.train(columns(rows), "target", recipe="grow search=binned max-depth=4", task="regression")
    found, expected = sws.evaluate(model, frame(spark, rows, 3)), model.evaluate(columns(rows))
    for figure in ("mse", "rmse", "mae", "r2", "nmse"):
        assert found[figure] == pytest.approx(expected[figure], rel=1e-9), figure


def test_a_model_of_other_columns(spark, trained):
    df = frame(spark, table(50), 2)
    for use in (sws.predict, sws.evaluate):
        with pytest.raises(softwood.Error, match="there is no column 'x'"):
            use(trained, df.drop("x"))
        with pytest.raises(softwood.Error, match="texts instead of numbers"):
            use(trained, df.selectExpr("cast(x as string) as x", "y", "z", "colour", "flag", "target"))
    with pytest.raises(softwood.Error, match="already"):
        sws.predict(trained, df.withColumnRenamed("w", "prediction"))


def test_estimators_in_a_pipeline(spark, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    df = frame(spark, table(400), 2).selectExpr("x", "y", "z", "colour", "double(target = 'high') as label")
    tree = sws.CartClassifier(settings=["prune.folds=3"], maxDepth=3)
    model = Pipeline(stages=[tree]).fit(df)
    found = model.transform(df)
    accuracy = MulticlassClassificationEvaluator(metricName="accuracy").evaluate(found)
    assert accuracy > max(row["count"] for row in df.groupBy("label").count().collect()) / 400
    assert model.stages[0].model.depth <= 3
    model.save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert again.stages[0].model.to_text() == model.stages[0].model.to_text()
    assert again.transform(df).select("prediction").collect() == found.select("prediction").collect()
    tree.save(str(tmp_path / "estimator"))
    assert sws.CartClassifier.load(str(tmp_path / "estimator")).getOrDefault("maxDepth") == 3
    grid = ParamGridBuilder().addGrid(tree.maxDepth, [0, 3]).build()
    chosen = CrossValidator(estimator=tree, estimatorParamMaps=grid, evaluator=MulticlassClassificationEvaluator(), numFolds=2, seed=1).fit(df)
    assert chosen.avgMetrics[1] > chosen.avgMetrics[0]
    assert chosen.bestModel.model.leaves > 1


def test_regressors_and_evolved_trees(spark):
    from pyspark.ml.evaluation import RegressionEvaluator

    df = frame(spark, table(300, regression=True), 2)
    model = sws.CartRegressor(labelCol="target", weightCol="w", inputCols=["x", "y", "z"], recipe="grow search=binned max-depth=4").fit(df)
    assert model.model.inputs == ["x", "y", "z"]
    error = RegressionEvaluator(labelCol="target", metricName="rmse").evaluate(model.transform(df))
    assert error == pytest.approx(sws.evaluate(model.model, df)["rmse"], rel=1e-9)
    evolved = sws.EvolvedTreeRegressor(labelCol="target", settings=["evolve.generations=3"], maxDepth=2).fit(df)
    expected = softwood.train(
        columns(table(300, regression=True)), "target", method="evolve", task="regression",
        settings={"evolve.generations": 3, "evolve.max-depth": 2, "evolve.cuts": "bins"},
    )
    assert evolved.model.to_text() == expected.to_text()
    assert 0 < evolved.model.depth <= 2
    classes = frame(spark, table(300), 2)
    found = sws.EvolvedTreeClassifier(labelCol="target", settings=["evolve.generations=3"], maxDepth=2).fit(classes)
    assert found.transform(classes).where("prediction = target").count() > 100


def test_sql_export(spark, trained):
    rows = table(300, seed=11)
    df = frame(spark, rows, 1)
    df.createOrReplaceTempView("rows_of_test")
    statement = trained.export("sql", dialect="spark", table="rows_of_test", keep=["x"])
    found = spark.sql(statement.rstrip().rstrip(";")).toArrow()
    assert found["x"].to_pylist() == [row[0] for row in rows]
    assert found["prediction"].to_pylist() == [str(c) for c in trained.predict(columns(rows))]
    proba = trained.predict_proba(columns(rows))
    for k, name in enumerate(trained.classes):
        assert np.allclose(found[f"proba_{name}"].to_numpy(), proba[:, k], rtol=0, atol=1e-12)


def test_the_program_checks_its_sql(program, tmp_path):
    import os
    import sys

    from rows import csv_file

    csv_file(table(200), tmp_path / "rows.csv")
    environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    subprocess.run([program, "train", "rows.csv", "--quiet", "-o", "m.json"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(
        [program, "export", "m.json", "--to", "sql", "--dialect", "spark", "--check", "rows.csv", "-o", "m.sql"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
