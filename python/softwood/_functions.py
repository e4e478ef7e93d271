"""Training and comparison for those who do not use scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood import _core
from softwood._data import TRUTH, names_of, number_text, one_column, row_numbers, to_columns
from softwood._errors import Error, note_texts, warn_notes
from softwood._model import Model
from softwood._progress import ProgressBar
from softwood._settings import seconds_of, seed_of
from softwood._tree import frame_or


def train(
    data: Any,
    target: Any = None,
    *,
    method: str | None = None,
    recipe: str | None = None,
    settings: Mapping[str, Any] | None = None,
    task: str | None = None,
    weights: Any = None,
    validation: Any = None,
    class_weights: Mapping[str, float] | None = None,
    costs: Any = None,
    positive: Any = None,
    nominal: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    ordinal: Mapping[str, Iterable[str]] | None = None,
    missing: str | Iterable[str] = (),
    header: bool = True,
    seed: Any = 1,
    threads: int = 0,
    budget: float | str | None = None,
    checkpoint: str | os.PathLike | None = None,
    verbose: int = 0,
) -> Model:
    """Trains a tree on a table or a file (CSV, TSV, ARFF, also .gz).

    Parameters
    ----------
    data : table or path
    target : str or column, optional
        Name of a column of `data`, or the cells themselves; by default the last column.
    method : str, optional
        One of `softwood.methods()`; "cart" by default.
    recipe : str, optional
        Stages instead of a method: "grow min-leaf=5 | prune rule=min".
    settings : dict, optional
        Options laid over method or recipe: {"grow.min-leaf": 5}.
    task : {"classification", "regression"}, optional
        Found out by default.
    weights : str or column, optional
        Weights of the rows.
    validation : table or path, optional
        Rows by which stages choose; they have the columns of `data`.
    class_weights : dict, optional
        Weights by class.
    costs : dict, data frame or square array, optional
        costs[actual][predicted]: what wrong predictions cost. Errors that are not named cost 1.
    positive : class, optional
        Of two classes, the one that thresholds, precision and recall, and monotone inputs are about;
        by default the last one.
    nominal, numeric, ignore : names of columns
    ordinal : dict, optional
        Levels of a column from low to high.
    missing : texts that stand for missing cells
    header : bool
        Whether the first line of a file has the names of the columns.
    seed : int
        The same data, recipe and seed give the same model.
    threads : int
        0: as many as the machine has.
    budget : float or str, optional
        Seconds ("30s", "5m") after which step by step stages end with their best tree.
    checkpoint : path, optional
        A file in which long stages keep their state and from which the same training goes on.
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    Model
    """
    data_settings = _data_settings(task, positive, nominal, numeric, ignore, ordinal, missing, header)
    rows, notes = _data_set(data, target, weights, data_settings)
    texts = warn_notes(notes)
    held = None
    if validation is not None:
        held, notes = _validation(rows, validation)
        texts += warn_notes(notes)
    options = _train_settings(
        method,
        recipe,
        settings,
        seed=seed_of(seed),
        threads=threads,
        validation=held,
        class_weights={class_key(key): float(weight) for key, weight in (class_weights or {}).items()},
        costs=named_costs(costs, rows.classes),
        budget=seconds_of(budget),
        checkpoint=os.fspath(checkpoint) if checkpoint is not None else "",
    )
    return run(lambda progress: _core.train(rows, options, progress), texts, verbose)


def rework(model: Any, data: Any, recipe: str, *, seed: Any = 1, threads: int = 0, verbose: int = 0) -> Model:
    """More stages on a finished tree, that of a model or a fitted estimator.

    >>> softwood.rework(model, data, "prune by=reduced-error")      # doctest: +SKIP

    `data`, a table or a file, has the columns of the training data and the target.
    """
    model = getattr(model, "model_", model)
    if isinstance(data, (str, os.PathLike)):
        rows, notes = _core.DataSet.read_to_evaluate(model._core, os.fspath(data))
    else:
        rows, notes = _core.DataSet.to_evaluate(model._core, to_columns(data)[0])
    texts = warn_notes(notes)
    options = _core.TrainSettings(recipe=recipe, seed=seed_of(seed), threads=threads)
    return run(lambda progress: _core.rework(model._core, rows, options, progress), texts, verbose)


def load(path: str | os.PathLike) -> Model:
    """The model of a file that `save` or the command line program wrote."""
    return Model.load(path)


def read(path: str | os.PathLike, *, missing: str | Iterable[str] = (), header: bool = True):
    """A data file as a pandas DataFrame; without pandas as a dictionary of columns.

    Nominal columns are categorical (without pandas: lists of text and None).
    """
    return _as_frame(_core.Columns.read(os.fspath(path), names_of(missing), header))


def generate(name: str | None = None, *, seed: Any = 1, **options: Any):
    """Artificial data with known structure; the target is the last column.

    >>> softwood.generate("friedman1", rows=500)      # doctest: +SKIP

    Without a name: the generators by name, each with help, source and options.
    """
    if name is None:
        return {generator["name"]: generator for generator in _core.generators()}
    texts = [(key.replace("_", "-"), str(value)) for key, value in options.items()]
    return _as_frame(_core.generate(name, texts, seed_of(seed)))


def methods(name: str | None = None) -> Any:
    """The methods by name, each with recipe, help and source; or one of them."""
    table = {method["name"]: method for method in _core.methods()}
    if name is None:
        return table
    if name not in table:
        raise Error(f"there is no method '{name}'", hint=f"known: {', '.join(table)}")
    return table[name]


@dataclass(frozen=True)
class CrossValidation:
    """Figures of every candidate on the same folds.

    `figures[i]["error"]` are the values of candidate i, one per run; `comparisons` are paired tests
    (first, second, difference, p) by the corrected resampled t test (Nadeau & Bengio 2003).
    """

    names: list[str]
    recipes: list[str]
    figures: list[dict[str, np.ndarray]]
    comparisons: list[tuple[int, int, float, float]]

    def mean(self, figure: str) -> dict[str, float]:
        """By candidate, over the runs."""
        return {name: float(np.mean(values[figure])) for name, values in zip(self.names, self.figures)}

    def to_frame(self):
        """A line per candidate and run."""
        table: dict[str, list] = {"method": [], "run": []}
        for name, values in zip(self.names, self.figures):
            runs = len(next(iter(values.values())))
            table["method"] += [name] * runs
            table["run"] += list(range(runs))
            for figure, cells in values.items():
                table.setdefault(figure, []).extend(cells)
        return frame_or(table)


def cross_validate(
    data: Any,
    target: Any = None,
    *,
    method: str | Iterable[str] | None = None,
    recipe: str | Iterable[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    folds: Any = 10,
    repeats: int = 1,
    task: str | None = None,
    weights: Any = None,
    class_weights: Mapping[str, float] | None = None,
    costs: Any = None,
    positive: Any = None,
    nominal: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    ordinal: Mapping[str, Iterable[str]] | None = None,
    missing: str | Iterable[str] = (),
    header: bool = True,
    seed: Any = 1,
    threads: int = 0,
    verbose: int = 0,
) -> CrossValidation:
    """Compares methods and recipes on the same stratified folds.

    `folds` is a number, or a list with the test rows of each run: their numbers, or a mask over all rows. All else is
    as in `train`.
    """
    data_settings = _data_settings(task, positive, nominal, numeric, ignore, ordinal, missing, header)
    rows, notes = _data_set(data, target, weights, data_settings)
    warn_notes(notes)
    methods_ = [method] if isinstance(method, str) else list(method or [])
    recipes = [recipe] if isinstance(recipe, str) else list(recipe or [])
    chosen = [(name, None) for name in methods_] + [(None, text) for text in recipes] or [("cart", None)]
    weights_of_classes = {class_key(key): float(weight) for key, weight in (class_weights or {}).items()}
    shared = {"class_weights": weights_of_classes, "costs": named_costs(costs, rows.classes)}
    candidates = [_train_settings(name, text, settings, **shared) for name, text in chosen]
    number = isinstance(folds, (int, np.integer))
    tests = [] if number else _test_rows(folds, rows.rows)
    progress = ProgressBar() if verbose else None
    try:
        figures, comparisons = _core.cross_validate(
            rows, candidates, int(folds) if number else 0, repeats, tests, seed_of(seed), threads, progress
        )
    finally:
        if progress is not None:
            progress.close()
    return CrossValidation(
        names=_different([name or text for name, text in chosen]),
        recipes=[text for _, text, _ in figures],
        figures=[{key: np.array(values) for key, values in found.items()} for _, _, found in figures],
        comparisons=[tuple(test) for test in comparisons],
    )


# --- What estimators use as well


def run(work, notes: list[str], verbose: int) -> Model:
    """Calls work(progress) and makes a Model of what the library returns."""
    progress = ProgressBar() if verbose else None
    try:
        core, seconds, stopped, more, warnings = work(progress)
    finally:
        if progress is not None:
            progress.close()
    warn_notes(warnings)
    return Model(core, seconds=seconds, stopped=stopped, notes=notes + note_texts(more))


def class_key(key: Any) -> str:
    """The name that the library has for a class."""
    if isinstance(key, (bool, np.bool_)):
        return TRUTH[bool(key)]
    return key if isinstance(key, str) else number_text(key)


def cost_table(costs: Any) -> Any:
    """Costs as a dictionary of dictionaries, or as what makes a square array.

    Rows of a data frame are the actual classes: its index, or where there is none (polars, pyarrow)
    its first column.
    """
    if hasattr(costs, "index") and hasattr(costs, "columns"):
        return {actual: dict(row) for actual, row in costs.T.to_dict().items()}
    if hasattr(costs, "__arrow_c_stream__"):
        columns = costs.to_pydict() if hasattr(costs, "to_pydict") else costs.to_dict(as_series=False)
        first, *others = columns
        return {
            actual: {name: columns[name][i] for name in others} for i, actual in enumerate(columns[first])
        }
    return costs


def named_costs(costs: Any, classes: list[str]) -> dict[str, dict[str, float]]:
    """Costs as a dictionary, a data frame or a square array in the order of classes."""
    if costs is None:
        return {}
    costs = cost_table(costs)
    if isinstance(costs, Mapping):
        return {
            class_key(actual): {class_key(predicted): float(cost) for predicted, cost in row.items()}
            for actual, row in costs.items()
        }
    table = np.asarray(costs, dtype=float)
    if table.shape != (len(classes), len(classes)):
        raise Error(
            f"costs have the shape {table.shape}, but there are {len(classes)} classes",
            hint=f"a line and a column for each of {', '.join(classes)}",
        )
    return {
        actual: {predicted: float(table[i, j]) for j, predicted in enumerate(classes)}
        for i, actual in enumerate(classes)
    }


def option_text(value: Any) -> str:
    """A value as options are written."""
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def _data_settings(task, positive, nominal, numeric, ignore, ordinal, missing, header) -> dict[str, Any]:
    return {
        "task": task or "",
        "nominal": names_of(nominal),
        "numeric": names_of(numeric),
        "ignore": names_of(ignore),
        "ordinal": {name: [class_key(level) for level in levels] for name, levels in (ordinal or {}).items()},
        "missing": names_of(missing),
        "positive": "" if positive is None else class_key(positive),
        "header": header,
    }


def _train_settings(method, recipe, settings, **others) -> _core.TrainSettings:
    if method and recipe:
        raise Error("a method and a recipe can't be given together", hint="leave one of them out")
    if settings is not None and not isinstance(settings, Mapping):
        raise Error(f"settings={settings!r} is no dictionary", hint="{'grow.min-leaf': 5}")
    lines = [f"{key}={option_text(value)}" for key, value in (settings or {}).items()]
    return _core.TrainSettings(method=method or ("" if recipe else "cart"), recipe=recipe or "", settings=lines, **others)


def _test_rows(folds: Any, count: int) -> list[list[int]]:
    if isinstance(folds, str) or not hasattr(folds, "__iter__"):
        raise Error(f"folds={folds!r} is not known", hint="a number, or a list with the test rows of each run")
    tests = [row_numbers(test, count, "folds") for test in folds]
    if not tests:
        raise Error("folds has no runs", hint="a number, or a list with the test rows of each run")
    return tests


def _different(names: list[str]) -> list[str]:
    """Of equal names the second one is "NAME (2)"."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _data_set(data: Any, target: Any, weights: Any, settings: dict[str, Any]):
    name = target if isinstance(target, str) else ""
    weight_name = weights if isinstance(weights, str) else ""
    chosen = _core.DataSettings(target=name, weights=weight_name, **settings)
    if isinstance(data, (str, os.PathLike)):
        return _core.DataSet.read(os.fspath(data), chosen)
    columns, names = to_columns(data)
    if target is not None and not name:
        columns.set_target(free_name(getattr(target, "name", None) or "y", names), one_column("y", target))
    if weights is not None and not weight_name:
        columns.set_weights(free_name("weight", names), one_column("weight", weights))
    return _core.DataSet.from_columns(columns, chosen)


