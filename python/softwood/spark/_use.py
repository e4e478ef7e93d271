"""Answers of a model for the rows of a DataFrame, and how good they are."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softwood import _core
from softwood._errors import Error, warn_notes
from softwood._model import Model
from softwood.spark._errors import in_task, on_driver
from softwood.spark._parts import columns_of
from softwood.spark._rows import mapped, plain_columns, quoted, refuse_absent, refuse_no_frame, refuse_taken

_models: dict[int, Model] = {}  # of this process, by text


def _loaded(text: str) -> Model:
    key = hash(text)
    if key not in _models:
        _models.clear()
        _models[key] = Model.from_text(text)
    return _models[key]


def _needed(model: Model, df, target: bool):
    """The columns that the model asks about; a model of other columns is an error at once."""
    if not isinstance(model, Model):
        raise Error(f"this is a {type(model).__name__}, no model", "usage", hint="the model comes first, then the DataFrame")
    refuse_no_frame(df)
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
            raise Error("texts instead of numbers", "data", f"column '{name}'", "cast it to the numbers that the model was trained with")
    return wanted


def _inputs(model: Model, rows: int, used: pa.RecordBatch) -> pa.RecordBatch:
    """A tree that is one leaf uses no column, but must know how many rows there are."""
    if used.num_columns:
        return used
    name = model.inputs[0]
    kind = pa.float64() if name in model._core.numeric_inputs else pa.string()
    return pa.RecordBatch.from_arrays([pa.nulls(rows, kind)], [name])


def _prediction(model: Model, data, found: np.ndarray) -> pa.Array:
    if not model.is_classifier:
        return pa.array(found.ravel())
    return pa.array(model.classes).take(pa.array(model._core.predict_codes(data, 1)))


def _probabilities(model: Model, data, found: np.ndarray) -> pa.Array:
    offsets = pa.array(np.arange(0, found.size + 1, found.shape[1], dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(found.ravel()))


def _answers(text: str, inputs: dict[str, int], kept: int, answers: list, out: list[str], batches):
    """The first `kept` columns, and answers to the inputs, which are given by their places."""
    model = _loaded(text)
    for batch in batches:
        if batch.num_rows == 0:
            continue
        with in_task():
            own = pa.RecordBatch.from_arrays([batch.column(place) for place in inputs.values()], list(inputs))
            data, _ = _core.DataSet.for_model(model._core, columns_of(_inputs(model, batch.num_rows, own)))
            found = model._core.predict(data, 1)
            arrays = batch.columns[:kept] + [answer(model, data, found) for answer in answers]
        yield pa.RecordBatch.from_arrays(arrays, out)


def _with_plain(df, names: list[str]):
    """The DataFrame with what training made of these columns, and where they are. Spark casts decimals in training, and does
    so here: another way of rounding could put a number on the other side of a threshold."""
    from pyspark.sql import functions

    plain = plain_columns(df.select(*[quoted(name) for name in names]))  # refuses vectors and dates
    kinds = {field.name: field.dataType for field in df.schema.fields}
    cast = [field for field in plain.schema.fields if field.dataType != kinds[field.name]]
    inputs = {name: df.columns.index(name) for name in names}
    inputs.update({field.name: len(df.columns) + i for i, field in enumerate(cast)})
    return df.select("*", *[functions.col(quoted(field.name)).cast(field.dataType) for field in cast]), inputs


def predict(model: Model, df, *, prediction: str = "prediction", probability: str = "probability"):
    """The DataFrame with a column of predictions, and of classes' probabilities (an array in the
    order of `model.classes`). Any model; `mapInArrow` on the executors. A column whose name is empty is left out.

    All columns of the DataFrame go through Arrow, also those that the model does not ask about: of very wide
    rows select a key first. Levels that the model does not know are answered as missing values are, without a warning.
    """
    from pyspark.sql import types

    names = _needed(model, df, False)
    added = [(prediction, types.StringType() if model.is_classifier else types.DoubleType(), _prediction)]
    if model.is_classifier:
        added.append((probability, types.ArrayType(types.DoubleType()), _probabilities))
    added = [column for column in added if column[0]]
    for name, _, _ in added:
        refuse_taken(df, name)
    if not added:
        return df
    for field in df.schema.fields:
        if isinstance(field.dataType, (types.YearMonthIntervalType, types.CalendarIntervalType)):
            raise Error(
                f"{field.dataType.simpleString()} does not go through Arrow", "data", f"column '{field.name}'", "drop it, or cast it"
            )
    given, inputs = _with_plain(df, names)
    schema = types.StructType(list(df.schema.fields) + [types.StructField(name, kind) for name, kind, _ in added])
    answers = [answer for _, _, answer in added]
    return mapped(given, partial(_answers, model.to_text(), inputs, len(df.columns), answers, schema.names), schema)


def _known(batch: pa.RecordBatch, target: str) -> pa.RecordBatch:
    """The rows with a target."""
    cells = batch.column(target)
    known = cells.is_valid()
    if pa.types.is_floating(cells.type):
        known = pc.and_kleene(known, pc.invert(pc.is_nan(cells)))
    elif pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        known = pc.and_kleene(known, pc.not_equal(cells, ""))
    return batch.filter(known, null_selection_behavior="drop")


def _part_of(sums: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([sums], pa.binary())], ["sums"])


def _summed(text: str, weights: str | None, names: list[str], batches):
    """The sums of a partition's rows, as one row."""
    with in_task():
        model = _loaded(text)
        part = model._core.EvaluationPart(model._core)
        for batch in batches:
            batch = _known(batch, model.target)
            if batch.num_rows == 0:
                continue
            columns = columns_of(batch.select(names))
            if weights:
                weight = _core.Columns()
                weight.add_arrow(pa.table({weights: batch.column(weights)}).__arrow_c_stream__())
                columns.set_weights(weights, weight)
            part.add(columns)
        yield _part_of(part.answer())


