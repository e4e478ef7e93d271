"""The rows of a training in a cluster: raw, then coded and kept; every pass is one job."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import RDD, StorageLevel
from pyspark.serializers import BatchedSerializer, CPickleSerializer, NoOpSerializer

from softwood import _core
from softwood._errors import Error
from softwood.spark import _parts

# RDDs of one record per partition, which can be put side by side without going through Python.
_ONE_BY_ONE = BatchedSerializer(CPickleSerializer(), 1)
# What is kept is bytes: the usual level would pack them once and unpack them in every pass.
_KEPT = StorageLevel.MEMORY_AND_DISK_DESER
_MOST_TOGETHER = 4
_DATES = "dates and times are no inputs of a tree"


def quoted(name: str) -> str:
    """A column's name for Spark, whatever letters it has."""
    return "`" + name.replace("`", "``") + "`"


def refuse_no_frame(df) -> None:
    if not hasattr(df, "sparkSession"):
        raise Error(
            f"this is a {type(df).__name__}, no DataFrame of Spark",
            "usage",
            hint="spark.createDataFrame makes one; softwood.train, model.predict and model.evaluate take other tables",
        )


def refuse_absent(df, name: str | None, role: str = "") -> None:
    if name is None or name in df.columns:
        return
    raise Error(f"there is no column '{name}'{role}", "data", hint=f"known: {', '.join(df.columns)}")


def refuse_taken(df, name: str) -> None:
    """Of a column that is to be added."""
    if _for_spark(df, [name])[0] in _for_spark(df, df.columns):
        raise Error(f"there is a column '{name}' already", "usage", hint="give another name for the new one")


def mapped(df, work, schema):
    """mapInArrow for columns of any names: Spark reads those with dots and backticks as paths there."""
    renamed = df.toDF(*[f"c{i}" for i in range(len(df.columns))])
    return renamed.mapInArrow(partial(_parts.named, df.columns, work), schema)


def is_connected(df) -> bool:
    """Whether this is a DataFrame of Spark Connect, which has no RDDs and no jobs to cancel."""
    return type(df).__module__.startswith("pyspark.sql.connect")


def _for_spark(df, names: list[str]) -> list[str]:
    """Of names that Spark takes for the same these are the same."""
    exact = df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"
    return list(names) if exact else [name.lower() for name in names]


def refuse_equal_names(df) -> None:
    known: dict[str, str] = {}
    for name, same in zip(df.columns, _for_spark(df, df.columns)):
        if same not in known:
            known[same] = name
            continue
        if known[same] == name:
            raise Error(f"two columns are named '{name}'", "data", hint="rename one of them")
        raise Error(
            f"columns '{known[same]}' and '{name}' are one for Spark", "data", hint="rename one, or set spark.sql.caseSensitive"
        )


def plain_columns(df, ignore=(), keep=None):
    """The columns that a tree can learn from, numbers as numbers; other types are errors."""
    from pyspark.sql import functions, types

    refuse_equal_names(df)
    ignored = set(ignore)
    columns = []
    for field in df.schema.fields:
        if field.name in ignored or (keep is not None and field.name not in keep):
            continue
        kind = field.dataType
        column = functions.col(quoted(field.name))
        if isinstance(kind, (types.DecimalType, types.NullType)):
            columns.append(column.cast("double").alias(field.name))
        elif isinstance(kind, (types.NumericType, types.StringType, types.BooleanType)):
            columns.append(column)
        elif isinstance(kind, (types.DateType, types.TimestampType, types.TimestampNTZType)):
            raise Error(_DATES, "data", f"column '{field.name}'", "make numbers of them, such as days since a day")
        elif kind.typeName() in ("vector", "vectorudt") or type(kind).__name__ == "VectorUDT":
            raise Error(
                "vectors are no inputs of a tree", "data", f"column '{field.name}'", "give the columns they were made of"
            )
        else:
            raise Error(
                f"{kind.simpleString()} is no input of a tree",
                "data",
                f"column '{field.name}'",
                "numbers, texts and booleans are",
            )
    return df.select(*columns)


@dataclass
class _Blocks:
    """Record batches as the JVM wrote them, without their schema."""

    rdd: RDD
    schema: pa.Schema

    def map(self, work, request: bytes) -> RDD:
        own = partial(work, request, self.schema)
        return self.rdd.mapPartitions(partial(_parts.of_version, _core.__version__, own))


def _blocks_of_jvm(df) -> RDD:
    """Record batches as the JVM makes them. That has no public name, and another version of Spark may not have it."""
    return RDD(df._jdf.toArrowBatchRdd().toJavaRDD(), df.sparkSession.sparkContext, NoOpSerializer())


def _blocks_by_python(df) -> RDD:
    """The same by public names: every byte goes through Python once more."""
    return mapped(df, _parts.as_blocks, "block binary").rdd.map(_first)


