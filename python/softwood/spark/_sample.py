"""Recipes that need all rows in one place: on the driver, on a sample where there are many."""

from __future__ import annotations

import warnings
from functools import partial

import pyarrow as pa

from softwood import _core
from softwood._errors import Error, SoftwoodWarning
from softwood._functions import train as train_here
from softwood._model import Model
from softwood.spark._errors import in_task, on_driver
from softwood.spark._parts import columns_of
from softwood.spark._use import evaluate

_BITS = 63


def _below(limit: int, weights: str | None, batches):
    """Rows whose content hash is below the limit: which ones does not depend on where they are."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        with in_task():
            hashes = _core.content_keys(columns_of(batch), weights or "")
        yield batch.filter(pa.array(hashes <= limit))


def content_sample(df, most: int, weights: str | None = None):
    """All rows where there are at most so many, else about so many of them; (Arrow table, rows)."""
    with on_driver(df.sparkSession, "softwood.spark: sample"):
        rows = df.count()
        if rows <= most:
            return df.toArrow(), rows
        limit = int((1 << _BITS) * (most / rows))
        sample = df.mapInArrow(partial(_below, limit, weights), df.schema)
        return sample.toArrow(), rows


def train_on_sample(df, validation, most: int, **arguments) -> Model:
    table, rows = content_sample(df, most, arguments.get("weights"))
    if rows == 0 or table.num_rows == 0:
        raise Error("there are no rows", "data")
    known = None
    if validation is not None:
        known, _ = content_sample(validation, most, arguments.get("weights"))
    model = train_here(table, validation=known, **arguments)
    model.spark_passes_ = {"raw": 1}
    if table.num_rows < rows:
        figures = evaluate(model, df, weights=arguments.get("weights"))
        figure = "error" if model.is_classifier else "rmse"
        text = (
            f"this recipe needs all rows in one place: it was trained on {table.num_rows} of {rows} rows, "
            f"drawn by their content; {figure} on all rows: {figures[figure]:.6g}"
        )
        warnings.warn(text, SoftwoodWarning, stacklevel=3)
        model.notes = [*model.notes, text]
    return model
