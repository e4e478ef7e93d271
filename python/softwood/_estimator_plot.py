"""Pictures of estimators."""

from __future__ import annotations

from softwood import _core
from softwood._checks import checked_pair
from softwood._errors import Error, warn_notes
from softwood._parameters import class_names
from softwood._plot import Plot, draw, need_of

try:
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    from softwood._without_sklearn import check_is_fitted


class PlotMixin:
    """`plot` of estimators."""

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
        if costs is not None:
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
        warn_notes(notes, stacklevel=4)
        return rows
