"""Answers of a model for the rows of a DataFrame, and how good they are."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa

from softwood import _core
from softwood._errors import Error
from softwood._model import Model
from softwood.spark._errors import in_task, on_driver
from softwood.spark._parts import columns_of
from softwood.spark._rows import plain_columns, quoted

_models: dict[int, Model] = {}  # of this process, by text


def _loaded(text: str) -> Model:
    key = hash(text)
    if key not in _models:
        _models.clear()
        _models[key] = Model.from_text(text)
    return _models[key]


def _needed(model: Model, df, target: bool):
    """The columns that the model asks about; a model of other columns is an error at once."""
    used = [name for name, is_used in zip(model.inputs, model._core.inputs_used) if is_used]
    wanted = used + ([model.target] if target else [])
    for name in wanted:
        if name not in df.columns:
            raise Error(
                f"there is no column '{name}'", "data", hint="the model was trained with it; is it a model of other data?"
            )
    types = {field.name: field.dataType for field in df.schema.fields}
    numeric = set(model._core.numeric_inputs)
    for name in used:
        if name in numeric and types[name].typeName() == "string":
            raise Error("texts instead of numbers", "data", f"column '{name}'")
    return wanted


def _inputs(model: Model, batch: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
    """A tree that is one leaf uses no column, but must know how many rows there are."""
    if names:
        return batch.select(names)
    name = model.inputs[0]
    kind = pa.float64() if name in model._core.numeric_inputs else pa.string()
    return pa.RecordBatch.from_arrays([pa.nulls(batch.num_rows, kind)], [name])


def _answers(text: str, names: list[str], out: list[str], batches):
    model = _loaded(text)
    for batch in batches:
        if batch.num_rows == 0:
            continue
        with in_task():
            data, _ = _core.DataSet.for_model(model._core, columns_of(_inputs(model, batch, names)))
            found = model._core.predict(data, 1)
            arrays = list(batch.columns)
            if model.is_classifier:
                codes = model._core.predict_codes(data, 1)
                classes = pa.array(model.classes)
                arrays.append(classes.take(pa.array(codes)))
                offsets = pa.array(np.arange(0, found.size + 1, found.shape[1], dtype=np.int32))
                arrays.append(pa.ListArray.from_arrays(offsets, pa.array(found.ravel())))
            else:
                arrays.append(pa.array(found.ravel()))
        yield pa.RecordBatch.from_arrays(arrays, out)


def predict(model: Model, df, *, prediction: str = "prediction", probability: str = "probability"):
    """The DataFrame with a column of predictions, and of classes' probabilities (an array in the
    order of `model.classes`). Any model; `mapInArrow` on the executors.
    """
    from pyspark.sql import types

    names = _needed(model, df, False)
    added = [(prediction, types.StringType() if model.is_classifier else types.DoubleType())]
    if model.is_classifier:
        added.append((probability, types.ArrayType(types.DoubleType())))
    for name, _ in added:
        if name in df.columns:
            raise Error(f"there is a column '{name}' already", "usage", hint="give another name for the new one")
    plain_columns(df.select(*[quoted(name) for name in names]))  # refuses vectors and dates
    schema = types.StructType(list(df.schema.fields) + [types.StructField(name, kind) for name, kind in added])
    return df.mapInArrow(partial(_answers, model.to_text(), names, schema.names), schema)


def _judged_classes(text: str, weights: str | None, batches):
    """One row for each different answer and class, with how much weighs there."""
    model = _loaded(text)
    groups: dict[tuple[bytes, str], list] = {}
    for batch in batches:
        batch = batch.filter(batch.column(model.target).is_valid())
        if batch.num_rows == 0:
            continue
        with in_task():
            data, _ = _core.DataSet.for_model(model._core, columns_of(batch))
            found = np.ascontiguousarray(model._core.predict(data, 1))
        answers = found.view(np.dtype((np.void, found.dtype.itemsize * found.shape[1]))).ravel()
        different, answer = np.unique(answers, return_inverse=True)
        actual = batch.column(model.target).cast(pa.string()).dictionary_encode()
        names = actual.dictionary.to_pylist()
        weight = np.ones(batch.num_rows) if weights is None else np.asarray(batch.column(weights).cast(pa.float64()))
        key = answer.ravel() * len(names) + np.asarray(actual.indices)
        keys, first, group_of, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        sums = np.bincount(group_of.ravel(), weights=weight)
        rows = batch.select([name for name in batch.schema.names if name != weights])
        for k, row, total, count in zip(keys.tolist(), first.tolist(), sums.tolist(), counts.tolist()):
            group = (different[k // len(names)].tobytes(), names[k % len(names)])
            if group in groups:
                groups[group][1] += total
                groups[group][2] += count
            else:
                groups[group] = [rows.slice(row, 1), total, count]
    if not groups:
        return
    rows = pa.Table.from_batches([group[0] for group in groups.values()]).combine_chunks().to_batches()[0]
    arrays = [*rows.columns, pa.array([g[1] for g in groups.values()]), pa.array([g[2] for g in groups.values()])]
    yield pa.RecordBatch.from_arrays(arrays, [*rows.schema.names, "__weight", "__rows"])


# rows, weight, w e^2, w |e|, mean of y, w (y - mean)^2
_NUMBERS = 6


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Sums of two groups of rows as those of both; squares of deviations as Chan, Golub and LeVeque 1983, equation
    1.5: sums of squares would lose what is small beside the mean."""
    if one[1] == 0 or other[1] == 0:
        return other if one[1] == 0 else one
    result = one + other
    apart = other[4] - one[4]
    result[4] = one[4] + apart * other[1] / result[1]
    result[5] += apart**2 * one[1] * other[1] / result[1]
    return result


