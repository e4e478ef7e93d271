"""Reports: one page of HTML about a model, or about several on the same rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from softwood import _core
from softwood._errors import Error
from softwood._files import write_whole

if TYPE_CHECKING:
    from softwood._model import Model


class Report:
    """A page of HTML that loads nothing from anywhere. `html` is its text, `save` writes it to a file."""

    def __init__(self, html: str):
        self.html = html

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page; the file appears whole or not at all."""
        write_whole(path, self.html.encode())

    def _repr_html_(self) -> str:
        """In a frame of its own: the page has styles and a script."""
        page = escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="softwood report"></iframe>'

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<softwood.Report: {len(self.html)} characters of HTML>"


def model_page(model: Model, data: _core.DataSet | None, rows: int | None, name: str, threads: int) -> Report:
    return Report(_core.report(model._core, data, _settings(rows, name, threads)))


def compared_page(
    name: str,
    model: Model,
    rows_of_model: _core.DataSet,
    against: Any,
    data: Any,
    y: Any,
    rows: int | None,
    threads: int,
) -> Report:
    """The model and others on the same rows: `rows_of_model` are `data` and `y` as the model knows them."""
    models = [(name, model._core, rows_of_model)]
    for other_name, other in _named(against, {name}):
        models.append((other_name, other._core, other._known_data(data, y)))
    return Report(_core.comparison_report(models, _settings(rows, name, threads)))


def _settings(rows: int | None, name: str, threads: int) -> _core.ReportSettings:
    if rows is not None and rows < 0:
        raise Error(f"rows={rows!r} is not known", hint="a whole number of at least 0; None: none")
    settings = _core.ReportSettings()
    settings.rows, settings.model_name, settings.threads = rows or 0, name, threads
    return settings


def _named(against: Any, taken: set[str]) -> Iterable[tuple[str, Model]]:
    """Models by different names."""
    from softwood._model import Model

    if isinstance(against, Mapping):
        pairs = list(against.items())
    else:
        one = isinstance(against, (str, os.PathLike)) or hasattr(against, "save")
        pairs = [(None, other) for other in ([against] if one else against)]
    for name, other in pairs:
        model = Model.load(other) if isinstance(other, (str, os.PathLike)) else getattr(other, "model_", other)
        if not isinstance(model, Model):
            raise Error(f"{type(other).__name__} can't be compared with", hint="fitted estimators, models, model files")
        if name is None:
            name = os.path.basename(other) if isinstance(other, (str, os.PathLike)) else type(other).__name__
        free, count = str(name), 1
        while free in taken:
            count += 1
            free = f"{name} {count}"
        taken.add(free)
        yield free, model
