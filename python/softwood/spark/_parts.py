"""What runs on executors. Python passes bytes here; all decisions and sums are the library's."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from softwood import _core
from softwood.spark._errors import in_task


def columns_of(batch: pa.RecordBatch) -> _core.Columns:
    columns = _core.Columns()
    columns.add_arrow(pa.Table.from_batches([batch]).__arrow_c_stream__())
    return columns


def _batch(**cells: bytes) -> pa.RecordBatch:
    arrays = [pa.array([cell], pa.binary()) for cell in cells.values()]
    return pa.RecordBatch.from_arrays(arrays, list(cells))


def kept(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches as bytes of their own, to be kept while bins are searched."""
    for batch in batches:
        if batch.num_rows > 0:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield _batch(rows=sink.getvalue().to_pybytes())


def _columns_of_block(block: bytes) -> _core.Columns:
    columns = _core.Columns()
    columns.add_arrow(pa.ipc.open_stream(pa.py_buffer(block)).read_all().__arrow_c_stream__())
    return columns


def raw_answer(request: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    with in_task():
        rows = _core.RawRows(request)
        for block in blocks:
            rows.add(_columns_of_block(block))
        yield rows.answer()


def coded(request: bytes, block: bytes) -> tuple[bytes, bytes]:
    with in_task():
        return _core.coded_rows(request, _columns_of_block(block))


def merged(one: bytes, other: bytes) -> bytes:
    return _core.merged_answers(one, other)


def coded_answer(request: bytes, part: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    with in_task():
        yield _core.coded_answer(request, list(blocks), part)


def exchanged(request: bytes, block: bytes) -> list[tuple[int, bytes]]:
    with in_task():
        return _core.exchanged_rows(request, block)


def merged_rows(request: bytes, blocks: Iterator[tuple[int, bytes]]) -> Iterator[bytes]:
    rows = [block for _, block in blocks]
    if rows:
        with in_task():
            yield _core.merged_rows(request, rows)


def dealt(request: bytes, part: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        with in_task():
            yield _core.dealt_rows(request, block, part)


def rows_by_node(request: bytes, blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    rows = list(blocks)
    if rows:
        with in_task():
            yield from _core.rows_by_node(request, rows)


def finished(request: bytes, nodes: Iterator[tuple[int, list[bytes]]]) -> Iterator[bytes]:
    finisher = _core.NodeFinisher(request)
    for node, rows in nodes:
        with in_task():
            yield finisher.finish(node, list(rows))
