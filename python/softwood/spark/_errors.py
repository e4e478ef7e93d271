"""Errors of the library cross from executors to the driver as themselves."""

from __future__ import annotations

import contextlib
import gc
import json
import re
import sys
import uuid

from softwood._errors import Error

_MARK = "softwood-error "
# Rows of a block have numbers that nobody knows elsewhere.
_ROW = re.compile(r"(, )?row \d+$")
_FIELDS = re.compile(re.escape(_MARK) + r"(\{.*\})")


class PartError(RuntimeError):
    """What is raised in a task: its text holds the error as JSON."""


_frozen = False


def _freeze_modules() -> None:
    """Spark's workers collect garbage after every task. Modules are most of what is looked at then, some
    fiftieths of a second each time, and none of it is garbage."""
    global _frozen
    if not _frozen:
        _frozen = True
        gc.freeze()


@contextlib.contextmanager
def in_task():
    """Around the work of a task."""
    _freeze_modules()
    try:
        yield
    except Error as error:
        fields = {"message": error.message, "kind": error.kind, "where": _ROW.sub("", error.where or ""), "hint": error.hint}
        raise PartError(_MARK + json.dumps(fields)) from error


def _error_in(text: str) -> Error | None:
    found = _FIELDS.search(text)
    if found is None:
        return None
    try:
        fields, _ = json.JSONDecoder().raw_decode(found.group(1))
    except json.JSONDecodeError:
        return None
    return Error(fields["message"], fields["kind"], fields["where"], fields["hint"])


def _is_interrupt(error: BaseException | None, outside: BaseException | None) -> bool:
    """Also an error of what was done for the JVM after an interrupt, which may leave one of its answers half read; not
    where an interrupt was being handled before, outside of the call."""
    while error is not None and error is not outside and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None and error is not outside


_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


@contextlib.contextmanager
def on_driver(spark, description: str):
    """Around the jobs of one call: Ctrl-C cancels them, errors of the library are raised as such. Sessions of Spark
    Connect have no groups of jobs."""
    context = None if type(spark).__module__.startswith("pyspark.sql.connect") else spark.sparkContext
    group = f"softwood-{uuid.uuid4()}"
    before = {}
    if context is not None:
        before = {key: context.getLocalProperty(key) for key in _GROUP}
        context.setJobGroup(group, description, interruptOnCancel=True)
    careful, outside = contextlib.nullcontext(), sys.exc_info()[1]
    try:
        yield
    except BaseException as error:
        if _is_interrupt(error, outside):
            careful = contextlib.suppress(Exception)
            with careful:
                if context is not None:
                    context.cancelJobGroup(group)
            raise KeyboardInterrupt from None
        known = None if isinstance(error, Error) else _error_in(str(error))
        if known is None:
            raise
        raise known from None
    finally:
        with careful:
            for key, value in before.items():
                context.setLocalProperty(key, value)
