"""What runs on executors. Python passes bytes here; all decisions and sums are the library's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import islice

import pyarrow as pa

from softwood import _core
from softwood._errors import Error
from softwood.spark._errors import in_task


def columns_of(batch: pa.RecordBatch) -> _core.Columns:
    return _columns_of_batches([batch])


def _columns_of_batches(batches: list[pa.RecordBatch]) -> _core.Columns:
    columns = _core.Columns()
    columns.add_arrow(pa.Table.from_batches(batches).__arrow_c_stream__())
    return columns


_FEWEST_ROWS = 8192


def _columns_of_blocks(schema: pa.Schema, blocks: Iterator[bytes], names: list[str] = []) -> Iterator[_core.Columns]:
    """Record batches as the JVM wrote them. One by one they are read where they are; small ones come together, because each
    call takes time. No names: all columns."""
    batches: list[pa.RecordBatch] = []
    rows = 0
    for block in blocks:
        batch = pa.ipc.read_record_batch(pa.py_buffer(block), schema)
        batches.append(batch.select(names) if names else batch)
        rows += batches[-1].num_rows
        if rows >= _FEWEST_ROWS:
            yield _columns_of_batches(batches)
            batches, rows = [], 0
    if rows > 0:
        yield _columns_of_batches(batches)


def of_version(version: str, work, blocks: Iterator[bytes]):
    """Messages are understood by the version that wrote them."""
    with in_task():
        if _core.__version__ != version:
            raise Error(
                f"the executors have softwood {_core.__version__}, the driver has {version}",
                "usage",
                hint="install one version on all of them",
            )
    return work(blocks)


def named(names: list[str], work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return work(pa.RecordBatch.from_arrays(batch.columns, names) for batch in batches)


def as_blocks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Record batches without their schema, as cells."""
    for batch in batches:
        yield pa.RecordBatch.from_arrays([pa.array([batch.serialize().to_pybytes()], pa.binary())], ["block"])


def raw_answer(request: bytes, schema: pa.Schema, blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    with in_task():
        rows = _core.RawRows(request)
        for columns in _columns_of_blocks(schema, blocks, rows.columns):
            rows.add(columns)
        yield from enumerate(rows.answer())


def counted(request: bytes, blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    with in_task():
        rows = _core.GrowingRows(request)
        for block in blocks:
            rows.add(block)
        yield from enumerate(rows.answer())


def merged_pieces(pieces: Iterator[tuple[int, bytes]]) -> Iterator[bytes]:
    """One after the other: they need not be in memory together."""
    with in_task():
        merger = _core.PieceMerger()
        for _, piece in pieces:
            merger.add(piece)
        yield merger.take()


def decided(request: bytes, piece: bytes) -> tuple[bytes, bytes]:
    with in_task():
        return _core.decided(request, b"", [piece] if piece else [])


def decided_after(request: bytes, piece_and_last: tuple[bytes, tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    """With what the pass before has left."""
    piece, (kept, _) = piece_and_last
    with in_task():
        return _core.decided(request, kept, [piece])


def coded(request: bytes, schema: pa.Schema, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Facts, rows, facts, rows."""
    for columns in _columns_of_blocks(schema, blocks):
        with in_task():
            yield from _core.coded_rows(request, columns)


def even(blocks: Iterator[bytes]) -> Iterator[bytes]:
    return islice(blocks, 0, None, 2)


def odd(blocks: Iterator[bytes]) -> Iterator[bytes]:
    return islice(blocks, 1, None, 2)


def merged(one: bytes, other: bytes) -> bytes:
    with in_task():
        return _core.merged_answers(one, other)


def merged_here(answers: Iterator[bytes]) -> Iterator[bytes]:
    """The answers of a partition as one."""
    first = next(answers, None)
    if first is not None:
        yield reduce(merged, answers, first)


def coded_answer(request: bytes, part: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    with in_task():
        yield _core.coded_answer(request, list(blocks), part)


def exchanged(request: bytes, blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """All rows of a partition together: one message for each partition that they go to."""
    with in_task():
        yield from _core.exchanged_rows(request, list(blocks))


def gathered(request: bytes, blocks: Iterator[tuple[int, bytes]]) -> Iterator[bytes]:
    rows = [block for _, block in blocks]
    if rows:
        with in_task():
            yield _core.gathered_rows(request, rows)


def dealt(request: bytes, part: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        with in_task():
            yield _core.dealt_rows(request, block, part)


def rows_by_node(request: bytes, blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    rows = list(blocks)
    tree = 0
    with in_task():
        while rows and (nodes := _core.rows_by_node(request, rows, tree)) is not None:
            yield from nodes
            tree += 1


def finished(request: bytes, nodes: Iterator[tuple[int, list[bytes]]]) -> Iterator[bytes]:
    with in_task():
        finisher = _core.NodeFinisher(request)
    for node, rows in nodes:
        with in_task():
            yield finisher.finish(node, list(rows))
