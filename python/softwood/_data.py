"""Tables of other libraries as columns of ours, borrowed where their memory fits."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood import _core
from softwood._errors import Error

# How truth values are written as levels and classes, here and in the library.
TRUTH = {False: "false", True: "true"}

_DATES = "make numbers of them first: the year, the day of the week, the days since something"


def to_columns(X: Any, names: list[str] | None = None) -> tuple[_core.Columns, list[str]]:
    """The columns of a table and their names.

    `names` are for arrays without any; by default x0, x1, ...
    """
    refuse_sparse(X)
    columns = _core.Columns()
    if isinstance(X, np.ndarray):
        return _from_array(columns, X, names)
    if isinstance(X, Mapping):
        for name, cells in X.items():
            _add_column(columns, _text_name(name), cells)
    elif _is_pandas_frame(X):
        for name, series in X.items():
            _add_pandas(columns, _text_name(name), series)
    elif type(X).__name__ == "LazyFrame":
        raise Error("a LazyFrame has no rows yet", "data", hint="call collect() first")
    elif hasattr(X, "__arrow_c_stream__"):
        columns.add_arrow(X.__arrow_c_stream__(), "", not _is_polars(X))
    elif hasattr(X, "arrow"):  # relations of DuckDB before they had streams
        columns.add_arrow(X.arrow().__arrow_c_stream__(), "")
    elif hasattr(X, "__array__") or isinstance(X, (list, tuple)):
        return _from_array(columns, _as_array(X), names)
    else:
        raise Error(
            f"{type(X).__name__} is no table",
            "data",
            hint="known: NumPy arrays, data frames, Arrow tables, dictionaries of columns",
        )
    found = columns.names
    if len(set(found)) != len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise Error(f"two columns are named '{twice}'", "data", hint="rename one of them")
    return columns, found


def one_column(name: str, cells: Any) -> _core.Columns:
    """A single column, for target and weights."""
    columns = _core.Columns()
    _add_column(columns, name, cells)
    return columns


def refuse_sparse(X: Any) -> None:
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError(
            "sparse matrices can't be used: a tree asks about the values themselves; "
            "make a dense array with X.toarray()"
        )


def names_of(names: Any) -> list[str]:
    """Names of columns; a single text is one name."""
    return [names] if isinstance(names, str) else [str(name) for name in names]


def row_numbers(rows: Any, count: int, what: str) -> list[int]:
    """Row numbers from 0, given as such or as a mask over all rows."""
    try:
        return np.arange(count)[np.asarray(rows)].tolist()
    except (IndexError, TypeError, ValueError) as error:
        hint = f"row numbers from 0 to {count - 1}, or a mask of {count} cells"
        raise Error(f"{what} has rows that are not there: {error}", hint=hint) from None


def _text_name(name: Any) -> str:
    return name if isinstance(name, str) else str(name)


def _is_pandas_frame(X: Any) -> bool:
    return type(X).__module__.startswith("pandas") and hasattr(X, "items") and hasattr(X, "columns")


def _is_polars(X: Any) -> bool:
    return type(X).__module__.startswith("polars")


def _as_array(X: Any) -> np.ndarray:
    try:
        return np.asarray(X)
    except ValueError as error:  # rows of different lengths
        raise Error(f"the rows do not make a table: {error}", "data") from error


def _from_array(columns: _core.Columns, X: np.ndarray, names: list[str] | None):
    if X.ndim != 2:
        hint = "one column: X.reshape(-1, 1); one row: X.reshape(1, -1)"
        raise Error(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data", "data", hint=hint)
    if names is None:
        names = [f"x{i}" for i in range(X.shape[1])]
    elif len(names) != X.shape[1]:
        raise Error(f"{X.shape[1]} columns instead of {len(names)}", "data")
    if X.dtype.names:
        raise Error("structured arrays are no tables", "data", hint="give a dictionary of columns")
    if X.dtype.kind in "fiub":
        columns.add_matrix(names, _plain(np.ma.filled(X.astype(float), np.nan) if np.ma.isMaskedArray(X) else X))
    else:
        for i, name in enumerate(names):
            _add_numpy(columns, name, X[:, i])
    return columns, names


def _plain(array: np.ndarray) -> np.ndarray:
    """An array that the binding can read in place, or a copy."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if (kind == "f" and size not in (4, 8)) or not array.dtype.isnative:
        array = array.astype(np.float64 if kind == "f" else array.dtype.newbyteorder("="))
    if 0 in array.strides or not array.flags.aligned or any(step % array.dtype.itemsize for step in array.strides):
        array = array.copy()
    return array.view(np.ndarray)


def _add_column(columns: _core.Columns, name: str, cells: Any) -> None:
    module = type(cells).__module__
    if module.startswith("pandas"):
        _add_pandas(columns, name, cells)
    elif hasattr(cells, "__arrow_c_stream__"):
        columns.add_arrow(cells.__arrow_c_stream__(), name, not _is_polars(cells))
    else:
        array = cells if isinstance(cells, np.ndarray) else _cells_array(cells)
        if array.ndim != 1:
            raise Error(f"{array.ndim} dimensions instead of one", "data", f"column '{name}'")
        _add_numpy(columns, name, array)


