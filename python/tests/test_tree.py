"""`tree_` is about the model, not about today's parameters; pickles; criteria of regression."""

import pickle

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import softwood
from softwood import CartClassifier, CartRegressor, ObliqueTreeClassifier, TreeClassifier


def test_the_criterion_is_that_of_the_model(iris, tmp_path):
    X, y = iris
    entropy = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(X, y).tree_.impurity[0]
    tree = TreeClassifier(recipe="grow criterion=entropy").fit(X, y)
    assert tree.tree_.impurity[0] == pytest.approx(entropy) == pytest.approx(tree.model_.tree.impurity[0])
    tree = CartClassifier().fit(X, y)
    gini = tree.tree_.impurity[0]
    assert tree.set_params(criterion="entropy").tree_.impurity[0] == gini
    tree.fit(X, y).save(tmp_path / "m.json")
    assert softwood.load(tmp_path / "m.json").tree.impurity[0] == pytest.approx(entropy)


def test_absolute_errors_have_medians(diabetes):
    X, y = diabetes
    ours = CartRegressor(criterion="absolute_error", ccp_alpha=0.0, max_depth=2).fit(X, y).tree_
    theirs = DecisionTreeRegressor(criterion="absolute_error", max_depth=2).fit(X, y).tree_
    leaves = theirs.children_left < 0
    assert sorted(ours.value[ours.is_leaf].ravel()) == sorted(theirs.value[leaves].ravel())
    fitted = CartRegressor(criterion="absolute_error", ccp_alpha=0.0, max_depth=2).fit(X, y)
    assert {rule.prediction for rule in fitted.rules()} == set(fitted.predict(X))
    with pytest.raises(softwood.Error, match="impurity of criterion=mae\nto_frame"):
        ours.impurity  # noqa: B018


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_alphas_have_no_unit_for_other_criteria(diabetes, criterion):
    X, y = diabetes
    for alpha in (0.0, "cv"):
        CartRegressor(criterion=criterion, max_depth=2, ccp_alpha=alpha).fit(X, y)
    with pytest.raises(softwood.Error, match=f"units of criterion='{criterion}'"):
        CartRegressor(criterion=criterion, ccp_alpha=1.0).fit(X, y)
    with pytest.raises(softwood.Error, match=f"units of criterion='{criterion}'"):
        CartRegressor(criterion=criterion).cost_complexity_pruning_path(X, y)


def test_trees_are_pickled(iris):
    X, y = iris
    tree = CartClassifier().fit(X, y, np.random.default_rng(0).random(150))
    again = pickle.loads(pickle.dumps(tree.tree_))
    for name in ("children_left", "threshold", "value", "impurity", "n_node_samples", "feature"):
        np.testing.assert_array_equal(getattr(again, name), getattr(tree.tree_, name))
    text = softwood.Model.__new__(softwood.Model)
    text.__setstate__({"text": tree.model_.to_text()})  # of an older form
    assert text.array_names == tree.model_.inputs and (text.predict(X) == tree.model_.predict(X)).all()


def test_other_trees_do_not_have_the_arrays(iris):
    tree = ObliqueTreeClassifier().fit(*iris).tree_
    assert not hasattr(tree, "threshold") and hasattr(tree, "value")
    with pytest.raises(softwood.Error, match="to_frame"):
        tree.threshold  # noqa: B018


def test_rules_predict_classes(iris):
    X, y = iris
    tree = CartClassifier().fit(X, y)
    rules = tree.rules()
    assert all(rule.prediction in tree.classes_ for rule in rules)
    assert all(rule.probabilities[rule.prediction] > 0 and rule.text for rule in rules)
    assert {type(rule.prediction) for rule in tree.model_.rules()} == {str}
    assert set(tree.tree_.to_frame()["prediction"]) <= set(tree.classes_)