class ClusterRows:
    """Answers the passes of a training."""

    def __init__(self, df, validation=None, reread=False):
        self._raw_kept: list = []
        self._raw = self._blocks(df, reread)
        self._validation = None if validation is None else self._blocks(validation, reread)
        self._facts = self._rows = self._validation_facts = self._validation_rows = None
        self._grouped = None  # the rows, in as many partitions as tasks run at once
        self._kept = []
        self._replaced = []  # kept, until the rows that were made of them are kept as well
        self._open = None  # histograms of open nodes, by piece
        self.pieces = 1
        self.parts = max(self._raw.rdd.getNumPartitions(), 1)
        self.passes: dict[str, int] = {}
        self.seconds: dict[str, float] = {}

    def run(self, kind: str, request: bytes) -> list[bytes]:
        start = time.monotonic()
        answers = getattr(self, "_" + kind + "_pass")(request)
        self.passes[kind] = self.passes.get(kind, 0) + 1
        self.seconds[kind] = self.seconds.get(kind, 0) + time.monotonic() - start
        return answers

    def unpersist(self) -> None:
        """Also after an error in the middle of a pass."""
        self._forget_raw()
        self._forget_replaced()
        for rdd in [*self._kept, self._open]:
            if rdd is not None:
                rdd.unpersist()
        self._kept, self._open = [], None

    def _keep(self, rdd):
        """Bytes as they are: pickled they would be copied twice more in every pass."""
        rdd = rdd._reserialize(NoOpSerializer())
        self._kept.append(rdd.persist(_KEPT))
        return rdd

    @staticmethod
    def _merged(rdd) -> list[bytes]:
        """Large answers are merged on the way to the driver."""
        return [rdd.treeReduce(_parts.merged)]

    @staticmethod
    def _small(rdd) -> list[bytes]:
        return rdd.mapPartitions(_parts.merged_here).collect()

    def _pieces(self, rdd):
        """The same pieces of all parts as one, in one place each: a piece per partition."""
        return rdd.partitionBy(self.pieces, int).mapPartitions(_parts.merged_pieces)._reserialize(_ONE_BY_ONE)

    def _blocks(self, df, reread: bool) -> _Blocks:
        """The rows in Arrow's form. Spark takes longer to make it than it takes to be counted, so the JVM
        keeps it until the rows are coded."""
        try:
            rows = _blocks_of_jvm(df)
        except Py4JError as error:
            if "does not exist" not in str(error):
                raise
            rows = _blocks_by_python(df)
        if not reread:
            self._raw_kept.append(rows.persist(_KEPT))
        return _Blocks(rows, df.limit(0).toArrow().schema)

    def _forget_raw(self) -> None:
        for rdd in self._raw_kept:
            rdd.unpersist()
        self._raw_kept = []

    def _raw_pass(self, request: bytes) -> list[bytes]:
        pieces = self._pieces(self._raw.map(_parts.raw_answer, request))
        return pieces.map(partial(_parts.decided, request)).map(_second).collect()

    def _grow_pass(self, request: bytes) -> list[bytes]:
        pieces = self._pieces(self._grouped.mapPartitions(partial(_parts.counted, request)))
        if self._open is None:
            found = pieces.map(partial(_parts.decided, request))
        else:
            found = pieces.zip(self._open).map(partial(_parts.decided_after, request))
            self._replaced.append(self._open)
        self._open = found._reserialize(_ONE_BY_ONE).persist(_KEPT)
        answers = self._open.map(_second).collect()
        self._forget_replaced()
        return answers

    @staticmethod
    def _in_groups(rows):
        """Growing counts fast, so that starting tasks takes much of its time: one that counts takes up to four partitions."""
        tasks = max(rows.context.defaultParallelism, -(-rows.getNumPartitions() // _MOST_TOGETHER))
        return rows.coalesce(tasks)

    def _forget_replaced(self) -> None:
        for rdd in self._replaced:
            rdd.unpersist()
        self._replaced = []

    def _code_pass(self, request: bytes) -> list[bytes]:
        self._coded_rows, self._facts, self._rows = self._coded(self._raw, request)
        self._grouped = self._in_groups(self._coded_rows).mapPartitions(_parts.odd)
        if self._validation is not None:
            _, self._validation_facts, self._validation_rows = self._coded(self._validation, request)
        return []

    def _coded(self, blocks: _Blocks, request: bytes):
        """Facts and rows take turns."""
        kept = self._keep(blocks.map(_parts.coded, request))
        return kept, kept.mapPartitions(_parts.even), kept.mapPartitions(_parts.odd)

    def _facts_pass(self, _: bytes) -> list[bytes]:
        facts = self._small(self._facts)
        if self._validation is None:
            self._forget_raw()
        return facts

    def _validation_facts_pass(self, _: bytes) -> list[bytes]:
        facts = self._small(self._validation_facts)
        self._forget_raw()
        return facts

    def _coded_pass(self, request: bytes) -> list[bytes]:
        return self._merged(self._rows.mapPartitionsWithIndex(partial(_parts.coded_answer, request)))

    def _validation_pass(self, request: bytes) -> list[bytes]:
        return self._merged(self._validation_rows.mapPartitionsWithIndex(partial(_parts.coded_answer, request)))

    def _exchange_pass(self, request: bytes) -> list[bytes]:
        sent = self._rows.mapPartitions(partial(_parts.exchanged, request))
        received = sent.partitionBy(self.parts, int)
        self._replaced.append(self._coded_rows)
        self._rows = self._keep(received.mapPartitions(partial(_parts.gathered, request)))
        return []

    def _deal_pass(self, request: bytes) -> list[bytes]:
        self._replaced.append(self._rows)
        self._rows = self._keep(self._rows.mapPartitionsWithIndex(partial(_parts.dealt, request)))
        self._grouped = self._in_groups(self._rows)
        return []

    def _finish_pass(self, request: bytes) -> list[bytes]:
        sent = self._rows.mapPartitions(partial(_parts.rows_by_node, request))
        nodes = sent.groupByKey(self.parts)
        return self._small(nodes.mapPartitions(partial(_parts.finished, request)))


def _first(row) -> bytes:
    return bytes(row[0])


def _second(row) -> bytes:
    return bytes(row[1])
