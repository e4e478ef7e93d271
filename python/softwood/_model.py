"""A trained tree: answers, views, file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softwood import _core
from softwood._data import names_of, one_column, to_columns
from softwood._errors import Error, warn_notes
from softwood._explain import Change, Explanation, PartialDependence, explanation, nearest_changes, partial_dependence
from softwood._files import write_whole
from softwood._settings import seed_of
from softwood._tree import Tree, decided, frame_or

if TYPE_CHECKING:
    from softwood._plot import Plot
    from softwood._report import Report


@dataclass(frozen=True)
class Rule:
    """One leaf as a rule: all conditions together lead to it."""

    node: int
    conditions: tuple[str, ...]
    prediction: Any  # a class, or a number
    probabilities: dict[Any, float] | None  # by class
    weight: float  # of the training rows, 1 each unless they had weights
    share: float  # of all training rows

    @property
    def text(self) -> str:
        """if a <= 3 and b > 1 then yes (P = 0.92; 35 rows)"""
        condition = " and ".join(self.conditions) or "always"
        if self.probabilities is None:
            answer = f"{self.prediction:.6g}"
        else:
            answer = f"{self.prediction} (P = {self.probabilities[self.prediction]:.3g}"
            return f"if {condition} then {answer}; {self.weight:g} rows)"
        return f"if {condition} then {answer} ({self.weight:g} rows)"

    def __str__(self) -> str:
        return self.text


class Model:
    """A trained tree. Made by `softwood.train` and `softwood.load`; `model_` of estimators.

    Tables for its methods need only the columns that the tree asks about.
    """

    def __init__(self, core: _core.TreeModel, *, seconds=None, stopped="converged", notes=()):
        self._core = core
        self.seconds: dict[str, float] = dict(seconds or {})
        self.stopped: str = stopped
        self.notes: list[str] = list(notes)
        self.array_names: list[str] = core.inputs  # of the columns of arrays; estimators may have more
        self._matrices: dict[int, _core.MatrixModel | None] = {}  # by the number of columns
        self._class_names: np.ndarray | None = None

    # --- Facts

    @property
    def is_classifier(self) -> bool:
        return self._core.is_classifier

    @property
    def classes(self) -> list[str]:
        """Names of the classes; empty for regression."""
        return self._core.classes

    @property
    def positive(self) -> str:
        """Of two classes, the one that thresholds, precision and recall are about; else empty."""
        return self._core.positive

    @property
    def target(self) -> str:
        return self._core.target

    @property
    def inputs(self) -> list[str]:
        return self._core.inputs

    @property
    def nodes(self) -> int:
        """Inner nodes and leaves."""
        return self._core.nodes

    @property
    def leaves(self) -> int:
        return self._core.leaves

    @property
    def depth(self) -> int:
        """Edges on the longest path."""
        return self._core.depth

    @property
    def parameters(self) -> int:
        """The numbers that a person would have to read."""
        return self._core.parameters

    @property
    def importances(self) -> dict[str, float]:
        """Share of each input in what all splits gain."""
        return dict(zip(self._core.inputs, self._core.importances))

    @property
    def tree(self) -> Tree:
        return Tree(self._core)

    def to_dict(self) -> dict[str, Any]:
        """Inputs, nodes with conditions and answers, and origin, as plain data."""
        return self._core.tree_dict()

    def to_frame(self):
        """The tree as a table, a line per node."""
        return self.tree.to_frame()

    @property
    def pruning(self) -> dict[str, np.ndarray] | None:
        """The cost-complexity table: alpha, splits, error, cv_error, cv_deviation, all relative to
        the root; None where there was no such pruning."""
        complexity = self._core.complexity
        if complexity is None:
            return None
        names = ("alpha", "splits", "error", "cv_error", "cv_deviation")
        return dict(zip(names, complexity[0].T))

    @property
    def frontier(self) -> dict[str, Any] | None:
        """What the tree was chosen from by the method auto: points by size, and who takes which; else None."""
        return json.loads(self.to_text()).get("frontier")

    # --- Answers

    def predict(self, data: Any, *, threshold: float | None = None, threads: int = 0) -> np.ndarray:
        """The class (its name) or the number for each row of a table or file.

        With a threshold, of two classes: `positive` where its probability is at least that.
        """
        if not self.is_classifier and threshold is None:
            return self._answers(data, "predict", threads)[:, 0]
        if self._class_names is None:
            self._class_names = np.array(self.classes, dtype=object)
        if threshold is None:
            return self._class_names[self._answers(data, "predict_codes", threads)]
        return self._class_names[self._core.predict_codes(self._data(data), threads, float(threshold))]

    def predict_proba(self, data: Any, *, threads: int = 0) -> np.ndarray:
        """rows x classes, in the order of `classes`."""
        if not self.is_classifier:
            raise Error("the model predicts a number, not a class", hint="use predict")
        return self._answers(data, "predict", threads)

    def apply(self, data: Any, *, threads: int = 0) -> np.ndarray:
        """The node where each row ends; of rows that are divided, where most of it does."""
        return self._answers(data, "leaf_numbers", threads).astype(np.int64)

    def leaf_weights(self, data: Any, *, threads: int = 0) -> np.ndarray:
        """rows x leaves: the share of each row that ends there, in the order of `end_nodes`."""
        return self._core.path_weights(self._data(data), threads)

    @property
    def end_nodes(self) -> np.ndarray:
        """The nodes where rows can end: leaves, and nodes where rows without a value stay."""
        return np.asarray(self._core.end_nodes())

    def paths(self, data: Any) -> list[str]:
        """Why: the conditions that each row met, as one line."""
        return self._core.path_texts(self._data(data))

    def explain(
        self, data: Any, background: Any = None, *, scale: str = "usual", seed: Any = 1, threads: int = 0
    ) -> Explanation:
        """What each input adds to the answer of each row: Shapley values.

        Path-dependent for trees that ask about one input at a time, unless background rows are given. Other trees
        are compared with background rows: those given, or 200 of `data`. `scale`: "probability", "log_odds" of trees
        that mix log odds, "value" in regression.
        """
        rows = self._data(data)
        others = None if background is None else self._data(background)
        return explanation(self._core.explain(rows, others, scale, seed_of(seed), threads))

    def nearest_changes(
        self,
        data: Any,
        *,
        to: str | None = None,
        reach: float | None = None,
        fixed: str | Iterable[str] = (),
        only_up: str | Iterable[str] = (),
        only_down: str | Iterable[str] = (),
        most_inputs: int = 3,
        reference: Any = None,
        threads: int = 0,
    ) -> list[Change]:
        """For each row the nearest change that gives another answer, the class `to`, or the probability `reach`.

        In regression `reach` is the number to be reached. Distances are in units of the standard deviations of the
        inputs in `reference`, by default `data`.
        """
        rows = self._data(data)
        others = None if reference is None else self._data(reference)
        return nearest_changes(
            self._core, rows, others, to, reach, fixed, only_up, only_down, most_inputs, threads
        )

    def partial_dependence(
        self,
        data: Any,
        inputs: str | list[str],
        *,
        points: int = 20,
        individual: bool = False,
        scale: str = "usual",
        threads: int = 0,
    ) -> PartialDependence:
        """The mean answer over the rows of `data` when one input, or two, of all of them are set to a value."""
        return partial_dependence(self._core, self._data(data), inputs, points, individual, scale, threads)

    def evaluate(
        self, data: Any, y: Any = None, *, threshold: float | None = None, threads: int = 0
    ) -> dict[str, Any]:
        """Figures on rows with known answers: the target as a column of `data`, or `y`.

        "intervals" has the 95 % intervals of figures that have some. Of classes also "confusion" (actual x predicted),
        "per_class" (precision, recall, ... by class) and "calibration" (ten bins of probabilities and what was
        observed). With a threshold, of two classes: `positive` where its probability is at least that.
        """
        rows = self._known_data(data, y)
        found = self._core.evaluate(rows, threads, threshold)
        result: dict[str, Any] = {"rows": found["rows"], **found["figures"], "intervals": found["intervals"]}
        if self.is_classifier:
            classes = len(self.classes)
            result["confusion"] = np.reshape(found["confusion"], (classes, classes))
            result["per_class"], result["calibration"] = found["per_class"], found["calibration"]
        return result

    def thresholds(self, data: Any, y: Any = None, *, threads: int = 0):
        """What every threshold for `positive` gives on rows with known answers, from the strictest on: the ROC
        curve, precision, error and cost as a table. Two classes only."""
        return frame_or(self._core.thresholds(self._known_data(data, y), threads))

    def permutation_importance(
        self, data: Any, y: Any = None, *, repeats: int = 10, seed: Any = 1, threads: int = 0
    ) -> dict[str, tuple[float, float]]:
        """What the model loses on rows with known answers whose values of one input are shuffled among them.

        Input -> mean and standard deviation over the shuffles of the error (the cost per row where errors have costs,
        the mean squared error in regression) that is added.
        """
        return self._core.permutation_importance(self._known_data(data, y), repeats, seed_of(seed), threads)

    # --- Views

    def show(self, view: str = "tree", *, width: int = 120) -> str:
        """The tree as text: "tree", "rpart", "c50", "rules", "pruning", "summary", "competitors" (every split
        beside those that it won against) or "json"."""
        return self._core.show(view, width)

    def rules(self, classes: list | None = None) -> list[Rule]:
        """One rule per leaf that training rows reached, those of many rows first.

        `classes`: what predictions are called, in the order of the model's; by default its names.
        """
        names = self.classes if classes is None else classes
        tree, arrays = self._core.tree_dict(), self._core.node_arrays()
        answers, weights = arrays["answers"], arrays["weight"]
        codes = decided(tree, answers) if self.is_classifier else None
        leaves = np.flatnonzero((arrays["children"] == 0) & ((weights > 0) | (weights[0] <= 0)))
        rules = []
        for node in sorted(leaves, key=lambda leaf: -weights[leaf]):
            probabilities = dict(zip(names, answers[node].tolist())) if self.is_classifier else None
            rules.append(
                Rule(
                    node=int(node),
                    conditions=tuple(self._core.path_conditions(int(node))),
                    prediction=names[codes[node]] if self.is_classifier else float(answers[node, 0]),
                    probabilities=probabilities,
                    weight=float(weights[node]),
                    share=float(weights[node] / weights[0]) if weights[0] > 0 else 0.0,
                )
            )
        return rules

    def plot(
        self,
        view: str = "tree",
        data: Any = None,
        y: Any = None,
        *,
        validation: Any = None,
        depth: int | None = None,
        direction: str = "down",
        row: int | None = None,
        inputs: Iterable[str] = (),
        depths: Iterable[int | str] = (),
        at: Mapping[str, Any] | None = None,
        costs: Any = None,
        threads: int = 0,
    ) -> Plot:
        """A picture, which notebooks show; `.svg` is its text, `.save(path)` writes it.

        Parameters
        ----------
        view : str
            "tree", "pruning", "importance", "regions", "roc", "calibration", "threshold", "impurity" or "overfitting".
        data : table or file, optional
            Rows for views that show or need some, with the target as a column or as `y`.
        validation : table or file, or (X, y), optional
            pruning, overfitting: rows to judge by.
        depth, direction, row : int, {"down", "right"}, int
            tree: fold what lies deeper; where the tree grows to; the row of `data`, from 0, whose path is drawn.
        inputs, depths, at : two names, numbers or "full", dict
            regions: the inputs on the axes; one picture for the tree cut at each depth; what other inputs are.
        costs : dict, data frame or square array, optional
            threshold: costs[actual][predicted]; those of the model by default.
        """
        from softwood._plot import draw, rows_for

        rows = others = None
        if data is not None:
            rows = rows_for(view, lambda: self._known_data(data, y), lambda: self._data(data), y is not None, row)
        if validation is not None:
            others = self._known_data(*(validation if isinstance(validation, tuple) else (validation, None)))
        return draw(self._core, view, rows, others, depth, direction, row, inputs, depths, at or {}, costs, threads)

    def report(
        self,
        data: Any = None,
        y: Any = None,
        *,
        path: str | os.PathLike | None = None,
        against: Any = (),
        rows: int | None = 200,
        name: str = "",
        threads: int = 0,
    ) -> Report:
        """One page of HTML about the model, which notebooks show: the tree, rules, a form that asks it, evaluation.

        Parameters
        ----------
        data : table or file, optional
            Rows to measure the model on, with the target as a column or as `y`, or without.
        path : path, optional
            Where to write the page, too; the file appears whole or not at all.
        against : models, estimators or paths of model files, or a dictionary of such by name
            Compare with these, up to four, on the rows of `data`, whose target is needed.
        rows : int or None
            How many rows of the data the page may hold; all else are aggregates. None: none.
        name : str
            What the page calls the model.
        """
        from softwood._report import compared_page, model_page

        if against:
            if data is None:
                raise Error("against compares on rows", hint="give data with the target")
            known = self._known_data(data, y)
            page = compared_page(name or "Model", self, known, against, data, y, rows, threads)
        else:
            known = None
            if data is not None:
                known = self._known_data(data, y) if y is not None else self._known_or_not(data)
            page = model_page(self, known, rows, name, threads)
        if path is not None:
            page.save(path)
        return page

    def export(
        self,
        to: str,
        path: str | os.PathLike | None = None,
        *,
        name: str = "tree",
        dialect: str = "sqlite",
        table: str = "data",
        keep: Iterable[str] = (),
        module: str = "esm",
        single_precision: bool = False,
        header: bool = False,
        threshold: float | None = None,
        threshold_class: str = "",
    ) -> str | bytes:
        """The tree as a program or query that answers as the model does.

        Parameters
        ----------
        to : str
            "c", "cpp", "java", "javascript", "python", "sql", "onnx", "pmml" or "dot".
        path : path, optional
            Where to write it, too; the file appears whole or not at all.
        name : str
            What names in the file begin with.
        dialect, table, keep : str, str, names of columns
            sql: "sqlite", "duckdb", "postgresql" or "spark"; the table; columns that are passed through.
        module : {"esm", "script"}
            javascript.
        single_precision, header : bool
            c: single precision; the declarations instead of the program.
        threshold : float, optional
            Answer the positive of two classes (or `threshold_class`) from this probability on.

        Returns
        -------
        str, or bytes for "onnx"
        """
        settings = _core.ExportSettings()
        settings.name, settings.dialect, settings.table = name, dialect, table
        settings.keep, settings.module, settings.single_precision = names_of(keep), module, single_precision
        if threshold is not None:
            settings.threshold, settings.threshold_class = threshold, threshold_class
        write = _core.export_header if header else _core.export_model
        content = write(self._core, to, settings)
        if path is not None:
            write_whole(path, content)
        return content if to == "onnx" else content.decode()

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        what = f"classification of {self.target}" if self.is_classifier else f"regression of {self.target}"
        return f"<softwood.Model: {what}, {self.nodes} nodes, {self.leaves} leaves, depth {self.depth}>"

    def _repr_html_(self) -> str:
        from softwood._html import tree_html

        return tree_html(self._core)

    # --- File

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model file; it appears whole or not at all."""
        self._core.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Model:
        return cls(_core.TreeModel.load(os.fspath(path)))

    def to_text(self) -> str:
        """What `save` writes."""
        return self._core.text()

    @classmethod
    def from_text(cls, text: str) -> Model:
        return cls(_core.TreeModel.from_text(text))

    def __getstate__(self):
        kept = {"seconds": self.seconds, "stopped": self.stopped, "notes": self.notes}
        return {"form": 1, "text": self._core.text(), "array_names": self.array_names, **kept}

    def __setstate__(self, state):
        core = _core.TreeModel.from_text(state["text"])
        kept = {key: state[key] for key in ("seconds", "stopped", "notes") if key in state}
        self.__init__(core, **kept)
        self.array_names = state.get("array_names", core.inputs)

    # --- Data

    def array_answers(self, X: np.ndarray, columns: int, function: str, threads: int) -> np.ndarray | None:
        """What a function of the core says of the rows of an array with so many columns; None where
        the columns have to be looked at one by one."""
        plain = X.dtype.char in "df" and X.dtype.isnative and X.flags.forc and X.flags.aligned
        if not plain or X.ndim != 2 or X.shape[1] != columns:
            return None
        if columns not in self._matrices:
            names = self._core.inputs if columns == len(self._core.inputs) else self.array_names
            known = len(names) == columns
            self._matrices[columns] = _core.MatrixModel(self._core, names) if known else None
        matrix = self._matrices[columns]
        if matrix is None:
            return None
        if function == "predict":
            result = np.empty((len(X), self._core.answer_width))
        else:
            result = np.empty(len(X), dtype=np.uint32)
        return result if getattr(matrix, function)(X, result, threads) else None

    def _answers(self, data: Any, function: str, threads: int) -> np.ndarray:
        if type(data) is np.ndarray:
            found = self.array_answers(data, len(self._core.inputs), function, threads)
            if found is not None:
                return found
        return getattr(self._core, function)(self._data(data), threads)

    def _columns(self, data: Any) -> _core.Columns:
        names = self._core.inputs if getattr(data, "shape", (0, 0))[-1:] == (len(self._core.inputs),) else None
        return to_columns(data, names)[0]

    def _known_data(self, data: Any, y: Any = None) -> _core.DataSet:
        """Rows with known answers."""
        if isinstance(data, (str, os.PathLike)):
            rows, notes = _core.DataSet.read_to_evaluate(self._core, os.fspath(data))
        else:
            columns = self._columns(data)
            if y is not None:
                columns.set_target(self.target, one_column(self.target, y))
            rows, notes = _core.DataSet.to_evaluate(self._core, columns)
        warn_notes(notes)
        return rows

    def _known_or_not(self, data: Any) -> _core.DataSet:
        """Rows with their target where they have it."""
        try:
            return self._known_data(data)
        except Error as error:
            if error.kind != "data":
                raise
            return self._data(data)

    def _data(self, data: Any) -> _core.DataSet:
        if isinstance(data, (str, os.PathLike)):
            rows, notes = _core.DataSet.read_for(self._core, os.fspath(data))
        else:
            rows, notes = _core.DataSet.for_model(self._core, self._columns(data))
        warn_notes(notes)
        return rows