def _validation(rows: _core.DataSet, data: Any):
    if isinstance(data, (str, os.PathLike)):
        return _core.DataSet.read_like(rows, os.fspath(data))
    if isinstance(data, tuple) and len(data) == 2:
        columns, _ = to_columns(data[0])
        columns.set_target(rows.target, one_column(rows.target, data[1]))
    else:
        columns, _ = to_columns(data)
    return _core.DataSet.like(rows, columns)


def free_name(name: Any, taken: Iterable[str]) -> str:
    name = str(name)
    while name in taken:
        name += "_"
    return name


def _as_frame(columns: _core.Columns):
    cells = columns.as_dict()
    try:
        import pandas
    except ImportError:
        return {
            name: values if levels is None else [None if code < 0 else levels[code] for code in values]
            for name, (values, levels) in cells.items()
        }
    return pandas.DataFrame(
        {
            name: values if levels is None else pandas.Categorical.from_codes(values, levels)
            for name, (values, levels) in cells.items()
        }
    )


def report(model: Any, data: Any = None, y: Any = None, **settings: Any):
    """One page of HTML about a model, or a fitted estimator; see `Model.report`."""
    return model.report(data, y, **settings)


def export(model: Any, to: str, path: str | os.PathLike | None = None, **settings: Any) -> str | bytes:
    """A model, or a fitted estimator, as a program or query; see `Model.export`."""
    return getattr(model, "model_", model).export(to, path, **settings)
