"""Tables against arrays, readers, and scikit-learn's rule for names."""

import decimal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import softwood
from softwood import CartClassifier


@pytest.fixture(scope="module")
def frame(iris):
    return pd.DataFrame(iris[0], columns=["a", "b c", "d", "e"])


def test_a_frame_for_a_tree_of_an_array(iris, frame):
    X, y = iris
    tree = CartClassifier().fit(X, y)
    wanted = tree.predict(X)
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), dict(frame)):
        with pytest.warns(UserWarning, match="was fitted without feature names"):
            assert (tree.predict(table) == wanted).all()
    with pytest.raises(ValueError, match="3 features"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree.predict(pa.Table.from_pandas(frame[["a", "d", "e"]]))
    held = CartClassifier().fit(X, y, validation=(frame, y))
    assert held.model_.to_text() == CartClassifier().fit(X, y, validation=(X, y)).model_.to_text()


def test_lists_for_a_tree_of_a_frame(iris, frame):
    X, y = iris
    tree = CartClassifier().fit(frame, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (tree.predict(X.tolist()) == tree.predict(frame)).all()
    held = CartClassifier().fit(frame, y, validation=(X.tolist(), y))
    assert held.model_.to_text() == CartClassifier().fit(frame, y, validation=(frame, y)).model_.to_text()
    with pytest.raises(softwood.Error, match="3 columns instead of 4"):
        CartClassifier().fit(frame, y, validation=(X[:, :3], y))


@pytest.mark.parametrize("form", ["reader", "batch", "table"])
def test_forms_of_arrow(iris, frame, form):
    X, y = iris

    def make():
        table = pa.Table.from_pandas(frame)
        return {"reader": table.to_reader, "batch": lambda: table.to_batches()[0], "table": lambda: table}[form]()

    tree = CartClassifier().fit(make(), y)
    assert tree.n_features_in_ == 4 and tree.feature_names_in_.tolist() == list(frame.columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (tree.predict(make()) == tree.predict(frame)).all()
    with pytest.raises(ValueError, match="columns are not those of fit"):
        tree.predict(pa.Table.from_pandas(frame[["b c", "a", "d", "e"]]))


def test_lazy_frames_are_collected_by_the_caller(iris, frame):
    with pytest.raises(softwood.Error, match="collect()"):
        CartClassifier().fit(pl.from_pandas(frame).lazy(), iris[1])


def test_without_scikit_learn():
    code = textwrap.dedent("""
        import sys
        sys.modules["sklearn"] = None
        import numpy as np, pandas as pd, polars as pl, pyarrow as pa, softwood
        from softwood import CartClassifier as C
        rng = np.random.default_rng(0)
        d = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc")); y = (d.a > 0).astype(int)
        for table in (d, pa.Table.from_pandas(d), pl.from_pandas(d), pa.Table.from_pandas(d).to_reader()):
            m = C().fit(table, y)
            assert m.feature_names_in_.tolist() == list("abc"), m.feature_names_in_
            assert m.score(d, y) == 1
        def fails(call, words):
            try: call()
            except softwood.Error as error: assert words in str(error), error
            else: raise AssertionError(words)
        fails(lambda: m.predict(d.rename(columns={"b": "z"})), "columns are not those of fit")
        m.fit(d.to_numpy(), y)
        assert not hasattr(m, "feature_names_in_") and m.n_features_in_ == 3
        assert m.score(d.to_numpy(), y) == 1
        fails(lambda: m.predict(d.to_numpy()[:, :2]), "2 features")
        fails(lambda: C().predict(d), "not fitted")
        fails(lambda: C().fit(d, np.c_[y, y]), "2 columns")
        assert "max_depth=2" in repr(C(max_depth=2)) and "text/html" in C()._repr_mimebundle_()
        assert m.report(d.to_numpy(), y).html
        print("done")
    """)
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert out.stdout == "done\n", out.stderr


def test_decimals_are_numbers(iris):
    X, y = iris
    texts = [f"{value:.3f}" for value in X[:, 2]]
    cells = [decimal.Decimal(text) for text in texts]
    wanted = CartClassifier().fit({"a": X[:, 2]}, y).model_.to_text()
    for column in (cells, pd.Series(cells), pa.array(cells), pa.array(cells, pa.decimal128(38, 10)),
                   pa.array(cells, pa.decimal256(50, 4)), pl.Series(cells)):
        assert CartClassifier().fit({"a": column}, y).model_.to_text() == wanted, type(column)
    signed = pa.table({"a": pa.array([decimal.Decimal("-1.5"), None, decimal.Decimal("12345678901234567890.25")])})
    found = softwood._data.to_columns(signed)[0]
    target = {"y": [1.0, 2.0, 3.0]}
    tree = softwood.train({"a": signed["a"], **target}, recipe="grow min-leaf=1 min-split=2", task="regression")
    assert found.names == ["a"] and tree.predict(signed)[0] == 1.0


def test_sums_of_duckdb_are_numbers():
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql("select sum(i) as total, 1.5 + (i % 3) as part from range(60) t(i) group by i order by i")
    y = np.arange(60) > 29
    tree = CartClassifier(ccp_alpha=0.0).fit(rows, y)
    assert tree.score(rows, y) == 1.0


def test_mixed_cells_are_different_levels():
    cells = np.array([1, True, "z", 1.0] * 25, dtype=object)
    y = np.array([0, 1, 2, 0] * 25)
    tree = CartClassifier(ccp_alpha=0.0).fit(pd.DataFrame({"a": cells}), y)
    assert tree.score(pd.DataFrame({"a": cells}), y) == 1.0


@pytest.mark.parametrize("kind", ["object", "str", "string", "U"])
def test_texts_of_every_kind(kind):
    cells = ["u", None, "v", "", "u w"] * 20
    y = np.array([0, 1, 2, 1, 3] * 20)
    if kind == "U":
        column = np.array(["" if cell is None else cell for cell in cells])
    else:
        column = pd.Series(cells, dtype=kind)
    tree = CartClassifier(ccp_alpha=0.0).fit({"a": column}, y)
    assert tree.score({"a": column}, y) == 1.0
    assert tree.score({"a": pd.Series(cells, dtype=object)}, y) == 1.0
    assert tree.model_.to_dict()["inputs"][0]["levels"] == ["u", "u w", "v"]


def test_targets_that_are_refused_in_words(iris):
    X, y = iris
    with pytest.raises(softwood.Error, match="1 rows have no class"):
        CartClassifier().fit(X[:4], pd.Series(["a", pd.NA, "b", "a"], dtype="string"))
    with pytest.raises(softwood.Error, match="2 columns, but a tree predicts one"):
        CartClassifier().fit(X, np.c_[y, y].tolist())
    for cls in (CartClassifier, softwood.CartRegressor):
        with pytest.raises(softwood.Error, match="dates and times"):
            cls().fit(X[:4], np.array(["2020-01-01", "2020-01-02"] * 2, dtype="M8[D]"))
    names = np.array(["u", "v", "w"])[y]
    chunks = pa.chunked_array([names[:70].tolist(), names[70:].tolist()])
    for column in (pa.array(names.tolist()).dictionary_encode(), chunks):
        assert CartClassifier().fit(X, column).score(X, names) > 0.9
