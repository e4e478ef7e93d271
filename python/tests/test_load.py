"""Estimators of model files that others wrote, and what comes back of what `save` wrote."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import softwood
from softwood import CartClassifier, CartRegressor, TreeClassifier


@pytest.fixture
def declared(tmp_path):
    """A model whose classes are declared in another order than the sorted one."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    y = np.array(list("cba"))[np.digitize(a, [-0.5, 0.5])]
    lines = "\n".join(f"{value!r},{name}" for value, name in zip(a.tolist(), y))
    (tmp_path / "o.arff").write_text(f"@relation r\n@attribute a numeric\n@attribute y {{c,b,a}}\n@data\n{lines}\n")
    softwood.train(tmp_path / "o.arff").save(tmp_path / "o.json")
    return tmp_path / "o.json", pd.DataFrame({"a": a}), y


def test_classes_are_sorted_whatever_the_file_declares(declared):
    path, X, y = declared
    tree = TreeClassifier.load(path)
    assert tree.model_.classes == ["c", "b", "a"]
    assert tree.classes_.tolist() == ["a", "b", "c"]
    fitted = CartClassifier().fit(X, y)
    np.testing.assert_allclose(tree.predict_proba(X), fitted.predict_proba(X))
    assert (tree.predict(X) == y).all() and tree.score(X, y) == 1.0
    assert log_loss(y, tree.predict_proba(X)) < 1e-12
    assert roc_auc_score(y, tree.predict_proba(X), multi_class="ovr") == 1.0


def test_views_have_the_order_of_the_classes(declared):
    path, X, y = declared
    tree, fitted = TreeClassifier.load(path), CartClassifier().fit(X, y)
    np.testing.assert_allclose(tree.tree_.value, fitted.tree_.value)
    ours, theirs = tree.explain(X[:20]), fitted.explain(X[:20])
    assert ours.outputs == theirs.outputs == ["a", "b", "c"]
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-12)
    np.testing.assert_allclose(ours.base_values, theirs.base_values)
    np.testing.assert_allclose(ours.answers, tree.predict_proba(X[:20]))
    means = tree.partial_dependence(X, "a", points=5)
    assert means.outputs == ["a", "b", "c"]
    np.testing.assert_allclose(means.means, fitted.partial_dependence(X, "a", points=5).means)
    assert {rule.prediction for rule in tree.rules()} == {"a", "b", "c"}
    assert tree.plot("calibration", X, y).svg.startswith("<svg")


def test_columns_with_spaces_come_back(iris, tmp_path):
    X = pd.DataFrame(iris[0], columns=["a b", "c|d", "e=f", "g"])[iris[1] > 0]
    y = iris[1][iris[1] > 0]
    tree = CartClassifier(monotonic_cst={"a b": 1, "c|d": -1}, feature_costs={"e=f": 2.0}, max_depth=3).fit(X, y)
    tree.save(tmp_path / "m.json")
    loaded = CartClassifier.load(tmp_path / "m.json")
    assert loaded.monotonic_cst == {"a b": 1, "c|d": -1}
    assert loaded.feature_costs == {"e=f": 2.0}
    assert loaded.max_depth == 3
    assert (loaded.predict(X) == tree.predict(X)).all()
    assert loaded.fit(X, y).model_.to_text() == tree.model_.to_text()


@pytest.mark.parametrize("name", ["a,b", 'a"b'])
def test_names_that_recipes_cannot_write(iris, name):
    X, y = iris
    frame = pd.DataFrame(X[y > 0], columns=[name, "b", "c", "d"])
    CartClassifier(monotonic_cst=[0, 1, 0, 0]).fit(frame, y[y > 0])
    for parameters in ({"monotonic_cst": [1, 0, 0, 0]}, {"feature_costs": {name: 2}}):
        with pytest.raises(softwood.Error, match="recipes can't write its name\nrename"):
            CartClassifier(**parameters).fit(frame, y[y > 0])


def test_the_target_keeps_its_name(iris, diabetes, tmp_path):
    X, y = iris
    tree = CartClassifier().fit(X, pd.Series(y, name="species"))
    assert tree.model_.target == "species"
    assert CartRegressor().fit(diabetes[0], pd.Series(diabetes[1], name=0)).model_.target == "0"
    assert CartClassifier().fit(X, y).model_.target == "y"
    assert CartClassifier().fit(X, pd.Series(y)).model_.target == "y"
    frame = pd.DataFrame(X, columns=["a", "b", "c", "species"])
    assert CartClassifier().fit(frame, pd.Series(y, name="species")).model_.target == "species_"
