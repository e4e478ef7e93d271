"""Predictions, evaluation and the estimators of Spark ML."""

import subprocess
import warnings

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
    expected = trained.evaluate(columns(rows))
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


def test_columns_of_any_type_go_through_predict(spark, trained):
    from pyspark.ml.feature import VectorAssembler

    df = frame(spark, table(40), 2).selectExpr(
        "*", "map('a', x) as map", "struct(x, colour) as struct", "array(x) as array", "binary('b') as bytes",
        "date'2020-01-01' as date", "timestamp'2020-01-01' as time", "interval '1' day as days", "cast(x as decimal(9, 3)) as decimal",
    )
    df = VectorAssembler(inputCols=["x"], outputCol="vector").transform(df)
    found = sws.predict(trained, df)
    assert [row[:-2] for row in found.collect()] == [tuple(row) for row in df.collect()]
    with pytest.raises(softwood.Error, match="interval month does not go through Arrow"):
        sws.predict(trained, df.selectExpr("*", "interval '1' month as months"))


@pytest.mark.parametrize("regression", [False, True])
def test_evaluation_weighs_and_refuses_as_one_machine(spark, regression):
    from pyspark.sql import functions as f

    rows = table(400, seed=12, regression=regression)
    model = softwood.train(columns(rows), "target", recipe="grow search=binned max-depth=4", weights="w")
    df = frame(spark, rows, 3)
    figure = "mse" if regression else "error"
    weighted, plain = model.evaluate(columns(rows)), model.evaluate(columns(rows).drop_columns(["w"]))
    assert weighted[figure] != plain[figure]
    assert sws.evaluate(model, df)[figure] == pytest.approx(weighted[figure], rel=1e-12)
    assert sws.evaluate(model, df, weights="w")[figure] == pytest.approx(weighted[figure], rel=1e-12)
    assert sws.evaluate(model, df.drop("w"))[figure] == pytest.approx(plain[figure], rel=1e-12)
    other = sws.evaluate(model, df.withColumnRenamed("w", "v"), weights="v")
    assert other[figure] == pytest.approx(weighted[figure], rel=1e-12)
    if regression:  # to the last digit
        assert other == sws.evaluate(model, df.repartition(7).withColumnRenamed("w", "v"), weights="v")
    with pytest.raises(softwood.Error, match="weight"):
        sws.evaluate(model, df.withColumn("w", -f.col("w")))
    with pytest.raises(softwood.Error, match="weight"):
        sws.evaluate(model, df.withColumn("w", f.when(f.col("w") > 0, f.col("w"))))
    with pytest.raises(softwood.Error, match="no row has a value of the target"):
        sws.evaluate(model, df.limit(0))


def test_numeric_classes_that_are_nan_do_not_count(spark):
    df = frame(spark, table(200), 2).selectExpr("x", "y", "if(x > 1, double('NaN'), double(x > 0)) as target")
    model = sws.train(df, "target", recipe="grow search=binned max-depth=2", task="classification")
    found = sws.evaluate(model, df)
    assert found["rows"] == df.where("x <= 1").count() and found["error"] < 0.1


def test_evaluation_of_answers_that_all_differ(spark):
    rows = table(500, seed=13)
    model = softwood.train(columns(rows), "target", recipe="grow max-depth=3 leaf=logistic")
    found, expected = sws.evaluate(model, frame(spark, rows, 4)), model.evaluate(columns(rows))
    for name in ("error", "logloss", "brier", "auc"):
        assert found[name] == pytest.approx(expected[name], rel=1e-12), name
    assert found["intervals"]["error"] == pytest.approx(expected["intervals"]["error"], rel=1e-12)


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
    # The column by which rows are dealt to folds is no input, nor are earlier answers.
    assert chosen.bestModel.model.inputs == ["x", "y", "z", "colour"]
    assert tree.fit(found).model.inputs == ["x", "y", "z", "colour"]


def test_the_text_of_an_indexed_label_is_no_secret_input(spark):
    from pyspark.ml.feature import StringIndexer

    df = frame(spark, table(200), 2).selectExpr("x", "colour", "target as class")
    indexed = StringIndexer(inputCol="class", outputCol="label").fit(df).transform(df)
    with pytest.warns(softwood.SoftwoodWarning, match="column 'class' is an input, and has only values of which the label") as said:
        sws.CartClassifier(recipe="grow max-depth=2").fit(indexed)
    assert not any("colour" in str(one.message) for one in said)
    with warnings.catch_warnings():
        warnings.simplefilter("error", softwood.SoftwoodWarning)
        sws.CartClassifier(recipe="grow max-depth=2", inputCols=["x", "colour"]).fit(indexed)


def test_regressors_and_evolved_trees(spark):
    from pyspark.ml.evaluation import RegressionEvaluator

    df = frame(spark, table(300, regression=True), 2)
    model = sws.CartRegressor(labelCol="target", weightCol="w", inputCols=["x", "y", "z"], recipe="grow search=binned max-depth=4").fit(df)
    assert model.model.inputs == ["x", "y", "z"]
    error = RegressionEvaluator(labelCol="target", metricName="rmse", weightCol="w").evaluate(model.transform(df))
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


def test_parameters_reach_the_stage(spark):
    df = frame(spark, table(200), 2)
    small = sws.CartClassifier(recipe="grow search=binned", labelCol="target").setMaxDepth(4).setMinInstancesPerNode(40)
    assert small.getOrDefault("maxDepth") == 4
    model = small.fit(df).model
    assert 0 < model.depth <= 4 and min(rule.weight for rule in model.rules()) >= 40
    with pytest.raises(TypeError):
        sws.EvolvedTreeClassifier(minInstancesPerNode=5)
    other = sws.EvolvedTreeClassifier(recipe="grow search=binned", labelCol="target", maxDepth=1)
    assert other.fit(df).model.depth == 1
    with pytest.raises(softwood.Error, match="there is no column 'nothing'"):
        sws.CartClassifier(labelCol="target", inputCols=["x", "nothing"]).fit(df)
    with pytest.raises(softwood.Error, match="'rawPrediction' already"):
        other.fit(df).transform(df.withColumnRenamed("w", "rawPrediction"))
    named = sws.CartClassifier(labelCol="target", recipe="grow search=binned max-depth=1", predictionCol="the.answer", probabilityCol="p`q")
    assert {"the.answer", "p`q"} <= set(named.fit(df).transform(df).columns)


def test_parameters_that_are_none(spark):
    df = frame(spark, table(100), 2)
    shallow = {"labelCol": "target", "recipe": "grow search=binned max-depth=1"}
    for name, value in (("settings", ["abc"]), ("recipe", " "), ("settings", ["=5"])):
        with pytest.raises(softwood.Error):
            sws.CartClassifier(**{**shallow, name: value}).fit(df)
    # Spark ML leaves out a column without a name.
    for left_out in (["probability"], ["rawPrediction"], ["probability", "rawPrediction"], ["prediction", "rawPrediction"]):
        model = sws.CartClassifier(**shallow, **{name + "Col": "" for name in left_out}).fit(df)
        added = [name for name in ("prediction", "probability", "rawPrediction") if name not in left_out]
        found = model.transform(df)
        assert found.columns == df.columns + added
        assert len(found.first()) == len(found.columns)
        for name in set(added) - {"prediction"}:
            assert abs(sum(found.first()[name]) - 1) < 1e-9
    with pytest.raises(softwood.Error, match="already"):
        sws.CartClassifier(**shallow, rawPredictionCol="").fit(df).transform(df.withColumnRenamed("w", "probability"))


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
