"""Recipes that need all rows in one place: on the driver, on a sample where there are many."""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pyarrow as pa

from softwood import _core
from softwood._errors import Error, SoftwoodWarning
from softwood._functions import train as train_here
from softwood._model import Model
from softwood.spark._errors import in_task, on_driver
from softwood.spark._parts import columns_of
from softwood.spark._rows import mapped, quoted
from softwood.spark._use import evaluate

_ALL = (1 << 63) - 1  # no key is above it
_KEY, _COPIES = "softwood_key", "softwood_copies"
_ROWS_AT_ONCE = 1 << 18


def _merged(rows: pa.Table, weights: str | None) -> pa.Table:
    """Rows of equal content, and weight, once each with the number of their copies."""
    keys = rows.column(_KEY).to_numpy()
    if weights is None:
        same = keys
    else:
        same = np.rec.fromarrays([keys, rows.column(weights).cast(pa.float64()).to_numpy()])
    _, first, group = np.unique(same, return_index=True, return_inverse=True)
    if len(first) == rows.num_rows:
        return rows
    copies = np.zeros(len(first), dtype=np.int64)
    np.add.at(copies, group.ravel(), rows.column(_COPIES).to_numpy())
    found = rows.take(pa.array(first))
    return found.set_column(found.schema.get_field_index(_COPIES), _COPIES, pa.array(copies))


def _drawn(limit: int, weights: str | None, batches):
    """Rows whose key is not above the limit: which ones does not depend on where they are."""
    kept: list[pa.Table] = []
    most = _ROWS_AT_ONCE
    for batch in batches:
        if batch.num_rows == 0:
            continue
        with in_task():
            keys = _core.content_keys(columns_of(batch), weights or "")
        own = pa.Table.from_batches([batch])
        own = own.append_column(_KEY, pa.array(keys.astype(np.int64)))
        own = own.append_column(_COPIES, pa.array(np.ones(len(keys), dtype=np.int64)))
        kept.append(_merged(own.filter(pa.array(keys <= limit)), weights))
        if sum(rows.num_rows for rows in kept) > most:
            kept = [_merged(pa.concat_tables(kept), weights)]
            most = max(_ROWS_AT_ONCE, 2 * kept[0].num_rows)
    if kept:
        yield from _merged(pa.concat_tables(kept), weights).combine_chunks().to_batches()


def _gathered(weights: str | None, batches):
    """All rows of a content are here: each content once, with the sum of its weights."""
    rows = [pa.Table.from_batches([batch]) for batch in batches if batch.num_rows > 0]
    if not rows:
        return
    found = _merged(pa.concat_tables(rows), weights)
    if weights is not None:
        found = _weighed(found, weights)
    yield from found.combine_chunks().to_batches()


def _weighed(rows: pa.Table, weights: str) -> pa.Table:
    """Sums that depend on no order: each is rounded once."""
    rows = rows.sort_by([(_KEY, "ascending")])
    keys, copies = rows.column(_KEY).to_numpy(), rows.column(_COPIES).to_numpy()
    weight = rows.column(weights).cast(pa.float64()).to_numpy() * copies
    first = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    sums = [math.fsum(own) if own.min() >= 0 else own.min() for own in np.split(weight, first[1:])]  # bad ones stay bad
    at = rows.schema.get_field_index(weights)
    kept = rows.take(pa.array(first))
    kept = kept.set_column(at, kept.field(weights), pa.array(sums).cast(kept.field(weights).type, safe=False))
    copies = pa.array(np.add.reduceat(copies, first))
    return kept.set_column(kept.schema.get_field_index(_COPIES), _COPIES, copies)


def content_sample(df, most: int, weights: str | None = None):
    """All rows where there are at most so many, else about so many different ones: (Arrow table, rows, copies of each)."""
    from pyspark.sql import functions, types

    with on_driver(df.sparkSession, "softwood.spark: sample"):
        rows = df.count()
        if rows <= most:
            return df.toArrow(), rows, None
        for name in (_KEY, _COPIES):
            if name in [known.lower() for known in df.columns]:
                raise Error(f"column '{name}' has the name of one that drawing rows adds", "data", hint="rename it")
        if weights is not None:  # sums of weights are no whole numbers of some bits
            df = df.withColumn(weights, functions.col(quoted(weights)).cast("double"))
        added = [types.StructField(name, types.LongType()) for name in (_KEY, _COPIES)]
        schema = types.StructType([*df.schema.fields, *added])
        share = most / rows
        while True:
            limit = min(_ALL, int(_ALL * share))
            drawn = mapped(df, partial(_drawn, limit, weights), schema).repartition(_KEY)
            found = mapped(drawn, partial(_gathered, weights), schema).toArrow()
            # Where rows have many copies fewer different ones are below the limit than there might be.
            if share == 1 or 2 * found.num_rows >= most:
                break
            share = min(1.0, share * min(64.0, 0.75 * most / max(found.num_rows, 1)))
    found = found.sort_by([(_KEY, "ascending")])
    return found.drop_columns([_KEY, _COPIES]), rows, found.column(_COPIES).to_numpy()


def _with_copies(rows: pa.Table, copies: np.ndarray | None) -> pa.Table:
    return rows.append_column(_COPIES, pa.array(np.ones(rows.num_rows) if copies is None else copies.astype(float)))


def train_on_sample(df, validation, most: int, **arguments) -> Model:
    weights = arguments.pop("weights")
    table, rows, copies = content_sample(df, most, weights)
    if rows == 0 or table.num_rows == 0:
        raise Error("there are no rows", "data")
    drawn = rows if copies is None else int(copies.sum())
    known = known_copies = None
    known_rows = known_drawn = 0
    if validation is not None:
        known, known_rows, known_copies = content_sample(validation, most, weights)
        known_drawn = known_rows if known_copies is None else int(known_copies.sum())
    if weights is None and any(some is not None and some.max(initial=1) > 1 for some in (copies, known_copies)):
        known = known if known is None else _with_copies(known, known_copies)
        model = _trained_with_copies(_with_copies(table, copies), known, arguments)
    else:
        model = train_here(table, validation=known, weights=weights, **arguments)
    model.spark_passes_ = {"raw": 1}
    notes = []
    if drawn < rows:
        figures = evaluate(model, df, weights=weights)
        figure = "error" if model.is_classifier else "rmse"
        notes.append(f"it was trained on {drawn} of {rows} rows, drawn by their content; {figure} on all rows: {figures[figure]:.6g}")
    if known_drawn < known_rows:
        notes.append(f"{known_drawn} of {known_rows} validation rows were used, drawn by their content")
    if notes:
        text = "this recipe needs all rows in one place: " + "; ".join(notes)
        warnings.warn(text, SoftwoodWarning, stacklevel=3)
        model.notes = [*model.notes, text]
    return model


def _trained_with_copies(table: pa.Table, known: pa.Table | None, arguments: dict) -> Model:
    """Rows that stand for several are weighed for this training only: other rows have no such weights, so the model
    names none, and nothing that is said of them is for the user."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{_COPIES}", SoftwoodWarning)
        model = train_here(table, validation=known, weights=_COPIES, **arguments)
    text = model.to_text().replace(f',\n"weight": "{_COPIES}"', "", 1)
    notes = [note for note in model.notes if _COPIES not in note]
    return Model(Model.from_text(text)._core, seconds=model.seconds, stopped=model.stopped, notes=notes)
