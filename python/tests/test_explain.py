"""Explanations: shapes, sums, and what they leave out."""

import numpy as np
import pytest
import softwood

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(300, 4))
TWO = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])


def test_two_classes():
    model = softwood.CartClassifier(max_depth=4).fit(X, TWO)
    explanation = model.explain(X[:20])
    assert explanation.values.shape == (20, 4)
    assert explanation.method == "path-dependent"
    assert explanation.outputs == ["yes"]
    total = explanation.base_values + explanation.values.sum(axis=1)
    assert np.allclose(total, model.predict_proba(X[:20])[:, 1], atol=1e-12)


def test_three_classes_and_background():
    model = softwood.CartClassifier(max_depth=4).fit(X, THREE)
    explanation = model.explain(X[:20], X[:50])
    assert explanation.values.shape == (20, 4, 3)
    assert explanation.base_values.shape == (3,)
    assert explanation.method == "interventional" and explanation.background_rows == 50
    assert np.allclose(explanation.base_values, model.predict_proba(X[:50]).mean(axis=0), atol=1e-12)
    total = explanation.base_values + explanation.values.sum(axis=1)
    assert np.allclose(total, model.predict_proba(X[:20]), atol=1e-12)


def test_regression_and_inputs_that_no_split_asks():
    columns = {f"x{f}": X[:, f] for f in range(4)}
    model = softwood.train(columns | {"y": 3.0 * (X[:, 1] > 0) + 0.25 * X[:, 1]}, target="y", recipe="grow max-depth=2")
    explanation = model.explain(columns)
    assert explanation.feature_names == ["x0", "x1", "x2", "x3"]
    assert explanation.scale == "value"
    assert np.all(explanation.values[:, [0, 2, 3]] == 0)
    assert np.allclose(explanation.base_values + explanation.values.sum(axis=1), model.predict(columns), atol=1e-12)


def test_sums_over_several_inputs_are_compared_with_rows():
    model = softwood.ObliqueTreeClassifier(max_depth=2).fit(X, TWO)
    explanation = model.explain(X[:5])
    assert explanation.method == "interventional" and explanation.standard_errors is None
    total = explanation.base_values + explanation.values.sum(axis=1)
    assert np.allclose(total, model.predict_proba(X[:5])[:, 1], atol=1e-12)


def test_partial_dependence():
    colour = RANDOM.choice(["red", "green", "blue"], size=300)
    columns = {"a": X[:, 0], "colour": colour}
    model = softwood.train(columns | {"y": X[:, 0] + (colour == "red")}, target="y", recipe="grow max-depth=4")
    partial = model.partial_dependence(columns, ["a", "colour"], points=5, individual=True)
    assert list(partial.grid[1]) == ["blue", "green", "red"]
    assert partial.means.shape == (5, 3) and partial.curves.shape == (300, 5, 3)
    changed = {"a": np.full(300, partial.grid[0][2]), "colour": np.full(300, "red", dtype=object)}
    assert np.allclose(partial.means[2, 2], model.predict(changed).mean(), atol=1e-12)
    assert np.allclose(partial.curves.mean(axis=0), partial.means, atol=1e-12)


def test_nearest_changes():
    colour = np.where(X[:, 1] > 0, "red", "blue")
    columns = {"a": np.round(10 * X[:, 0]), "colour": colour}
    good = np.where((columns["a"] > 3) & (colour == "red"), "yes", "no")
    model = softwood.train(columns | {"y": good}, target="y", recipe="grow")
    rows = {"a": [0.0, 9.0, 9.0], "colour": ["blue", "blue", "red"]}
    changes = model.nearest_changes(rows, to="yes", reference=columns)
    assert changes[0].inputs == {"a": (0.0, 4.0), "colour": ("blue", "red")}
    assert changes[1].inputs == {"colour": ("blue", "red")} and changes[1].is_exact
    assert changes[2].reached_already
    assert not model.nearest_changes(rows, to="yes", fixed=["colour"])[0].found


def test_wrong_names():
    model = softwood.CartClassifier(max_depth=2).fit(X, TWO)
    with pytest.raises(softwood.Error, match="no input"):
        model.partial_dependence(X, "nobody")
    with pytest.raises(softwood.Error, match="scale"):
        model.explain(X, scale="nothing")
