"""Errors that say what to do, and warnings that point at the caller."""

import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

import softwood
from softwood import CartClassifier, CartRegressor, SoftTreeClassifier


@pytest.fixture(scope="module")
def frame(iris):
    return pd.DataFrame(iris[0], columns=["sepal length (cm)", "b", "c", "d"]).assign(y=iris[1])


WRONG = {
    "cv": lambda X, y, _: CartClassifier(cv="five").fit(X, y),
    "no splits": lambda X, y, _: CartClassifier(cv=[]).fit(X, y),
    "negative rows": lambda X, y, _: CartClassifier(cv=[(np.arange(9), np.array([150]))]).fit(X, y),
    "no pair": lambda X, y, _: CartClassifier(cv=[3, 4]).fit(X, y),
    "mask": lambda X, y, _: CartClassifier(cv=[(np.ones(3, bool), np.ones(150, bool))]).fit(X, y),
    "budget": lambda X, y, _: CartClassifier(budget=-1).fit(X, y),
    "seed": lambda X, y, _: softwood.generate("friedman1", rows=5, seed=-1),
    "random_state": lambda X, y, _: CartClassifier().fit(X, y).explain(X, random_state="a"),
    "folds": lambda X, y, d: softwood.cross_validate(d, folds="x"),
    "no folds": lambda X, y, d: softwood.cross_validate(d, folds=[]),
    "costs": lambda X, y, _: CartRegressor().fit(X, X[:, 0]).plot("tree", costs=[[0]]),
    "alpha": lambda X, y, _: CartClassifier(ccp_alpha=None).fit(X, y),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors_are_ours(iris, frame, what):
    with pytest.raises(softwood.Error) as found:
        WRONG[what](*iris, frame)
    assert found.value.hint or what in ("no pair", "costs"), str(found.value)


def test_criteria_by_the_names_of_python(iris):
    X, y = iris
    with pytest.raises(softwood.Error, match="is not for classification\nknown: gini"):
        CartClassifier(criterion="squared_error").fit(X, y)
    with pytest.raises(softwood.Error, match="is not for regression\nknown: squared_error"):
        CartRegressor(criterion="gini").fit(X, X[:, 0])
    with pytest.raises(softwood.Error) as found:
        CartRegressor(criterion="foo").fit(X, X[:, 0])
    assert "squared_error" in str(found.value) and "mse" not in str(found.value).replace("friedman_mse", "")


def test_masks_are_splits(iris):
    X, y = iris
    mask = np.arange(150) % 2 == 0
    numbers = [(np.flatnonzero(mask), np.flatnonzero(~mask)), (np.flatnonzero(~mask), np.flatnonzero(mask))]
    masks = [(mask, ~mask), (~mask, mask)]
    texts = {CartClassifier(cv=cv).fit(X, y).model_.to_text() for cv in (masks, numbers, iter(masks))}
    assert len(texts) == 1
    data = {f"x{i}": X[:, i] for i in range(4)}
    figures = [softwood.cross_validate(data, y, folds=folds) for folds in ([mask, ~mask], [~mask, mask])]
    numbers = softwood.cross_validate(data, y, folds=[np.flatnonzero(mask), np.flatnonzero(~mask)])
    assert figures[0].mean("error") == numbers.mean("error") == figures[1].mean("error")


def test_settings_that_are_taken(iris, frame):
    X, y = iris
    CartClassifier(budget=np.int64(300)).fit(X, y)
    tree = CartClassifier().fit(X, y)
    tree.explain(X[:3], random_state=None)
    tree.explain(X[:3], random_state=np.random.RandomState(0))
    assert "sepal length (cm)" not in softwood.train(frame, ignore="sepal length (cm)").inputs
    figures = softwood.cross_validate(frame, ignore="b", nominal="y", positive=None, recipe=["grow", "grow"])
    assert list(figures.mean("error")) == ["grow", "grow (2)"]
    assert len(tree.model_.nearest_changes(X[:2], fixed="x2")) == 2
    assert "friedman1" in softwood.generate()


def test_before_fit(iris):
    X, _ = iris
    for name in ("leaf_weights", "paths", "decision_path", "explain", "apply", "nearest_changes"):
        with pytest.raises(NotFittedError):
            getattr(CartClassifier(), name)(X)
    with pytest.raises(NotFittedError):
        CartClassifier().partial_dependence(X, "x0")


@pytest.mark.parametrize("call", ["predict", "predict_proba", "apply", "leaf_weights", "explain", "paths"])
def test_warnings_point_at_the_caller(call):
    X = pd.DataFrame({"a": ["u", "v"] * 20, "b": np.arange(40.0)})
    tree = CartClassifier(ccp_alpha=0.0).fit(X, np.arange(40) % 2)
    new = X.assign(a="w")
    for one in (tree, tree.model_):
        if not hasattr(one, call):
            continue
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            getattr(one, call)(new)
        ours = [one for one in found if issubclass(one.category, softwood.SoftwoodWarning)]
        assert ours and {one.filename for one in ours} == {__file__}, [one.filename for one in ours]


def test_information_is_no_warning(iris):
    X, y = iris
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = SoftTreeClassifier(depth=1, folds=2).fit(X, y)
    assert any("grow-soft" in note for note in tree.notes_), tree.notes_


def test_more_of_the_model(iris, frame):
    X, y = iris
    two = CartClassifier().fit(X, y > 0).model_
    assert (two.predict(X, threshold=0.0) == "true").all()
    strict = two.evaluate(X, y > 0, threshold=1.0)
    assert strict["precision"] == 1.0 and set(strict["per_class"]) == {"false", "true"}
    assert strict["per_class"]["true"]["recall"] == strict["recall"]
    low, high = strict["intervals"]["error"]
    assert low <= strict["error"] <= high and len(strict["calibration"]) == 10
    table = two.thresholds(X, y > 0)
    assert list(table["true_positive_rate"])[-1] == 1.0
    gain = two.permutation_importance(X, y > 0, repeats=3)
    assert list(gain) == ["x0", "x1", "x2", "x3"] and max(mean for mean, _ in gain.values()) > 0.2
    assert two.show("json").startswith("{") and two.show("competitors")
    changes = CartClassifier().fit(X, y).nearest_changes(X[:2], to=2)
    assert all(change.found and change.answer.argmax() == 2 for change in changes)
    pruned = softwood.rework(CartClassifier(ccp_alpha=0.0).fit(X, y), {**{f"x{i}": X[:, i] for i in range(4)}, "y": y},
                             "prune by=reduced-error")
    assert pruned.leaves >= 1


HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e\x9b"
OBEYED = "\x1b\x07\u202e\x9b"
NAMED = {
    "key": lambda path: softwood.Model.load(path),
    "file": lambda path: softwood.Model.load(str(path) + HOSTILE),
    "column": lambda _: CartClassifier().fit({HOSTILE: ["a", None], "b": [1, np.inf]}, ["u", "v"]),
    "nested": lambda _: CartClassifier().fit(pa.table({HOSTILE: [[1], [2]]}), ["u", "v"]),
    "two of a name": lambda _: CartClassifier().fit(pd.DataFrame([[1, 2], [3, 4]], columns=[HOSTILE] * 2), ["u", "v"]),
}


@pytest.mark.parametrize("what", NAMED)
def test_names_send_nothing_to_a_terminal(tmp_path, what):
    """Messages show names of files, which others wrote."""
    path = tmp_path / "model.json"
    path.write_text(json.dumps({HOSTILE: 1}))
    with pytest.raises(softwood.Error) as found:
        NAMED[what](path)
    error = found.value
    shown = f"{error} {error.message} {error.where} {error.hint}"
    assert not set(OBEYED) & set(shown), repr(shown)
    assert "title" in shown or what in ("column", "two of a name")


def test_notes_send_nothing_to_a_terminal():
    with pytest.warns(softwood.SoftwoodWarning) as found:
        CartClassifier().fit({"a": np.arange(40.0), HOSTILE: np.full(40, 2**53 + 1)}, np.arange(40) % 2)
    for warning in found:
        assert not set(OBEYED) & set(str(warning.message))
