"""Training on a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from softwood import _core
from softwood._data import names_of
from softwood._errors import Error
from softwood._functions import _train_settings, class_key, named_costs, run, seed_of
from softwood._model import Model
from softwood.spark._errors import on_driver
from softwood.spark._rows import ClusterRows, is_connected, plain_columns, refuse_absent, refuse_no_frame
from softwood.spark._sample import train_on_sample

_OLDEST_SPARK = 4  # DataFrame.toArrow came with it


def train(
    df,
    target: str | None = None,
    *,
    method: str | None = None,
    recipe: str | None = None,
    settings: Mapping[str, Any] | None = None,
    task: str | None = None,
    weights: str | None = None,
    validation=None,
    costs: Mapping[Any, Mapping[Any, float]] | None = None,
    positive: Any = None,
    nominal: Iterable[str] = (),
    ignore: Iterable[str] = (),
    seed: int = 1,
    sample_rows: int = 200_000,
    small_rows: int = 0,
    reread: bool = False,
) -> Model:
    """Trains a tree on a DataFrame.

    Growing (with `search=binned`, which is the default here) and cost-complexity pruning see all rows
    where they are: the model is that of `softwood.train` with the same recipe on all rows, to the
    last byte, however the rows are partitioned. So is that of `evolve cuts=bins`: rows that are
    equal in bins (and class) are merged where they are, and the driver evolves a tree from the
    merged rows. Other recipes are trained on the driver, on all rows where there are few and else
    on a sample that is drawn by the content of the rows; a note says so, with the error on all rows.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Columns are taken as they are: numbers, texts, booleans, null. Each computation must give the same rows, as Spark repeats
        it where an executor is lost; cache or checkpoint what depends on chance or time. Rows that changed are an Error
        where it is noticed.
    target : str, optional
        By default the last column.
    method, recipe, settings, task, costs, positive, nominal, ignore, seed
        As in `softwood.train`.
    weights : str, optional
        A column of weights.
    validation : pyspark.sql.DataFrame, optional
        Rows by which pruning chooses, instead of folds.
    sample_rows : int
        Most rows that recipes which need all rows in one place are trained on; of more rows about so
        many different ones, each with the number of its copies; with `evolve cuts=bins` most
        different rows.
    small_rows : int
        Nodes of so few rows are finished in one task with their rows; 0: by the number of rows.
    reread : bool
        By default the DataFrame is read once, and its rows are kept in Arrow's form, in memory or on
        disk, until they are coded. True: it is read in each of the passes before, up to ten times.

    Returns
    -------
    Model
    """
    for frame in [df] if validation is None else [df, validation]:
        refuse_no_frame(frame)
    _refuse_old_spark(df)
    nominal, ignore = names_of(nominal), names_of(ignore)
    options = _train_settings(method, recipe, settings, seed=seed_of(seed), costs=named_costs(costs, []) if costs else {})
    data_settings = _core.DataSettings(
        target=target or "",
        weights=weights or "",
        task=task or "",
        nominal=nominal,
        ignore=[],  # these columns are not even read
        positive="" if positive is None else class_key(positive),
    )
    for name in [target, weights, *nominal, *ignore]:
        refuse_absent(df, name)
    rows = plain_columns(df, ignore)
    known = None if validation is None else plain_columns(validation, ignore, keep=set(rows.columns))
    if known is not None:
        _refuse_other_types(rows, known)
    if not _core.is_for_parts(options):
        return train_on_sample(
            rows,
            known,
            sample_rows,
            target=target,
            method=method,
            recipe=recipe,
            settings=settings,
            task=task,
            weights=weights,
            costs=costs,
            positive=positive,
            nominal=nominal,
            seed=seed,
        )
    if is_connected(df):
        raise Error(
            "Spark Connect has no RDDs, by which trees are trained where the rows are",
            "usage",
            hint="use a session with a master",
        )
    with on_driver(df.sparkSession, "softwood.spark.train"):
        cluster = ClusterRows(rows, known, reread)
        try:
            training = _core.ClusterTraining(options, data_settings, cluster.parts, small_rows, known is not None, sample_rows)
            cluster.pieces = training.pieces
            while (step := training.next()) is not None:
                training.take(cluster.run(*step))
        finally:
            cluster.unpersist()
    model = run(lambda _: training.result(), [], 0)
    model.spark_passes_ = {**cluster.passes, "growing": training.growing_passes}
    model.spark_seconds_ = cluster.seconds
    return model


def _refuse_old_spark(df) -> None:
    version = df.sparkSession.version
    if int(version.split(".")[0]) < _OLDEST_SPARK:
        raise Error(f"this is Spark {version}: training needs Spark {_OLDEST_SPARK} or later", "usage")


def _refuse_other_types(df, other) -> None:
    types = dict(other.dtypes)
    for name, kind in df.dtypes:
        if name not in types:
            raise Error("the validation rows do not have the columns of the training rows", "data", f"column '{name}'")
        if (kind == "string") != (types[name] == "string") or (kind == "boolean") != (types[name] == "boolean"):
            raise Error(f"{types[name]} instead of {kind}", "data", f"column '{name}' of the validation rows")
