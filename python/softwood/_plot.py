"""Pictures of a model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from softwood import _core
from softwood._data import names_of
from softwood._errors import Error
from softwood._files import write_whole
from softwood._functions import class_key, named_costs


class Plot:
    """A picture as SVG, which notebooks show. `svg` is its text, `save` writes it to a file."""

    def __init__(self, svg: str, view: str):
        self.svg = svg
        self.view = view

    def save(self, path: str | os.PathLike) -> None:
        """Writes the picture; the file appears whole or not at all."""
        write_whole(path, self.svg.encode())

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """Inside of a page a picture has its titles, and may be wider than the page."""
        return f'<div style="overflow-x:auto;max-width:100%">{self.svg}</div>'

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<softwood.Plot: {self.view}, {len(self.svg)} characters of SVG>"


def need_of(view: str) -> str:
    """What a view is drawn from: "model", "target" (rows with known answers) or "training"."""
    views = _core.plot_views()
    if view not in views:
        raise Error(f"there is no view {view!r}", hint=f"known: {', '.join(views)}")
    return views[view][0]


def rows_for(view: str, with_target: Callable[[], Any], without: Callable[[], Any], known: bool, row: int | None):
    """Rows with their target where it is `known` or needed or can be read, else without."""
    if known or need_of(view) != "model":
        return with_target()
    try:
        rows = with_target()
    except Error:
        return without()
    if row is None:
        return rows
    # A row is counted among all rows, and those without a target are left out.
    every = without()
    return rows if rows.rows == every.rows else every


def draw(
    core: _core.TreeModel,
    view: str,
    data: _core.DataSet | None,
    validation: _core.DataSet | None,
    depth: int | None,
    direction: str,
    row: int | None,
    inputs: Iterable[str],
    depths: Iterable[int | str],
    at: Mapping[str, Any],
    costs: Any,
    threads: int,
) -> Plot:
    settings = _core.PlotSettings()
    settings.view = view
    if depth is not None:
        settings.depth = depth
    if direction not in ("down", "right"):
        raise Error(f"direction can't be {direction!r}", hint='known: "down", "right"')
    settings.to_the_right = direction == "right"
    if row is not None and data is not None and not 0 <= row < data.rows:
        raise Error(f"there is no row {row}", hint=f"the data have {data.rows} rows, from 0")
    settings.row = row
    settings.inputs = names_of(inputs)
    settings.depths = [_core.full_depth if one == "full" else int(one) for one in depths]
    settings.at = {str(name): class_key(value) for name, value in at.items()}
    if costs is not None:
        settings.costs = _cost_matrix(costs, core.classes)
    settings.threads = threads
    return Plot(_core.plot(core, settings, data, validation), view)


def _cost_matrix(costs: Any, classes: list[str]) -> list[float]:
    named = named_costs(costs, classes)
    unknown = [name for row in (named, *named.values()) for name in row if name not in classes]
    if unknown:
        raise Error(f"costs: there is no class {unknown[0]!r}", hint=f"classes: {', '.join(classes)}")
    return [
        float(named.get(actual, {}).get(predicted, 0.0 if actual == predicted else 1.0))
        for actual in classes
        for predicted in classes
    ]
