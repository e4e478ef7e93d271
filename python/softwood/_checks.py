"""What estimators check of arrays, targets and weights, in scikit-learn's words where it has some."""

from __future__ import annotations

import numbers

import numpy as np

from softwood._data import refuse_sparse
from softwood._errors import Error

try:
    from sklearn.utils import check_array, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
except ImportError:
    from softwood._without_sklearn import check_array, check_classification_targets, column_or_1d


def checked_array(X) -> np.ndarray:
    if isinstance(X, np.ma.MaskedArray):
        return X
    # The library looks for infinite numbers itself.
    return check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=0, ensure_min_features=0)


def check_column(y, rows: int) -> np.ndarray:
    if y is None:
        raise Error("requires y to be passed, but the target y is None", "data")
    refuse_sparse(y)
    if getattr(y, "ndim", 1) == 2 and np.shape(y)[1] > 1:
        raise Error(
            f"y has {np.shape(y)[1]} columns, but a tree predicts one target",
            "data",
            hint="train a tree for each, for example with sklearn.multioutput",
        )
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    y = column_or_1d(np.asarray(y), warn=True)
    if len(y) != rows:
        raise Error(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, y has {len(y)}", "data"
        )
    if y.dtype.kind == "c":
        raise Error("Complex data not supported: y", "data")
    return y


def check_classes(y, rows: int) -> np.ndarray:
    y = check_column(y, rows)
    missing = y != y if y.dtype.kind == "f" else None
    if y.dtype == object:
        missing = np.array([cell is None or cell is not cell or cell != cell for cell in y.tolist()], dtype=bool)
    if missing is not None and missing.any():
        raise Error(
            f"Input y contains NaN: {int(missing.sum())} rows have no class", "data", "y", "leave such rows out"
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise Error("Input y contains infinity", "data", "y")
    check_classification_targets(y)
    return y


def check_weights(weights, rows: int) -> np.ndarray | None:
    if weights is None:
        return None
    if isinstance(weights, numbers.Number):
        weights = np.full(rows, float(weights))
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 1:
        raise Error("Sample weights must be 1D array or scalar", "data", "sample_weight")
    if len(weights) != rows:
        raise Error(
            f"sample_weight.shape == {weights.shape}, expected {(rows,)}!", "data", hint="one weight for each row"
        )
    if not np.isfinite(weights).all():
        raise Error("sample_weight contains NaN or infinity", "data", hint="a row without weight has 0")
    if (weights < 0).any():
        raise Error("Negative values in data passed to `sample_weight`", "data", hint="weights are at least 0")
    if not (weights > 0).any():
        raise Error("Sample weights must contain at least one non-zero number: all weight is zero", "data")
    return weights
