"""Why a tree answers as it does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood._data import names_of


@dataclass(frozen=True)
class Explanation:
    """What each input adds to the answers of rows: Shapley values.

    Per row, `values` sum to the answer minus `base_values`. Where there are more than two classes, the last axis are the
    classes; of two classes the positive one is explained.
    """

    values: np.ndarray  # rows x inputs (x classes)
    base_values: np.ndarray | float  # one number, or one per class
    feature_names: list[str]
    outputs: list[str]  # the classes, or the target
    scale: str  # "probability", "log_odds" or "value"
    method: str  # "path-dependent" or "interventional"
    background_rows: int
    answers: np.ndarray  # rows (x classes), on the scale
    standard_errors: np.ndarray | None  # of sampled values, shaped as they are; None: the values are exact

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return (
            f"<softwood.Explanation: {len(self)} rows, {len(self.feature_names)} inputs, {self.method}, "
            f"{self.scale} of {', '.join(self.outputs)}>"
        )


@dataclass(frozen=True)
class PartialDependence:
    """The mean answer when one input, or two, of all rows are set to the values of a grid."""

    inputs: list[str]
    grid: list[np.ndarray]  # per input: numbers, or names of levels
    means: np.ndarray  # points (x points of the second input) (x classes)
    curves: np.ndarray | None  # the same per row, where asked for: rows x ...
    outputs: list[str]
    scale: str


@dataclass(frozen=True)
class Change:
    """The nearest change of a row that reaches a goal: of the fewest inputs, then the smallest."""

    found: bool
    reached_already: bool
    is_exact: bool  # proved: every leaf was looked at; else the best of a search
    inputs: dict[str, tuple]  # name -> present value, new value; None: missing
    distance: float  # sum over the inputs, in units of their standard deviations; 1 for another level
    answer: np.ndarray  # after the change: probabilities, or one number


def _single(array, outputs):
    """Without the last axis where there is one output."""
    return array[..., 0] if len(outputs) == 1 else array


def _in_order(order, outputs: list[str], arrays: list):
    """Outputs and the last axes of arrays as `order` has the classes; None, and one output, as they are."""
    if order is None or len(outputs) == 1:
        return outputs, arrays
    return [outputs[k] for k in order], [None if array is None else array[..., order] for array in arrays]


def explanation(parts: dict, names: list[str] | None = None, order=None) -> Explanation:
    """From what the library returns; `names` are columns of which the model may have left some out, `order`
    is that of the classes."""
    values, errors, base, answers = (parts[key] for key in ("values", "standard_errors", "base_values", "answers"))
    outputs, (values, errors, base, answers) = _in_order(order, parts["outputs"], [values, errors, base, answers])
    if names is not None and list(names) != parts["feature_names"]:
        place = {name: i for i, name in enumerate(parts["feature_names"])}
        columns = [place.get(name) for name in names]

        def spread(array):
            wide = np.zeros((len(array), len(names), array.shape[2]))
            for to, column in enumerate(columns):
                if column is not None:
                    wide[:, to] = array[:, column]
            return wide

        values, errors = spread(values), None if errors is None else spread(errors)
    return Explanation(
        values=_single(values, outputs),
        base_values=float(base[0]) if len(outputs) == 1 else base,
        feature_names=list(parts["feature_names"] if names is None else names),
        outputs=outputs,
        scale=parts["scale"],
        method="path-dependent" if parts["path_dependent"] else "interventional",
        background_rows=parts["background_rows"],
        answers=_single(answers, outputs),
        standard_errors=None if errors is None else _single(errors, outputs),
    )


def nearest_changes(core, rows, reference, to, reach, fixed, only_up, only_down, most_inputs, threads) -> list[Change]:
    """`to` and `reach` may be None: any other answer."""
    known = core.tree_dict()["inputs"]

    def cell(input_, value):
        if np.isnan(value):
            return None
        levels = known[input_].get("levels")
        return levels[int(value)] if levels else value

    found = core.nearest_changes(
        rows,
        reference,
        "" if to is None else str(to),
        float("nan") if reach is None else float(reach),
        names_of(fixed),
        names_of(only_up),
        names_of(only_down),
        most_inputs,
        threads,
    )
    return [
        Change(
            **{key: change[key] for key in ("found", "reached_already", "is_exact", "distance")},
            inputs={known[i]["name"]: (cell(i, before), cell(i, after)) for i, before, after in change["inputs"]},
            answer=np.array(change["answer"]),
        )
        for change in found
    ]


def partial_dependence(core, rows, inputs, points, individual, scale, threads, order=None) -> PartialDependence:
    names = names_of(inputs)
    parts = core.partial_dependence(rows, names, points, individual, scale, threads)
    levels = {one["name"]: one.get("levels") for one in core.tree_dict()["inputs"]}
    grid = [
        np.array(levels[name], dtype=object)[values.astype(int)] if levels[name] else values
        for name, values in zip(names, parts["grid"])
    ]
    outputs, (means, curves) = _in_order(order, parts["outputs"], [parts["means"], parts["curves"]])
    return PartialDependence(
        inputs=names,
        grid=grid,
        means=_single(means, outputs),
        curves=None if curves is None else _single(curves, outputs),
        outputs=outputs,
        scale=parts["scale"],
    )
