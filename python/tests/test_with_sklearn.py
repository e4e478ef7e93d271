"""Estimators within scikit-learn's own tools, with real calls."""

import copy
import pickle

import joblib
import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn import set_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import softwood
from conftest import make
from softwood import CartClassifier, CartRegressor
from softwood._functions import option_text

matplotlib.use("Agg")


@pytest.mark.parametrize("name", softwood._ESTIMATORS)
def test_pickle_copy_and_joblib(name, iris, tmp_path):
    X, y = iris
    tree = make(name, random_state=3).fit(X, y)
    answers = tree.predict(X)
    joblib.dump(tree, tmp_path / "tree")
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), joblib.load(tmp_path / "tree")):
        assert (other.predict(X) == answers).all()
        assert other.model_.to_text() == tree.model_.to_text()
    fresh = clone(tree)
    assert not hasattr(fresh, "model_") and fresh.get_params() == tree.get_params()


def test_set_params(iris):
    X, y = iris
    tree = CartClassifier().set_params(max_depth=1, ccp_alpha=0.0).fit(X, y)
    assert tree.get_depth() == 1
    with pytest.raises(ValueError, match="Invalid parameter"):
        tree.set_params(depth=3)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_backends(backend, iris):
    X, y = iris
    with joblib.parallel_backend(backend, n_jobs=2):
        scores = cross_val_score(CartClassifier(), X, y, cv=4)
    assert scores.min() > 0.85


def test_pipeline_and_column_transformer():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=120), "b": rng.choice(["u", "v", "w"], 120)})
    y = (frame["a"] > 0) ^ (frame["b"] == "u")
    prepare = ColumnTransformer([("a", StandardScaler(), ["a"]), ("b", OneHotEncoder(sparse_output=False), ["b"])])
    assert make_pipeline(prepare, CartClassifier()).fit(frame, y).score(frame, y) > 0.95
    assert CartClassifier().fit(frame, y).score(frame, y) > 0.95  # needs no encoder


def test_grid_searches(iris):
    X, y = iris
    grid = {"max_depth": [1, 2, 3], "criterion": ["gini", "entropy"]}
    for search in (GridSearchCV(CartClassifier(), grid, cv=3), HalvingGridSearchCV(CartClassifier(), grid, cv=3)):
        assert search.fit(X, y).best_score_ > 0.9


