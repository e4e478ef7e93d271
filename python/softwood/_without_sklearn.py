"""The little of scikit-learn that estimators need where it is not installed."""

from __future__ import annotations

import inspect

import numpy as np

from softwood._errors import Error


class BaseEstimator:
    def get_params(self, deep: bool = True):
        names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params):
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise Error(f"there is no parameter '{name}'", hint=f"known: {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self):
        return f"<pre>{self!r}</pre>"


class ClassifierMixin:
    def score(self, X, y, sample_weight=None):
        """Accuracy."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


class RegressorMixin:
    def score(self, X, y, sample_weight=None):
        """Coefficient of determination."""
        y = np.asarray(y, dtype=float)
        mean = np.average(y, weights=sample_weight)
        errors = np.average((y - self.predict(X)) ** 2, weights=sample_weight)
        return float(1 - errors / np.average((y - mean) ** 2, weights=sample_weight))


def check_is_fitted(estimator):
    if not hasattr(estimator, "model_"):
        raise Error(f"this {type(estimator).__name__} is not fitted yet", hint="call fit first")


def check_array(X, **_):
    X = np.asarray(X)
    if X.ndim != 2:
        raise Error(f"Expected 2D array, got {X.ndim}D array instead", "data", hint="X.reshape(-1, 1)")
    return X


def check_classification_targets(y):
    if y.dtype.kind == "f" and (y != np.round(y)).any():
        raise Error("y has numbers that are not whole, which are no classes", "data", hint="use a Regressor")


def column_or_1d(y, warn=False):
    y = np.asarray(y)
    return y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
