"""Arrays of numbers take shorter ways than other tables, to the same answers."""

import numpy as np
import pandas as pd
import pytest

import softwood
from softwood import CartClassifier, CartRegressor, TreeClassifier
from softwood._checks import class_values, coded_classes

ROWS = 9000  # more than are answered at once


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.integers(-40, 40, (ROWS, 5)) / 8.0  # single precision holds them
    y = (X[:, 0] * X[:, 1] + X[:, 3] > rng.normal(0, 2, ROWS)).astype(int) + (X[:, 3] > 3)
    return X, y


def layouts(X):
    wide = np.zeros((len(X), 12))
    wide[:, 1:11:2] = X
    yield X
    yield np.asfortranarray(X)
    yield X.astype(np.float32)
    yield np.asfortranarray(X, dtype=np.float32)
    yield wide[:, 1:11:2]
    yield X[::-1][::-1]
    yield X.astype(X.dtype.newbyteorder(">"))


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(
    "tree",
    [
        CartClassifier(max_depth=6, ccp_alpha=0.0),
        CartClassifier(max_depth=5, ccp_alpha=0.0, costs=[[0, 1, 2], [5, 0, 1], [1, 1, 0]]),
        CartRegressor(max_depth=6, ccp_alpha=0.0),
        TreeClassifier(recipe="grow max-depth=5 missing=fractional"),
        TreeClassifier(recipe="grow max-depth=4 | soften by=interval"),
        TreeClassifier(recipe="grow max-depth=0"),
    ],
    ids=["cart", "costs", "regression", "shares", "soft", "leaf"],
)
def test_every_layout_has_the_answers_of_named_columns(rows, tree, holes):
    X, y = rows
    model = tree.fit(X, y).model_
    if holes:
        X = np.where(np.arange(X.size).reshape(X.shape) % 997 == 5, np.nan, X)
    table = {name: X[:, i] for i, name in enumerate(model.array_names)}
    answers, nodes = model._core.predict(model._data(table), 1), model._core.leaf_numbers(model._data(table), 1)
    for array in layouts(X):
        for jobs in (1, 2):
            tree.set_params(n_jobs=jobs)
            np.testing.assert_array_equal(tree.apply(array), nodes)
            if isinstance(tree, CartRegressor):
                np.testing.assert_array_equal(tree.predict(array), answers[:, 0])
                continue
            np.testing.assert_array_equal(tree.predict_proba(array), answers)
            codes = model._core.predict_codes(model._data(table), 1)
            np.testing.assert_array_equal(tree.predict(array), tree.classes_[codes])


def test_few_rows_have_the_answers_of_many(rows):
    X, y = rows
    tree = CartClassifier(ccp_alpha=0.0).fit(X, y)
    assert tree.tree_.node_count > 100
    one_by_one = np.array([tree.predict(X[i : i + 1])[0] for i in range(200)])
    np.testing.assert_array_equal(one_by_one, tree.predict(X)[:200])


def test_infinite_numbers_are_refused_with_their_place(rows):
    X, y = rows
    tree = CartClassifier(max_depth=6, ccp_alpha=0.0).fit(X, y)
    for jobs in (1, 2):
        bad = X.copy()
        bad[8999, 0] = bad[8300, 1] = -np.inf
        bad[8500, 1] = np.inf
        with pytest.raises(ValueError, match="column 'x0', row 9000: -inf is infinite"):
            tree.set_params(n_jobs=jobs).predict(bad)
        bad[8999, 0] = 0
        with pytest.raises(ValueError, match="column 'x1', row 8301: -inf is infinite"):
            tree.predict(bad)


CLASSES = [
    np.array([3, 1, 2, 1, 3], dtype=kind)
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, float, np.float32, ">i4")
] + [
    np.array([True, False, True]),
    np.array([True, True]),
    np.array([-128, 127, 0], dtype=np.int8),
    np.array([2**63 - 1, -(2**63), 5]),
    np.array([2**64 - 1, 7], dtype=np.uint64),
    np.array([-0.0, 0.0, 1.0, -3.0]),
    np.arange(70000)[::-1] * 1000,
    np.array(["b", "a", "b"]),
    np.array(["b", "a", "b"], dtype=object),
    np.arange(20)[::-2],
]  # fmt: skip


@pytest.mark.parametrize("y", CLASSES, ids=lambda y: f"{y.dtype}-{len(y)}")
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_codes_of_classes_are_those_of_numpy(y):
    classes, codes = coded_classes(y)
    expected, inverse = np.unique(y, return_inverse=True)
    assert classes.dtype == expected.dtype and codes.dtype == np.int32
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)
    many = np.resize(codes, 3000).astype(np.uint32)
    taken = class_values(classes, many)
    assert taken.dtype == classes.dtype
    np.testing.assert_array_equal(taken, classes[many])


def test_what_is_no_class_is_refused(rows):
    X, _ = rows
    for y in (np.linspace(0, 1, ROWS), np.where(X[:, 0] > 0, 0.5, 1.5)):
        with pytest.raises(ValueError, match="Unknown label type"):
            CartClassifier().fit(X, y)


def test_codes_outside_of_the_classes_are_refused():
    with pytest.raises(ValueError, match="codes of values"):
        softwood._core.take(np.zeros(2), np.full(5, 2, dtype=np.uint32), np.zeros(5))


def test_views_decide_as_predictions_do():
    # Both answers cost the same but for rounding.
    X = pd.DataFrame({"x": [0.0] * 30 + [1.0] * 30})
    y = np.array([0] * 10 + [1] * 10 + [2] * 10 + [0] * 30)
    tree = CartClassifier(ccp_alpha=0.0, costs=[[0, 0.1, 0.3], [0.3, 0, 0.1], [0.1, 0.3, 0]]).fit(X, y)
    shown = tree.tree_.to_frame()
    for row in (0, 59):
        node = tree.apply(X)[row]
        assert tree.predict(X)[row] == shown["prediction"][node]