def _cells_array(cells: Any) -> np.ndarray:
    """A list of cells. Text and None, or numbers and text, must not become one type."""
    array = np.asarray(cells, dtype=None if hasattr(cells, "__array__") else object)
    if array.dtype == object and array.ndim == 1:
        kinds = {type(cell) for cell in array}
        if kinds == {int}:
            whole = np.array(cells)  # keeps the digits of large ones
            return whole if whole.dtype.kind in "iu" else array.astype(float)
        if kinds <= {int, float, bool, type(None)} and kinds != {bool} and not (bool in kinds and len(kinds) > 1):
            return np.array([np.nan if cell is None else cell for cell in array], dtype=float)
        if kinds == {bool}:
            return array.astype(bool)
    return array


def _add_numpy(columns: _core.Columns, name: str, array: np.ndarray) -> None:
    kind = array.dtype.kind
    if kind in "fiu" or (kind == "b" and not np.ma.isMaskedArray(array)):
        if np.ma.isMaskedArray(array):
            array = np.ma.filled(array.astype(float), np.nan)
        columns.add_array(name, _plain(array))
    elif kind in "mM":
        raise Error("dates and times are no inputs of a tree", "data", f"column '{name}'", _DATES)
    elif kind == "c":
        raise Error("Complex data not supported", "data", f"column '{name}'")
    else:
        _add_objects(columns, name, array)


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas.NA."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell is np.ma.masked:
        return True
    return isinstance(cell, _NUMBERS) and cell != cell


_NUMBERS = (numbers.Real, decimal.Decimal)


def _add_objects(columns: _core.Columns, name: str, array: np.ndarray) -> None:
    """Numbers where all are numbers; else text, each distinct one looked at once."""
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8")
    if array.dtype.kind == "U" and not np.ma.isMaskedArray(array):
        return _add_texts(columns, name, array)
    cells = array.tolist()
    kinds = set(map(type, cells))
    is_number = {kind: issubclass(kind, _NUMBERS) and kind is not bool for kind in kinds}
    if all(is_number[kind] or all(is_missing(cell) for cell in cells if type(cell) is kind) for kind in kinds):
        values = [np.nan if is_missing(cell) else float(cell) for cell in cells]
        columns.add_array(name, np.array(values, dtype=float))
        return
    # 1, 1.0 and True are one key of a dictionary, but not one level.
    mixed = bool in kinds and len(kinds) > 1
    codes_of: dict[Any, int] = {}  # by cell: 1 and "1" are different cells of one level
    code_of_level: dict[str, int] = {"": -1}
    levels: list[str] = []

    def new_code(cell: Any) -> int:
        if is_missing(cell):
            return -1
        level = _level_text(name, cell)
        if level not in code_of_level:
            code_of_level[level] = len(levels)
            levels.append(level)
        return code_of_level[level]

    codes = np.empty(len(cells), dtype=np.int32)
    for row, cell in enumerate(cells):
        key = (type(cell), cell) if mixed else cell
        try:
            code = codes_of.get(key)
        except TypeError:  # can't be hashed, and so is no level
            code = new_code(cell)
        if code is None:
            code = codes_of[key] = new_code(cell)
        codes[row] = code
    columns.add_codes(name, codes, levels)


def _add_texts(columns: _core.Columns, name: str, array: np.ndarray) -> None:
    """Texts of NumPy; the empty one is missing."""
    levels, codes = np.unique(array, return_inverse=True)
    codes = codes.astype(np.int32)
    if len(levels) and levels[0] == "":
        levels, codes = levels[1:], codes - np.int32(1)
    columns.add_codes(name, codes, levels.tolist())


def _level_text(name: str, cell: Any) -> str:
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, (bool, np.bool_)):
        return TRUTH[bool(cell)]
    if isinstance(cell, (datetime.date, datetime.timedelta)):
        raise Error("dates and times are no inputs of a tree", "data", f"column '{name}'", _DATES)
    if isinstance(cell, (int, float, np.number)):
        return number_text(cell)
    if isinstance(cell, decimal.Decimal):
        return number_text(float(cell))
    if isinstance(cell, bytes):
        return cell.decode()
    raise TypeError(
        f"column '{name}': argument must be a string or a number, not '{type(cell).__name__}'"
    )


def number_text(value: Any) -> str:
    """A number as the library writes it: 1 for 1.0."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _add_pandas(columns: _core.Columns, name: str, series: Any) -> None:
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype) and kind in "fiub":
        columns.add_array(name, _plain(series.to_numpy()))
    elif hasattr(dtype, "categories"):
        categorical = series.cat if hasattr(series, "cat") else series
        codes = np.asarray(categorical.codes)
        levels = [_level_text(name, level) for level in categorical.categories]
        columns.add_codes(name, codes, levels, bool(categorical.ordered))
    elif kind in "mM" or "datetime" in str(dtype) or "timestamp" in str(dtype) or "period" in str(dtype):
        raise Error("dates and times are no inputs of a tree", "data", f"column '{name}'", _DATES)
    elif kind in "iu":  # types with a mask, and Arrow's
        whole = series.to_numpy(dtype=np.uint64 if kind == "u" else np.int64, na_value=0)
        columns.add_array(name, whole, series.notna().to_numpy(dtype=bool))
    elif kind == "f":
        columns.add_array(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    elif kind == "b":
        missing = series.isna().to_numpy()
        values = series.fillna(False).to_numpy(dtype=bool).astype(np.int8)
        columns.add_codes(name, np.where(missing, np.int8(-1), values), list(TRUTH.values()))
    elif str(dtype) in ("str", "string") and hasattr(series, "__arrow_c_stream__"):  # Arrow's memory
        columns.add_arrow(series.__arrow_c_stream__(), name)
    else:
        _add_objects(columns, name, series.to_numpy(dtype=object))
