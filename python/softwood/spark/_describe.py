"""What is in a DataFrame, before a tree is grown from it."""

from __future__ import annotations

from typing import Any

from softwood.spark._errors import on_driver
from softwood.spark._rows import plain_columns, quoted


def describe(df) -> list[dict[str, Any]]:
    """A dictionary per column: name, kind, rows, missing, distinct; of numbers min, median, mean, max
    and sd; of texts and booleans how often each of the most frequent levels occurs.

    Three jobs over all rows. `distinct` is exact, and so is the median; mean and sd are rounded as sums
    of doubles are.
    """
    from pyspark.sql import functions as f
    from pyspark.sql import types

    rows = plain_columns(df)
    kinds = {field.name: field.dataType for field in rows.schema.fields}
    with on_driver(df.sparkSession, "softwood.spark.describe"):
        asked = [f.count(f.lit(1)).alias("rows")]
        numbers = []
        for i, (name, kind) in enumerate(kinds.items()):
            cell = f.col(quoted(name))
            if isinstance(kind, (types.FloatType, types.DoubleType)):
                cell = f.when(f.isnan(cell), None).otherwise(cell)
            asked += [f.count(cell).alias(f"c{i}"), f.countDistinct(cell).alias(f"d{i}")]
            if not isinstance(kind, (types.StringType, types.BooleanType)):
                numbers.append(i)
                asked += [f.min(cell).alias(f"l{i}"), f.max(cell).alias(f"h{i}"), f.avg(cell).alias(f"m{i}")]
                asked += [f.stddev_samp(cell).alias(f"s{i}"), f.percentile(cell, 0.5).alias(f"q{i}")]
        found = rows.agg(*asked).collect()[0].asDict()
        result = []
        for i, (name, kind) in enumerate(kinds.items()):
            entry: dict[str, Any] = {
                "name": name,
                "kind": "numeric" if i in numbers else "nominal",
                "rows": found["rows"],
                "missing": found["rows"] - found[f"c{i}"],
                "distinct": found[f"d{i}"],
            }
            if i in numbers:
                for key, short in (("min", "l"), ("median", "q"), ("mean", "m"), ("max", "h"), ("sd", "s")):
                    value = found[f"{short}{i}"]
                    entry[key] = None if value is None else float(value)
            else:
                entry["levels"] = _levels(rows, name)
            result.append(entry)
    return result


def _levels(rows, name: str, most: int = 20) -> dict[str, int]:
    from pyspark.sql import functions as f

    cell = f.col(quoted(name)).cast("string").alias("level")
    counts = rows.select(cell).where("level is not null").groupBy("level").count()
    return {row[0]: row[1] for row in counts.orderBy(f.desc("count"), "level").limit(most).collect()}
