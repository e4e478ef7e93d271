"""What is in a DataFrame, before a tree is grown from it."""

from __future__ import annotations

from typing import Any

from softwood.spark._errors import on_driver
from softwood.spark._rows import quoted, refuse_equal_names, refuse_no_frame

# Of more different numbers, which would all be in one place, the median is looked for by ranks.
_MOST_COUNTED = 500_000
_RANKS = 1_000_000
_LEVELS = 20  # that are counted


def describe(df) -> list[dict[str, Any]]:
    """A dictionary per column: name, kind, rows, missing; of numbers and texts (and booleans) distinct; of numbers
    min, median, mean, max and sd; of texts how often each of the most frequent levels occurs.

    One job over all columns, and one or two over each. Empty texts and NaN are missing. `distinct` is exact; so is the
    median of at most half a million different numbers, and of more it is a value whose rank is wrong by a
    millionth of the rows at most. mean and sd are rounded as sums of doubles are. Columns that are no inputs of
    a tree, such as dates, have the kind "other" and their `type`.
    """
    from pyspark.sql import functions as f

    refuse_no_frame(df)
    refuse_equal_names(df)
    fields = df.schema.fields
    kinds = [_kind(field.dataType) for field in fields]
    rows = df.select(*[_cell(field, kind).alias(f"c{i}") for i, (field, kind) in enumerate(zip(fields, kinds))])
    with on_driver(df.sparkSession, "softwood.spark.describe"):
        asked = [f.count(f.lit(1)).alias("rows")]
        for i, kind in enumerate(kinds):
            cell = f.col(f"c{i}")
            asked.append(f.count(cell).alias(f"known{i}"))
            if kind == "numeric":
                asked.append(f.approx_count_distinct(cell).alias(f"about{i}"))
                found = {"min": f.min, "mean": f.avg, "max": f.max, "sd": f.stddev_samp}
                asked += [function(cell).alias(f"{name}{i}") for name, function in found.items()]
        sums = rows.agg(*asked).collect()[0].asDict()
        return [_described(rows, i, field, kinds[i], sums) for i, field in enumerate(fields)]


def _kind(kind) -> str:
    from pyspark.sql import types

    if isinstance(kind, (types.NumericType, types.NullType)):
        return "numeric"
    return "nominal" if isinstance(kind, (types.StringType, types.BooleanType)) else "other"


def _cell(field, kind: str):
    from pyspark.sql import functions as f

    cell = f.col(quoted(field.name))
    if kind == "numeric":
        cell = cell.cast("double")
        return f.when(~f.isnan(cell), cell)
    if kind == "nominal":
        cell = cell.cast("string")
        return f.when(cell != "", cell)
    return f.when(cell.isNotNull(), True)


def _described(rows, i: int, field, kind: str, sums: dict[str, Any]) -> dict[str, Any]:
    from pyspark.sql import functions as f

    entry = {"name": field.name, "kind": kind, "rows": sums["rows"], "missing": sums["rows"] - sums[f"known{i}"]}
    if kind == "other":
        return {**entry, "type": field.dataType.simpleString()}
    counts = rows.where(f"c{i} is not null").groupBy(f.col(f"c{i}").alias("cell")).count()
    if kind == "nominal":
        most = counts.orderBy(f.desc("count"), "cell").limit(_LEVELS + 1).collect()
        distinct = len(most) if len(most) <= _LEVELS else counts.count()
        return {**entry, "distinct": distinct, "levels": {row[0]: row[1] for row in most[:_LEVELS]}}
    if sums[f"about{i}"] <= _MOST_COUNTED:
        asked = [f.count("cell"), f.percentile("cell", 0.5, f.col("count"))]
        distinct, median = counts.agg(*asked).collect()[0]
    else:
        distinct = counts.count()
        median = rows.agg(f.percentile_approx(f"c{i}", 0.5, _RANKS)).collect()[0][0]
    return {
        **entry,
        "distinct": distinct,
        "min": sums[f"min{i}"],
        "median": median,
        "mean": sums[f"mean{i}"],
        "max": sums[f"max{i}"],
        "sd": sums[f"sd{i}"],
    }