def _together(text: str, batches):
    """The sums of several partitions as one row."""
    with in_task():
        model = _loaded(text)._core
        parts = [sums for batch in batches for sums in batch.column("sums").to_pylist()]
        if parts:
            yield _part_of(model.merged_evaluations(parts))


def evaluate(model: Model, df, *, weights: str | None = None) -> dict[str, Any]:
    """The figures of `Model.evaluate` on the rows of a DataFrame that have a target, without calibration.

    Rows have the weights of the column `weights`; by default those of the column that the model was trained with, where the
    DataFrame has it. Rows are added up where they are. The area under the curve counts up to 65536 different
    probabilities (of all classes together) one by one, and more of them by ranges, which is a warning.
    """
    from pyspark.sql import functions as f

    names = _needed(model, df, True)
    trained_with = model._core.weight_column
    if trained_with in df.columns and weights in (None, trained_with):
        names.append(trained_with)
    elif weights is None and trained_with:
        text = f"the model was trained with weights from column '{trained_with}', which is not there: every row counts 1"
        warn_notes([(text, "")])
    refuse_absent(df, weights, " for the weights")
    rows = plain_columns(df.select(*[quoted(name) for name in dict.fromkeys([*names, *([weights] if weights else [])])]))
    text = model.to_text()
    separate = weights if weights != trained_with else None
    with on_driver(df.sparkSession, "softwood.spark.evaluate"):
        parts = mapped(rows, partial(_summed, text, separate, names), "sums binary")
        # Few come to the driver: Spark makes partitions of some megabytes of what is sent.
        parts = parts.repartition(f.spark_partition_id()).mapInArrow(partial(_together, text), "sums binary")
        sums = [bytes(row[0]) for row in parts.collect()]
        found, notes = model._core.evaluation_of(model._core.merged_evaluations(sums))
    warn_notes(notes)
    result: dict[str, Any] = {"rows": found["rows"], **found["figures"], "intervals": found["intervals"]}
    if model.is_classifier:
        classes = len(model.classes)
        result["confusion"] = np.reshape(found["confusion"], (classes, classes))
        result["per_class"] = found["per_class"]
    return result
