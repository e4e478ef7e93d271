"""The tree in a notebook: nested blocks of plain HTML, in light and dark."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from softwood import _core
from softwood._tree import decided

# Trees with more nodes show their first levels; deeper ones open by a click.
OPEN_NODES = 60
# Notebooks keep what they show: no more nodes than this are written.
MOST_NODES = 500

# Distinguishable without red and green, on light and dark ground.
# The last one is for all further classes.
_COLOURS = ["#4477aa", "#ee9944", "#66bbaa", "#aa5588", "#bbbb55", "#88bbee", "#998866", "#888888"]

# JupyterLab and VS Code say which theme they show; elsewhere the system's setting counts.
_DARK = "--text: #e6edf3; --ground: #151a21; --faint: #9aa5b1; --line: #444c56;"
_LIGHT = "--text: #1b1f24; --ground: #fff; --faint: #57606a; --line: #c9d1d9;"
_STYLE = f"""
.softwood-tree {{ {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ .softwood-tree {{ {_DARK} }} }}
[data-jp-theme-light="true"] .softwood-tree, .vscode-light .softwood-tree {{ {_LIGHT} }}
[data-jp-theme-light="false"] .softwood-tree, .vscode-dark .softwood-tree {{ {_DARK} }}
"""
_STYLE += """
.softwood-tree { font: 13px/1.45 system-ui, sans-serif; color: var(--text); background: var(--ground);
  padding: 8px 10px; border-radius: 6px; overflow-x: auto; }
.softwood-tree details, .softwood-tree .leaf { margin-left: 1.1em; border-left: 2px solid var(--line);
  padding-left: .6em; }
.softwood-tree > details, .softwood-tree > .leaf { margin-left: 0; border-left: 0; padding-left: 0; }
.softwood-tree summary { cursor: pointer; }
.softwood-tree .row { display: inline-flex; align-items: center; gap: .7em; white-space: nowrap;
  padding: 1px 0; }
.softwood-tree .condition { font-weight: 600; }
.softwood-tree .bar { display: inline-flex; width: 110px; height: 10px; border-radius: 2px;
  overflow: hidden; background: #8884; }
.softwood-tree .bar i { display: block; height: 100%; }
.softwood-tree .rows, .softwood-tree .head { color: var(--faint); }
.softwood-tree .key { display: inline-block; width: 9px; height: 9px; border-radius: 2px;
  margin: 0 .3em 0 .8em; }
"""


def tree_html(model: _core.TreeModel) -> str:
    """The tree as HTML: condition, bar of class shares or value, prediction and rows per node."""
    view = _View(model)
    return f'<style>{_STYLE}</style><div class="softwood-tree">{view.head()}{view.body()}</div>'


class _View:
    def __init__(self, model: _core.TreeModel):
        self.model = model
        self.arrays = model.node_arrays()
        self.texts = model.branch_texts()
        self.classes = model.classes
        self.answers = self.arrays["answers"]
        if self.classes:
            self.codes = decided({"costs": model.costs}, self.answers)
        self.open_depth = self._open_depth()

    def _open_depth(self) -> int:
        """The deepest level such that the levels down to it have few enough nodes."""
        if self.model.nodes <= OPEN_NODES:
            return self.model.depth + 1
        per_level = np.bincount(self.arrays["depth"])
        return max(1, int(np.searchsorted(np.cumsum(per_level), OPEN_NODES)) - 1)

    def head(self) -> str:
        model = self.model
        what = f"{'Classification' if self.classes else 'Regression'} of {escape(model.target)}"
        size = f"{model.nodes} nodes, {model.leaves} leaves, depth {model.depth}" if model.nodes > 1 else "a single leaf"
        keys = "".join(
            f'<span class="key" style="background:{self._colour(k)}"></span>{escape(name)}'
            for k, name in enumerate(self._key_names())
        )
        return f'<div class="head">{what}: {size}{keys}</div>'

    def _key_names(self) -> list[str]:
        most = len(_COLOURS)
        if len(self.classes) <= most:
            return self.classes
        return [*self.classes[: most - 1], f"{len(self.classes) - most + 1} others"]

    def body(self) -> str:
        """Without recursion: trees can be deeper than Python's stack."""
        parts: list[str] = []
        pending: list[Any] = [0]
        shown = self._shown()
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            count, first = int(self.arrays["children"][item]), int(self.arrays["first_child"][item])
            if count == 0:
                parts.append(f'<div class="leaf">{self._row(item)}</div>')
                continue
            if not shown[first]:
                parts.append(f'<div class="leaf">{self._row(item)} <span class="rows">…</span></div>')
                continue
            opened = " open" if self.arrays["depth"][item] < self.open_depth else ""
            parts.append(f"<details{opened}><summary>{self._row(item)}</summary>")
            pending.append("</details>")
            pending += range(first + count - 1, first - 1, -1)
        hidden = self.model.nodes - int(shown.sum())
        if hidden:
            views = "plot, report and to_frame show all"
            parts.append(f'<div class="head">… {_counted(hidden, "more node")}: {views}</div>')
        return "".join(parts)

    def _shown(self) -> np.ndarray:
        """Which nodes are written: those near the root, all children of a node or none."""
        depth = self.arrays["depth"]
        if len(depth) <= MOST_NODES:
            return np.ones(len(depth), dtype=bool)
        shown = np.zeros(len(depth), dtype=bool)
        shown[0], room = True, MOST_NODES - 1
        children, first = self.arrays["children"], self.arrays["first_child"]
        for node in np.argsort(depth, kind="stable"):
            if shown[node] and 0 < children[node] <= room:
                shown[first[node] : first[node] + children[node]] = True
                room -= int(children[node])
        return shown

    def _row(self, node: int) -> str:
        condition = escape(self.texts[node]) or "all rows"
        rows = _counted(self.arrays["weight"][node], "row")
        bar, answer = self._class_bar(node) if self.classes else self._value_bar(node)
        title = f"node {node}"
        return (
            f'<span class="row" title="{title}"><span class="condition">{condition}</span>{bar}'
            f'<span class="answer">{answer}</span><span class="rows">{rows}</span></span>'
        )

    def _class_bar(self, node: int) -> tuple[str, str]:
        shares = self.answers[node]
        parts = "".join(
            f'<i style="width:{100 * share:.1f}%;background:{self._colour(k)}"></i>'
            for k, share in enumerate(shares)
            if share > 0.002
        )
        k = int(self.codes[node])
        title = ", ".join(f"{name} {share:.1%}" for name, share in zip(self.classes, shares))
        return (
            f'<span class="bar" title="{escape(title, quote=True)}">{parts}</span>',
            f"{escape(self.classes[k])} ({shares[k]:.0%})",
        )

    def _value_bar(self, node: int) -> tuple[str, str]:
        values = self.answers[:, 0]
        low, high = float(values.min()), float(values.max())
        share = (values[node] - low) / (high - low) if high > low else 1.0
        bar = f'<i style="width:{100 * share:.1f}%;background:{_COLOURS[0]}"></i>'
        return f'<span class="bar">{bar}</span>', f"{values[node]:.6g}"

    def _colour(self, k: int) -> str:
        return _COLOURS[min(k, len(_COLOURS) - 1)]


def _counted(count: float, noun: str) -> str:
    return f"{count:g} {noun}{'' if count == 1 else 's'}"