def test_ensembles_and_calibration(iris):
    X, y = iris
    weak = CartClassifier(max_depth=2, ccp_alpha=0.0)
    assert CalibratedClassifierCV(weak, cv=3).fit(X, y).score(X, y) > 0.9
    assert BaggingClassifier(weak, n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.9
    assert AdaBoostClassifier(weak, n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.9


def test_inspection(iris, diabetes):
    X, y = iris
    tree = CartClassifier().fit(X, y)
    assert permutation_importance(tree, X, y, n_repeats=3, random_state=0).importances_mean.argmax() >= 2
    two = CartClassifier().fit(X[:, :2], y)
    DecisionBoundaryDisplay.from_estimator(two, X[:, :2], response_method="predict")
    X, y = diabetes
    PartialDependenceDisplay.from_estimator(CartRegressor().fit(X, y), X, [2])


def test_learning_curve(iris):
    X, y = iris
    sizes, train, test = learning_curve(CartClassifier(), X, y, cv=3, shuffle=True, random_state=0)
    assert train.shape == test.shape == (len(sizes), 3)


def test_metadata_routing(iris):
    X, y = iris
    set_config(enable_metadata_routing=True)
    try:
        tree = CartClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(tree, X, y, params={"sample_weight": np.ones(len(y))}, cv=3)
        assert found["test_score"].mean() > 0.9
    finally:
        set_config(enable_metadata_routing=False)


def test_cv_is_a_number_a_splitter_or_splits(iris):
    X, y = iris
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    by_list = CartClassifier(cv=folds).fit(X, y)
    by_splitter = CartClassifier(cv=KFold(5, shuffle=True, random_state=0)).fit(X, y)
    assert by_list.model_.to_text() == by_splitter.model_.to_text()
    other = CartClassifier(cv=[(test, train) for train, test in folds]).fit(X, y)
    ours, theirs = by_list.model_.pruning["cv_error"], other.model_.pruning["cv_error"]
    assert not np.array_equal(ours, theirs)
    assert CartClassifier(cv=3).fit(X, y).get_n_leaves() >= 2


def test_validation_rows_choose(iris):
    X, y = iris
    tree = CartClassifier().fit(X[::2], y[::2], validation=(X[1::2], y[1::2]))
    assert tree.score(X, y) > 0.9


def test_class_weight_and_costs(iris):
    X, y = iris
    X, y = X[50:], y[50:]
    plain = CartClassifier(max_depth=1, ccp_alpha=0.0).fit(X, y)
    costly = CartClassifier(max_depth=1, ccp_alpha=0.0, costs={1: {2: 50}}).fit(X, y)
    assert (costly.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    array = CartClassifier(max_depth=1, ccp_alpha=0.0, costs=[[0, 50], [1, 0]]).fit(X, y)
    frame = CartClassifier(
        max_depth=1, ccp_alpha=0.0, costs=pd.DataFrame([[0, 50], [1, 0]], index=[1, 2], columns=[1, 2])
    ).fit(X, y)
    assert costly.model_.to_text() == array.model_.to_text() == frame.model_.to_text()
    balanced = CartClassifier(class_weight="balanced").fit(X[:70], y[:70])
    given = CartClassifier(class_weight={1: 70 / 100, 2: 70 / 40}).fit(X[:70], y[:70])
    assert (balanced.predict_proba(X) == given.predict_proba(X)).all()


def test_costs_of_every_kind(iris):
    import polars as pl

    X, y = iris
    X, classes = X[50:], np.where(y[50:] == 1, 1.0, 2.0)
    table = pd.DataFrame([[0, 50], [1, 0]], index=[1.0, 2.0], columns=[1.0, 2.0])
    kinds = [table, table.to_dict("index"), table.to_numpy(), table.to_numpy().tolist()]
    texts = [CartClassifier(max_depth=1, ccp_alpha=0.0, costs=costs).fit(X, classes).model_.to_text() for costs in kinds]
    assert len(set(texts)) == 1
    named = pl.DataFrame({"actual": ["1", "2"], "1": [0, 1], "2": [50, 0]})
    text = CartClassifier(max_depth=1, ccp_alpha=0.0, costs=named).fit(X, classes).model_.to_text()
    assert text == texts[0]
    with pytest.raises(softwood.Error, match="2 classes"):
        CartClassifier(costs=np.eye(3)).fit(X, classes)


def test_positive_class(iris):
    X, y = iris
    X, y = X[50:], y[50:]
    names = np.where(y == 1, "versicolor", "virginica")
    plain = CartClassifier().fit(X, names)
    assert plain.model_.positive == "virginica"
    other = CartClassifier(positive="versicolor").fit(X, names)
    assert other.model_.positive == "versicolor"
    assert other.classes_.tolist() == plain.classes_.tolist() == other.model_.classes
    assert CartClassifier(positive=1).fit(X, y).model_.positive == "1"
    # Longer petals make virginica more likely, and so versicolor less.
    petals, rising = X[:, 2:3], {"monotonic_cst": [1], "max_depth": 1, "ccp_alpha": 0.0}
    assert CartClassifier(**rising).fit(petals, names).get_n_leaves() == 2
    stump = CartClassifier(positive="versicolor", **rising).fit(petals, names)
    assert stump.score(petals, names) < 0.6
    with pytest.raises(softwood.Error, match="no class"):
        CartClassifier(positive="setosa").fit(X, names)
    assert softwood.train({"a": X[:, 0]}, names, positive="versicolor").positive == "versicolor"


@pytest.mark.parametrize("name", softwood._ESTIMATORS)
def test_save_and_load(name, iris, tmp_path):
    X, y = iris
    tree = make(name, random_state=3).fit(X, y)
    tree.save(tmp_path / "model.json")
    loaded = type(tree).load(tmp_path / "model.json")
    assert (loaded.predict(X) == tree.predict(X)).all()
    assert loaded.n_features_in_ == 4 and not hasattr(loaded, "feature_names_in_")
    if hasattr(tree, "classes_"):
        assert loaded.classes_.dtype == tree.classes_.dtype
    if tree._methods:  # None and "none" are the same
        ours, theirs = ({k: option_text(v) for k, v in t.get_params().items()} for t in (loaded, tree))
        assert ours == theirs


def test_load_parameters_classes_and_names(iris, tmp_path):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    path = tmp_path / "model.json"
    tree = CartClassifier(max_depth=3, ccp_alpha=0.01, monotonic_cst={"c": 1}, missing="impute", random_state=1)
    tree.fit(frame, y > 0).save(path)
    loaded = CartClassifier.load(path)
    assert loaded.get_params() == tree.get_params()
    assert loaded.classes_.tolist() == [False, True]
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert (loaded.predict(frame) == tree.predict(frame)).all()
    for other, words in ((softwood.C45Classifier, "cart"), (CartRegressor, "classes")):
        with pytest.raises(softwood.Error, match=words):
            other.load(path)
    assert softwood.TreeClassifier.load(path).recipe == tree.model_.to_dict()["origin"]["recipe"]


def test_monotone(diabetes):
    X, y = diabetes
    tree = CartRegressor(monotonic_cst=[0, 0, 1, 0, 0, 0, 0, 0, 0, 0], ccp_alpha=0.0, min_samples_leaf=10)
    tree.fit(X, y)
    grid = np.repeat(X[:20], 30, axis=0)
    grid[:, 2] = np.tile(np.linspace(-0.1, 0.15, 30), 20)
    assert (np.diff(tree.predict(grid).reshape(20, 30), axis=1) >= 0).all()
    named = CartRegressor(monotonic_cst={"x2": 1}, ccp_alpha=0.0, min_samples_leaf=10).fit(X, y)
    assert named.model_.to_text() == tree.model_.to_text()


def test_soft_trees_divide_rows(iris):
    X, y = iris
    tree = make("SoftTreeClassifier", depth=2).fit(X, y)
    weights = tree.leaf_weights(X)
    assert weights.shape == (150, len(tree.model_.end_nodes)) and np.allclose(weights.sum(axis=1), 1)
    assert (tree.model_.end_nodes[weights.argmax(axis=1)] == tree.apply(X)).all()
    with pytest.raises(softwood.Error, match="to_frame"):
        tree.tree_.threshold
    assert len(tree.tree_.to_frame()) == tree.model_.nodes


def test_auto_keeps_the_frontier(iris):
    tree = make("AutoTreeClassifier").fit(*iris)
    frontier = tree.model_.frontier
    assert frontier["metric"] == "logloss"
    assert set(frontier["choices"]) == {"accuracy", "balanced", "readable"}
    assert tree.get_n_leaves() <= 4
    assert make("CartClassifier").fit(*iris).model_.frontier is None
