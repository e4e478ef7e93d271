"""What fitted estimators show and explain."""

from __future__ import annotations

import numpy as np

from softwood import _core
from softwood._checks import checked_pair
from softwood._errors import Error, warn_notes
from softwood._explain import Change, Explanation, explanation, nearest_changes, partial_dependence
from softwood._model import Rule
from softwood._parameters import class_names
from softwood._plot import Plot, draw, need_of
from softwood._report import Report, compared_page, model_page
from softwood._settings import seed_of
from softwood._tree import Tree

try:
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    from softwood._without_sklearn import check_is_fitted


class ViewsMixin:
    """The tree of a fitted estimator, why it answers as it does, and its views."""

    # --- Why

    def leaf_weights(self, X) -> np.ndarray:
        """rows x leaves: the share of each row that ends there, in the order of `model_.end_nodes`."""
        rows = self._rows(X)
        return self.model_._core.path_weights(rows, self._threads())

    def decision_path(self, X):
        """Which nodes each row passes on its way to its leaf: a sparse matrix, rows x nodes."""
        leaves = self.apply(X)
        return self.tree_.decision_path(leaves)

    def paths(self, X) -> list[str]:
        """Why: the conditions that each row met, as one line."""
        rows = self._rows(X)
        return self.model_._core.path_texts(rows)

    def explain(self, X, background=None, *, scale: str = "usual", random_state=1) -> Explanation:
        """What each input adds to the answer of each row: Shapley values.

        Path-dependent for trees that ask about one input at a time, unless background rows are given; see
        `softwood.Explanation`.
        """
        rows = self._rows(X)
        others = None if background is None else self._rows(background)
        seed = seed_of(random_state, "random_state")
        parts = self.model_._core.explain(rows, others, scale, seed, self._threads())
        return explanation(parts, self._names, self._class_order())

    def nearest_changes(
        self,
        X,
        *,
        to=None,
        reach: float | None = None,
        fixed=(),
        only_up=(),
        only_down=(),
        most_inputs: int = 3,
        reference=None,
    ) -> list[Change]:
        """For each row the nearest change that gives another answer; see `softwood.Model.nearest_changes`.

        `to` is one of `classes_`.
        """
        rows = self._rows(X)
        others = None if reference is None else self._rows(reference)
        if to is not None and hasattr(self, "classes_"):
            names = dict(zip(self.classes_.tolist(), class_names(self.classes_)))
            to = names.get(to, to)
        core, threads = self.model_._core, self._threads()
        return nearest_changes(core, rows, others, to, reach, fixed, only_up, only_down, most_inputs, threads)

    def partial_dependence(self, X, inputs, *, points: int = 20, individual: bool = False, scale: str = "usual"):
        """The mean answer over X for values of one input or of two; see `softwood.PartialDependence`."""
        rows = self._rows(X)
        core, threads, order = self.model_._core, self._threads(), self._class_order()
        return partial_dependence(core, rows, inputs, points, individual, scale, threads, order)

    # --- The tree

    @property
    def tree_(self) -> Tree:
        check_is_fitted(self)
        core = self.model_._core
        place = {name: i for i, name in enumerate(self._names)}
        columns = [place[name] for name in core.inputs]
        return Tree(core, self._samples, columns, self._class_order(), self._model_classes())

    def _class_order(self) -> np.ndarray | None:
        """Where each of `classes_` stands among the classes of the model; None: there as well."""
        return getattr(self, "_order", None)

    def _model_classes(self) -> list | None:
        """What the classes of the model are here, in its order."""
        if not hasattr(self, "classes_"):
            return None
        order = self._class_order()
        return (self.classes_ if order is None else self.classes_[np.argsort(order)]).tolist()

    @property
    def feature_importances_(self) -> np.ndarray:
        check_is_fitted(self)
        shares = self.model_.importances
        return np.array([shares.get(name, 0.0) for name in self._names])

    def get_depth(self) -> int:
        """Edges on the longest path."""
        check_is_fitted(self)
        return self.model_.depth

    def get_n_leaves(self) -> int:
        check_is_fitted(self)
        return self.model_.leaves

    # --- Views

    def rules(self) -> list[Rule]:
        """One rule per leaf, those of many rows first; predictions are those of `predict`."""
        check_is_fitted(self)
        return self.model_.rules(self._model_classes())

    def show(self, view: str = "tree", *, width: int = 120) -> str:
        """The tree as text; see `softwood.Model.show` for the views."""
        check_is_fitted(self)
        return self.model_.show(view, width=width)

    def export(self, to: str, path=None, **settings):
        """The tree as a program or query; see `softwood.Model.export`."""
        check_is_fitted(self)
        return self.model_.export(to, path, **settings)

    def save(self, path) -> None:
        """Writes the model file, which `load`, `softwood.load` and the program read."""
        check_is_fitted(self)
        self.model_.save(path)

    def report(
        self, X=None, y=None, *, path=None, against=(), rows: int | None = 200, name: str | None = None
    ) -> Report:
        """One page of HTML about the tree, which notebooks show; see `softwood.Model.report`.

        Parameters
        ----------
        X, y : table and column, optional
            Rows to measure the tree on.
        against : estimators, models or paths of model files, or a dictionary of such by name
            Compare with these on the rows of X, whose y is needed.
        """
        check_is_fitted(self)
        name, threads = name or type(self).__name__, self._threads()
        if against:
            if X is None or y is None:
                raise Error("against compares on rows", hint="give X and y")
            found = compared_page(name, self.model_, self._known_rows(X, y), against, X, y, rows, threads)
        else:
            known = None if X is None else self._rows(X) if y is None else self._known_rows(X, y)
            found = model_page(self.model_, known, rows, name, threads)
        if path is not None:
            found.save(path)
        return found

    def plot(
        self,
        view: str = "tree",
        X=None,
        y=None,
        *,
        validation=None,
        depth: int | None = None,
        direction: str = "down",
        row: int | None = None,
        inputs=(),
        depths=(),
        at=None,
        costs=None,
    ) -> Plot:
        """A picture, which notebooks show; see `softwood.Model.plot` for the views and their settings.

        Parameters
        ----------
        X, y : table and column, optional
            Rows for views that show or need some.
        validation : (X, y), optional
            pruning, overfitting: rows to judge by.
        """
        check_is_fitted(self)
        rows = others = None
        if need_of(view) != "model" and (X is None or y is None):
            raise Error(f"the view {view!r} needs X and y")
        if X is not None:
            rows = self._rows(X) if y is None else self._known_rows(X, y)
        if validation is not None:
            others = self._known_rows(*checked_pair(validation))
        if costs is not None and hasattr(self, "classes_"):
            costs = self._costs_by_name(costs, self.classes_, class_names(self.classes_))
        threads = self._threads()
        return draw(self.model_._core, view, rows, others, depth, direction, row, inputs, depths, at or {}, costs, threads)

    def _known_rows(self, X, y) -> _core.DataSet:
        """Rows with known answers."""
        columns, _ = self._check_table(X, reset=False)
        y = self._check_target(y, columns.rows)
        fitted = {"classes": self.classes_, "levels": class_names(self.classes_)} if hasattr(self, "classes_") else {}
        target = self.model_.target
        columns.set_target(target, self._validation_column(target, y, fitted))
        rows, notes = _core.DataSet.to_evaluate(self.model_._core, columns)
        warn_notes(notes)
        return rows

    # --- Notebooks

    def _repr_html_inner(self):
        return self._tree_or(lambda: super(ViewsMixin, self)._repr_html_inner())

    def _repr_html_(self):
        return self._tree_or(lambda: super(ViewsMixin, self)._repr_html_())

    def _tree_or(self, other) -> str:
        return self.model_._repr_html_() if hasattr(self, "model_") else other()

    def _repr_mimebundle_(self, **kwargs):
        shown = {"text/plain": repr(self)}
        if _is_diagram():
            shown["text/html"] = self._repr_html_()
        return shown


def _is_diagram() -> bool:
    """scikit-learn's setting of how notebooks show estimators."""
    try:
        from sklearn import get_config
    except ImportError:
        return True
    return get_config()["display"] == "diagram"
