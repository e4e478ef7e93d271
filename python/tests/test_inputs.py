"""Tables of every kind give the same tree and the same answers; wrong ones are refused in words."""

import datetime
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import softwood
from softwood import CartClassifier, CartRegressor, SoftwoodWarning


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(200, 4)) * 8) + 0.0  # no -0.0, which other types do not have
    return X, (X[:, 0] + X[:, 2] > 1).astype(int)


def same(model, other, X, Z):
    assert model.model_.to_text() == other.model_.to_text()
    assert (model.predict_proba(X) == other.predict_proba(Z)).all()


LAYOUTS = {
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "int64": lambda X: X.astype(np.int64),
    "int8": lambda X: X.astype(np.int8),
    "big_endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed": lambda X: X[::-1][::-1],
    "list": lambda X: X.tolist(),
    "masked": np.ma.asarray,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_numpy(numbers, layout):
    X, y = numbers
    Z = LAYOUTS[layout](X)
    same(CartClassifier().fit(X, y), CartClassifier().fit(Z, y), X, Z)


def test_read_only_and_memory_mapped(numbers, tmp_path):
    X, y = numbers
    np.save(tmp_path / "X.npy", X)
    Z = np.load(tmp_path / "X.npy", mmap_mode="r")
    same(CartClassifier().fit(X, y), CartClassifier().fit(Z, y), X, Z)
    R = X.copy()
    R.setflags(write=False)
    same(CartClassifier().fit(X, y), CartClassifier().fit(R, y), X, R)


def test_masked_cells_are_missing(numbers):
    X, y = numbers
    mask = np.zeros(X.shape, bool)
    mask[::7, 0] = True
    holes = np.where(mask, np.nan, X)
    same(CartClassifier().fit(holes, y), CartClassifier().fit(np.ma.array(X, mask=mask), y), holes, holes)


def test_columns_in_place_are_not_copied():
    from softwood import _core

    cells = np.arange(6.0)
    columns = _core.Columns()
    columns.add_array("a", cells)
    seen = columns.as_dict()["a"][0]
    assert np.shares_memory(seen, cells)
    matrix = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    columns = _core.Columns()
    columns.add_matrix(["a", "b"], matrix)
    assert np.shares_memory(columns.as_dict()["b"][0], matrix)


def test_array_answers_are_those_of_columns(numbers):
    """Arrays of doubles and floats have a way of their own, without named columns."""
    X, y = numbers
    X = np.where(X > 12, np.nan, X)
    tree, row = CartClassifier(ccp_alpha=0.0, max_depth=3).fit(X, y), X[5:6]
    wanted = tree.predict_proba(pd.DataFrame(X, columns=tree.model_.inputs).to_dict("series"))
    for Z in (X, np.asfortranarray(X), X.astype(np.float32), X[:, ::-1].copy()[:, ::-1]):
        assert (tree.predict_proba(Z) == wanted).all()
        assert (tree.predict(Z) == tree.classes_[wanted.argmax(axis=1)]).all()
        assert (tree.apply(Z) == tree.apply(X.astype(object))).all()
    assert (tree.predict_proba(row) == wanted[5]).all()
    assert (tree.model_.predict_proba(row) == wanted[5]).all()
    with pytest.raises(ValueError, match="features"):
        tree.predict(X[:, :3])
    with pytest.raises(softwood.Error, match="infinite") as caught:
        tree.predict(np.where(np.arange(len(X))[:, None] == 7, np.inf, X))
    assert caught.value.where.endswith("row 8")


def test_array_answers_find_the_columns_of_fit():
    """Columns that the model does not have are not read."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    table = {"id": [f"k{i}" for i in range(90)], "a": X[:, 0], "b": X[:, 1]}
    model = softwood.train(table, np.where(X[:, 1] > 0, "u", "v"), recipe="grow")
    assert model.inputs == ["a", "b"]
    assert (model.predict(X[:, :2]) == model.predict({"a": X[:, 0], "b": X[:, 1]})).all()
    tree = CartClassifier(ccp_alpha=0.0).fit(X, X[:, 2] > 0)
    holes = X.copy()
    holes[:, :2] = np.inf  # not asked about
    assert (tree.predict(holes) == tree.predict(X)).all()


LARGE = 2**53 + 1  # no double
WIDE = {
    "rows": lambda cells: np.column_stack([cells, cells]),
    "columns": lambda cells: np.asfortranarray(np.column_stack([cells, cells])),
    "unsigned": lambda cells: {"x0": cells.astype(np.uint64)},
    "list": lambda cells: {"x0": cells.tolist()},
    "pandas": lambda cells: pd.DataFrame({"x0": cells}),
    "nullable": lambda cells: pd.DataFrame({"x0": pd.array(cells, dtype="Int64")}),
    "polars": lambda cells: pl.DataFrame({"x0": cells}),
    "pyarrow": lambda cells: pa.table({"x0": cells}),
}


@pytest.mark.parametrize("kind", WIDE)
def test_lost_digits_are_said(kind):
    cells = np.arange(40, dtype=np.int64)
    y = cells % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", SoftwoodWarning)
        CartClassifier().fit(WIDE[kind](cells * 2**40), y)
    cells[3] = LARGE
    with pytest.warns(SoftwoodWarning, match=f"column 'x0' has 1 cell .* such as {LARGE}"):
        CartClassifier().fit(WIDE[kind](cells), y)


def mixed_frame():
    rng = np.random.default_rng(5)
    n = 240
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "count": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "shape": rng.choice(["round", "square"], n),
            "heavy": rng.random(n) < 0.5,
        }
    )
    frame.loc[::11, "size"] = np.nan
    frame.loc[::13, "count"] = pd.NA
    frame.loc[::17, "shape"] = None
    y = np.where((frame["colour"] == "red") | (frame["size"].fillna(0) > 0.7), "yes", "no")
    return frame, y


TABLES = {
    "polars": lambda frame: pl.from_pandas(frame),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "batches": lambda frame: pa.Table.from_batches(pa.Table.from_pandas(frame, preserve_index=False).to_batches(50)),
    "dictionary": lambda frame: {name: frame[name] for name in frame},
    "lists": lambda frame: {
        name: [None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in frame
    },
    "duckdb": lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)),
    "arrow_types": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow").astype(
        {"colour": "category"}
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_alike(kind):
    frame, y = mixed_frame()
    table = TABLES[kind](frame)
    ours, theirs = CartClassifier(min_samples_leaf=5), CartClassifier(min_samples_leaf=5)
    ours.fit(frame, y)
    theirs.fit(table, y)
    assert (ours.predict_proba(frame) == theirs.predict_proba(table)).all()
    assert ours.get_n_leaves() == theirs.get_n_leaves()


def test_chunks_with_differing_dictionaries():
    first = pa.array(["a", "b", "a"] * 10).dictionary_encode()
    second = pa.array(["c", "a", "c"] * 10).dictionary_encode()
    table = pa.table({"x": pa.chunked_array([first, second])})
    y = ["u" if cell == "c" else "v" for cell in table["x"].to_pylist()]
    tree = CartClassifier(ccp_alpha=0.0).fit(table, y)
    assert (tree.predict({"x": ["a", "b", "c"]}) == ["v", "v", "u"]).all()


def test_ordered_categories_are_ordinal():
    levels = ["low", "mid", "high"]
    x = pd.Series(pd.Categorical(levels * 20, categories=levels, ordered=True), name="x")
    tree = CartRegressor(ccp_alpha=0.0).fit(x.to_frame(), np.tile([1.0, 2.0, 3.0], 20))
    assert tree.model_.to_dict()["inputs"][0]["kind"] == "ordinal"
    assert tree.model_.to_dict()["inputs"][0]["levels"] == levels


def test_unknown_levels_are_counted_in_a_warning():
    frame, y = mixed_frame()
    tree = CartClassifier().fit(frame, y)
    new = frame.head(3).assign(colour=["pink", "red", "pink"])
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.warns(SoftwoodWarning, match="2 cells with a level"):
            tree.predict(new)


def test_model_needs_only_columns_in_use():
    frame, y = mixed_frame()
    tree = CartClassifier(max_depth=1, ccp_alpha=0.0).fit(frame, y)
    used = frame[["colour"]]
    assert (tree.model_.predict(used) == tree.predict(frame)).all()
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(used)


REFUSED = {
    "sparse": (lambda X: sparse.csr_matrix(X), TypeError, "toarray"),
    "one_dimension": (lambda X: X[:, 0], ValueError, "Reshape"),
    "three_dimensions": (lambda X: X[:, :, None], ValueError, "dim"),
    "complex": (lambda X: X + 1j, ValueError, "Complex"),
    "infinite": (lambda X: np.where(X > 5, np.inf, X), ValueError, "infinite"),
    "no_rows": (lambda X: X[:0], ValueError, "0 sample"),
    "no_columns": (lambda X: X[:, :0], ValueError, "0 feature"),
    "dates": (lambda X: pd.DataFrame({"when": pd.date_range("2020", periods=len(X))}), ValueError, "year"),
    "arrow_dates": (lambda X: pa.table({"when": pa.array([datetime.date(2020, 1, 1)] * len(X))}), ValueError, "year"),
    "numpy_dates": (lambda X: {"when": np.full(len(X), np.datetime64("2020"))}, ValueError, "year"),
    "nested": (lambda X: pa.table({"list": [[1, 2]] * len(X)}), ValueError, "parts"),
    "text": (lambda X: "a table", ValueError, "table|2D"),
    "two_names": (lambda X: pd.DataFrame(X[:, :2], columns=["a", "a"]), ValueError, "named 'a'"),
    "lengths": (lambda X: {"a": X[:, 0], "b": X[:5, 0]}, ValueError, "cells"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_in_words(numbers, kind):
    X, y = numbers
    change, error, words = REFUSED[kind]
    with pytest.raises(error, match=words):
        CartClassifier().fit(change(X), y)


TARGETS = {
    "none": (lambda y: None, "y is None|requires y"),
    "missing": (lambda y: np.where(y == 1, np.nan, y), "NaN"),
    "missing_text": (lambda y: np.array(["a", None] * 100, dtype=object), "NaN"),
    "two_columns": (lambda y: np.column_stack([y, y]), "one target"),
    "too_short": (lambda y: y[:-1], "inconsistent"),
    "fractions": (lambda y: y + 0.5 * np.arange(len(y)) / 200, "Unknown label|not whole"),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_targets_refused(numbers, kind):
    X, y = numbers
    change, words = TARGETS[kind]
    with pytest.raises(ValueError, match=words):
        CartClassifier().fit(X, change(y))


def test_text_is_no_target_of_a_regressor(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="Classifier"):
        CartRegressor().fit(X, np.where(y == 1, "a", "b"))


WEIGHTS = {
    "negative": (lambda n: np.full(n, -1.0), "Negative"),
    "zero": (lambda n: np.zeros(n), "zero"),
    "nan": (lambda n: np.full(n, np.nan), "NaN"),
    "short": (lambda n: np.ones(n - 1), "expected"),
    "matrix": (lambda n: np.ones((n, 2)), "1D"),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_refused(numbers, kind):
    X, y = numbers
    change, words = WEIGHTS[kind]
    with pytest.raises(ValueError, match=words):
        CartClassifier().fit(X, y, sample_weight=change(len(y)))


def test_one_class_is_a_leaf(numbers):
    X, _ = numbers
    tree = CartClassifier().fit(X, np.full(len(X), "only"))
    assert tree.get_n_leaves() == 1 and (tree.predict(X) == "only").all()


def test_classes_are_sorted_whatever_was_declared(numbers):
    X, y = numbers
    declared = pd.Series(pd.Categorical(np.where(y == 1, "b", "a"), categories=["b", "a"]))
    tree = CartClassifier().fit(X, declared)
    assert tree.classes_.tolist() == ["a", "b"] == tree.model_.classes
    big = CartClassifier().fit(X, np.where(y == 1, 10, 9))
    assert big.classes_.tolist() == [9, 10] and big.model_.classes == ["9", "10"]


def test_error_says_what_where_and_what_to_do():
    with pytest.raises(softwood.Error) as caught:
        CartClassifier().fit({"when": np.full(3, np.datetime64("2020"))}, [0, 1, 0])
    assert (caught.value.kind, caught.value.where) == ("data", "column 'when'")
    assert "year" in caught.value.hint
