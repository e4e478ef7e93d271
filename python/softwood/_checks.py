"""What estimators check of arrays, targets and weights, in scikit-learn's words where it has some."""

from __future__ import annotations

import numbers

import numpy as np

from softwood import _core
from softwood._data import is_missing, refuse_sparse
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
    y = _array_of(y)
    if y.ndim == 2 and y.shape[1] > 1:
        raise Error(
            f"y has {y.shape[1]} columns, but a tree predicts one target",
            "data",
            hint="train a tree for each, for example with sklearn.multioutput",
        )
    y = column_or_1d(y, warn=True)
    if len(y) != rows:
        raise Error(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, y has {len(y)}", "data"
        )
    if y.dtype.kind == "c":
        raise Error("Complex data not supported: y", "data")
    if y.dtype.kind in "mM":
        raise Error("dates and times are no targets of a tree", "data", "y", "make numbers or text of them first")
    return y


def _array_of(y) -> np.ndarray:
    """The cells of a target, whatever holds them."""
    if type(y).__module__.split(".")[0] == "pyarrow":
        y = y.combine_chunks() if hasattr(y, "combine_chunks") else y
        y = y.dictionary_decode() if hasattr(y, "dictionary_decode") else y
        return y.to_numpy(zero_copy_only=False)
    return np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)


def check_classes(y, rows: int) -> np.ndarray:
    y = check_column(y, rows)
    missing = y != y if y.dtype.kind == "f" else None
    if y.dtype == object:
        missing = np.fromiter(map(is_missing, y.tolist()), dtype=bool, count=len(y))
    if missing is not None and missing.any():
        raise Error(
            f"Input y contains NaN: {int(missing.sum())} rows have no class", "data", "y", "leave such rows out"
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise Error("Input y contains infinity", "data", "y")
    return y


def coded_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes as np.unique has them, and the code of each row; refuses what is no classes."""
    found = _coded(y)
    if found is None:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.int32)
    classes, codes = found
    # Whether they are classes can be seen from one cell of each; many of them scikit-learn counts.
    check_classification_targets(y if 2 * len(classes) > len(y) else classes.repeat(2))
    return classes, codes


def _coded(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Without sorting, which takes longer than a tree of ten levels; None where that can't be."""
    kind = y.dtype.kind
    if kind in "biuf" and y.dtype.itemsize <= 8 and y.dtype.char != "e" and y.dtype.isnative:
        cells = np.ascontiguousarray(y)
        found = _core.distinct(cells.view(np.uint8) if kind == "b" else cells)
        return found and (found[0].view(y.dtype), found[1])
    if kind != "O":
        return None
    cells = y.tolist()
    try:
        classes = sorted(set(cells))
    except TypeError:  # can't be hashed or compared: scikit-learn and NumPy say so
        return None
    code_of = {cell: code for code, cell in enumerate(classes)}
    codes = np.fromiter(map(code_of.__getitem__, cells), dtype=np.int32, count=len(cells))
    values = np.empty(len(classes), dtype=object)
    values[:] = classes
    return values, codes


def class_values(classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """classes[codes], in a fraction of the time where the classes are numbers."""
    if len(codes) < 1000 or classes.dtype.kind not in "biuf" or classes.dtype.itemsize > 8:
        return classes[codes]
    result = np.empty(len(codes), dtype=classes.dtype)
    word = f"u{classes.dtype.itemsize}"
    _core.take(np.ascontiguousarray(classes).view(word), codes, result.view(word))
    return result


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


def checked_pair(validation) -> tuple:
    if not (isinstance(validation, tuple) and len(validation) == 2):
        raise Error("validation is a pair (X, y)")
    return validation