def _judged_numbers(text: str, weights: str | None, batches):
    model = _loaded(text)
    sums = np.zeros(_NUMBERS)
    for batch in batches:
        if batch.num_rows == 0:
            continue
        with in_task():
            data, _ = _core.DataSet.for_model(model._core, columns_of(batch))
            found = model._core.predict(data, 1).ravel()
        actual = np.asarray(batch.column(model.target).cast(pa.float64()))
        weight = np.ones(batch.num_rows) if weights is None else np.asarray(batch.column(weights).cast(pa.float64()))
        known = ~np.isnan(actual) & (weight > 0)
        actual, found, weight = actual[known], found[known], weight[known]
        if len(actual) == 0:
            continue
        error = actual - found
        mean = np.average(actual, weights=weight)
        own = [known.sum(), weight.sum(), (weight * error**2).sum(), (weight * np.abs(error)).sum(), mean]
        sums = _added(sums, np.array([*own, (weight * (actual - mean) ** 2).sum()]))
    yield pa.RecordBatch.from_arrays([pa.array(sums[i : i + 1]) for i in range(_NUMBERS)], [f"s{i}" for i in range(_NUMBERS)])


def evaluate(model: Model, df, *, weights: str | None = None) -> dict[str, Any]:
    """The figures of `Model.evaluate` on the rows of a DataFrame that have a target, without intervals.

    Rows with the same answer and the same class are counted where they are; sums of regression are
    rounded as sums of doubles are.
    """
    from pyspark.sql import types

    names = _needed(model, df, True)
    if weights is not None and weights not in df.columns:
        raise Error(f"there is no column '{weights}' for the weights", "data")
    rows = plain_columns(df.select(*[quoted(name) for name in dict.fromkeys([*names, *([weights] if weights else [])])]))
    text = model.to_text()
    with on_driver(df.sparkSession, "softwood.spark.evaluate"):
        if not model.is_classifier:
            schema = ", ".join(f"s{i} double" for i in range(_NUMBERS))
            parts = rows.mapInArrow(partial(_judged_numbers, text, weights), schema).collect()
            return _figures_of_numbers(reduce(_added, [np.array(list(part)) for part in parts], np.zeros(_NUMBERS)))
        fields = [field for field in rows.schema.fields if field.name != weights]
        added = [types.StructField("__weight", types.DoubleType()), types.StructField("__rows", types.LongType())]
        judged = rows.mapInArrow(partial(_judged_classes, text, weights), types.StructType(fields + added)).toArrow()
    if judged.num_rows == 0:
        raise Error(f"no row has a value of the target '{model.target}'", "data")
    counted = judged.column("__rows").to_numpy().sum()
    columns = _core.Columns()
    columns.add_arrow(judged.drop_columns(["__weight", "__rows"]).combine_chunks().__arrow_c_stream__())
    weight = _core.Columns()
    weight.add_array("__weight", judged.column("__weight").to_numpy())
    columns.set_weights("__weight", weight)
    data, _ = _core.DataSet.to_evaluate(model._core, columns)
    found = model._core.evaluate(data, 0, None)
    classes = len(model.classes)
    return {
        "rows": int(counted),
        **found["figures"],
        "confusion": np.reshape(found["confusion"], (classes, classes)),
        "per_class": found["per_class"],
    }


def _figures_of_numbers(sums: np.ndarray) -> dict[str, Any]:
    rows, weight, squares, sizes, _, deviations = sums
    if not weight > 0:
        raise Error("no row has a value of the target, or the rows have no weight", "data")
    mse = squares / weight
    variance = deviations / weight
    nmse = mse / variance if variance > 0 else float("nan")
    return {
        "rows": int(rows),
        "mse": float(mse),
        "rmse": float(np.sqrt(mse)),
        "mae": float(sizes / weight),
        "r2": float(1 - nmse),
        "nmse": float(nmse),
    }
